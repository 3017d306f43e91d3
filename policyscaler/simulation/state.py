"""The objects of the simulated cluster: frozen values in tables that tell who watches them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar

from policyscaler.model.meta import ObjectMeta
from policyscaler.model.nodes import Node, NodeClaim, NodeClassRef
from policyscaler.model.pods import Pod
from policyscaler.model.pools import NodeClass, NodePool
from policyscaler.model.snapshot import ObjectKey
from policyscaler.model.workloads import (
    CronJob,
    DaemonSet,
    DisruptionBudget,
    Job,
    LimitRange,
    Namespace,
    PersistentVolume,
    PriorityClass,
    StorageClass,
    VolumeClaim,
    Workload,
)
from policyscaler.simulation.usage import PodIndex

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
WorkloadKey = tuple[str, str, str]
"""(kind, namespace, name)."""


class Table(Generic[K, V]):
    """The objects of one kind, replaced on change; every change is told to the watchers."""

    def __init__(self, key: Callable[[V], K]) -> None:
        self.items: dict[K, V] = {}
        self.version = 0
        self._key = key
        self._watchers: list[Callable[[V | None, V | None], None]] = []

    def watch(self, watcher: Callable[[V | None, V | None], None]) -> None:
        """Calls back with (old, new) after every change; None stands for no object."""
        self._watchers.append(watcher)

    def get(self, key: K) -> V | None:
        """Returns the object, or None."""
        return self.items.get(key)

    def current(self, value: V) -> V | None:
        """Returns the stored object with the key of this one, or None."""
        return self.items.get(self._key(value))

    def put(self, value: V) -> V:
        """Stores an object, new or changed, and returns it."""
        key = self._key(value)
        old = self.items.get(key)
        self.items[key] = value
        self._tell(old, value)
        return value

    def remove(self, key: K) -> bool:
        """Removes an object; returns whether it was there."""
        old = self.items.pop(key, None)
        if old is None:
            return False
        self._tell(old, None)
        return True

    def _tell(self, old: V | None, new: V | None) -> None:
        self.version += 1
        for watcher in self._watchers:
            watcher(old, new)


class HasMeta(Protocol):
    """Anything with metadata, for the keys of tables."""

    @property
    def meta(self) -> ObjectMeta:
        """The metadata."""
        ...


def _meta_key(value: HasMeta) -> ObjectKey:
    return value.meta.key


def _meta_name(value: HasMeta) -> str:
    return value.meta.name


def workload_key(value: Workload) -> WorkloadKey:
    """Returns (kind, namespace, name)."""
    return (value.kind, value.meta.namespace, value.meta.name)


def _ref(value: NodeClass) -> NodeClassRef:
    return value.ref


class ClusterState:
    """All tables, and the index of pods by node and owner."""

    def __init__(self) -> None:
        self.pods: Table[ObjectKey, Pod] = Table(_meta_key)
        self.nodes: Table[str, Node] = Table(_meta_name)
        self.claims: Table[str, NodeClaim] = Table(_meta_name)
        self.pools: Table[str, NodePool] = Table(_meta_name)
        self.node_classes: Table[NodeClassRef, NodeClass] = Table(_ref)
        self.workloads: Table[WorkloadKey, Workload] = Table(workload_key)
        self.daemon_sets: Table[ObjectKey, DaemonSet] = Table(_meta_key)
        self.jobs: Table[ObjectKey, Job] = Table(_meta_key)
        self.cron_jobs: Table[ObjectKey, CronJob] = Table(_meta_key)
        self.disruption_budgets: Table[ObjectKey, DisruptionBudget] = Table(_meta_key)
        self.limit_ranges: Table[ObjectKey, LimitRange] = Table(_meta_key)
        self.namespaces: Table[str, Namespace] = Table(_meta_name)
        self.priority_classes: Table[str, PriorityClass] = Table(_meta_name)
        self.storage_classes: Table[str, StorageClass] = Table(_meta_name)
        self.volumes: Table[str, PersistentVolume] = Table(_meta_name)
        self.volume_claims: Table[ObjectKey, VolumeClaim] = Table(_meta_key)
        self.index = PodIndex()
        self.pods.watch(self.index.update)

    @property
    def version(self) -> int:
        """Grows with every change that a decision may depend on."""
        return (
            self.pods.version + self.nodes.version + self.claims.version + self.pools.version
            + self.node_classes.version + self.daemon_sets.version
            + self.disruption_budgets.version + self.namespaces.version
        )  # fmt: skip
