"""A scenario: the world at its start, and the events that befall it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from policyscaler.manifests.findings import Finding
from policyscaler.manifests.loading import Loaded
from policyscaler.model.meta import Value
from policyscaler.model.policies import ScalingPolicy
from policyscaler.simulation.market import Selection
from policyscaler.simulation.settings import Settings


class Scale(Value, frozen=True, kw_only=True):
    """Sets the replicas of a workload."""

    kind: str
    namespace: str
    name: str
    replicas: int


class Delete(Value, frozen=True, kw_only=True):
    """Deletes an object; `namespace` is empty for cluster-scoped kinds."""

    kind: str
    namespace: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Apply:
    """Creates or changes objects; `label` is what was written, for the chronicle."""

    objects: tuple[object, ...]
    label: str


class Interrupt(Value, frozen=True, kw_only=True):
    """Gives notice to machines: of one node, of those with all these labels, or of so many."""

    node: str = ""
    node_selector: tuple[tuple[str, str], ...] = ()
    random: int = 0


class PriceChange(Value, frozen=True, kw_only=True):
    """Multiplies prices, or sets them (micro-dollars per hour)."""

    offerings: Selection
    factor: Decimal | None = None
    price: int | None = None


class CapacityError(Value, frozen=True, kw_only=True):
    """Leaves offerings without capacity."""

    offerings: Selection
    duration: timedelta


class LaunchFailure(Value, frozen=True, kw_only=True):
    """Lets launches fail, silently when the machine comes but never registers."""

    count: int
    silently: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyChange:
    """Puts other user policies in force."""

    policies: tuple[ScalingPolicy, ...]
    label: str


Action = (
    Scale | Delete | Apply | Interrupt | PriceChange | CapacityError | LaunchFailure | PolicyChange
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioEvent:
    """An action and when it happens, relative to the start.

    Attributes:
        every: the time between repetitions, None for an action that happens once.
        times: how often it happens in all, None for until the end.
    """

    at: timedelta
    action: Action
    every: timedelta | None = None
    times: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A scenario that has been loaded.

    Attributes:
        objects: the world at the start.
        findings: about the scenario file and all files that it names, in the order of reading.
    """

    name: str
    start: datetime
    duration: timedelta
    seed: int
    settings: Settings
    objects: Loaded
    events: tuple[ScenarioEvent, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def end(self) -> datetime:
        """The last instant."""
        return self.start + self.duration
