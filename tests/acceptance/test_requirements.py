"""The algebra of requirements: cases B33 to B44."""

import pytest

from policyscaler.model import labels as well
from policyscaler.model.requirements import Requirement, from_manifest
from policyscaler.scheduling import requirements as req
from policyscaler.testing.builders import a_pod, a_pool, a_type, needs
from policyscaler.testing.expectations import expect_scheduled, expect_unschedulable
from tests.acceptance.deciding import decided


def one(text, *, min_values=None) -> Requirement:
    return from_manifest(needs(text, min_values=min_values))


def all_of(*texts):
    return req.merge_all(one(text) for text in texts)


def both(first, second):
    return one(first).intersect(one(second))


@pytest.mark.case("B33")
@pytest.mark.parametrize(
    ("alias", "stable"),
    [
        ("beta.kubernetes.io/arch", well.ARCH),
        ("failure-domain.beta.kubernetes.io/zone", well.ZONE),
        ("beta.kubernetes.io/instance-type", well.INSTANCE_TYPE),
    ],
)
def test_an_alias_is_the_stable_key(alias, stable):
    assert one(f"{alias} In x") == one(f"{stable} In x")
    assert list(all_of(f"{alias} In x y", f"{stable} In y z")) == [stable]


@pytest.mark.case("B33")
def test_an_alias_works_on_pools_and_pods():
    kind = a_type("m2", "2", zones=("z1", "z2"))
    pool = a_pool("p", "failure-domain.beta.kubernetes.io/zone In z2")
    fits = a_pod("fits", node_selector={"beta.kubernetes.io/instance-type": "m2"})
    not_there = a_pod("not-there", node_selector={"failure-domain.beta.kubernetes.io/zone": "z1"})
    plan = decided(pool, kind, fits, not_there)
    expect_scheduled(plan, "fits", on="m2")
    expect_unschedulable(plan, "not-there", constraint="requirements")
    assert {offering.zone for offering in plan.launches[0].offerings} == {"z2"}


@pytest.mark.parametrize(
    ("written", "inside", "outside"),
    [
        ("B34 k Gt 1", ["2", "100"], ["1", "0", "-1"]),
        ("B34 k Lt 9", ["8", "0", "-3"], ["9", "10"]),
        ("B34 k Gte 2", ["2", "3"], ["1"]),
        ("B34 k Lte 8", ["8", "7"], ["9"]),
    ],
)
def test_bounds_hold_for_integers_only(written, inside, outside):
    bounds = one(written.removeprefix("B34 "))
    assert all(bounds.allows(value) for value in inside)
    assert not any(bounds.allows(value) for value in [*outside, "x", "", "2.5", " 3"])


@pytest.mark.case("B34")
def test_greater_than_the_largest_integer_is_nothing():
    assert one(f"k Gt {2**63 - 1}", min_values=2).operator == "DoesNotExist"


@pytest.mark.case("B35")
def test_crossing_bounds_are_does_not_exist():
    assert both("k Gt 9", "k Lt 1").operator == "DoesNotExist"
    assert both("k Gt 1", "k Lt 2").operator == "DoesNotExist"
    assert not one("k Gt 9").intersects(one("k Lt 1"))


@pytest.mark.case("B36")
def test_bounds_narrow_exists_and_lists():
    window = one("k Exists").intersect(one("k Gt 1")).intersect(one("k Lt 9"))
    assert str(window) == "k Exists >=2 <=8"
    assert one("k In 1 5 9").intersect(window) == one("k In 5")


@pytest.mark.parametrize(
    ("first", "second", "result"),
    [
        ("k NotIn A", "k In A B", "k In B"),
        ("k NotIn A", "k NotIn B", "k NotIn A B"),
        ("k In A", "k In B", "k DoesNotExist"),
        ("k In A", "k DoesNotExist", "k DoesNotExist"),
        ("k Exists", "k DoesNotExist", "k DoesNotExist"),
        ("k NotIn A", "k DoesNotExist", "k DoesNotExist"),
        ("k Exists", "k In A", "k In A"),
    ],
    ids=lambda text: f"B37 {text}",
)
def test_intersections_are_those_of_sets(first, second, result):
    assert both(first, second) == both(second, first)
    assert str(both(first, second)) == str(one(result))


@pytest.mark.parametrize(
    ("first", "second"),
    [("k In A B", "k Exists"), ("k Gt 9", "k Lt 1"), ("k In A", "k In B")],
    ids=lambda text: f"B38 {text}",
)
@pytest.mark.parametrize(("left", "right", "larger"), [(3, 2, 3), (2, 3, 3), (None, 4, 4)])
def test_the_larger_minimum_survives(first, second, left, right, larger):
    result = one(first, min_values=left).intersect(one(second, min_values=right))
    assert result.min_values == larger


@pytest.mark.case("B39")
def test_a_window_is_written_as_two_entries():
    window = one("k Gt 1", min_values=2).intersect(one("k Lt 9"))
    assert window.to_manifest() == (
        needs("k Gte 2", min_values=2),
        needs("k Lte 8", min_values=2),
    )


@pytest.mark.case("B40")
def test_a_label_that_only_the_machine_will_know():
    wanted = all_of("zone In a")
    assert req.compatible({}, wanted, undefined=well.WELL_KNOWN)
    assert not req.compatible({}, wanted, undefined=None)


@pytest.mark.parametrize("undefined", [well.WELL_KNOWN, None], ids=["new node", "real node"])
@pytest.mark.parametrize(
    ("wanted", "fine"),
    [
        ("B41 custom In x", False),
        ("B41 custom Exists", False),
        ("B41 custom Gt 3", False),
        ("B41 custom NotIn x", True),
        ("B41 custom DoesNotExist", True),
    ],
)
def test_a_label_that_nobody_defines(wanted, fine, undefined):
    assert req.compatible({}, all_of(wanted.removeprefix("B41 ")), undefined=undefined) is fine


@pytest.mark.parametrize(
    ("have", "want", "fine"),
    [
        ("k In a", "k In b", False),
        ("k In a b", "k In b", True),
        ("k NotIn a", "k DoesNotExist", True),
        ("k DoesNotExist", "k DoesNotExist", True),
        ("k DoesNotExist", "k NotIn a", True),
        ("k DoesNotExist", "k In a", False),
        ("k DoesNotExist", "k Exists", False),
        ("other In a", "k In b", True),
    ],
    ids=lambda value: f"B42 {value}",
)
def test_empty_intersections_of_negatives_are_no_conflict(have, want, fine):
    assert req.intersects(all_of(have), all_of(want)) is fine


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("zone", "topology.kubernetes.io/zone"),
        ("topology.kubernetesio/zone", "topology.kubernetes.io/zone"),
        ("node.io/zone", "topology.kubernetes.io/zone"),
        ("karpenter/nodepool", "karpenter.sh/nodepool"),
        ("deployment", ""),
        ("example.com/whatever", ""),
    ],
    ids=lambda text: f"B43 {text}",
)
def test_the_label_that_was_meant_is_suggested(written, meant):
    wanted = {written: Requirement(key=written, complement=False, values=frozenset({"x"}))}
    conflict = req.find_conflict({}, wanted, undefined=well.WELL_KNOWN)
    assert conflict is not None
    assert conflict.hint == meant
    assert ("did you mean" in str(conflict)) is bool(meant)


@pytest.mark.case("B43")
def test_the_suggestion_reaches_the_person():
    plan = decided(
        a_pool("general"), a_type("m4"), a_pod("web", must=("topology.kubernetesio/zone In z1",))
    )
    expect_unschedulable(plan, "web", mentions=['did you mean "topology.kubernetes.io/zone"?'])


@pytest.mark.case("B44")
def test_sets_are_printed_by_key_and_lists_are_cut():
    wanted = all_of("zeta In 1", "alpha In g f e d c b a", "mid NotIn x", "num Gt 3")
    assert req.describe(wanted) == (
        "alpha In [a b c d e and 2 others], mid NotIn [x], num Exists >=4, zeta In [1]"
    )
