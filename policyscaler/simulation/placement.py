"""Whether a pod may run on a node: the filter half of the simulated kube-scheduler.

Written against labels, as the real plugins are, and not against requirement sets: so it judges
plans independently of the planner's algebra. Source: kube-scheduler's NodeAffinity, NodePorts,
NodeResourcesFit, NodeUnschedulable and TaintToleration plugins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from policyscaler.model import labels as well
from policyscaler.model.nodes import NO_SCHEDULE, Node, Taint
from policyscaler.model.pods import HostPort, NodeSelectorTerm, Pod, PodSpec
from policyscaler.model.requirements import NodeSelectorRequirement, as_integer
from policyscaler.scheduling.taints import untolerated

_CORDONED: Final = Taint(key=well.UNSCHEDULABLE_TAINT, effect=NO_SCHEDULE)
_ALL_ADDRESSES: Final = ("0.0.0.0", "::", "")  # noqa: S104 - the API's wildcard, not a bind
_NAME_FIELD: Final = "metadata.name"


def unsupported(spec: PodSpec) -> str:
    """Returns the hard constraint that this scheduler does not know, or an empty text.

    Such a pod stays Pending: a place that might break its constraint would be worse.
    """
    if any(spread.hard for spread in spec.spread):
        return "topology spread"
    if any(term.weight is None for term in spec.pod_affinity):
        return "pod affinity"
    if spec.resource_claims:
        return "resource claims"
    if any(volume.claim or volume.ephemeral for volume in spec.volumes):
        return "persistent volumes"
    return ""


def admits(node: Node, spec: PodSpec) -> bool:
    """Returns whether a node's taints and labels allow a pod, its room left aside."""
    taints = (*node.taints, _CORDONED) if node.unschedulable else node.taints
    if untolerated(taints, spec.tolerations) is not None:
        return False
    labels = node.meta.labels
    if any(labels.get(key) != value for key, value in spec.node_selector.items()):
        return False
    terms = spec.required_terms
    return not terms or any(term_matches(term, node) for term in terms)


def term_matches(term: NodeSelectorTerm, node: Node) -> bool:
    """Returns whether a node satisfies a node affinity term; an empty term matches nothing."""
    if not term.expressions and not term.fields:
        return False
    fields = {_NAME_FIELD: node.meta.name}
    return all(_holds(e, node.meta.labels) for e in term.expressions) and all(
        _holds(f, fields) for f in term.fields
    )


def _holds(wanted: NodeSelectorRequirement, labels: Mapping[str, str]) -> bool:
    value = labels.get(wanted.key)
    match wanted.operator:
        case "In":
            return value in wanted.values
        case "NotIn":
            return value not in wanted.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case _:
            return value is not None and _compares(wanted, value)


def _compares(wanted: NodeSelectorRequirement, value: str) -> bool:
    number, bound = as_integer(value), as_integer(wanted.values[0])
    if number is None or bound is None:
        return False
    return {
        "Gt": number > bound, "Lt": number < bound, "Gte": number >= bound, "Lte": number <= bound,
    }.get(wanted.operator, False)  # fmt: skip


def pinned_node(spec: PodSpec) -> str | None:
    """Returns the one node that a daemon's pod is made for, or None."""
    names = {
        field.values
        for term in spec.required_terms
        for field in term.fields
        if field.key == _NAME_FIELD and field.operator == "In"
    }
    (only,) = names if len(names) == 1 else ((),)
    pinned = len(only) == 1 and all(term.fields for term in spec.required_terms)
    return only[0] if pinned else None


def host_ports(spec: PodSpec) -> tuple[HostPort, ...]:
    """Returns the ports of the node that a pod takes for itself."""
    return tuple(port for c in (*spec.containers, *spec.init_containers) for port in c.host_ports)


def ports_collide(wanted: tuple[HostPort, ...], pods: Iterable[Pod]) -> bool:
    """Returns whether a running pod holds one of the wanted ports."""
    if not wanted:
        return False
    held = [port for pod in pods if not pod.is_terminal for port in host_ports(pod.spec)]
    return any(_same_port(a, b) for a in wanted for b in held)


def _same_port(a: HostPort, b: HostPort) -> bool:
    if (a.port, a.protocol) != (b.port, b.protocol):
        return False
    return a.ip == b.ip or a.ip in _ALL_ADDRESSES or b.ip in _ALL_ADDRESSES
