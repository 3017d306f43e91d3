"""NodeClaims as the engine writes them: from a plan, with the offerings that may be launched."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import msgspec

from policyscaler.model import labels as well
from policyscaler.model.meta import Condition, ObjectMeta, OwnerReference
from policyscaler.model.nodes import (
    DISRUPTION_REASON,
    LAUNCHED,
    Node,
    NodeClaim,
    Taint,
)
from policyscaler.model.plan import PlannedNode
from policyscaler.scheduling.taints import DISRUPTED, UNREGISTERED
from policyscaler.simulation.market import Triple
from policyscaler.simulation.provider import Instance
from policyscaler.simulation.world import World

OFFERINGS: Final = "policyscaler.dev/offerings"
"""Annotation: the only offerings that may be launched for the claim, best first."""


def new_claim(world: World, planned: PlannedNode) -> NodeClaim:
    """Returns the claim for a planned node."""
    ids, pool = world.identities, world.state.pools.get(planned.pool)
    count = ids.birth("claim", planned.pool)
    name = f"{planned.pool}-{ids.suffix('claim', planned.pool, str(count))}"
    node_class = world.state.node_classes.get(planned.node_class)
    annotations = {
        **({well.NODECLASS_HASH: node_class.hash} if node_class and node_class.hash else {}),
        **planned.annotations,
        OFFERINGS: ",".join(
            f"{o.instance_type}/{o.zone}/{o.capacity_type}" for o in planned.offerings
        ),
    }
    owner = OwnerReference(
        kind="NodePool", name=planned.pool, uid=pool.meta.uid if pool else "",
        api_version="karpenter.sh/v1",
    )  # fmt: skip
    meta = ObjectMeta(
        name=name, uid=ids.uid("NodeClaim", name), labels=planned.labels, annotations=annotations,
        owners=(owner,), created=world.now, finalizers=(well.FINALIZER,),
    )  # fmt: skip
    return NodeClaim(
        meta=meta, pool=planned.pool, node_class=planned.node_class,
        requirements=planned.requirements, taints=planned.taints,
        startup_taints=planned.startup_taints, requests=planned.requests,
        expire_after=planned.expire_after,
        termination_grace=planned.termination_grace,
    )  # fmt: skip


def rows_of_claim(claim: NodeClaim) -> tuple[Triple, ...]:
    """Returns the offerings that may be launched for a claim, best first."""
    rows = []
    for text in claim.meta.annotations.get(OFFERINGS, "").split(","):
        instance_type, zone, capacity_type = (*text.split("/"), "", "")[:3]
        rows.append((instance_type, zone, capacity_type))
    return tuple(rows)


def with_condition(
    claim: NodeClaim, kind: str, *, status: str, now: datetime, reason: str = "", message: str = ""
) -> NodeClaim:
    """Returns a claim with one condition set; `since` moves only when the status changes."""
    old = claim.conditions.get(kind)
    since = old.since if old is not None and old.status == status else now
    condition = Condition(
        type=kind, status=status, reason=reason or kind, message=message, since=since
    )
    return msgspec.structs.replace(claim, conditions={**claim.conditions, kind: condition})


def without_condition(claim: NodeClaim, kind: str) -> NodeClaim:
    """Returns a claim without a condition."""
    kept = {name: c for name, c in claim.conditions.items() if name != kind}
    return msgspec.structs.replace(claim, conditions=kept)


def launched(claim: NodeClaim, instance: Instance, *, now: datetime) -> NodeClaim:
    """Returns a claim whose machine exists; what the claim says about labels wins."""
    meta = msgspec.structs.replace(claim.meta, labels={**instance.labels, **claim.meta.labels})
    claim = msgspec.structs.replace(
        claim, meta=meta, provider_id=instance.provider_id, capacity=instance.type.capacity,
        allocatable=instance.type.allocatable,
    )  # fmt: skip
    return with_condition(claim, LAUNCHED, status="True", now=now)


def registered(node: Node, claim: NodeClaim) -> Node:
    """Returns the node of a claim with the claim's labels, annotations and taints."""
    have = {(t.key, t.effect) for t in node.taints}
    added = tuple(
        t for t in (*claim.taints, *claim.startup_taints) if (t.key, t.effect) not in have
    )
    owner = OwnerReference(
        kind="NodeClaim", name=claim.meta.name, uid=claim.meta.uid, api_version="karpenter.sh/v1"
    )
    meta = msgspec.structs.replace(
        node.meta,
        labels={**node.meta.labels, **claim.meta.labels, well.REGISTERED: "true"},
        annotations={**node.meta.annotations, **claim.meta.annotations},
        owners=(*node.meta.owners, owner),
        finalizers=(well.FINALIZER,),
    )
    taints = tuple(t for t in node.taints if t != UNREGISTERED) + added
    return msgspec.structs.replace(node, meta=meta, taints=taints)


def is_going(claim: NodeClaim) -> bool:
    """Returns whether a claim is being deleted, or chosen to be."""
    return claim.meta.deleted is not None or claim.has(DISRUPTION_REASON)


def with_disrupted_taint(node: Node) -> Node:
    """Returns a node that takes no further pods because it is to go."""
    kept: tuple[Taint, ...] = tuple(t for t in node.taints if t.key != well.DISRUPTED_TAINT)
    return msgspec.structs.replace(node, taints=(*kept, DISRUPTED))


def without_disrupted_taint(node: Node) -> Node:
    """Returns a node that takes pods again."""
    kept = tuple(t for t in node.taints if t.key != well.DISRUPTED_TAINT)
    return msgspec.structs.replace(node, taints=kept)
