"""Why a pod, an offering or a node is decided as it is, asked of the same parts that decide.

A question about a pod narrows the offerings of each pool step by step: what the pool asks for,
what the pod asks for, size, availability, limits, and then policy rule by rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from policyscaler.model.errors import ConfigError
from policyscaler.model.offerings import OfferingRow
from policyscaler.model.plan import Plan, PlannedNode, PoolRefusal
from policyscaler.model.pods import Pod
from policyscaler.model.snapshot import ObjectKey, Snapshot
from policyscaler.planning.cluster import view_cluster
from policyscaler.planning.effort import DEFAULT_EFFORT
from policyscaler.planning.limits import remaining_of_pool
from policyscaler.planning.rules import Rulebook
from policyscaler.planning.workbench import Workbench
from policyscaler.policy.evaluation import Policies
from policyscaler.policy.explaining import RuleTrace
from policyscaler.scheduling.feasibility import Feasible, Question, Screen, Screened, examine
from policyscaler.scheduling.offeringtable import Mask
from policyscaler.scheduling.shapes import Shape, intern_shapes
from policyscaler.scheduling.templates import Template

BOUND, EXISTING, LAUNCH = "bound", "existing", "launch"
UNSCHEDULABLE, IGNORED = "unschedulable", "ignored"


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolStory:
    """How the offerings of one pool were narrowed for a pod.

    Attributes:
        steps: what was asked, and how many offerings were left after it.
        screened: what policy said to those; None when nothing was left to ask about.
        refusal: why the pool cannot take the pod, None if it can.
    """

    pool: str
    steps: tuple[tuple[str, int], ...]
    screened: Screened | None
    refusal: PoolRefusal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PodAnswer:
    """Where a pod goes.

    Attributes:
        outcome: bound, existing, launch, unschedulable or ignored.
        node: of bound and existing.
        launch: the node that is launched for it.
        equals: the pods planned together with it because they are equal.
        stories: for each pool, preferred ones first; empty for pods that need no new node.
        refusals: why there is no place, for each pool.
    """

    pod: ObjectKey
    outcome: str
    node: str = ""
    launch: PlannedNode | None = None
    equals: tuple[ObjectKey, ...] = ()
    stories: tuple[PoolStory, ...] = ()
    refusals: tuple[PoolRefusal, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferingAnswer:
    """What one pool says of one offering for a pod.

    Attributes:
        reason: the first thing that stands in the way, empty if nothing does.
        rules: what every rule says, those that were not reached included.
    """

    pool: str
    row: OfferingRow
    allowed: bool
    reason: str
    rules: tuple[RuleTrace, ...]


class Explainer:
    """Answers questions about one decision.

    Args:
        snapshot: what was decided on.
        policies: those in force.
        now: the instant.
        plan: what was decided.
    """

    def __init__(
        self, snapshot: Snapshot, *, policies: Policies, now: datetime, plan: Plan
    ) -> None:
        self._snapshot = snapshot
        self._plan = plan
        rules = Rulebook(policies=policies, view=view_cluster(snapshot, now), now=now)
        self._bench = Workbench(view=rules.view, rules=rules, effort=DEFAULT_EFFORT)

    def pod(self, key: ObjectKey) -> PodAnswer:
        """Returns where a pod goes, and why not elsewhere."""
        pod = self._snapshot.pods[key]
        if pod.node:
            return PodAnswer(pod=key, outcome=BOUND, node=pod.node)
        for placed in self._plan.existing:
            if key in placed.pods:
                return PodAnswer(pod=key, outcome=EXISTING, node=placed.node, equals=placed.pods)
        shape, stories = self._stories(pod)
        for node in self._plan.launches:
            if key in node.pods:
                return PodAnswer(
                    pod=key, outcome=LAUNCH, launch=node, equals=node.pods, stories=stories
                )
        for entry in self._plan.unschedulable:
            if key in entry.pods:
                return PodAnswer(
                    pod=key, outcome=UNSCHEDULABLE, equals=entry.pods, stories=stories,
                    refusals=entry.refusals,
                )  # fmt: skip
        return PodAnswer(pod=key, outcome=IGNORED, equals=shape.pods)

    def offering(self, name: str, pod: Pod) -> tuple[OfferingAnswer, ...]:
        """Returns what each pool that knows an offering says of it for a pod.

        Args:
            name: `type/zone/capacity type`.
            pod: the pod that it would be for.

        Raises:
            ConfigError: no pool's catalogue has such an offering.
        """
        (shape,) = intern_shapes([pod])
        answers = [
            self._offering(shape, template, index)
            for template in self._bench.templates
            for index, row in enumerate(template.table.rows)
            if row.name == name
        ]
        if not answers:
            raise ConfigError(
                f'no NodePool has an offering "{name}"; write type/zone/capacity-type, such as '
                f"{self._an_offering()}"
            )
        return tuple(answers)

    def _an_offering(self) -> str:
        names = [row.name for t in self._bench.templates for row in t.table.rows[:1]]
        return names[0] if names else "m5.large/zone-a/on-demand"

    def _offering(self, shape: Shape, template: Template, index: int) -> OfferingAnswer:
        alone = np.zeros(len(template.table), dtype=bool)
        alone[index] = True
        narrowed = replace(template, matching=template.matching & alone)
        answer = examine(self._question(shape, narrowed, self._bench.rules.screen))
        rules = self._bench.rules
        traces = rules.policies.explain_offering(
            template.table.catalogue, index, rules.pool(template.pool.name), rules.shape(shape),
            rules.for_team(shape),
        )  # fmt: skip
        return OfferingAnswer(
            pool=template.pool.name, row=template.table.rows[index],
            allowed=isinstance(answer, Feasible),
            reason="" if isinstance(answer, Feasible) else answer.message, rules=traces,
        )  # fmt: skip

    def _stories(self, pod: Pod) -> tuple[Shape, tuple[PoolStory, ...]]:
        (shape,) = intern_shapes([pod])
        return shape, tuple(self._story(shape, template) for template in self._bench.templates)

    def _story(self, shape: Shape, template: Template) -> PoolStory:
        seen: list[Screened] = []

        def screen(about: Shape, of: Template, rows: Mask) -> Screened:
            seen.append(self._bench.rules.screen(about, of, rows))
            return seen[-1]

        answer = examine(self._question(shape, template, screen))
        return PoolStory(
            pool=template.pool.name, steps=self._steps(shape, template),
            screened=seen[-1] if seen else None,
            refusal=None if isinstance(answer, Feasible) else answer,
        )  # fmt: skip

    def _steps(self, shape: Shape, template: Template) -> tuple[tuple[str, int], ...]:
        table = template.table
        asked = np.zeros(len(table), dtype=bool)
        for wanted in shape.alternatives:
            asked |= table.mask_all(wanted)
        wanted_rows = template.matching & asked
        available = wanted_rows & table.available
        remaining = remaining_of_pool(template.pool, self._bench.view.usage(template.pool.name))
        masks = (
            ("all offerings of the NodeClass", np.ones(len(table), dtype=bool)),
            ("that the NodePool asks for", template.matching),
            ("that the pod asks for", wanted_rows),
            ("that are available", available),
            ("within the limits of the NodePool", available & template.within(remaining)),
        )
        return tuple((name, int(mask.sum())) for name, mask in masks)

    def _question(self, shape: Shape, template: Template, screen: Screen) -> Question:
        usage = self._bench.view.usage(template.pool.name)
        return Question(
            shape=shape, template=template, remaining=remaining_of_pool(template.pool, usage),
            screen=screen,
        )  # fmt: skip


def find_pod(snapshot: Snapshot, name: str) -> ObjectKey:
    """Returns the pod that a person means: `namespace/name`, `name`, or the name of a workload.

    The first by name stands for a workload's pods; pending ones come first.

    Raises:
        ConfigError: there is none, or the name alone means several.
    """
    namespace, _, bare = name.rpartition("/")
    keys = [key for key in sorted(snapshot.pods) if namespace in ("", key[0])]
    exact = [key for key in keys if key[1] == bare]
    if len(exact) == 1:
        return exact[0]
    if exact:
        raise ConfigError(f'"{name}" may be {_listed(exact)}; write namespace/name')
    family = [key for key in keys if key[1].startswith(bare + "-")]
    family.sort(key=lambda key: (bool(snapshot.pods[key].node), key))
    if not family:
        known = _listed(keys[:3]) if keys else "none"
        raise ConfigError(f'there is no pod "{name}"; there are {len(keys)}, such as {known}')
    return family[0]


def _listed(keys: Sequence[ObjectKey]) -> str:
    return ", ".join(f"{namespace}/{name}" for namespace, name in keys)
