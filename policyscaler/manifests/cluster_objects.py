"""Nodes and what surrounds pods: budgets, priorities, limits, namespaces and volumes."""

from __future__ import annotations

from policyscaler.manifests import workload_wire as wire
from policyscaler.manifests.amounts import decode_amounts
from policyscaler.manifests.findings import Code, Path
from policyscaler.manifests.kinds import Kind, define_kind
from policyscaler.manifests.pods import decode_conditions, decode_node_term, decode_selector
from policyscaler.manifests.reporting import Reporter
from policyscaler.model.nodes import Node, Taint
from policyscaler.model.pods import NodeSelectorTerm
from policyscaler.model.requirements import NodeSelectorRequirement
from policyscaler.model.workloads import (
    DisruptionBudget,
    LimitRange,
    Namespace,
    PersistentVolume,
    PriorityClass,
    StorageClass,
    VolumeClaim,
)


def _node(node: wire.NodeWire, reporter: Reporter) -> Node:
    status = node.status
    ready = decode_conditions(status.conditions).get("Ready")
    capacity = decode_amounts(status.capacity, at=("status", "capacity"), reporter=reporter)
    allocatable = decode_amounts(
        status.allocatable, at=("status", "allocatable"), reporter=reporter
    )
    return Node(
        meta=node.metadata.decode(namespaced=False),
        taints=tuple(Taint(key=t.key, value=t.value, effect=t.effect) for t in node.spec.taints),
        unschedulable=node.spec.unschedulable,
        provider_id=node.spec.provider_id,
        capacity=capacity or allocatable,
        allocatable=allocatable or capacity,
        ready=ready is None or ready.status == "True",
    )


def _budget(budget: wire.BudgetWire, reporter: Reporter) -> DisruptionBudget:
    spec = budget.spec
    if spec.min_available is not None and spec.max_unavailable is not None:
        message = "minAvailable and maxUnavailable exclude each other"
        reporter.error(Code.BROKEN_RULE, message, at=("spec", "maxUnavailable"))
    _check_share(spec.min_available, at=("spec", "minAvailable"), reporter=reporter)
    _check_share(spec.max_unavailable, at=("spec", "maxUnavailable"), reporter=reporter)
    return DisruptionBudget(
        meta=budget.metadata.decode(namespaced=True),
        selector=decode_selector(spec.selector),
        min_available="" if spec.min_available is None else str(spec.min_available),
        max_unavailable="" if spec.max_unavailable is None else str(spec.max_unavailable),
        always_evict_unhealthy=spec.unhealthy_pod_eviction_policy == "AlwaysAllow",
    )


def _check_share(written: int | str | None, *, at: Path, reporter: Reporter) -> None:
    text = "0" if written is None else str(written)
    if not (text.isascii() and text.removesuffix("%").isdigit()):
        message = f'"{text}" is neither a number nor a percentage; write 1 or "50%"'
        reporter.error(Code.BAD_VALUE, message, at=at)


def _priority_class(priority: wire.PriorityClassWire, _: Reporter) -> PriorityClass:
    return PriorityClass(
        meta=priority.metadata.decode(namespaced=False),
        value=priority.value,
        is_default=priority.global_default,
    )


def _limit_range(limits: wire.LimitRangeWire, reporter: Reporter) -> LimitRange:
    default: dict[str, int] = {}
    default_request: dict[str, int] = {}
    for index, item in enumerate(limits.spec.limits):
        if item.type == "Container":
            at: Path = ("spec", "limits", index)
            default |= decode_amounts(item.default, at=(*at, "default"), reporter=reporter)
            default_request |= decode_amounts(
                item.default_request, at=(*at, "defaultRequest"), reporter=reporter
            )
    return LimitRange(
        meta=limits.metadata.decode(namespaced=True),
        default=default,
        default_request=default_request,
    )


def _namespace(namespace: wire.NamespaceWire, _: Reporter) -> Namespace:
    return Namespace(meta=namespace.metadata.decode(namespaced=False))


def _storage_class(storage: wire.StorageClassWire, _: Reporter) -> StorageClass:
    return StorageClass(
        meta=storage.metadata.decode(namespaced=False),
        provisioner=storage.provisioner,
        binds_late=storage.volume_binding_mode == "WaitForFirstConsumer",
        topologies=tuple(
            NodeSelectorTerm(
                expressions=tuple(
                    NodeSelectorRequirement(key=label.key, operator="In", values=label.values)
                    for label in term.match_label_expressions
                )
            )
            for term in storage.allowed_topologies
        ),
    )


def _volume(volume: wire.PersistentVolumeWire, reporter: Reporter) -> PersistentVolume:
    at: Path = ("spec", "nodeAffinity", "required", "nodeSelectorTerms")
    terms = volume.spec.node_affinity.required.node_selector_terms
    return PersistentVolume(
        meta=volume.metadata.decode(namespaced=False),
        terms=tuple(
            decode_node_term(term, at=(*at, index), reporter=reporter)
            for index, term in enumerate(terms)
        ),
        driver=volume.spec.csi.driver,
    )


def _volume_claim(claim: wire.VolumeClaimWire, _: Reporter) -> VolumeClaim:
    return VolumeClaim(
        meta=claim.metadata.decode(namespaced=True),
        storage_class=claim.spec.storage_class_name,
        volume=claim.spec.volume_name,
        phase=claim.status.phase,
    )


KINDS: tuple[Kind, ...] = (
    define_kind("v1", "Node", wire=wire.NodeWire, decode=_node),
    define_kind("policy/v1", "PodDisruptionBudget", wire=wire.BudgetWire, decode=_budget),
    define_kind(
        "scheduling.k8s.io/v1", "PriorityClass", wire=wire.PriorityClassWire, decode=_priority_class
    ),
    define_kind("v1", "LimitRange", wire=wire.LimitRangeWire, decode=_limit_range),
    define_kind("v1", "Namespace", wire=wire.NamespaceWire, decode=_namespace),
    define_kind(
        "storage.k8s.io/v1", "StorageClass", wire=wire.StorageClassWire, decode=_storage_class
    ),
    define_kind("v1", "PersistentVolume", wire=wire.PersistentVolumeWire, decode=_volume),
    define_kind("v1", "PersistentVolumeClaim", wire=wire.VolumeClaimWire, decode=_volume_claim),
)
