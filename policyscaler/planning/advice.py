"""What a person should know about pools although no pod asks for it yet."""

from __future__ import annotations

import numpy as np

from policyscaler.model.plan import Finding
from policyscaler.model.quantities import format_resource
from policyscaler.planning.drift import drift_reason
from policyscaler.planning.limits import remaining_of_pool
from policyscaler.planning.workbench import Workbench
from policyscaler.scheduling.templates import Template


def pool_advice(bench: Workbench) -> tuple[Finding, ...]:
    """Returns findings about pools: frozen ones, and those that only seem to be reserved."""
    found = []
    for template in bench.templates:
        frozen = _frozen(bench, template)
        if frozen:
            subject = f"nodepool/{template.pool.name}"
            found.append(Finding(severity="warning", subject=subject, message=frozen))
        found += [_open_gate(template, key) for key in _seeming_gates(bench, template)]
    return tuple(sorted(found, key=lambda f: (f.severity, f.subject, f.message)))


def _frozen(bench: Workbench, template: Template) -> str:
    """Why no node of the pool can be launched or replaced any more, or nothing."""
    types = np.flatnonzero(template.table.types_of(template.launchable))
    remaining = remaining_of_pool(template.pool, bench.view.usage(template.pool.name))
    for resource, left in remaining.items():
        if not len(types):
            break
        least = 1 if resource == "nodes" else int(template.table.capacity(resource)[types].min())
        if left < least:
            stuck = _drifted(bench, template)
            also = f"; {stuck} drifted nodes are stuck" if stuck else ""
            return (
                f"the pool is frozen: of limit {resource} "
                f"{format_resource(resource, template.pool.limits[resource])} remain "
                f"{format_resource(resource, max(0, left))}, less than the smallest node's "
                f"{format_resource(resource, least)}{also}"
            )
    return ""


def _drifted(bench: Workbench, template: Template) -> int:
    nodes = (node for node in bench.view.nodes if node.pool == template.pool.name)
    return sum(bool(drift_reason(node, template.pool, bench.view.snapshot)) for node in nodes)


def _seeming_gates(bench: Workbench, template: Template) -> list[str]:
    """The labels by which an author may think that the pool is reserved.

    Only where pods that say nothing about them have a choice: beside another pool, and without
    a taint that keeps them away.
    """
    if template.pool.taints or len(bench.templates) < 2:
        return []
    return sorted(
        {
            wanted.key
            for wanted in template.pool.requirements
            if wanted.operator == "Exists"
            and wanted.min_values is None
            and wanted.key not in template.undefined
        }
    )


def _open_gate(template: Template, key: str) -> Finding:
    return Finding(
        severity="note",
        subject=f"nodepool/{template.pool.name}",
        message=f"{key} Exists keeps no pod away that does not name it; only a taint reserves the pool",
    )
