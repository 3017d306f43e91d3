"""The chronicle of a run: what a person watching the cluster would tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

from policyscaler.model.meta import Value

KINDS: Final = (
    "scenario", "pods", "launch", "launched", "registered", "ready", "unschedulable",
    "disruption", "validation", "rollback", "terminated", "interruption", "capacity", "error",
)  # fmt: skip


class Entry(Value, frozen=True, kw_only=True):
    """One notable event.

    Attributes:
        at: when.
        offset_seconds: whole seconds since the start, for people.
        kind: one of KINDS.
        subject: the object, `kind/name`.
        message: one sentence.
        data: the same for machines.
    """

    at: datetime
    offset_seconds: int
    kind: str
    subject: str
    message: str
    data: Mapping[str, str | int] = {}


Progress = Callable[[Entry], None]


class Timeline:
    """Collects entries, and shows each to whoever follows the run.

    Args:
        start: the first instant.
        progress: called with every entry as it happens.
    """

    def __init__(self, start: datetime, progress: Progress | None = None) -> None:
        self.entries: list[Entry] = []
        self._start = start
        self._progress = progress

    def add(
        self, at: datetime, kind: str, *, subject: str, message: str, data: Mapping[str, str | int]
    ) -> None:
        """Adds an entry."""
        entry = Entry(
            at=at, offset_seconds=int((at - self._start).total_seconds()), kind=kind,
            subject=subject, message=message, data=dict(data),
        )  # fmt: skip
        self.entries.append(entry)
        if self._progress is not None:
            self._progress(entry)
