"""What policy expressions see of shapes, nodes, pools and the cluster.

The names are those of the vocabulary table in `policy`; amounts are in the units that it gives
(cores, bytes, dollars per hour), because people write policy in those. They are made here and
never flow back into a fit or a sum of money.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from policyscaler.model import labels as well
from policyscaler.model import resources as res
from policyscaler.model.money import MICROS
from policyscaler.model.nodes import NodeClaim
from policyscaler.model.pods import Pod
from policyscaler.model.pools import NodePool
from policyscaler.model.requests import pod_requests
from policyscaler.model.resources import Resources
from policyscaler.planning.cluster import ClusterView, StateNode
from policyscaler.planning.protection import is_protected
from policyscaler.scheduling.shapes import Shape

Facts = Mapping[str, object]

_GPU_SUFFIXES = ("/gpu", "/gaudi", "/neuron")
_ALL_ARCHITECTURES = ["amd64", "arm64"]
_RESTARTABLE = ("Deployment", "ReplicaSet", "StatefulSet")


def amounts(resources: Resources) -> dict[str, float]:
    """Returns amounts as expressions see them: cores for cpu, base units for the rest."""
    return {n: a / 1000 if n == res.CPU else float(a) for n, a in sorted(resources.items())}


def shape_facts(shape: Shape, oldest: datetime | None, now: datetime) -> dict[str, object]:
    """Returns the facts of a class of pods.

    Args:
        shape: the class.
        oldest: when its oldest pod was made.
        now: the instant of the decision.
    """
    requests = amounts(shape.requests)
    cpu, memory = requests.get(res.CPU, 0.0), requests.get(res.MEMORY, 0.0)
    return {
        "namespace": shape.namespace,
        "cpu": cpu,
        "memory": memory,
        "gpu": sum(n for name, n in shape.requests.items() if name.endswith(_GPU_SUFFIXES)),
        "archs": _architectures(shape),
        "priority": shape.priority,
        "count": shape.count,
        "labels": dict(shape.labels),
        "requests": requests,
        "memPerCpu": memory / 2**30 / cpu if cpu else 0.0,
        "owner": {"kind": shape.owner_kind},
        "restartable": shape.owner_kind in _RESTARTABLE,
        "pendingFor": max(timedelta(0), now - oldest) if oldest else timedelta(0),
    }


def _architectures(shape: Shape) -> list[str]:
    wanted = [option.get(well.ARCH) for option in shape.alternatives]
    return [a for a in _ALL_ARCHITECTURES if any(w is None or w.allows(a) for w in wanted)]


def team_facts(view: ClusterView, namespace: str) -> dict[str, object]:
    """Returns the facts of the team that a namespace belongs to."""
    found = view.snapshot.namespaces.get(namespace)
    meta = found.meta if found else None
    labels = dict(meta.labels) if meta else {}
    return {
        "name": labels.get("team", ""),
        "labels": labels,
        "annotations": dict(meta.annotations) if meta else {},
    }


def pool_facts(pool: NodePool, nodes: int) -> dict[str, object]:
    """Returns the facts of a NodePool; `Never` is an absent field."""
    disruption: dict[str, object] = {"consolidationPolicy": pool.disruption.policy}
    if pool.disruption.consolidate_after is not None:
        disruption["consolidateAfter"] = pool.disruption.consolidate_after
    facts: dict[str, object] = {
        "name": pool.name,
        "weight": pool.weight,
        "labels": dict(pool.labels),
        "limits": amounts(pool.limits),
        "disruption": disruption,
        "gracefulExpiry": pool.graceful_expiry,
        "nodes": nodes,
    }
    if pool.expire_after is not None:
        facts["expireAfter"] = pool.expire_after
    return facts


def cluster_facts(view: ClusterView) -> dict[str, object]:
    """Returns the facts of the cluster as a whole."""
    capacity = res.add(*(node.capacity for node in view.nodes)) if view.nodes else {}
    return {
        "nodes": len(view.nodes),
        "pendingPods": len(view.pending),
        "cpu": capacity.get(res.CPU, 0) / 1000,
        "memory": float(capacity.get(res.MEMORY, 0)),
        "pricePerHour": sum(view.price_of(node) for node in view.nodes) / MICROS,
    }


def node_facts(
    node: StateNode,
    view: ClusterView,
    now: datetime,
    *,
    drift: str,
    blocked: frozenset[tuple[str, str]],
) -> dict[str, object]:
    """Returns the facts of a node.

    Args:
        node: the node.
        view: the cluster.
        now: the instant of the decision.
        drift: why it has drifted, empty if it has not.
        blocked: keys of the pods that a PDB keeps.
    """
    moving = node.reschedulable
    requested = res.add(*(pod_requests(pod) for pod in moving)) if moving else {}
    facts: dict[str, object] = {
        "name": node.name,
        "pool": node.pool,
        "type": node.labels.get(well.INSTANCE_TYPE, ""),
        "zone": node.labels.get(well.ZONE, ""),
        "capacityType": node.labels.get(well.CAPACITY_TYPE, ""),
        "cpu": node.capacity.get(res.CPU, 0) / 1000,
        "memory": float(node.capacity.get(res.MEMORY, 0)),
        "price": view.price_of(node) / MICROS,
        "age": _since(node.created, now),
        "empty": is_empty(node),
        "quietFor": quiet_for(node, now),
        "drifted": bool(drift),
        "ready": node.node is not None and node.node.ready,
        "initialized": node.initialized,
        "doNotDisrupt": _node_annotation(node) == "true",
        "requested": {
            "cpu": _share(requested, node.allocatable, res.CPU),
            "memory": _share(requested, node.allocatable, res.MEMORY),
        },
        "labels": dict(node.labels),
        "pods": [
            pod_facts(pod, now, blocked)
            for pod in node.pods
            if not pod.is_static and not pod.is_daemon
        ],
    }
    return {**facts, **_optional_facts(node, drift)}


def _optional_facts(node: StateNode, drift: str) -> dict[str, object]:
    """The facts that some nodes do not have: they are absent then, not empty."""
    claim = node.claim
    found = {
        "driftReason": drift or None,
        "lifetime": claim.expire_after if claim else None,
        "terminationGracePeriod": claim.termination_grace if claim else None,
        "family": node.labels.get(well.INSTANCE_TYPE, "").partition(".")[0] or None,
    }
    return {name: value for name, value in found.items() if value is not None}


def pod_facts(pod: Pod, now: datetime, blocked: frozenset[tuple[str, str]]) -> dict[str, object]:
    """Returns the facts of a pod on a node."""
    owner = pod.meta.controller
    return {
        "namespace": pod.meta.namespace,
        "name": pod.meta.name,
        "owner": {"kind": owner.kind if owner else "", "name": owner.name if owner else ""},
        "priority": pod.spec.priority or 0,
        "runtime": _since(pod.started, now),
        "doNotDisrupt": is_protected(pod, now),
        "labels": dict(pod.meta.labels),
        "pdbBlocked": pod.meta.key in blocked,
        "evictionCost": eviction_cost(pod),
    }


def eviction_cost(pod: Pod) -> float:
    """Returns how much it hurts to move a pod, -10 to 10, 1 for an ordinary one.

    Source: Karpenter: pod deletion cost over 2^27 and priority over 2^25 on top of 1.
    """
    try:
        deletion = float(pod.meta.annotations.get(well.POD_DELETION_COST, "0"))
    except ValueError:
        deletion = 0.0
    cost = 1.0 + deletion / 2**27 + (pod.spec.priority or 0) / 2**25
    return min(10.0, max(-10.0, cost))


def is_empty(node: StateNode) -> bool:
    """Returns whether nothing on the node is worth keeping it for.

    Source: Karpenter: no reschedulable pod of positive eviction cost.
    """
    return all(eviction_cost(pod) <= 0 for pod in node.reschedulable)


def quiet_for(node: StateNode, now: datetime) -> timedelta:
    """Returns the time since the last pod event, else since the node was initialized."""
    claim = node.claim
    since = claim.last_pod_event if claim else None
    if since is None and claim is not None:
        since = _initialized_at(claim)
    return _since(since or node.created, now)


def _initialized_at(claim: NodeClaim) -> datetime | None:
    condition = claim.conditions.get("Initialized")
    return condition.since if condition and condition.status == "True" else None


def _node_annotation(node: StateNode) -> str:
    return node.node.meta.annotations.get(well.DO_NOT_DISRUPT, "") if node.node else ""


def _since(instant: datetime | None, now: datetime) -> timedelta:
    return max(timedelta(0), now - instant) if instant else timedelta(0)


def _share(requested: Resources, allocatable: Resources, resource: str) -> float:
    total = allocatable.get(resource, 0)
    return requested.get(resource, 0) / total if total else 0.0
