"""The algebra of requirements is that of sets of values."""

from hypothesis import given
from hypothesis import strategies as st

from policyscaler.model.labels import WELL_KNOWN
from policyscaler.model.requirements import from_manifest, requirement
from policyscaler.scheduling import requirements as req

VALUES = ["a", "b", "c", "", "0", "1", "2", "3", "7", "-1", "x1", "9223372036854775807"]
LISTS = st.lists(st.sampled_from(VALUES[:-1]), min_size=1, max_size=4, unique=True).map(tuple)
BOUNDS = st.sampled_from(["-1", "0", "1", "2", "3", "9223372036854775807"]).map(lambda v: (v,))


@st.composite
def written(draw, key="k"):
    operator = draw(st.sampled_from(
        ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte"]))  # fmt: skip
    values = ()
    if operator in ("In", "NotIn"):
        values = draw(LISTS)
    elif operator not in ("Exists", "DoesNotExist"):
        values = draw(BOUNDS)
    minimum = draw(st.sampled_from([None, None, 1, 2, 5]))
    return requirement(key, operator, values, min_values=minimum)


def holds_for(wanted, value):
    """Whether the label may have a value, or be missing (None)."""
    return wanted.excludes_nothing_positive if value is None else wanted.allows(value)


@given(written(), written())
def test_intersection_is_that_of_sets(first, second):
    both = first.intersect(second)
    for value in [*VALUES, None]:
        assert holds_for(both, value) == (holds_for(first, value) and holds_for(second, value))


@given(written(), written())
def test_intersection_does_not_mind_the_order(first, second):
    assert first.intersect(second) == second.intersect(first)


@given(written(), written(), written())
def test_intersection_does_not_mind_grouping(first, second, third):
    left = first.intersect(second).intersect(third)
    right = first.intersect(second.intersect(third))
    assert left == right


@given(written())
def test_intersection_with_itself_changes_nothing(wanted):
    again = wanted.intersect(wanted)
    assert [holds_for(again, v) for v in [*VALUES, None]] == [
        holds_for(wanted, v) for v in [*VALUES, None]
    ]


@given(written(), written())
def test_the_cheap_test_overlooks_no_common_value(first, second):
    if any(first.allows(value) and second.allows(value) for value in VALUES):
        assert first.intersects(second)
    assert first.intersects(second) == second.intersects(first)


@given(written(), written())
def test_nothing_is_lost_on_the_way_through_a_manifest(first, second):
    wanted = first.intersect(second)
    if wanted.is_impossible:
        return
    back = req.merge_all(from_manifest(entry) for entry in wanted.to_manifest())["k"]
    assert [holds_for(back, v) for v in [*VALUES, None]] == [
        holds_for(wanted, v) for v in [*VALUES, None]
    ]
    assert back.min_values == wanted.min_values


KEYS = st.sampled_from(["a.example/x", "b.example/y", "topology.kubernetes.io/zone"])


@st.composite
def sets(draw):
    return req.merge_all(draw(written(key=draw(KEYS))) for _ in range(draw(st.integers(0, 3))))


@given(sets(), sets())
def test_merging_sets_merges_each_label(first, second):
    merged = req.merge(first, second)
    assert merged == req.merge(second, first)
    assert merged.keys() == first.keys() | second.keys()


@given(sets(), sets())
def test_the_three_comparisons_are_ordered_by_strictness(have, want):
    strict = req.compatible(have, want, undefined=None)
    lax = req.compatible(have, want, undefined=WELL_KNOWN)
    assert not strict or lax
    assert not lax or req.intersects(have, want)


@given(st.dictionaries(KEYS, st.sampled_from(VALUES[:6]), max_size=3), sets())
def test_on_a_real_node_compatible_is_what_the_scheduler_says(labels, want):
    told = req.compatible(req.of_node(labels), want, undefined=None)
    assert told == all(holds_for(wanted, labels.get(key)) for key, wanted in want.items())
