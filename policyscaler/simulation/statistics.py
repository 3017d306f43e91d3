"""Numbers of a run: how long pods waited, how many were pending and running."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from policyscaler.model.meta import Value
from policyscaler.model.pods import RUNNING, Pod
from policyscaler.model.snapshot import ObjectKey
from policyscaler.simulation.clock import Alarm
from policyscaler.simulation.world import World

_PERCENTILE: Final = 99


class PendingTimes(Value, frozen=True, kw_only=True):
    """How long pods waited from their creation to running, in whole seconds; daemons left out.

    Attributes:
        pods: how many waited, those that still do included.
    """

    pods: int
    sum: int
    max: int
    p99: int


class Statistics:
    """Watches pods."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._waited: list[timedelta] = []
        self._pending: dict[ObjectKey, Pod] = {}
        self._running: dict[ObjectKey, None] = {}
        self._told = (0, 0)
        self._alarm = Alarm(world.clock, self._tell)
        world.state.pods.watch(self._changed)

    @property
    def pending(self) -> int:
        """How many pods wait now."""
        return len(self._pending)

    @property
    def running(self) -> int:
        """How many pods run now."""
        return len(self._running)

    def pending_times(self) -> PendingTimes:
        """Returns the waiting times of all pods until now."""
        open_waits = [self._age(pod) for pod in self._pending.values()]
        waits = sorted(self._waited + open_waits)
        if not waits:
            return PendingTimes(pods=0, sum=0, max=0, p99=0)
        rank = -(-len(waits) * _PERCENTILE // 100) - 1
        seconds = [wait // timedelta(seconds=1) for wait in waits]
        return PendingTimes(pods=len(waits), sum=sum(seconds), max=seconds[-1], p99=seconds[rank])

    def _age(self, pod: Pod) -> timedelta:
        return self._world.now - (pod.meta.created or self._world.now)

    def _changed(self, old: Pod | None, new: Pod | None) -> None:
        pod = new or old
        if pod is None or pod.is_daemon:
            return
        key = pod.meta.key
        waits = new is not None and new.is_active and new.phase != RUNNING
        if new is not None and waits:
            self._pending[key] = new
        else:
            waited = self._pending.pop(key, None)
            if waited is not None:
                self._waited.append(self._age(waited))
        if new is not None and new.is_active and new.phase == RUNNING:
            self._running[key] = None
        else:
            self._running.pop(key, None)
        if (len(self._pending), len(self._running)) != self._told:
            self._alarm.set(self._world.now)

    def _tell(self) -> None:
        counts = (len(self._pending), len(self._running))
        if counts != self._told:
            self._told = counts
            self._world.note(
                "pods", "pods", f"{counts[0]} Pending, {counts[1]} Running",
                pending=counts[0], running=counts[1],
            )  # fmt: skip
