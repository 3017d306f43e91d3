"""The fields of a Scenario file: the single source for checking, decoding and its JSON Schema."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

from policyscaler.manifests.wire import Duration, ObjectWire, Strict

Count: TypeAlias = Annotated[int, Meta(ge=0, le=100_000)]
Price: TypeAlias = Annotated[str | int | float, Meta(description="Dollars per hour.")]


class SettingsWire(Strict, frozen=True, kw_only=True):
    """How fast things are; what is left out has a default."""

    launch: Annotated[Duration, Meta(description="A launch call.")] | None = None
    register: Annotated[Duration, Meta(description="Launched to registered.")] | None = None
    ready: Annotated[Duration, Meta(description="Registered to ready.")] | None = None
    startup_taints: Annotated[Duration, Meta(description="Until agents remove them.")] | None = None
    pod_start: Annotated[Duration, Meta(description="Bound to ready.")] | None = None
    pod_stop: Annotated[Duration, Meta(description="At most the grace period.")] | None = None
    terminate: Annotated[Duration, Meta(description="Until the machine is gone.")] | None = None
    job_run_time: Annotated[Duration, Meta(description="Of Jobs that do not say.")] | None = None
    spot_notice: Annotated[Duration, Meta(description="Notice to taken.")] | None = None
    jitter_percent: Annotated[int, Meta(ge=0, le=90)] | None = None


class ScaleWire(Strict, frozen=True, kw_only=True):
    """Sets the replicas of a workload."""

    kind: Literal["Deployment", "ReplicaSet", "StatefulSet"] = "Deployment"
    namespace: str = "default"
    name: str
    replicas: Count


class ReferenceWire(Strict, frozen=True, kw_only=True):
    """Names an object."""

    kind: str
    namespace: str = ""
    name: str


class InterruptWire(Strict, frozen=True, kw_only=True):
    """Takes spot machines: one by its node, all that a selector finds, or some by chance."""

    node: str = ""
    node_selector: dict[str, str] = {}
    random: Annotated[int, Meta(ge=0, description="How many, chosen by the seed.")] = 0


class OfferingsWire(Strict, frozen=True, kw_only=True):
    """Chooses offerings; what is left out stands for any."""

    instance_type: str = ""
    zone: str = ""
    capacity_type: Literal["", "spot", "on-demand", "reserved"] = ""


class PriceWire(OfferingsWire, frozen=True, kw_only=True):
    """Changes prices, by a factor or to a price."""

    factor: str | int | float | None = None
    price: Price | None = None


class CapacityErrorWire(OfferingsWire, frozen=True, kw_only=True, rename={"duration": "for"}):
    """Leaves offerings without capacity for a while."""

    duration: Duration


class LaunchFailureWire(Strict, frozen=True, kw_only=True):
    """Lets the next launches fail: refused, or launched and never registered."""

    count: Annotated[int, Meta(ge=1, le=10_000)] = 1
    stage: Literal["launch", "register"] = "launch"


class RepeatWire(Strict, frozen=True, kw_only=True):
    """Repeats an event; `times` counts the first one, and is until the end if left out."""

    every: Duration
    times: Annotated[int, Meta(ge=1, le=100_000)] | None = None


class EventWire(Strict, frozen=True, kw_only=True):
    """Something that happens: `at`, exactly one of the actions, and perhaps `repeat`."""

    at: Duration
    scale: ScaleWire | None = None
    apply: Annotated[
        str | dict[str, object] | None, Meta(description="A file, a folder, or an object.")
    ] = None
    delete: ReferenceWire | None = None
    interrupt: InterruptWire | None = None
    price: PriceWire | None = None
    capacity_error: CapacityErrorWire | None = None
    launch_failure: LaunchFailureWire | None = None
    policy: Annotated[str | None, Meta(description="A file or folder of policies.")] = None
    repeat: RepeatWire | None = None


class SpecWire(Strict, frozen=True, kw_only=True):
    """The spec of a Scenario."""

    start: datetime | None = None
    duration: Duration
    seed: Annotated[int, Meta(ge=0)] = 1
    manifests: Annotated[
        tuple[str, ...], Meta(description="Files and folders, relative to this file.")
    ] = ()
    settings: SettingsWire = SettingsWire()
    events: Annotated[tuple[EventWire, ...], Meta(max_length=10_000)] = ()


class ScenarioWire(ObjectWire, frozen=True, kw_only=True):
    """A Scenario: a world, and what happens in it."""

    spec: SpecWire
