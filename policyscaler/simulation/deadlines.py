"""Instants at which a decision may change although no object does.

Ages end, protections of pods run out, and windows of budgets open and close. Whatever else a
policy makes of the time is seen when the disruption loop looks again by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from policyscaler.model import labels as well
from policyscaler.model.cron import Schedule
from policyscaler.model.durations import parse_go_duration
from policyscaler.model.errors import ConfigError, DurationError
from policyscaler.model.nodes import NodeClaim
from policyscaler.model.pods import Pod
from policyscaler.model.pools import Budget, NodePool
from policyscaler.simulation.world import World


class Deadlines:
    """Calls when such an instant has come.

    Args:
        world: the common ground.
        ring: what to call.
    """

    def __init__(self, world: World, ring: Callable[[], None]) -> None:
        self._world = world
        self._ring = ring
        world.state.claims.watch(self._claim_changed)
        world.state.pods.watch(self._pod_changed)
        world.state.pools.watch(self._pool_changed)

    def _claim_changed(self, old: NodeClaim | None, new: NodeClaim | None) -> None:
        if old is None and new is not None and new.expire_after is not None:
            born = new.meta.created or self._world.now
            self._world.clock.at(born + new.expire_after, self._ring)

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        if new is None or new.started is None or (old is not None and old.started is not None):
            return
        text = new.meta.annotations.get(well.DO_NOT_DISRUPT, "")
        try:
            protected = parse_go_duration(text)
        except DurationError:
            return
        if protected > timedelta(0):
            self._world.clock.at(new.started + protected, self._ring)

    def _pool_changed(self, _old: NodePool | None, new: NodePool | None) -> None:
        for budget in new.disruption.budgets if new else ():
            if new is not None and budget.schedule and budget.duration is not None:
                self._follow_open(budget, duration=budget.duration)
                self._follow(new.name, budget, duration=budget.duration)

    def _follow_open(self, budget: Budget, *, duration: timedelta) -> None:
        """Calls when a window closes that is open already."""
        schedule = _parsed(budget.schedule)
        opened = schedule.last_before(self._world.now) if schedule else None
        if opened is not None and opened + duration > self._world.now:
            self._world.clock.at(opened + duration, self._ring)

    def _follow(self, pool: str, budget: Budget, *, duration: timedelta) -> None:
        """Calls at each opening and closing of a window, as long as the pool has the budget."""
        schedule = _parsed(budget.schedule)
        opens = schedule.next_after(self._world.now) if schedule else None
        if opens is None:
            return

        def opened() -> None:
            current = self._world.state.pools.get(pool)
            if current is None or budget not in current.disruption.budgets:
                return
            self._ring()
            self._world.clock.after(duration, self._ring)
            self._follow(pool, budget, duration=duration)

        self._world.clock.at(opens, opened)


def _parsed(schedule: str) -> Schedule | None:
    try:
        return Schedule.parse(schedule)
    except ConfigError:
        return None
