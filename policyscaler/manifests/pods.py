"""Pods and pod templates, from the fields of Kubernetes to the model."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from policyscaler.manifests import pod_wire as wire
from policyscaler.manifests.amounts import decode_amounts
from policyscaler.manifests.annotations import check_do_not_disrupt
from policyscaler.manifests.findings import Code, Path
from policyscaler.manifests.kinds import Kind, define_kind
from policyscaler.manifests.reporting import Reporter, silent_reporter
from policyscaler.model.meta import Condition, LabelSelector, LabelSelectorRequirement
from policyscaler.model.pods import (
    Container,
    HostPort,
    NodeSelectorTerm,
    Pod,
    PodAffinityTerm,
    PodSpec,
    PreferredTerm,
    Toleration,
    TopologySpread,
    Volume,
)
from policyscaler.model.requirements import NodeSelectorRequirement, as_integer
from policyscaler.model.workloads import PodTemplate

_SELECTOR_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
_NODE_OPERATORS = (*_SELECTOR_OPERATORS, "Gt", "Lt")


def decode_pod(pod: wire.PodWire, reporter: Reporter) -> Pod:
    """Returns a pod; what its status does not say is as for a pod that was just created."""
    status = pod.status
    conditions = decode_conditions(status.conditions)
    scheduled = conditions.get("PodScheduled")
    ready = conditions.get("Ready")
    resize = conditions.get("PodResizePending")
    meta = pod.metadata.decode(namespaced=True)
    check_do_not_disrupt(meta.annotations, at=("metadata", "annotations"), reporter=reporter)
    return Pod(
        meta=meta,
        spec=decode_pod_spec(pod.spec, at=("spec",), reporter=reporter),
        node=pod.spec.node_name,
        phase=status.phase,
        unschedulable=scheduled is not None
        and scheduled.status == "False"
        and scheduled.reason == "Unschedulable",
        nominated=status.nominated_node_name,
        ready=ready is not None and ready.status == "True",
        started=status.start_time,
        allocated={
            container.name: decode_amounts(
                container.allocated_resources,
                at=("status", "containerStatuses", index, "allocatedResources"),
                reporter=reporter,
            )
            for index, container in enumerate(status.container_statuses)
            if container.allocated_resources
        },
        resize_infeasible=status.resize == "Infeasible"
        or (resize is not None and resize.reason == "Infeasible"),
    )


def decode_conditions(conditions: tuple[wire.ConditionWire, ...]) -> dict[str, Condition]:
    """Returns status conditions by type."""
    return {
        c.type: Condition(
            type=c.type, status=c.status, reason=c.reason, message=c.message,
            since=c.last_transition_time,
        )
        for c in conditions
    }  # fmt: skip


def decode_template(template: wire.PodTemplateWire, *, at: Path, reporter: Reporter) -> PodTemplate:
    """Returns the pods that a workload makes."""
    annotations = template.metadata.annotations
    check_do_not_disrupt(annotations, at=(*at, "metadata", "annotations"), reporter=reporter)
    return PodTemplate(
        labels=template.metadata.labels,
        annotations=annotations,
        spec=decode_pod_spec(template.spec, at=(*at, "spec"), reporter=reporter),
    )


def decode_pod_spec(spec: wire.PodSpecWire, *, at: Path, reporter: Reporter) -> PodSpec:
    """Returns what a pod asks for, limits and requests as written; equal specs are shared."""
    own = msgspec.structs.replace(
        spec, node_name="", volumes=tuple(v for v in spec.volumes if _matters(v))
    )
    shared = _shared_spec(msgspec.msgpack.encode(own, order="deterministic"))
    return shared or _pod_spec(spec, at=at, reporter=reporter)


@lru_cache(maxsize=4096)
def _shared_spec(encoded: bytes) -> PodSpec | None:
    """Returns the spec that an encoded one stands for, or None if there is something to report."""
    reporter = silent_reporter()
    spec = msgspec.msgpack.decode(encoded, type=wire.PodSpecWire)
    decoded = _pod_spec(spec, at=(), reporter=reporter)
    return None if reporter.failed else decoded


def _pod_spec(spec: wire.PodSpecWire, *, at: Path, reporter: Reporter) -> PodSpec:
    node = spec.affinity.node_affinity
    node_at = (*at, "affinity", "nodeAffinity")
    required = node.required.node_selector_terms if node.required else ()
    terms_at = (*node_at, "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
    preferred_at = (*node_at, "preferredDuringSchedulingIgnoredDuringExecution")
    resources = spec.resources
    return PodSpec(
        containers=_containers(spec, "containers", at=at, reporter=reporter),
        init_containers=_containers(spec, "initContainers", at=at, reporter=reporter),
        requests=decode_amounts(
            resources.requests, at=(*at, "resources", "requests"), reporter=reporter
        ),
        limits=decode_amounts(resources.limits, at=(*at, "resources", "limits"), reporter=reporter),
        overhead=decode_amounts(spec.overhead, at=(*at, "overhead"), reporter=reporter),
        node_selector=spec.node_selector,
        required_terms=tuple(
            decode_node_term(term, at=(*terms_at, index), reporter=reporter)
            for index, term in enumerate(required)
        ),
        preferred_terms=tuple(
            PreferredTerm(
                weight=wish.weight,
                term=decode_node_term(
                    wish.preference, at=(*preferred_at, index, "preference"), reporter=reporter
                ),
            )
            for index, wish in enumerate(node.preferred)
        ),
        pod_affinity=_pod_affinity(spec.affinity),
        spread=tuple(
            TopologySpread(
                topology_key=spread.topology_key,
                max_skew=spread.max_skew,
                hard=spread.when_unsatisfiable == "DoNotSchedule",
                selector=decode_selector(spread.label_selector),
            )
            for spread in spec.topology_spread_constraints
        ),
        tolerations=tuple(_toleration(toleration) for toleration in spec.tolerations),
        volumes=tuple(_volume(v) for v in spec.volumes if _matters(v)),
        priority=spec.priority,
        priority_class=spec.priority_class_name,
        scheduler=spec.scheduler_name,
        scheduling_gates=tuple(gate.name for gate in spec.scheduling_gates),
        resource_claims=tuple(claim.name for claim in spec.resource_claims),
        termination_grace_seconds=spec.termination_grace_period_seconds,
        restart_policy=spec.restart_policy,
        active_deadline_seconds=spec.active_deadline_seconds,
    )


def _containers(
    spec: wire.PodSpecWire, field: str, *, at: Path, reporter: Reporter
) -> tuple[Container, ...]:
    init = field == "initContainers"
    made = []
    for index, container in enumerate(spec.init_containers if init else spec.containers):
        here = (*at, field, index, "resources")
        resources = container.resources
        made.append(
            Container(
                name=container.name,
                requests=decode_amounts(
                    resources.requests, at=(*here, "requests"), reporter=reporter
                ),
                limits=decode_amounts(resources.limits, at=(*here, "limits"), reporter=reporter),
                host_ports=_host_ports(container, host_network=spec.host_network),
                sidecar=init and container.restart_policy == "Always",
            )
        )
    return tuple(made)


def _host_ports(container: wire.ContainerWire, *, host_network: bool) -> tuple[HostPort, ...]:
    # On the host's network a container's ports are the node's, whether hostPort says so or not.
    taken = (
        (port.host_port or (port.container_port if host_network else 0), port)
        for port in container.ports
    )
    return tuple(
        HostPort(port=number, protocol=port.protocol, ip=port.host_ip or "0.0.0.0")  # noqa: S104 - the API's default
        for number, port in taken
        if number
    )


def decode_node_term(term: wire.NodeTermWire, *, at: Path, reporter: Reporter) -> NodeSelectorTerm:
    """Returns a node selector term; operators and values are checked."""
    return NodeSelectorTerm(
        expressions=_expressions(
            term.match_expressions, at=(*at, "matchExpressions"), reporter=reporter
        ),
        fields=_expressions(term.match_fields, at=(*at, "matchFields"), reporter=reporter),
    )


def _expressions(
    written: tuple[wire.ExpressionWire, ...], *, at: Path, reporter: Reporter
) -> tuple[NodeSelectorRequirement, ...]:
    for index, expression in enumerate(written):
        here = (*at, index)
        if expression.operator not in _NODE_OPERATORS:
            message = f'"{expression.operator}" is not one of {", ".join(_NODE_OPERATORS)}'
            reporter.error(Code.BAD_REQUIREMENT, message, at=(*here, "operator"))
        elif expression.operator in ("Gt", "Lt") and (
            len(expression.values) != 1 or as_integer(expression.values[0]) is None
        ):
            message = f"{expression.operator} needs exactly one whole number"
            reporter.error(Code.BAD_REQUIREMENT, message, at=(*here, "values"))
        elif expression.operator in ("In", "NotIn") and not expression.values:
            message = f"{expression.operator} needs at least one value"
            reporter.error(Code.BAD_REQUIREMENT, message, at=here)
    return tuple(
        NodeSelectorRequirement(key=e.key, operator=e.operator, values=e.values) for e in written
    )


def decode_selector(selector: wire.SelectorWire | None) -> LabelSelector | None:
    """Returns a label selector, None for none (which selects nothing)."""
    if selector is None:
        return None
    return LabelSelector(
        match_labels=selector.match_labels,
        expressions=tuple(
            LabelSelectorRequirement(key=e.key, operator=e.operator, values=e.values)
            for e in selector.match_expressions
        ),
    )


def _pod_affinity(affinity: wire.AffinityWire) -> tuple[PodAffinityTerm, ...]:
    terms = []
    for side, anti in ((affinity.pod_affinity, False), (affinity.pod_anti_affinity, True)):
        terms += [_pod_term(term, anti=anti, weight=None) for term in side.required]
        terms += [
            _pod_term(wish.pod_affinity_term, anti=anti, weight=wish.weight)
            for wish in side.preferred
        ]
    return tuple(terms)


def _pod_term(term: wire.PodTermWire, *, anti: bool, weight: int | None) -> PodAffinityTerm:
    return PodAffinityTerm(
        topology_key=term.topology_key,
        selector=decode_selector(term.label_selector),
        namespaces=term.namespaces,
        weight=weight,
        anti=anti,
    )


def _toleration(toleration: wire.TolerationWire) -> Toleration:
    return Toleration(
        key=toleration.key,
        operator=toleration.operator or "Equal",
        value=toleration.value,
        effect=toleration.effect,
        seconds=toleration.toleration_seconds,
    )


def _matters(volume: wire.VolumeWire) -> bool:
    return bool(volume.persistent_volume_claim or volume.ephemeral) or (
        volume.empty_dir is not None and volume.empty_dir.medium == "Memory"
    )


def _volume(volume: wire.VolumeWire) -> Volume:
    claim = volume.persistent_volume_claim
    template = volume.ephemeral.volume_claim_template.spec if volume.ephemeral else None
    return Volume(
        name=volume.name,
        claim=claim.claim_name if claim else "",
        ephemeral=template is not None,
        storage_class=template.storage_class_name if template else "",
        memory_backed=volume.empty_dir is not None and volume.empty_dir.medium == "Memory",
    )


KINDS: tuple[Kind, ...] = (define_kind("v1", "Pod", wire=wire.PodWire, decode=decode_pod),)
