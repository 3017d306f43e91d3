"""Whether nodes still are what their pool says."""

from datetime import timedelta

import msgspec
import pytest

from policyscaler.model.labels import NODECLASS_HASH, POOL_HASH
from policyscaler.model.meta import ObjectMeta
from policyscaler.model.nodes import NodeClassRef, Taint
from policyscaler.model.pools import Budget, Disruption, NodeClass
from policyscaler.planning.cluster import view_cluster
from policyscaler.planning.drift import (
    CLASS_DRIFTED,
    POOL_DRIFTED,
    REQUIREMENTS_DRIFTED,
    drift_reason,
)
from policyscaler.planning.hashes import hash_annotations, pool_hash
from policyscaler.testing.builders import NOW, REF, a_claim, a_node, a_pool, a_snapshot, a_type

POOL = a_pool("p", labels={"a": "1", "b": "2"}, taints=(Taint(key="x"), Taint(key="y")))


@pytest.mark.parametrize(
    "fields",
    [
        {"labels": {"a": "1"}}, {"annotations": {"a": "1"}}, {"taints": (Taint(key="x"),)},
        {"startup_taints": (Taint(key="x"),)}, {"expire_after": None},
        {"expire_after": timedelta(hours=1)}, {"termination_grace": timedelta(0)},
        {"node_class": NodeClassRef(group="other", kind="MachineClass", name="default")},
        {"node_class": NodeClassRef(group=REF.group, kind="MachineClass", name="other")},
    ],
    ids=str,
)  # fmt: skip
def test_what_nodes_are_made_of_changes_the_hash(fields):
    assert pool_hash(msgspec.structs.replace(POOL, **fields)) != pool_hash(POOL)


@pytest.mark.parametrize(
    "fields",
    [
        {"weight": 7}, {"limits": {"cpu": 1}}, {"requirements": a_pool("q", "zone In z1").requirements},
        {"disruption": Disruption(budgets=(Budget(nodes="1"),))}, {"graceful_expiry": True},
        {"labels": {"b": "2", "a": "1"}}, {"taints": (Taint(key="y"), Taint(key="x"))},
    ],
    ids=str,
)  # fmt: skip
def test_what_they_are_not_made_of_does_not(fields):
    assert pool_hash(msgspec.structs.replace(POOL, **fields)) == pool_hash(POOL)


def reason(pool, *, annotations=None, labels=None, class_hash="", kind=None):
    kind = kind or a_type("m4")
    node = a_node("n1", kind, pool="p", labels=labels or {})
    claim = a_claim(node, annotations=annotations or {})
    node_class = NodeClass(meta=ObjectMeta(name="default"), ref=REF, hash=class_hash)
    state = a_snapshot(pool, kind, node, claim, node_classes={REF: node_class})
    (seen,) = view_cluster(state, NOW).nodes
    return drift_reason(seen, pool, state)


def test_a_claim_with_the_hash_of_an_older_pool_has_drifted():
    pool = a_pool("p")
    assert reason(pool, annotations={POOL_HASH: pool_hash(pool)}) == ""
    assert reason(pool, annotations={POOL_HASH: "older"}) == POOL_DRIFTED
    assert reason(pool) == ""


def test_a_claim_with_the_hash_of_an_older_class_has_drifted():
    pool = a_pool("p")
    assert reason(pool, annotations={NODECLASS_HASH: "v1"}, class_hash="v1") == ""
    assert reason(pool, annotations={NODECLASS_HASH: "v1"}, class_hash="v2") == CLASS_DRIFTED
    assert reason(pool, annotations={NODECLASS_HASH: "v1"}) == ""
    assert reason(pool, class_hash="v2") == ""


@pytest.mark.parametrize(
    ("requirement", "drifted"),
    [("zone In z1 z2", False), ("zone In z2", True), ("tier Exists", True), ("tier NotIn x", False),
     ("type In m4", False), ("ct In spot", True)],
)  # fmt: skip
def test_requirements_drift_when_labels_no_longer_satisfy_them(requirement, drifted):
    assert reason(a_pool("p", requirement)) == (REQUIREMENTS_DRIFTED if drifted else "")


def test_a_node_without_a_claim_never_drifts():
    node = a_node("n1", a_type("m4"), pool="p")
    state = a_snapshot(a_pool("p", "zone In z9"), node)
    (seen,) = view_cluster(state, NOW).nodes
    assert drift_reason(seen, state.pools["p"], state) == ""


def test_a_claim_carries_both_hashes():
    node_class = NodeClass(meta=ObjectMeta(name="c"), ref=REF, hash="h")
    assert hash_annotations(POOL, node_class) == {POOL_HASH: pool_hash(POOL), NODECLASS_HASH: "h"}
    assert hash_annotations(POOL, None) == {POOL_HASH: pool_hash(POOL)}
