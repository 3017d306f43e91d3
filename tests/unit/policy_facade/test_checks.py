"""What is found when a set of policies is loaded, with the place in the file."""

import pytest

from policyscaler.model.errors import PolicyError
from policyscaler.policy.evaluation import Policies, load_findings
from tests.unit.policy_facade.building import offerings, policies, written

REQUIRE = "offerings: {{require: [{{name: a, expr: '{}'}}]}}"


def found(*specs, **params):
    """Code, place and first words of each finding."""
    return [
        (f.severity, f.code, str(f.position) if f.position else "", f.message)
        for f in load_findings(written(*specs), params=params)
    ]


def codes(*specs, **params):
    return [code for _, code, _, _ in found(*specs, **params)]


def test_a_sound_set_has_no_findings():
    assert found(REQUIRE.format("offering.cpu > 2.0"), REQUIRE.format("offering.cpu < 8.0")) == []


def test_an_unknown_field_is_placed_at_its_character():
    spec = 'offerings:\n  require:\n    - name: a\n      expr: "offering.cpu > 2.0 && offering.memroy > 1.0"'
    assert found(spec) == [
        ("error", "PS121", "p0.yaml:8:47", "offering has no field 'memroy'"),
    ]


def test_all_faults_of_all_policies_are_reported_at_once():
    with pytest.raises(PolicyError) as caught:
        policies(REQUIRE.format("offering.cpuu > 2.0"), REQUIRE.format("offering.zone"))
    assert [getattr(f, "code", "") for f in caught.value.findings] == ["PS121", "PS122"]
    assert "(and 1 more)" in str(caught.value)
    assert "ScalingPolicy/p0" in str(caught.value)


def test_an_unguarded_optional_field_does_not_load():
    assert codes(REQUIRE.format("offering.gpu.count > 0")) == ["PS141"]


def test_two_policies_of_one_name_are_told_apart_by_their_places():
    one, other = written(REQUIRE.format("true"))[0], written(REQUIRE.format("false"))[0]
    (finding,) = load_findings([one, other])
    assert (finding.code, finding.severity) == ("PS148", "error")
    assert finding.message == "2 policies are called p0: p0.yaml:1:1 and p0.yaml:1:1"


def test_scores_of_equal_priority_are_an_error_where_they_meet():
    score = "offerings: {score: {base: offering.price}}"
    ((severity, code, place, message),) = found(score, score)
    assert (severity, code, place) == ("error", "PS210", "p1.yaml:5:29")
    assert message == "p0, p1 all have a score of priority 0, and only one can rank"


@pytest.mark.parametrize(
    "change",
    ["priority: 1\n", "mode: audit\n", "mode: 'off'\n"],
    ids=["another priority", "one in audit mode", "one switched off"],
)
def test_scores_that_do_not_meet_are_no_tie(change):
    score = "offerings: {score: {base: offering.price}}"
    assert codes(score, change + score) == []


def test_scores_of_policies_that_each_say_whom_they_are_about_may_be_equal():
    score = "match: {{pods: shape.gpu {} 0}}\nofferings: {{score: {{base: offering.price}}}}"
    assert codes(score.format("> "), score.format("==")) == []


def test_an_unknown_parameter_is_refused_with_the_nearest():
    spec = "params: {mostPrice: {type: double, default: 1.0}}\n" + REQUIRE.format(
        "offering.price < params.mostPrice"
    )
    with pytest.raises(PolicyError, match=r'no policy has a parameter "mostprice".*did you mean'):
        policies(spec, mostprice=2.0)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (5.0, "5.0 is more than the most, 2.0"),
        (-1.0, "-1.0 is less than the least, 0.5"),
        ("1.0", "'1.0' is not a double"),
        (True, "True is not a double"),
    ],
    ids=["too much", "too little", "text", "a bool"],
)
def test_a_parameter_keeps_its_type_and_bounds(value, message):
    spec = "params: {most: {type: double, default: 1.0, min: 0.5, max: 2.0}}\n" + REQUIRE.format(
        "offering.price < params.most"
    )
    ((severity, code, _, said),) = found(spec, most=value)
    assert (severity, code, said) == ("error", "PS149", message)


def test_a_duration_parameter_is_a_duration():
    spec = (
        "params: {after: {type: duration, default: 30m}}\n"
        "match: {pods: 'shape.pendingFor > params.after'}\n" + REQUIRE.format("false")
    )
    of = policies(spec, after="10s")
    assert not offerings(of).rows.any(), "the pods have been waiting for 20 s"
    assert offerings(policies(spec)).rows.all()


def test_variables_in_a_circle_are_named():
    spec = "variables: {a: vars.b, b: vars.c, c: vars.a, d: 'true'}\n" + REQUIRE.format("vars.d")
    assert [(code, message) for _, code, _, message in found(spec)] == [
        ("PS211", "variable a reads itself by way of b"),
        ("PS211", "variable b reads itself by way of c"),
        ("PS211", "variable c reads itself by way of a"),
    ]


def test_a_fault_in_a_variable_is_placed_in_the_variable():
    spec = 'variables:\n  big: "offering.cpuu > 2.0"\n' + REQUIRE.format("vars.big")
    places = [(code, place) for _, code, place, _ in found(spec)]
    assert ("PS121", "p0.yaml:6:20") in places


def test_a_variable_that_nobody_reads_is_checked_all_the_same():
    assert "PS121" in codes("variables: {odd: offering.cpuu}\n" + REQUIRE.format("true"))


def test_a_variable_that_no_expression_can_read_is_refused():
    spec = 'variables: {odd: "offering.cpu > node.cpu"}\n' + REQUIRE.format("true")
    assert [code for code in codes(spec) if code != "PS145"] == ["PS150"]


def test_variables_may_read_variables_that_are_written_later():
    spec = "variables: {b: vars.a, a: offering.cpu > 2.0}\n" + REQUIRE.format("vars.b")
    assert int(offerings(policies(spec)).rows.sum()) == 6


@pytest.mark.parametrize(
    "spec",
    [
        "match: {pods: \"orElse(shape.labels.tier, '') == 'x'\"}\n"
        + REQUIRE.format("offering.cpu > 2.0"),
        REQUIRE.format('orElse(shape.labels.tier, "") == "x"'),
        "limits: [{name: a, by: 'orElse(shape.labels.tier, \"\")', amount: '1.0', max: '1.0'}]",
        "variables: {tier: 'orElse(shape.labels.tier, \"\")'}\n"
        + REQUIRE.format('vars.tier == "x"'),
    ],
    ids=["match", "require", "limits", "by way of a variable"],
)
def test_what_depends_on_a_pods_own_label_is_warned_about(spec):
    ((severity, code, _, message),) = found(spec)
    assert (severity, code) == ("warning", "PS213")
    assert "whoever makes the pod can choose" in message


def test_prefer_may_read_a_pods_own_label():
    assert (
        codes("offerings: {prefer: [{name: a, expr: 'has(shape.labels.tier)', bonus: 0.1}]}") == []
    )


ELIGIBLE = "disruption: {{eligible: [{}]}}"
EMPTY = "{name: e, reason: Empty, when: node.empty}"
LONG = "{name: l, reason: Empty, when: node.age > duration('1h')}"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param(ELIGIBLE.format(EMPTY), ELIGIBLE.format(f"{EMPTY}, {LONG}"), ["PS212"], id="narrower than another"),
        pytest.param(ELIGIBLE.format(EMPTY), ELIGIBLE.format(EMPTY), ["PS212"], id="the same as another"),
        pytest.param(ELIGIBLE.format(EMPTY), ELIGIBLE.format(LONG), [], id="something else"),
        pytest.param("match: {pools: \"pool.name == 'a'\"}\n" + ELIGIBLE.format(EMPTY), ELIGIBLE.format(f"{EMPTY}, {LONG}"), [], id="the other is about some pools only"),
        pytest.param("mode: audit\n" + ELIGIBLE.format(EMPTY), ELIGIBLE.format(f"{EMPTY}, {LONG}"), [], id="the other has no effect"),
    ],
)  # fmt: skip
def test_an_eligible_rule_that_adds_nothing_is_warned_about(first, second, expected):
    assert codes(first, second) == expected


def test_match_pods_beside_disruption_rules_is_warned_about():
    spec = "match: {pods: 'shape.gpu > 0'}\ndisruption: {deny: [{name: x, when: node.empty}]}"
    assert codes(spec) == ["PS214"]


def test_a_policy_that_is_off_is_checked_too():
    assert codes("mode: 'off'\n" + REQUIRE.format("offering.cpuu > 1.0")) == ["PS121"]


def test_no_policies_at_all():
    assert load_findings([]) == ()
    assert Policies.compile([]).digest == Policies.compile(()).digest
