"""Acceptance: what a NodePool and a NodeClaim may say. The numbers are those of §9.A."""

from datetime import timedelta

import pytest

from policyscaler.manifests.updates import check_update
from policyscaler.model.pools import Budget, Disruption
from tests.unit.manifests.trees import (
    REF,
    a_claim_tree,
    a_pool_tree,
    a_requirement,
    errors_of,
    loaded,
    requiring,
    the_pool,
)

SPOT = a_requirement("karpenter.sh/capacity-type", "In", "spot")


def ok(case, sentence, **changes):
    return pytest.param(a_pool_tree(**changes), None, id=f"{case} {sentence}")


def bad(case, sentence, says, **changes):
    return pytest.param(a_pool_tree(**changes), says, id=f"{case} {sentence}")


def budgets(*entries):
    return {"disruption__budgets": [{"nodes": "1", **entry} for entry in entries]}


def taints(*entries):
    return {"template__spec__taints": list(entries)}


def labels(**entries):
    return {"template__metadata__labels": entries}


NIGHTLY = {"schedule": "0 22 * * *", "duration": "8h"}
A_TAINT = {"key": "team", "value": "a", "effect": "NoSchedule"}

DURATIONS = [
    *(
        ok("A02", f"consolidateAfter {d}", disruption__consolidateAfter=d)
        for d in ("30s", "1h30m5s", "Never")
    ),
    *(
        bad("A02", f"consolidateAfter {d}", "not a duration", disruption__consolidateAfter=d)
        for d in ("-1s", "1hr", "FooNever")
    ),
    *(
        ok("A02", f"expireAfter {d}", template__spec__expireAfter=d)
        for d in ("30s", "1h30m5s", "Never")
    ),
    *(
        bad("A02", f"expireAfter {d}", "not a duration", template__spec__expireAfter=d)
        for d in ("-1s", "1hr", "FooNever")
    ),
    *(
        ok("A03", f"terminationGracePeriod {d}", template__spec__terminationGracePeriod=d)
        for d in ("30s", "1h30m5s")
    ),
    *(
        bad(
            "A03",
            f"terminationGracePeriod {d}",
            "PS015",
            template__spec__terminationGracePeriod=d,
        )
        for d in ("Never", "-1s", "1hr")
    ),
]
DISRUPTION = [
    *(ok("A04", f"policy {p}", disruption__consolidationPolicy=p) for p in ("Balanced", "WhenEmpty", "WhenEmptyOrUnderutilized")),
    *(bad("A04", f"policy {p!r}", "not one of", disruption__consolidationPolicy=p) for p in ("balanced", "WhenUnderutilized", "", "1")),
    *(ok("A05", f"Never with {p}", disruption__consolidationPolicy=p, disruption__consolidateAfter="Never") for p in ("Balanced", "WhenEmpty", "WhenEmptyOrUnderutilized")),
    ok("A06", "schedule and duration", **budgets(NIGHTLY)),
    ok("A06", "neither schedule nor duration", **budgets({})),
    bad("A06", "a schedule alone", "duration is missing", **budgets({"schedule": "0 22 * * *"})),
    bad("A06", "a duration alone", "schedule is missing", **budgets({"duration": "8h"})),
    bad("A07", "four fields", "five fields", **budgets({"schedule": "0 22 * *", "duration": "8h"})),
    *(ok("A07", f"alias {a}", **budgets({"schedule": a, "duration": "8h"})) for a in ("@daily", "@hourly", "@weekly")),
    bad("A07", "an unknown alias", "@daily", **budgets({"schedule": "@dayly", "duration": "8h"})),
    *(bad("A08", f"duration {d}", "not a duration", **budgets({**NIGHTLY, "duration": d})) for d in ("-8h", "30s", "1h30m15s")),
    *(ok("A08", f"duration {d}", **budgets({**NIGHTLY, "duration": d})) for d in ("8h30m", "10m", "1h0m0s")),
    *(bad("A09", f"nodes {n}", "neither a number", **budgets({"nodes": n})) for n in ("-10", "-10%", "1000%")),
    *(ok("A09", f"nodes {n}", **budgets({"nodes": n})) for n in ("10", "100%", "0")),
    bad("A10", "the second of two budgets is bad", "budgets[1].nodes", **budgets({}, {"nodes": "-10"})),
    *(ok("A11", f"reasons {r}", **budgets({"reasons": r})) for r in (["Empty"], ["Underutilized", "Empty", "Drifted"])),
    *(bad("A11", f"reason {r!r}", "not one of", **budgets({"reasons": [r]})) for r in ("expired", "invalid", "")),
]  # fmt: skip
TAINTS = [
    ok("A12", "one key with two effects", **taints(A_TAINT, {**A_TAINT, "effect": "NoExecute"})),
    bad("A12", "a bad key", "not a taint key", **taints({**A_TAINT, "key": "???"})),
    bad("A12", "no key", "key is missing", **taints({"effect": "NoSchedule"})),
    bad("A12", "a bad value", "not a taint value", **taints({**A_TAINT, "value": "???"})),
    bad("A12", "a bad effect", "not one of", **taints({**A_TAINT, "effect": "Sometimes"})),
    bad("A12", "a key that is too long", "64 characters", **taints({**A_TAINT, "key": "k" * 64})),
    bad("A12", "key and effect twice over both lists", "twice", template__spec__startupTaints=[A_TAINT], **taints(A_TAINT)),
]  # fmt: skip
LABELS = [
    bad("A13", "the pool's own label", "set by the pool", template__spec__requirements=[a_requirement("karpenter.sh/nodepool", "In", "x")]),
    *(bad("A14", f"requirement on {k}", "reserved", template__spec__requirements=[a_requirement(k, "In", "x")]) for k in ("karpenter.sh/anything-else", "sub.karpenter.sh/x")),
    *(bad("A14", f"label {k}", "reserved", **labels(**{k: "x"})) for k in ("karpenter.sh/anything-else", "sub.karpenter.sh/x")),
    ok("A14", "requirement on the capacity type", template__spec__requirements=[SPOT]),
    ok("A14", "label of the capacity type", **labels(**{"karpenter.sh/capacity-type": "spot"})),
    bad("A15", "requirement on the host name", "unique", template__spec__requirements=[a_requirement("kubernetes.io/hostname", "In", "x")]),
    bad("A15", "label of the host name", "unique", **labels(**{"kubernetes.io/hostname": "x"})),
    *(ok("A16", f"{k} as requirement and label", template__spec__requirements=[a_requirement(k, "In", "x")], **labels(**{k: "x"})) for k in ("kubernetes.io/custom", "sub.kubernetes.io/x", "node.kubernetes.io/y", "kops.k8s.io/instancegroup", "k8s.io/z")),
]  # fmt: skip
REQUIREMENTS = [
    bad("A17", "an unknown operator", "not one of", template__spec__requirements=[a_requirement("a", "Within", "1")]),
    *(
        bad("A17", f"{operator} with {values}", "whole number", template__spec__requirements=[a_requirement("a", operator, *values)])
        for operator in ("Gt", "Lt", "Gte", "Lte")
        for values in ((), ("1", "2"), ("-1",), ("1.5",), ("many",))
    ),
    bad("A18", "In without values", "at least one value", template__spec__requirements=[a_requirement("a", "In")]),
    *(ok("A18", f"{operator} without values", template__spec__requirements=[{"key": "a", "operator": operator}]) for operator in ("Exists", "DoesNotExist")),
    ok("A18", "no requirements", template__spec__requirements=[]),
    *(bad("A19", f"minValues {m}", "minValues", template__spec__requirements=[a_requirement("a", "In", *"abc", minValues=m)]) for m in (0, -1, 51)),
    ok("A19", "51 values without minValues", template__spec__requirements=[a_requirement("a", "In", *(f"v{n}" for n in range(51)))]),
    bad("A20", "minValues 3 of two values", "there are 2", template__spec__requirements=[a_requirement("a", "In", "x", "y", "x", minValues=3)]),
    bad("A26", "only unknown capacity types", "not one of", template__spec__requirements=[a_requirement("karpenter.sh/capacity-type", "In", "unknown")]),
    ok("A26", "a known capacity type beside an unknown one", template__spec__requirements=[a_requirement("karpenter.sh/capacity-type", "In", "spot", "unknown")]),
]  # fmt: skip
STATIC = [
    *(ok("A23", f"replicas {n}", replicas=n) for n in (0, 1, 10**9)),
    bad("A23", "replicas -1", "0 or more", replicas=-1),
    bad("A24", "replicas and weight", "cannot have a weight", replicas=1, weight=10),
    *(bad("A24", f"replicas and a limit of {r}", "can only limit nodes", replicas=1, limits={r: "1"}) for r in ("cpu", "memory", "pods", "ephemeral-storage")),
    ok("A24", "replicas with what goes with them", replicas=1, limits={"nodes": "5"}, template__spec__taints=[A_TAINT], template__spec__startupTaints=[{**A_TAINT, "key": "b"}], template__spec__requirements=[SPOT], template__spec__expireAfter="1h", template__spec__terminationGracePeriod="1h", template__metadata__annotations={"a": "b"}, **budgets({}), **labels(team="a")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("tree", "says"), [*DURATIONS, *DISRUPTION, *TAINTS, *LABELS, *REQUIREMENTS, *STATIC]
)
def test_pool_is_accepted_or_refused_with_a_reason(tree, says):
    result = loaded(tree)
    if says is None:
        assert not result.errors
        assert len(result.pools) == 1
    else:
        assert not result.pools
        assert says in "\n".join(str(error) for error in result.errors)
        assert all(error.position for error in result.errors)


@pytest.mark.case("A01")
def test_a01_pool_without_disruption_gets_the_defaults():
    disruption = the_pool(a_pool_tree()).disruption
    assert disruption.consolidate_after == timedelta(0)
    assert disruption.policy == "WhenEmptyOrUnderutilized"
    assert [budget.nodes for budget in disruption.budgets] == ["10%"]
    assert Disruption().budgets == (Budget(),)


@pytest.mark.case("A01")
def test_a01_partial_disruption_gets_the_nested_defaults():
    disruption = the_pool(a_pool_tree(disruption__consolidationPolicy="WhenEmpty")).disruption
    assert disruption.consolidate_after == timedelta(0)
    assert [budget.nodes for budget in disruption.budgets] == ["10%"]


@pytest.mark.case("A21")
def test_a21_claim_has_at_most_100_requirements():
    many = [a_requirement(f"label-{n}", "Exists") for n in range(101)]
    assert errors_of(a_claim_tree(requirements=many)) == [
        "spec.requirements: has 101 entries; at most 100 are allowed; "
    ]
    assert not errors_of(a_claim_tree(requirements=many[:100]))


@pytest.mark.case("A22")
@pytest.mark.parametrize("field", ["group", "kind", "name"])
def test_a22_class_reference_needs_each_part(field):
    (error,) = errors_of(a_pool_tree(template__spec__nodeClassRef={**REF, field: ""}))
    assert error.startswith(f"spec.template.spec.nodeClassRef.{field}: must not be empty")


@pytest.mark.case("A22")
@pytest.mark.parametrize(
    ("field", "allowed"),
    [("group", False), ("kind", False), ("name", True)],
    ids=["A22 group stays", "A22 kind stays", "A22 name may change"],
)
def test_class_reference_of_a_pool_that_exists(field, allowed):
    new = the_pool(a_pool_tree(template__spec__nodeClassRef={**REF, field: "other"}))
    faults = check_update(the_pool(a_pool_tree()), new)
    assert [fault.path for fault in faults] == (
        [] if allowed else [f"spec.template.spec.nodeClassRef.{field}"]
    )


@pytest.mark.parametrize(
    ("before", "after", "allowed"),
    [
        pytest.param({}, {"replicas": 1}, False, id="A25 a dynamic pool stays dynamic"),
        pytest.param({"replicas": 1}, {}, False, id="A25 a static pool stays static"),
        pytest.param({"replicas": 1}, {"replicas": 2}, True, id="A25 the number may change"),
        pytest.param(
            {"replicas": 1, "limits": {"nodes": "2"}},
            {"replicas": 1, "limits": {"nodes": "3"}},
            True,
            id="A25 the node limit may change",
        ),
    ],
)
def test_replicas_of_a_pool_that_exists(before, after, allowed):
    faults = check_update(the_pool(a_pool_tree(**before)), the_pool(a_pool_tree(**after)))
    assert (not faults) == allowed


@pytest.mark.case("A26")
def test_a26_unknown_capacity_type_beside_a_known_one_is_a_warning():
    result = loaded(requiring(a_requirement("karpenter.sh/capacity-type", "In", "spot", "unknown")))
    assert [finding.severity for finding in result.findings] == ["warning"]


def test_claim_may_require_its_pool_but_its_spec_never_changes():
    own = a_requirement("karpenter.sh/nodepool", "In", "general")
    (claim,) = loaded(a_claim_tree(requirements=[own])).claims
    (other,) = loaded(a_claim_tree()).claims
    assert [fault.path for fault in check_update(claim, other)] == ["spec"]
    assert check_update(claim, claim) == ()
