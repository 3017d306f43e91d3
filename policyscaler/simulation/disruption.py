"""The disruption loop: decides, waits, decides again, and only then removes nodes.

The first decision is asked of the instant at which the second will be made, so that the 15 s
between them are no delay: a node that will have been quiet for long enough by then goes then. A
command is carried out when a decision at least 15 s later, of the present, still asks for it. Its replacements
are initialized before its nodes are tainted. Source: Karpenter's disruption controller and queue,
v1.14, with the second validation for every reason that is not forceful.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from policyscaler.model.nodes import INITIALIZED
from policyscaler.model.plan import DisruptionCommand
from policyscaler.simulation.clock import Alarm
from policyscaler.simulation.commands import Commands
from policyscaler.simulation.deadlines import Deadlines
from policyscaler.simulation.lifecycle import Lifecycle
from policyscaler.simulation.settings import (
    DISRUPTION_PERIOD,
    RECHECK_DISRUPTION,
    VALIDATION_DELAY,
)
from policyscaler.simulation.snapshots import Planner, Snapshots
from policyscaler.simulation.world import World

_SHORTEST_PAUSE: Final = timedelta(seconds=1)
CommandKey: TypeAlias = tuple[str, tuple[str, ...], int]


def key_of(command: DisruptionCommand) -> CommandKey:
    """Returns what makes two commands the same: reason, nodes, number of replacements."""
    return (command.reason, command.nodes, len(command.replacements))


class Disruption:
    """Asks for disruptions when something has changed, and validates them."""

    def __init__(
        self, world: World, *, lifecycle: Lifecycle, snapshots: Snapshots,
        planner: Planner, commands: Commands,
    ) -> None:  # fmt: skip
        self.planner = planner
        self._world = world
        self._lifecycle = lifecycle
        self._snapshots = snapshots
        self._commands = commands
        self._waiting: dict[CommandKey, datetime] = {}
        self._alarm = Alarm(world.clock, self._tick)
        for watch in self._sources():
            watch(lambda _old, _new: self.wake())
        Deadlines(world, self.look_now)
        lifecycle.on_idle.append(self.wake)

    def _sources(self) -> tuple[Callable[[Callable[[object, object], None]], None], ...]:
        state = self._world.state
        return (
            state.pods.watch, state.nodes.watch, state.claims.watch, state.pools.watch,
            state.node_classes.watch, state.disruption_budgets.watch,
        )  # fmt: skip

    def wake(self) -> None:
        """Has the loop look at the next full period."""
        elapsed = self._world.clock.elapsed
        periods = -(-elapsed // DISRUPTION_PERIOD)
        if elapsed == periods * DISRUPTION_PERIOD:
            periods += 1
        self._alarm.set(self._world.clock.start + periods * DISRUPTION_PERIOD)

    def look_now(self) -> None:
        """Has the loop look at once: an instant that matters has come."""
        self._alarm.set(self._world.now)

    def _tick(self) -> None:
        if self._lifecycle.is_launching or not self._has_candidates():
            return
        now = self._world.now
        expected = self._decide(now + VALIDATION_DELAY)
        self._drop_outdated(expected)
        for key, command in expected.items():
            if not self._commands.is_busy(command):
                self._waiting.setdefault(key, now)
        due = [
            key
            for key, since in self._waiting.items()
            if expected[key].forceful or now - since >= VALIDATION_DELAY
        ]
        wanted = self._decide(now) if due else {}
        for key in due:
            if key in wanted and not self._commands.is_busy(wanted[key]):
                del self._waiting[key]
                self._commands.start(wanted[key])
        self._plan_next(now)

    def _decide(self, at: datetime) -> dict[CommandKey, DisruptionCommand]:
        plan = self.planner(self._snapshots.take(), at)
        return {key_of(command): command for command in plan.disruptions}

    def _drop_outdated(self, wanted: dict[CommandKey, DisruptionCommand]) -> None:
        for key in [key for key in self._waiting if key not in wanted]:
            del self._waiting[key]
            reason, nodes, _ = key
            self._world.note(
                "validation",
                f"node/{nodes[0]}",
                f"{reason} no longer holds; {', '.join(nodes)} stays",
            )

    def _plan_next(self, now: datetime) -> None:
        next_look = now + RECHECK_DISRUPTION
        if self._waiting:
            next_look = min(self._waiting.values()) + VALIDATION_DELAY
        self._alarm.set(max(next_look, now + _SHORTEST_PAUSE))

    def _has_candidates(self) -> bool:
        return any(
            claim.has(INITIALIZED) and claim.meta.deleted is None
            for claim in self._world.state.claims.items.values()
        )
