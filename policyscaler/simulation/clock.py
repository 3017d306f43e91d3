"""Virtual time: a queue of discrete events, ordered by time and then by when they were added."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable
from datetime import datetime, timedelta
from typing import Generic, TypeVar

Action = Callable[[], None]
K = TypeVar("K", bound=Hashable)
ZERO = timedelta(0)


class Clock:
    """The present, and everything that is to happen.

    Args:
        start: the first instant, with a time zone.
    """

    def __init__(self, start: datetime) -> None:
        self.now = start
        self.start = start
        self._heap: list[tuple[datetime, int, Action]] = []
        self._sequence = 0

    @property
    def elapsed(self) -> timedelta:
        """The time since the start."""
        return self.now - self.start

    def at(self, when: datetime, action: Action) -> None:
        """Runs an action at an instant, or as soon as possible if that has passed."""
        self._sequence += 1
        heapq.heappush(self._heap, (max(when, self.now), self._sequence, action))

    def after(self, delay: timedelta, action: Action) -> None:
        """Runs an action after a delay."""
        self.at(self.now + delay, action)

    def run(self, until: datetime, *, settled: Action | None = None) -> None:
        """Runs all events up to and including an instant.

        Args:
            until: where the clock stands afterwards.
            settled: called after the last event of every instant.
        """
        heap = self._heap
        while heap and heap[0][0] <= until:
            self.now, _, action = heapq.heappop(heap)
            action()
            if settled is not None and (not heap or heap[0][0] > self.now):
                settled()
        self.now = max(self.now, until)


class Alarm:
    """A call that is due at one instant at most: setting it earlier moves it, later does not."""

    def __init__(self, clock: Clock, action: Action) -> None:
        self._clock = clock
        self._action = action
        self._due: datetime | None = None

    def set(self, when: datetime) -> None:
        """Makes the call at this instant unless it is due before."""
        when = max(when, self._clock.now)
        if self._due is not None and self._due <= when:
            return
        self._due = when
        self._clock.at(when, lambda: self._ring(when))

    def _ring(self, when: datetime) -> None:
        if self._due == when:
            self._due = None
            self._action()


class WorkQueue(Generic[K]):
    """Keys to look at, each once, in the order in which they were added.

    Like a controller's queue: changes at one instant to one object cause one look.
    """

    def __init__(self, clock: Clock, reconcile: Callable[[K], None]) -> None:
        self._clock = clock
        self._reconcile = reconcile
        self._waiting: dict[K, None] = {}

    def add(self, key: K) -> None:
        """Has a key looked at after the present event."""
        if not self._waiting:
            self._clock.after(ZERO, self._drain)
        self._waiting[key] = None

    def _drain(self) -> None:
        keys, self._waiting = self._waiting, {}
        for key in keys:
            self._reconcile(key)
