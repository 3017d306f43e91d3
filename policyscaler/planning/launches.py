"""From packed nodes to planned ones: offerings ranked, labels and requests worked out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final, TypeAlias

import numpy as np

from policyscaler.model import labels as well
from policyscaler.model import resources as res
from policyscaler.model.plan import ChosenOffering, Finding, PlannedNode
from policyscaler.model.requirements import NodeSelectorRequirement, Requirement
from policyscaler.model.snapshot import ObjectKey
from policyscaler.planning.limits import Admitted
from policyscaler.planning.ranking import Rankings
from policyscaler.scheduling import requirements as req
from policyscaler.scheduling.offeringtable import Amounts, OfferingTable
from policyscaler.scheduling.packing.problem import PackedNode
from policyscaler.scheduling.templates import Template

MIN_VALUES_RELAXED: Final = "karpenter.sh/nodeclaim-min-values-relaxed"


_Written: TypeAlias = tuple[req.Requirements, tuple[NodeSelectorRequirement, ...]]


@dataclass(slots=True)
class LaunchPlanner:
    """Turns packed nodes into planned ones; what nodes share is worked out once."""

    rankings: Rankings = field(default_factory=Rankings)
    default_grace: timedelta | None = None
    offerings: dict[tuple[int, bytes], tuple[ChosenOffering, ...]] = field(default_factory=dict)
    written: dict[tuple[int, bytes], _Written] = field(default_factory=dict)

    def plan(
        self,
        name: str,
        admitted: Admitted,
        *,
        template: Template,
        pods: Sequence[ObjectKey],
        annotations: Mapping[str, str],
    ) -> PlannedNode:
        """Returns the planned node of a packed one.

        Args:
            name: its name in the plan.
            admitted: the packed node, with the rows that limits let it become.
            template: its pool.
            pods: those it is for.
            annotations: of the claim to be made.
        """
        node, pool = admitted.node, template.pool
        ranked = admitted.flexible
        offerings, requirements = self._shared(node, template.table, ranked)
        findings, notes = _relaxed_values(name, template, ranked)
        return PlannedNode(
            name=name,
            pool=pool.name,
            node_class=pool.node_class,
            requirements=requirements,
            labels=_labels(node, template),
            annotations={**pool.annotations, **annotations, **notes},
            taints=pool.taints,
            startup_taints=pool.startup_taints,
            offerings=offerings,
            requests=_requests(node, template, ranked),
            expire_after=pool.expire_after,
            termination_grace=(
                self.default_grace if pool.termination_grace is None else pool.termination_grace
            ),
            pods=tuple(sorted(pods)),
            findings=findings,
        )

    def _shared(
        self, node: PackedNode, table: OfferingTable, ranked: Amounts
    ) -> tuple[tuple[ChosenOffering, ...], tuple[NodeSelectorRequirement, ...]]:
        rows = ranked.tobytes()
        offerings = self.offerings.get((id(table), rows))
        if offerings is None:
            offerings = tuple(self.rankings.offering(table, row) for row in ranked.tolist())
            self.offerings[id(table), rows] = offerings
        key = (id(node.requirements), rows)
        if key not in self.written:
            # The requirements are kept with what was written, so that their id stays taken.
            entries = claim_requirements(node.requirements, offerings)
            self.written[key] = (node.requirements, entries)
        return offerings, self.written[key][1]


def claim_requirements(
    requirements: req.Requirements, offerings: Sequence[ChosenOffering]
) -> tuple[NodeSelectorRequirement, ...]:
    """Returns the requirements of a claim, narrowed to the types and capacity types that are left."""
    offered = {
        well.INSTANCE_TYPE: frozenset(o.instance_type for o in offerings),
        well.CAPACITY_TYPE: frozenset(o.capacity_type for o in offerings),
    }
    wanted = dict(requirements)
    for key, values in offered.items():
        minimum = wanted[key].min_values if key in wanted else None
        wanted[key] = Requirement(key=key, complement=False, values=values, min_values=minimum)
    written: list[NodeSelectorRequirement] = []
    for key in sorted(wanted):
        if key not in req.LIFECYCLE_KEYS:
            written += wanted[key].to_manifest()
    return tuple(written)


def _labels(node: PackedNode, template: Template) -> dict[str, str]:
    """The labels that the node will have whatever the provider makes of it."""
    pool = template.pool
    class_key = well.node_class_label(pool.node_class.group, pool.node_class.kind)
    labels = {**pool.labels, well.NODEPOOL: pool.name, class_key: pool.node_class.name}
    for key in sorted(node.requirements):
        wanted = node.requirements[key]
        ours = key not in template.undefined and not well.is_restricted(key)
        if ours and key not in labels and not wanted.excludes_nothing_positive:
            labels[key] = _some_value(wanted)
    return dict(sorted(labels.items()))


def _some_value(wanted: Requirement) -> str:
    """A value that satisfies the requirement, always the same one: Karpenter picks at random."""
    if not wanted.complement:
        return min(wanted.values)
    number = wanted.lower if wanted.lower is not None else min(0, wanted.upper or 0)
    while not wanted.allows(str(number)):
        number += 1
    return str(number)


def _requests(node: PackedNode, template: Template, ranked: Amounts) -> dict[str, int]:
    """What the pods need and the least that daemons take on any type that is left."""
    used = dict(zip(node.resources, node.used, strict=True))
    if template.overhead:
        types = np.unique(template.table.type_of_row[ranked])
        daemons = {name: int(column[types].min()) for name, column in template.overhead.items()}
        used = res.add(used, daemons)
    return {name: amount for name, amount in sorted(used.items()) if amount}


def _relaxed_values(
    name: str, template: Template, ranked: Amounts
) -> tuple[tuple[Finding, ...], dict[str, str]]:
    if not template.min_values:
        return (), {}
    rows = np.zeros(len(template.table), dtype=bool)
    rows[ranked] = True
    findings = []
    for key, minimum in template.min_values.items():
        have = len(template.table.values_of(key, rows))
        if have < minimum:
            text = f"minValues of {key} relaxed {minimum}→{have}"
            findings.append(Finding(severity="note", subject=name, message=text))
    return tuple(findings), {MIN_VALUES_RELAXED: "true" if findings else "false"}
