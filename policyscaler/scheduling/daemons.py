"""What DaemonSets take from every node that they run on.

Source: reference behaviour of Karpenter v1.14: the newest live pod's requests count, else the
template's; node affinity always comes from the template, because the DaemonSet controller
rewrites it on its pods; preferences, pod affinity and startup taints do not keep a daemon away.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from policyscaler.model import resources as res
from policyscaler.model.labels import WELL_KNOWN
from policyscaler.model.meta import SourcePosition
from policyscaler.model.nodes import Taint
from policyscaler.model.pods import Pod, Toleration
from policyscaler.model.requests import effective_requests, pod_requests
from policyscaler.model.resources import Resources
from policyscaler.model.workloads import DaemonSet
from policyscaler.scheduling import requirements as req
from policyscaler.scheduling.offeringtable import Amounts, Mask, OfferingTable
from policyscaler.scheduling.taints import untolerated


@dataclass(frozen=True, slots=True, kw_only=True)
class Daemon:
    """A DaemonSet as planning sees it: what one of its pods takes, and where it runs."""

    name: str
    requests: Resources
    alternatives: tuple[req.Requirements, ...]
    tolerations: tuple[Toleration, ...]
    source: SourcePosition | None = None


def daemons_of(sets: Iterable[DaemonSet], pods: Iterable[Pod]) -> list[Daemon]:
    """Returns the daemons by name; live pods' requests win over the template's."""
    newest: dict[tuple[str, str], Pod] = {}
    for pod in pods:
        owner = pod.meta.controller
        if owner is None or owner.kind != "DaemonSet" or not pod.is_active:
            continue
        key = (pod.meta.namespace, owner.name)
        if key not in newest or _younger(pod, newest[key]):
            newest[key] = pod
    found = []
    for daemon_set in sorted(sets, key=lambda item: item.meta.key):
        live, spec = newest.get(daemon_set.meta.key), daemon_set.template.spec
        found.append(
            Daemon(
                name=daemon_set.meta.full_name,
                requests=pod_requests(live) if live else effective_requests(spec),
                alternatives=req.pod_alternatives(spec),
                tolerations=spec.tolerations,
            )
        )
    return found


def _younger(pod: Pod, other: Pod) -> bool:
    def age(p: Pod) -> tuple[float, str]:
        return (p.meta.created.timestamp() if p.meta.created else 0.0, p.meta.name)

    return age(pod) > age(other)


def runs_on_template(
    daemon: Daemon, template: req.Requirements, taints: tuple[Taint, ...], table: OfferingTable
) -> Mask:
    """Returns per type of the table whether the daemon would run on a new node of it."""
    nowhere = np.zeros(len(table.types), dtype=bool)
    if not len(table) or untolerated(taints, daemon.tolerations) is not None:
        return nowhere
    have = req.merge(template, req.lifecycle_assumed())
    undefined = table.keys | WELL_KNOWN
    somewhere = nowhere
    for wanted in daemon.alternatives:
        if req.compatible(have, wanted, undefined=undefined):
            somewhere = somewhere | table.types_of(table.mask_all(wanted))
    return somewhere


def template_overhead(
    daemons: Iterable[Daemon],
    template: req.Requirements,
    taints: tuple[Taint, ...],
    table: OfferingTable,
) -> dict[str, Amounts]:
    """Returns the daemons' summed requests per resource and type of the table."""
    total: dict[str, Amounts] = {}
    for daemon in daemons:
        where = runs_on_template(daemon, template, taints, table)
        if not where.any():
            continue
        for resource, amount in daemon.requests.items():
            column = total.setdefault(resource, np.zeros(len(table.types), dtype=np.int64))
            column += where * np.int64(amount)
    return total


def node_overhead(
    daemons: Iterable[Daemon],
    node_labels: Mapping[str, str],
    taints: tuple[Taint, ...],
    running: Iterable[Resources],
) -> dict[str, int]:
    """Returns what daemons will still take from an existing node.

    Expected daemons less the daemon pods that already run there, never below zero: unexpected
    daemon pods do not make room.

    Args:
        daemons: all of them.
        node_labels: the node's real labels; lifecycle labels are assumed to come.
        taints: the node's lasting taints.
        running: requests of the daemon pods bound to the node.
    """
    have = req.merge(req.of_node(node_labels), req.lifecycle_assumed())
    expected = [
        daemon.requests
        for daemon in daemons
        if untolerated(taints, daemon.tolerations) is None
        and any(req.compatible(have, wanted, undefined=None) for wanted in daemon.alternatives)
    ]
    return res.at_least_zero(res.subtract(res.add(*expected), res.add(*running)))
