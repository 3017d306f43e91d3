"""What a simulation ended with: a versioned structure that is byte-identical for equal runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final, Literal

import msgspec

from policyscaler.model import labels as well
from policyscaler.model.money import decimal_price
from policyscaler.model.nodes import INITIALIZED, Node, NodeClaim
from policyscaler.model.pools import NodePool
from policyscaler.simulation.simulation import Simulation
from policyscaler.simulation.statistics import PendingTimes
from policyscaler.simulation.timeline import Entry

API_VERSION: Final = "policyscaler.dev/v1alpha1"
KIND: Final = "SimulationReport"


class Record(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A part of the report: camelCase in JSON, every field always present."""


class PoolRow(Record, frozen=True, kw_only=True):
    """A line of `kubectl get nodepools`."""

    name: str
    node_class: str
    nodes: int
    ready: str
    age: str


class ClaimRow(Record, frozen=True, kw_only=True):
    """A line of `kubectl get nodeclaims`."""

    name: str
    type: str
    capacity: str
    zone: str
    node: str
    ready: str
    age: str


class NodeRow(Record, frozen=True, kw_only=True):
    """A line of `kubectl get nodes`."""

    name: str
    status: str
    age: str
    type: str


class PendingRecord(Record, frozen=True, kw_only=True):
    """How long pods waited from creation to running, in whole seconds; daemons left out."""

    pods: int
    sum_seconds: int
    max_seconds: int
    p99_seconds: int


class EventRecord(Record, frozen=True, kw_only=True):
    """One notable event."""

    at: datetime
    offset_seconds: int
    kind: str
    subject: str
    message: str
    data: Mapping[str, str | int]


class Report(Record, frozen=True, kw_only=True):
    """The result of a run.

    Attributes:
        spent: dollars for all machines that the run launched or took over, exact to the
            micro-dollar.
        disruptions: nodes that decisions removed, by reason.
        interruptions: notices of the provider.
        violations: invariants that did not hold, one sentence each; empty unless there is a bug.
        notes: what to know before believing the numbers.
    """

    api_version: Literal["policyscaler.dev/v1alpha1"] = API_VERSION
    kind: Literal["SimulationReport"] = KIND
    name: str
    seed: int
    start: datetime
    end: datetime
    timeline: tuple[EventRecord, ...]
    node_pools: tuple[PoolRow, ...]
    node_claims: tuple[ClaimRow, ...]
    nodes: tuple[NodeRow, ...]
    pods_running: int
    pods_pending: int
    spent: str
    pending: PendingRecord
    launches: int
    disruptions: Mapping[str, int]
    interruptions: int
    violations: tuple[str, ...]
    notes: tuple[str, ...]

    def to_json(self) -> bytes:
        """Returns the report as JSON text with a line break at its end."""
        return msgspec.json.format(msgspec.json.encode(self, order="deterministic")) + b"\n"


def make_report(
    simulation: Simulation, *, name: str, seed: int, violations: Iterable[str], notes: Iterable[str]
) -> Report:
    """Returns the report of a simulation as it stands."""
    engine, statistics = simulation.engine, simulation.statistics
    timeline = simulation.world.timeline.entries
    return Report(
        name=name,
        seed=seed,
        start=simulation.world.clock.start,
        end=simulation.now,
        timeline=tuple(_event(entry) for entry in timeline),
        node_pools=_pools(simulation),
        node_claims=_claims(simulation),
        nodes=_nodes(simulation),
        pods_running=statistics.running,
        pods_pending=statistics.pending,
        spent=decimal_price(simulation.actors.provider.spent_micros()),
        pending=_pending(statistics.pending_times()),
        launches=sum(entry.kind == "launched" for entry in timeline),
        disruptions=dict(sorted(engine.commands.counts.items())),
        interruptions=engine.interruption.count,
        violations=tuple(violations),
        notes=tuple(notes),
    )


def _event(entry: Entry) -> EventRecord:
    return EventRecord(
        at=entry.at, offset_seconds=entry.offset_seconds, kind=entry.kind,
        subject=entry.subject, message=entry.message, data=entry.data,
    )  # fmt: skip


def _pending(times: PendingTimes) -> PendingRecord:
    return PendingRecord(
        pods=times.pods, sum_seconds=times.sum, max_seconds=times.max, p99_seconds=times.p99
    )


def _pools(simulation: Simulation) -> tuple[PoolRow, ...]:
    now = simulation.now
    return tuple(
        PoolRow(
            name=name,
            node_class=pool.node_class.name,
            nodes=sum(c.pool == name and bool(c.node) for c in simulation.claims.values()),
            ready=_truth(_is_ready(simulation, pool)),
            age=human_age(pool.meta.created, now),
        )
        for name, pool in sorted(simulation.pools.items())
    )


def _is_ready(simulation: Simulation, pool: NodePool) -> bool:
    served = pool.node_class in simulation.actors.provider.market.catalogues
    return pool.ready is not False and served


def _claims(simulation: Simulation) -> tuple[ClaimRow, ...]:
    return tuple(_claim(claim, simulation.now) for _, claim in sorted(simulation.claims.items()))


def _claim(claim: NodeClaim, now: datetime) -> ClaimRow:
    labels = claim.meta.labels
    return ClaimRow(
        name=claim.meta.name, type=labels.get(well.INSTANCE_TYPE, ""),
        capacity=labels.get(well.CAPACITY_TYPE, ""), zone=labels.get(well.ZONE, ""),
        node=claim.node, ready=_truth(claim.has(INITIALIZED)),
        age=human_age(claim.meta.created, now),
    )  # fmt: skip


def _nodes(simulation: Simulation) -> tuple[NodeRow, ...]:
    return tuple(
        NodeRow(
            name=name, status=_status(node), age=human_age(node.meta.created, simulation.now),
            type=node.meta.labels.get(well.INSTANCE_TYPE, ""),
        )
        for name, node in sorted(simulation.nodes.items())
    )  # fmt: skip


def _status(node: Node) -> str:
    status = "Ready" if node.ready else "NotReady"
    return f"{status},SchedulingDisabled" if node.unschedulable else status


def _truth(value: bool) -> str:  # noqa: FBT001 - the value itself, not a switch
    return str(value)


_HOUR: Final = 3600
_DAY: Final = 86400
_AGES: Final = (
    (2 * 60, 1, "s", 0, ""),
    (10 * 60, 60, "m", 1, "s"),
    (3 * _HOUR, 60, "m", 0, ""),
    (8 * _HOUR, _HOUR, "h", 60, "m"),
    (2 * _DAY, _HOUR, "h", 0, ""),
    (8 * _DAY, _DAY, "d", _HOUR, "h"),
)
"""Below how many seconds an age is printed in which unit, and in which one its rest."""


def human_age(since: datetime | None, now: datetime) -> str:
    """Returns an age as kubectl prints it: `45s`, `5m30s`, `12m`, `7h12m`, `2d5h`, `9d`.

    Source: HumanDuration of k8s.io/apimachinery.
    """
    if since is None:
        return "<unknown>"
    seconds = max(0, (now - since) // timedelta(seconds=1))
    for limit, unit, letter, rest_unit, rest_letter in _AGES:
        if seconds < limit:
            whole, rest = divmod(seconds, unit)
            more = rest // rest_unit if rest_unit else 0
            return f"{whole}{letter}" + (f"{more}{rest_letter}" if more else "")
    return f"{seconds // _DAY}d"
