"""NodePools and NodeClaims, v1: from fields to the model, with the rules that span fields.

Source: the CEL rules of Karpenter's CRDs, and its NodePool validation controller.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

from policyscaler.manifests import pool_wire as wire
from policyscaler.manifests.amounts import decode_amounts
from policyscaler.manifests.annotations import check_do_not_disrupt
from policyscaler.manifests.findings import Code, Path
from policyscaler.manifests.kinds import Kind, define_kind
from policyscaler.manifests.pods import decode_conditions
from policyscaler.manifests.reporting import Reporter
from policyscaler.manifests.requirement_rules import (
    check_labels,
    decode_requirements,
    decode_taints,
)
from policyscaler.manifests.schedules import check_schedule
from policyscaler.model import labels
from policyscaler.model import resources as res
from policyscaler.model.durations import parse_duration, parse_nillable_duration
from policyscaler.model.nodes import NodeClaim, NodeClassRef
from policyscaler.model.pools import Budget, Disruption, NodePool

_TEMPLATE: Final[Path] = ("spec", "template")
_NODES: Final = re.compile(r"(?:100|[0-9]{1,2})%|[0-9]+")
_BUDGET_DURATION: Final = re.compile(r"(?:[0-9]+[hm])+(?:0s)?")


def decode_pool(pool: wire.PoolWire, reporter: Reporter) -> NodePool:
    """Returns a NodePool; everything that is wrong with it is reported."""
    spec, template = pool.spec, pool.spec.template
    at = (*_TEMPLATE, "spec")
    check_labels(template.metadata.labels, at=(*_TEMPLATE, "metadata", "labels"), reporter=reporter)
    check_do_not_disrupt(
        template.metadata.annotations,
        at=(*_TEMPLATE, "metadata", "annotations"),
        reporter=reporter,
    )
    _check_static(spec, reporter)
    taints = decode_taints(
        {"taints": template.spec.taints, "startupTaints": template.spec.startup_taints},
        at=at,
        reporter=reporter,
    )
    conditions = decode_conditions(pool.status.conditions)
    ready = conditions.get("Ready")
    meta = pool.metadata.decode(namespaced=False)
    return NodePool(
        meta=meta,
        node_class=_class_ref(template.spec.node_class_ref, at=at, reporter=reporter),
        labels=template.metadata.labels,
        annotations=template.metadata.annotations,
        taints=taints["taints"],
        startup_taints=taints["startupTaints"],
        requirements=decode_requirements(
            template.spec.requirements, at=(*at, "requirements"), reporter=reporter
        ),
        expire_after=parse_nillable_duration(template.spec.expire_after),
        termination_grace=_grace(template.spec.termination_grace_period),
        disruption=_disruption(spec.disruption, reporter),
        limits=decode_amounts(spec.limits, at=("spec", "limits"), reporter=reporter),
        weight=spec.weight or 0,
        replicas=spec.replicas,
        graceful_expiry=meta.annotations.get(labels.GRACEFUL_EXPIRY) == "true",
        ready=None if ready is None or ready.status == "Unknown" else ready.status == "True",
        conditions=conditions,
        source=reporter.position(),
    )


def _class_ref(ref: wire.NodeClassRefWire, *, at: Path, reporter: Reporter) -> NodeClassRef:
    if "/" in ref.group:
        message = f'"{ref.group}" is a group with a version; write just the group'
        hint = f'did you mean "{ref.group.partition("/")[0]}"?'
        reporter.error(Code.BAD_VALUE, message, at=(*at, "nodeClassRef", "group"), suggestion=hint)
    return NodeClassRef(group=ref.group, kind=ref.kind, name=ref.name)


def _grace(written: str | None) -> timedelta | None:
    return None if written is None else parse_duration(written)


def _check_static(spec: wire.PoolSpecWire, reporter: Reporter) -> None:
    if spec.replicas is None:
        return
    if spec.weight is not None:
        message = "a pool with replicas cannot have a weight"
        reporter.error(Code.BROKEN_RULE, message, at=("spec", "weight"))
    for name in spec.limits:
        if name != res.NODES:
            message = f"a pool with replicas can only limit nodes, not {name}"
            reporter.error(Code.BROKEN_RULE, message, at=("spec", "limits", name), key=True)


def _disruption(disruption: wire.DisruptionWire, reporter: Reporter) -> Disruption:
    at: Path = ("spec", "disruption")
    return Disruption(
        consolidate_after=parse_nillable_duration(disruption.consolidate_after),
        policy=disruption.consolidation_policy,
        budgets=tuple(
            _budget(budget, at=(*at, "budgets", index), reporter=reporter)
            for index, budget in enumerate(disruption.budgets)
        ),
        source=reporter.position(at),
    )


def _budget(budget: wire.DisruptionBudgetWire, *, at: Path, reporter: Reporter) -> Budget:
    if _NODES.fullmatch(budget.nodes) is None:
        message = f'"{budget.nodes}" is neither a number of nodes nor a percentage up to 100%'
        reporter.error(Code.BAD_VALUE, message, at=(*at, "nodes"))
    if bool(budget.schedule) != bool(budget.duration):
        there, missing = ("schedule", "duration") if budget.schedule else ("duration", "schedule")
        message = f"{missing} is missing: a {there} needs one"
        reporter.error(Code.BROKEN_RULE, message, at=at)
    if budget.schedule:
        check_schedule(budget.schedule, at=(*at, "schedule"), reporter=reporter)
    duration = _budget_duration(budget.duration, at=(*at, "duration"), reporter=reporter)
    return Budget(
        nodes=budget.nodes,
        reasons=budget.reasons,
        schedule=budget.schedule,
        duration=duration,
        source=reporter.position(at),
    )


def _budget_duration(written: str, *, at: Path, reporter: Reporter) -> timedelta | None:
    if not written:
        return None
    if _BUDGET_DURATION.fullmatch(written) is None:
        message = f'"{written}" is not a duration of hours and minutes; write 8h or 1h30m'
        reporter.error(Code.BAD_DURATION, message, at=at)
        return None
    return parse_duration(written)


def decode_claim(claim: wire.ClaimWire, reporter: Reporter) -> NodeClaim:
    """Returns a NodeClaim; everything that is wrong with it is reported."""
    spec, status = claim.spec, claim.status
    at: Path = ("spec",)
    taints = decode_taints(
        {"taints": spec.taints, "startupTaints": spec.startup_taints}, at=at, reporter=reporter
    )
    meta = claim.metadata.decode(namespaced=False)
    return NodeClaim(
        meta=meta,
        pool=meta.labels.get(labels.NODEPOOL, ""),
        node_class=_class_ref(spec.node_class_ref, at=at, reporter=reporter),
        requirements=decode_requirements(
            spec.requirements, at=(*at, "requirements"), reporter=reporter, nodepool_allowed=True
        ),
        taints=taints["taints"],
        startup_taints=taints["startupTaints"],
        requests=decode_amounts(
            spec.resources.requests, at=("spec", "resources", "requests"), reporter=reporter
        ),
        expire_after=parse_nillable_duration(spec.expire_after),
        termination_grace=_grace(spec.termination_grace_period),
        node=status.node_name,
        provider_id=status.provider_id,
        capacity=decode_amounts(status.capacity, at=("status", "capacity"), reporter=reporter),
        allocatable=decode_amounts(
            status.allocatable, at=("status", "allocatable"), reporter=reporter
        ),
        conditions=decode_conditions(status.conditions),
    )


KINDS: tuple[Kind, ...] = (
    define_kind("karpenter.sh/v1", "NodePool", wire=wire.PoolWire, decode=decode_pool),
    define_kind("karpenter.sh/v1", "NodeClaim", wire=wire.ClaimWire, decode=decode_claim),
)
