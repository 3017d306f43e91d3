"""What every actor of the simulated world shares: time, objects, identities and the chronicle."""

from __future__ import annotations

from datetime import datetime

from policyscaler.ports.observation import Moment, Observer
from policyscaler.simulation.clock import Clock
from policyscaler.simulation.identity import Identities
from policyscaler.simulation.settings import Settings
from policyscaler.simulation.state import ClusterState
from policyscaler.simulation.timeline import Timeline


class World:
    """The common ground of the actors; it has no behaviour of its own.

    Args:
        start: the first instant.
        seed: of every chance.
        settings: how fast things are.
        timeline: where notable events are written.
    """

    def __init__(
        self, *, start: datetime, seed: int, settings: Settings, timeline: Timeline
    ) -> None:
        self.clock = Clock(start)
        self.state = ClusterState()
        self.identities = Identities(seed)
        self.settings = settings
        self.timeline = timeline
        self.observers: list[Observer] = []

    @property
    def now(self) -> datetime:
        """The present."""
        return self.clock.now

    def note(self, kind: str, subject: str, /, message: str, **data: str | int) -> None:
        """Writes a notable event into the chronicle.

        Args:
            kind: a stable word, see `timeline.KINDS`.
            subject: the object, `kind/name`.
            message: one sentence with names and numbers.
            data: the same for machines.
        """
        self.timeline.add(self.now, kind, subject=subject, message=message, data=data)

    def tell(self, moment: Moment) -> None:
        """Tells the observers what is about to happen."""
        for observer in self.observers:
            observer.observe(moment)
