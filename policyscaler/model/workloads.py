"""What makes pods, and what protects them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from policyscaler.model.meta import LabelSelector, ObjectMeta, Value
from policyscaler.model.pods import NodeSelectorTerm, PodSpec
from policyscaler.model.resources import Resources

REPLICATED_KINDS: Final = ("Deployment", "ReplicaSet", "StatefulSet")


class PodTemplate(Value, frozen=True, kw_only=True):
    """The pods that a workload makes."""

    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    spec: PodSpec


class Workload(Value, frozen=True, kw_only=True):
    """A Deployment, ReplicaSet or StatefulSet (`kind`): it wants so many equal pods.

    Attributes:
        ready_after: StatefulSets start their pods one after the other unless parallel.
    """

    kind: str
    meta: ObjectMeta
    template: PodTemplate
    replicas: int = 1
    selector: LabelSelector = LabelSelector()
    parallel: bool = False
    max_surge: str = "25%"
    max_unavailable: str = "25%"


class DaemonSet(Value, frozen=True, kw_only=True):
    """One pod on every node that it fits."""

    meta: ObjectMeta
    template: PodTemplate
    selector: LabelSelector = LabelSelector()


class Job(Value, frozen=True, kw_only=True):
    """Pods that run to their end. `run_time` is how long one takes in a simulated world."""

    meta: ObjectMeta
    template: PodTemplate
    parallelism: int = 1
    completions: int = 1
    run_time: timedelta | None = None
    suspended: bool = False


class CronJob(Value, frozen=True, kw_only=True):
    """A Job on a schedule; `time_zone` is an IANA name, UTC when empty."""

    meta: ObjectMeta
    schedule: str
    job: Job
    time_zone: str = ""
    suspended: bool = False
    concurrency: str = "Allow"


class DisruptionBudget(Value, frozen=True, kw_only=True):
    """A PodDisruptionBudget: counts or percentages as written, at most one of the two set."""

    meta: ObjectMeta
    selector: LabelSelector | None = None
    min_available: str = ""
    max_unavailable: str = ""
    always_evict_unhealthy: bool = False


class PriorityClass(Value, frozen=True, kw_only=True):
    """A named priority for pods."""

    meta: ObjectMeta
    value: int = 0
    is_default: bool = False


class LimitRange(Value, frozen=True, kw_only=True):
    """Default requests and limits for the containers of a namespace."""

    meta: ObjectMeta
    default: Resources = {}
    default_request: Resources = {}


class Namespace(Value, frozen=True, kw_only=True):
    """A namespace: its labels are what policy may trust about a team."""

    meta: ObjectMeta


class StorageClass(Value, frozen=True, kw_only=True):
    """How volumes are made, and where they may be."""

    meta: ObjectMeta
    provisioner: str = ""
    binds_late: bool = False
    topologies: tuple[NodeSelectorTerm, ...] = ()


class PersistentVolume(Value, frozen=True, kw_only=True):
    """A volume, and the nodes that can reach it; no terms means all."""

    meta: ObjectMeta
    terms: tuple[NodeSelectorTerm, ...] = ()
    driver: str = ""


class VolumeClaim(Value, frozen=True, kw_only=True):
    """A PersistentVolumeClaim: `volume` is empty until it is bound."""

    meta: ObjectMeta
    storage_class: str = ""
    volume: str = ""
    phase: str = "Pending"
