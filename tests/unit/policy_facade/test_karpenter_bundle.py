"""What the default bundle decides about nodes and replacements."""

from datetime import timedelta

import pytest

from policyscaler.model.errors import ConfigError
from policyscaler.policy.bundles import bundle_files, load_bundle, policies_path
from policyscaler.policy.evaluation import Policies
from policyscaler.policy.verdicts import REASONS
from tests.unit.policy_facade.building import CONTEXT, a_node, a_pod, a_pool

BUNDLE = Policies.compile(load_bundle())
QUIET = timedelta(seconds=29)
OLD = timedelta(hours=721)


def pool_with(**disruption):
    facts = {
        "consolidateAfter": timedelta(seconds=30),
        "consolidationPolicy": "WhenEmptyOrUnderutilized",
    }
    facts.update(disruption)
    return a_pool(disruption={name: value for name, value in facts.items() if value is not None})


def reasons(node, pool=None):
    return sorted(BUNDLE.disruption(node, pool or a_pool(), CONTEXT).eligible)


@pytest.mark.parametrize(
    ("node", "pool", "expected"),
    [
        pytest.param(a_node(empty=True, pods=[]), a_pool(), ["Empty"], id="an empty, quiet node may go"),
        pytest.param(a_node(empty=True, quietFor=QUIET), a_pool(), [], id="not before consolidateAfter"),
        pytest.param(a_node(empty=True), pool_with(consolidateAfter=None), [], id="Never consolidates nothing"),
        pytest.param(a_node(empty=True), pool_with(consolidationPolicy="WhenEmpty"), ["Empty"], id="WhenEmpty takes empty nodes"),
        pytest.param(a_node(), a_pool(), ["Underutilized"], id="a node with pods may be consolidated"),
        pytest.param(a_node(), pool_with(consolidationPolicy="WhenEmpty"), [], id="WhenEmpty keeps nodes with pods"),
        pytest.param(a_node(), pool_with(consolidateAfter=None), [], id="Never keeps nodes with pods"),
        pytest.param(a_node(quietFor=QUIET), a_pool(), [], id="pods came or went too recently"),
        pytest.param(a_node(drifted=True), pool_with(consolidateAfter=None), ["Drifted"], id="drift needs no consolidateAfter"),
        pytest.param(a_node(age=OLD), pool_with(consolidateAfter=None), ["Expired"], id="a node past expireAfter"),
        pytest.param(a_node(age=timedelta(hours=720)), pool_with(consolidateAfter=None), ["Expired"], id="expiry at the exact instant"),
        pytest.param(a_node(age=OLD, lifetime=None), pool_with(consolidateAfter=None), [], id="expireAfter Never"),
    ],
)  # fmt: skip
def test_candidates(node, pool, expected):
    assert reasons(node, pool) == expected


EVERYTHING = {"drifted": True, "age": OLD}


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        pytest.param({"initialized": False}, "not-initialized", id="not initialized"),
        pytest.param({"doNotDisrupt": True}, "node-do-not-disrupt", id="annotated node"),
        pytest.param(
            {"pods": [a_pod(), a_pod(doNotDisrupt=True)]}, "pod-do-not-disrupt", id="annotated pod"
        ),
        pytest.param({"pods": [a_pod(pdbBlocked=True)]}, "pdb", id="a PDB without room"),
    ],
)
def test_protected_nodes_go_only_by_forceful_expiry(fields, rule):
    node = a_node(**EVERYTHING, **fields)
    verdict = BUNDLE.disruption(node, a_pool(), CONTEXT)
    assert list(verdict.eligible) == ["Expired"]
    assert [(denied.rule.rule, denied.reasons) for denied in verdict.denied] == [
        (rule, ("Empty", "Drifted", "Underutilized"))
    ]
    assert sorted(verdict.allowed) == ["Drifted", "Expired", "Underutilized"]
    kept = {reason: denied.rule.rule for denied in verdict.denied for reason in denied.reasons}
    assert kept["Drifted"] == rule
    assert "Expired" not in kept


def test_expiry_of_converted_pools_is_graceful():
    node = a_node(age=OLD, pods=[a_pod(pdbBlocked=True)])
    pool = a_pool(gracefulExpiry=True)
    verdict = BUNDLE.disruption(node, pool, CONTEXT)
    assert verdict.eligible == {}
    assert verdict.denied[0].reasons == REASONS


def test_drift_with_an_end_to_draining_passes_over_pods_and_not_over_the_node():
    bounded = {"terminationGracePeriod": timedelta(hours=1), "drifted": True}
    assert "Drifted" in reasons(a_node(pods=[a_pod(pdbBlocked=True)], **bounded))
    assert "Drifted" not in reasons(a_node(doNotDisrupt=True, **bounded))
    assert "Underutilized" not in reasons(a_node(pods=[a_pod(pdbBlocked=True)], **bounded))


def test_cost_is_one_for_the_node_and_the_eviction_cost_of_each_pod():
    pods = [a_pod(), a_pod(evictionCost=3.5), a_pod(evictionCost=-10.0)]
    assert BUNDLE.disruption(a_node(pods=pods), a_pool(), CONTEXT).cost == 5.5


def replace(reason="Underutilized", *, of=BUNDLE, count=1, was="on-demand", **coming):
    current = {"price": 1.0, "capacityType": was, "types": ["m5.large"], "count": count}
    to = {
        "price": 0.9,
        "capacityType": "on-demand",
        "type": "m5.small",
        "zone": "a",
        "candidates": 30,
        "cheaperTypes": 30,
    }
    verdicts = of.replace(
        current, to | coming, {"reason": reason, "cost": 2.0}, CONTEXT, pool=a_pool()
    )
    return [verdict.rule.rule for verdict in verdicts if not verdict.passed]


WITH_SPOT = Policies.compile(load_bundle(), params={"spotToSpot": True})
SPOT = {"was": "spot", "capacityType": "spot"}


@pytest.mark.parametrize(
    ("refused_by", "case"),
    [
        pytest.param([], {}, id="cheaper is worth it"),
        pytest.param(["strictly-cheaper"], {"price": 1.0}, id="equal is not"),
        pytest.param([], {"price": 2.0, "reason": "Drifted"}, id="drift replaces at any price"),
        pytest.param([], {"price": 0.0, "type": "", "capacityType": ""}, id="no replacement at all"),
        pytest.param(["spot-to-spot"], SPOT, id="spot to spot is off"),
        pytest.param([], {"was": "spot"}, id="spot to on-demand is not spot to spot"),
        pytest.param([], {**SPOT, "of": WITH_SPOT, "cheaperTypes": 15}, id="switched on, 15 cheaper types"),
        pytest.param(["spot-to-spot"], {**SPOT, "of": WITH_SPOT, "cheaperTypes": 14}, id="switched on, 14 are too few"),
        pytest.param([], {**SPOT, "of": WITH_SPOT, "cheaperTypes": 1, "count": 2}, id="several nodes need no 15 types"),
    ],
)  # fmt: skip
def test_replacements(refused_by, case):
    assert replace(**case) == refused_by


def test_without_a_bundle_nothing_is_ever_disrupted():
    verdict = Policies.compile([]).disruption(a_node(empty=True, **EVERYTHING), a_pool(), CONTEXT)
    assert (verdict.eligible, verdict.denied, verdict.cost) == ({}, (), 0.0)


def test_every_rule_that_refuses_says_why():
    for policy in load_bundle():
        for rule in (*policy.require, *policy.deny, *policy.replace):
            assert rule.message, rule.name


def test_bundles_are_found_and_a_wrong_name_is_explained():
    assert (policies_path() / "karpenter").is_dir()
    found = [path.name for path in bundle_files("karpenter")]
    assert found[:3] == ["10-protection.yaml", "20-candidates.yaml", "30-replacement.yaml"]
    assert all(name.endswith(".yaml") for name in found)
    with pytest.raises(ConfigError, match="did you mean 'karpenter'"):
        bundle_files("karpentr")


def test_the_bundle_has_no_findings_and_says_where_it_came_from():
    assert BUNDLE.findings == ()
    assert {policy.bundle for policy in load_bundle()} == {"karpenter"}
