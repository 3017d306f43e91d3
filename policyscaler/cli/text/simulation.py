"""A simulation as it happens, and what it ended with: tables as kubectl prints them."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Final

from policyscaler.cli.text.tables import count, table
from policyscaler.model.durations import format_duration
from policyscaler.simulation.report import Report
from policyscaler.simulation.scenario import Scenario
from policyscaler.simulation.timeline import Entry

_MINUTE: Final = 60
_HOUR: Final = 3600
_KIND_WIDTH: Final = 12
_WIDTH: Final = 120


def opening_lines(scenario: Scenario) -> list[str]:
    """Returns what is about to be run."""
    title = (
        f"SCENARIO {scenario.name}: {format_duration(scenario.duration)} from "
        f"{scenario.start:%Y-%m-%d %H:%M:%S} UTC, seed {scenario.seed}, in a simulated world"
    )
    return [title, ""]


def entry_lines(entry: Entry) -> list[str]:
    """Returns one event: when, what kind, and what happened; further lines of it are indented."""
    lead = f"{clock_text(entry.offset_seconds)}  {entry.kind.ljust(_KIND_WIDTH)} "
    wrapped = textwrap.wrap(
        entry.message, width=_WIDTH, initial_indent=lead, subsequent_indent=" " * (len(lead) + 2),
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return wrapped or [lead.rstrip()]


def clock_text(seconds: int) -> str:
    """Returns `hh:mm:ss` since the start; hours go beyond 24."""
    hours, rest = divmod(seconds, _HOUR)
    return f"{hours:02d}:{rest // _MINUTE:02d}:{rest % _MINUTE:02d}"


def report_lines(report: Report) -> list[str]:
    """Returns the tables at the end, what was spent, and what to know about it."""
    pools = [(p.name, p.node_class, str(p.nodes), p.ready, p.age) for p in report.node_pools]
    claims = [
        (c.name, c.type, c.capacity, c.zone, c.node, c.ready, c.age) for c in report.node_claims
    ]
    nodes = [(n.name, n.status, n.type, n.age) for n in report.nodes]
    lines = ["", f"END {report.name} at {report.end:%Y-%m-%d %H:%M:%S} UTC"]
    lines += _table("nodepools", ("NAME", "NODECLASS", "NODES", "READY", "AGE"), pools)
    lines += _table(
        "nodeclaims", ("NAME", "TYPE", "CAPACITY", "ZONE", "NODE", "READY", "AGE"), claims
    )
    lines += _table("nodes", ("NAME", "STATUS", "TYPE", "AGE"), nodes)
    return [*lines, "", *_numbers(report)]


def _numbers(report: Report) -> list[str]:
    removed = ", ".join(f"{n} {reason}" for reason, n in report.disruptions.items()) or "none"
    waited = report.pending
    pods = f"pods: {report.pods_running} running, {report.pods_pending} pending"
    wait = f"waited at most {waited.max_seconds} s, 99 % at most {waited.p99_seconds} s"
    launches = count(report.launches, "launch", "launches")
    interruptions = count(report.interruptions, "interruption")
    lines = [
        f"{pods}; {wait}",
        f"nodes: {launches}, removed: {removed}, {interruptions}",
        f"spent: ${report.spent}",
    ]
    lines += [f"error: {violation}" for violation in report.violations]
    return lines + [f"note: {note}" for note in report.notes]


def _table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = table(header, rows) if rows else [f"No {title} found"]
    return ["", f"$ kubectl get {title}", *lines]
