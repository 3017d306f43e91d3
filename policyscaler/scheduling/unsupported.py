"""Constraints that this version does not schedule by: named, never ignored in silence.

A hard one keeps the pod where it is, with a reason; a soft one is left aside, with a note.
"""

from __future__ import annotations

from policyscaler.model.pods import PodSpec


def hard_constraints(spec: PodSpec) -> tuple[str, ...]:
    """Returns the pod's hard constraints that are not supported yet, as people call them."""
    found = []
    if any(constraint.hard for constraint in spec.spread):
        found.append("topology spread (DoNotSchedule)")
    required = [term for term in spec.pod_affinity if term.weight is None]
    if any(not term.anti for term in required):
        found.append("required pod affinity")
    if any(term.anti for term in required):
        found.append("required pod anti-affinity")
    containers = (*spec.containers, *spec.init_containers)
    if any(container.host_ports for container in containers):
        found.append("host ports")
    if spec.resource_claims:
        found.append("resource claims (DRA)")
    return tuple(found)


def soft_constraints(spec: PodSpec) -> tuple[str, ...]:
    """Returns the pod's wishes that are left aside."""
    found = []
    if spec.preferred_terms:
        found.append("preferred node affinity")
    if any(term.weight is not None for term in spec.pod_affinity):
        found.append("preferred pod affinity")
    if any(not constraint.hard for constraint in spec.spread):
        found.append("topology spread (ScheduleAnyway)")
    return tuple(found)
