"""Places for pods: existing nodes first, then the cheapest new ones that policy and limits allow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from policyscaler.model.errors import InvariantViolation
from policyscaler.model.plan import (
    ExistingPlacement,
    Finding,
    PlannedNode,
    ShapeTrace,
    Unschedulable,
)
from policyscaler.model.pods import Pod
from policyscaler.model.snapshot import ObjectKey, Snapshot
from policyscaler.planning.intake import take_in
from policyscaler.planning.loopguard import held_pods, refuse
from policyscaler.planning.rounds import LaunchRounds, RoundsResult
from policyscaler.planning.workbench import Workbench
from policyscaler.scheduling.existing import fill_existing
from policyscaler.scheduling.shapes import Shape, intern_shapes
from policyscaler.scheduling.unsupported import soft_constraints


@dataclass(frozen=True, kw_only=True)
class Provision:
    """Where pods go. Pods of shapes that avoid NodePools are in none of the lists."""

    launches: tuple[PlannedNode, ...]
    existing: tuple[ExistingPlacement, ...]
    unschedulable: tuple[Unschedulable, ...]
    findings: tuple[Finding, ...] = ()
    traces: tuple[ShapeTrace, ...] = ()
    packings: Mapping[str, int] = field(default_factory=dict)
    chosen: str = ""

    @property
    def homeless(self) -> frozenset[ObjectKey]:
        """Keys of the pods without a place."""
        return frozenset(key for entry in self.unschedulable for key in entry.pods)


def provision(
    bench: Workbench,
    pods: Iterable[Pod],
    *,
    closed: frozenset[str] = frozenset(),
    few: bool = False,
) -> Provision:
    """Returns where pods go.

    Args:
        bench: the cluster and policy.
        pods: those to place, whether pending or about to move.
        closed: names of nodes that take no pods, such as those about to go; they count against
            limits until they are gone.
        few: whether few nodes matter more than cheap ones: only the baseline is packed.

    Raises:
        InvariantViolation: even the baseline packing fails the validator.
    """
    snapshot = bench.view.snapshot
    held = held_pods(snapshot, bench.rules.now)
    taken = take_in(intern_shapes(pods, apart=held), snapshot)
    shapes = taken.accepted
    filled = fill_existing(shapes, bench.view.rooms(closed))
    left = [0 if shape.pods[0] in held else n for shape, n in zip(shapes, filled.left, strict=True)]
    rounds = LaunchRounds(bench=bench, shapes=shapes, left=list(left), few=few)
    result = rounds.run()
    keys = _Keys(shapes)
    existing = tuple(
        ExistingPlacement(node=name, pods=tuple(sorted(keys.take(content))))
        for name, content in sorted(filled.placed.items())
    )
    launches = tuple(
        rounds.planned(index, keys.take(node.node.content))
        for index, node in enumerate(result.nodes)
    )
    homeless = _homeless(keys, result, stopped=_stopped(filled.left, left), snapshot=snapshot)
    return Provision(
        launches=launches,
        existing=existing,
        unschedulable=_most_first([*taken.rejected, *homeless.answers]),
        findings=_findings(shapes, [*result.findings, *homeless.alarms]),
        traces=result.traces,
        packings=result.packings,
        chosen=result.chosen,
    )


def _stopped(wanted: Sequence[int], left: Sequence[int]) -> list[tuple[int, int]]:
    """(shape, count) of pods for which nothing may be launched at present."""
    pairs = enumerate(zip(wanted, left, strict=True))
    return [(index, before - after) for index, (before, after) in pairs if before > after]


@dataclass(frozen=True, slots=True)
class _Homeless:
    answers: list[Unschedulable]
    alarms: list[Finding]


def _homeless(
    keys: _Keys, result: RoundsResult, *, stopped: list[tuple[int, int]], snapshot: Snapshot
) -> _Homeless:
    """What is said of the pods that have no place."""
    answers = [
        Unschedulable(pods=tuple(sorted(keys.take(((shape, count),)))), refusals=refusals)
        for shape, count, refusals in result.homeless
    ]
    refused = [refuse(tuple(sorted(keys.take((pair,)))), snapshot) for pair in stopped]
    return _Homeless(
        [*answers, *(answer for answer, _ in refused)], [alarm for _, alarm in refused]
    )


class _Keys:
    """Hands out the pods of each shape, oldest first, each once."""

    def __init__(self, shapes: Sequence[Shape]) -> None:
        self.shapes = shapes
        self.next = [0] * len(shapes)

    def take(self, content: Iterable[tuple[int, int]]) -> list[ObjectKey]:
        taken: list[ObjectKey] = []
        for shape, count in content:
            start = self.next[shape]
            self.next[shape] = start + count
            part = self.shapes[shape].pods[start : start + count]
            if len(part) != count:
                raise InvariantViolation(
                    f"{self.shapes[shape].name} was placed more often than it is"
                )
            taken += part
        return taken


def _most_first(entries: list[Unschedulable]) -> tuple[Unschedulable, ...]:
    return tuple(sorted(entries, key=lambda entry: (-len(entry.pods), entry.pods)))


def _findings(shapes: Sequence[Shape], found: Sequence[Finding]) -> tuple[Finding, ...]:
    """Adds what was left aside, once per shape."""
    left_aside = [
        Finding(
            severity="note",
            subject=f"{shape.namespace}/{shape.name}",
            message=f"left aside, as not supported yet: {', '.join(wishes)}",
        )
        for shape in shapes
        if (wishes := soft_constraints(shape.spec))
    ]
    return tuple(sorted({*left_aside, *found}, key=lambda f: (f.severity, f.subject, f.message)))
