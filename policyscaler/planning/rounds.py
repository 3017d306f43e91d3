"""Packing in rounds: what a limit refuses is packed again into what the limit leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from policyscaler.model.errors import InvariantViolation
from policyscaler.model.plan import Finding, PlannedNode, PoolRefusal, ShapeTrace
from policyscaler.model.snapshot import ObjectKey
from policyscaler.planning.limits import (
    POOL_LIMIT,
    Admitted,
    Cap,
    admit,
    caps_of,
    pool_key,
    remaining_of_pool,
    share_out,
)
from policyscaler.planning.options import OptionFinder
from policyscaler.planning.rules import CHARGES
from policyscaler.planning.workbench import Workbench
from policyscaler.policy.verdicts import LimitCharge
from policyscaler.scheduling.answers import Answered
from policyscaler.scheduling.feasibility import Screened
from policyscaler.scheduling.packing.choose import choose_packing
from policyscaler.scheduling.packing.problem import (
    Item,
    PackedNode,
    Packing,
    PackPool,
    Problem,
    available_columns,
    resource_axes,
)
from policyscaler.scheduling.shapes import Shape
from policyscaler.scheduling.templates import Template
from policyscaler.scheduling.validator import violations


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundsResult:
    """What all rounds together gave.

    Attributes:
        nodes: admitted nodes in the order they are to be launched.
        homeless: (shape, count, why not per pool).
        packings: price of each packing tried, summed over rounds, in micro-dollars per hour.
        chosen: the packings that won, in order of rounds.
    """

    nodes: tuple[Admitted, ...]
    homeless: tuple[tuple[int, int, tuple[PoolRefusal, ...]], ...]
    findings: tuple[Finding, ...]
    traces: tuple[ShapeTrace, ...]
    packings: Mapping[str, int]
    chosen: str


@dataclass(kw_only=True)
class LaunchRounds:
    """One run over all rounds for the pods that existing nodes have not taken."""

    bench: Workbench
    shapes: Sequence[Shape]
    left: list[int]
    few: bool = False
    remaining: dict[str, int] = field(default_factory=dict)
    admitted: list[Admitted] = field(default_factory=list)
    refusals: dict[int, tuple[PoolRefusal, ...]] = field(default_factory=dict)
    traces: dict[tuple[int, str], ShapeTrace] = field(default_factory=dict)
    notes: dict[tuple[int, str], tuple[str, ...]] = field(default_factory=dict)
    packings: dict[str, int] = field(default_factory=dict)
    chosen: list[str] = field(default_factory=list)
    charges: dict[tuple[int, str], tuple[LimitCharge, ...]] = field(default_factory=dict)

    def run(self) -> RoundsResult:
        """Packs until nothing is left or nothing more can be had."""
        self._start_limits()
        for number in range(self.bench.effort.limit_rounds):
            problem = self._problem()
            if not problem.items:
                break
            tries = self.bench.effort.incremental if number == 0 and not self.few else 0
            nodes = self._by_precedence(self._pack(problem, tries))
            within, beyond = admit(nodes, self.remaining)
            self.admitted += within
            for node in within:
                for shape, count in node.node.content:
                    self.left[shape] -= count
            if not beyond:
                break
        else:
            # Out of rounds: what is left is asked once more, so that each refusal names its limit.
            self._problem()
        self.admitted.sort(key=lambda node: (-self._priority(node), node.opener))
        self.admitted = share_out(self.admitted, self.remaining)
        return self._result()

    def planned(self, index: int, pods: Sequence[ObjectKey]) -> PlannedNode:
        """Returns the planned node of an admitted one, its pods named."""
        admitted = self.admitted[index]
        template = self.bench.templates[admitted.node.pool]
        return self.bench.launches.plan(
            f"{template.pool.name}-{index + 1}",
            admitted,
            template=template,
            pods=pods,
            annotations={**self.bench.hashes[admitted.node.pool], **_charges(admitted)},
        )

    def _start_limits(self) -> None:
        view = self.bench.view
        for template in self.bench.templates:
            usage = view.usage(template.pool.name)
            for resource, amount in remaining_of_pool(template.pool, usage).items():
                self.remaining[pool_key(template.pool.name, resource)] = amount

    def _pool_remaining(self, template: Template) -> dict[str, int]:
        name = template.pool.name
        return {r: self.remaining[pool_key(name, r)] for r in template.pool.limits}

    def _problem(self) -> Problem:
        """What is left to pack, and why pools refuse what they refuse."""
        resources = resource_axes([s.requests for i, s in enumerate(self.shapes) if self.left[i]])
        pools = self._pack_pools(resources)
        finder = OptionFinder(
            bench=self.bench, pools=pools, charges=self._charges, left_of=self._left_of,
            remaining={t.pool.name: self._pool_remaining(t) for t in self.bench.templates},
            shared=self._shared_answers(resources),
        )  # fmt: skip
        items = []
        for index, shape in enumerate(self.shapes):
            if not self.left[index]:
                continue
            options, refusals = finder.find(shape)
            self._record(index, finder.latest)
            self.refusals[index] = (*refusals, *self.bench.unusable)
            if options:
                need = tuple(shape.requests.get(name, 0) for name in resources)
                items.append(
                    Item(shape=index, need=need, count=self.left[index], options=tuple(options))
                )
        return Problem(
            resources=resources, pools=pools, items=tuple(items),
            assortments=self.bench.memo.assortments,
        )  # fmt: skip

    def _shared_answers(self, resources: tuple[str, ...]) -> dict[tuple[object, ...], Answered]:
        """Answers of earlier rounds under the same limits; policy limits move with each launch."""
        if self.bench.rules.policies.rules_limits:
            return {}
        state = (resources, tuple(sorted(self.remaining.items())))
        return self.bench.answers.setdefault(state, {})

    def _charges(self, shape: Shape, template: Template) -> tuple[LimitCharge, ...]:
        key = (id(shape), template.pool.name)
        found = self.charges.get(key)
        if found is None:
            found = self.charges[key] = self.bench.rules.limits(shape, template)
        return found

    def _left_of(self, charge: LimitCharge) -> int:
        if charge.key not in self.remaining:
            used = sum(self.bench.rules.charged.get(charge.key, {}).values())
            self.remaining[charge.key] = charge.maximum - used
        return self.remaining[charge.key]

    def _record(self, index: int, screened: Mapping[str, Screened]) -> None:
        shape = self.shapes[index]
        for pool, answer in screened.items():
            if answer.notes:
                self.notes[index, pool] = answer.notes
            if answer.funnel:
                self.traces[index, pool] = ShapeTrace(
                    shape=f"{shape.namespace}/{shape.name}", pods=shape.pods, pool=pool,
                    funnel=answer.funnel, notes=answer.notes,
                )  # fmt: skip

    def _pack(self, problem: Problem, tries: int) -> tuple[PackedNode, ...]:
        choice = choose_packing(problem, incremental=tries)
        packing = choice.packing
        if self.bench.effort.validate and self._violations(packing, problem):
            choice = choose_packing(problem, incremental=0)
            packing = choice.packing
            wrong = self._violations(packing, problem)
            if wrong:
                raise InvariantViolation(f"the baseline packing is wrong: {'; '.join(wrong[:3])}")
        for name, price in choice.prices.items():
            self.packings[name] = self.packings.get(name, 0) + price
        self.chosen.append(packing.name)
        return packing.nodes

    def _violations(self, packing: Packing, problem: Problem) -> list[str]:
        wanted = {item.shape: item.count for item in problem.items}
        return violations(packing, self.bench.templates, self.shapes, wanted)

    def _pack_pools(self, resources: tuple[str, ...]) -> tuple[PackPool, ...]:
        best_effort = self.bench.view.snapshot.min_values_policy == "BestEffort"
        return tuple(
            PackPool(
                tier=t.tier,
                table=t.table,
                resources=resources,
                available=available_columns(t.table, t.overhead, resources),
                min_values={} if best_effort else t.min_values,
            )
            for t in self.bench.templates
        )

    def _by_precedence(self, nodes: Sequence[PackedNode]) -> list[Admitted]:
        first = len(self.admitted)
        admitted = [self._admissible(node, first + i) for i, node in enumerate(nodes)]
        return sorted(admitted, key=lambda node: (-self._priority(node), node.opener))

    def _admissible(self, node: PackedNode, opener: int) -> Admitted:
        template = self.bench.templates[node.pool]
        shape = self.shapes[max(node.content, key=lambda c: (self._weight(c), -c[0]))[0]]
        caps: list[Cap] = caps_of(template, self._charges(shape, template))
        ranking = self.bench.launches.rankings.of(template.table, node)
        return Admitted(
            node=node, row=ranking.best(node.types), flexible=ranking.cut(node.types),
            caps=tuple(caps), opener=opener,
        )  # fmt: skip

    def _weight(self, content: tuple[int, int]) -> int:
        """How much of a node a shape takes: limits are charged to the one that takes most."""
        requests = self.shapes[content[0]].requests
        return content[1] * (requests.get("cpu", 0) + requests.get("memory", 0) // 2**22)

    def _priority(self, node: Admitted) -> int:
        return max(self.shapes[shape].priority for shape, _ in node.node.content)

    def _result(self) -> RoundsResult:
        homeless = tuple(
            (index, count, self.refusals.get(index, self.bench.unusable))
            for index, count in enumerate(self.left)
            if count
        )
        findings = tuple(
            Finding(
                severity="warning",
                subject=f"{self.shapes[i].namespace}/{self.shapes[i].name}",
                message=note,
            )
            for (i, _), notes in sorted(self.notes.items())
            for note in notes
        )
        return RoundsResult(
            nodes=tuple(self.admitted),
            homeless=homeless,
            findings=findings,
            traces=tuple(self.traces[key] for key in sorted(self.traces)),
            packings=dict(sorted(self.packings.items())),
            chosen=",".join(self.chosen),
        )


def _charges(admitted: Admitted) -> dict[str, str]:
    """The annotations that keep what a claim counts against policy limits: its dearest row."""
    keys = [cap for cap in admitted.caps if not cap.key.startswith(POOL_LIMIT)]
    return {
        f"{CHARGES}{number}": f"{cap.key}={int(cap.amounts[admitted.flexible].max())}"
        for number, cap in enumerate(keys)
    }
