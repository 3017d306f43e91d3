"""What may not change about an object that exists. Source: the CEL rules of Karpenter's CRDs."""

from __future__ import annotations

from policyscaler.manifests.findings import ERROR, Code, Finding
from policyscaler.model.nodes import NodeClaim
from policyscaler.model.pools import NodePool


def check_update(old: NodePool | NodeClaim, new: NodePool | NodeClaim) -> tuple[Finding, ...]:
    """Returns why an object may not become another; empty if it may."""
    if isinstance(old, NodePool) and isinstance(new, NodePool):
        return _pool_faults(old, new)
    if isinstance(old, NodeClaim) and isinstance(new, NodeClaim) and _spec(old) != _spec(new):
        return (_fault(f"NodeClaim/{new.meta.name}", "spec", message="spec cannot change"),)
    return ()


def _pool_faults(old: NodePool, new: NodePool) -> tuple[Finding, ...]:
    subject = f"NodePool/{new.name}"
    faults = []
    ref = "spec.template.spec.nodeClassRef"
    for field in ("group", "kind"):
        before, after = getattr(old.node_class, field), getattr(new.node_class, field)
        if before != after:
            message = f'cannot change from "{before}" to "{after}"; make a new NodePool'
            faults.append(_fault(subject, f"{ref}.{field}", message=message))
    if (old.replicas is None) != (new.replicas is None):
        what = "added to" if old.replicas is None else "removed from"
        message = f"replicas cannot be {what} a NodePool that exists; make a new one"
        faults.append(_fault(subject, "spec.replicas", message=message))
    return tuple(faults)


def _spec(claim: NodeClaim) -> tuple[object, ...]:
    requirements = [(r.key, r.operator, r.values, r.min_values) for r in claim.requirements]
    return (
        claim.node_class, requirements, claim.taints, claim.startup_taints, claim.requests,
        claim.expire_after, claim.termination_grace,
    )  # fmt: skip


def _fault(subject: str, path: str, *, message: str) -> Finding:
    return Finding(
        severity=ERROR, code=Code.IMMUTABLE.value, message=message, subject=subject, path=path
    )
