"""Objects from manifests as they enter the simulated world, and as they are taken out of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, TypeVar

import msgspec

from policyscaler.manifests.catalogues import CatalogueManifest
from policyscaler.manifests.findings import Finding
from policyscaler.manifests.loading import Loaded
from policyscaler.manifests.updates import check_update
from policyscaler.model import labels as well
from policyscaler.model.nodes import Node, NodeClaim
from policyscaler.model.pods import RUNNING, Pod
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
from policyscaler.simulation.kubelets import NOT_READY
from policyscaler.simulation.provider import Instance
from policyscaler.simulation.simulation import Simulation
from policyscaler.simulation.state import Table

_CLUSTER_SCOPED: Final = ("Node", "NodeClaim", "NodePool", "Namespace", "PriorityClass")
NAMESPACED: Final = (
    "Pod", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob",
    "PodDisruptionBudget", "LimitRange",
)  # fmt: skip
DELETABLE: Final = frozenset((*_CLUSTER_SCOPED, *NAMESPACED))

_ORDER: Final = (
    "namespaces", "priority_classes", "limit_ranges", "storage_classes", "volumes",
    "volume_claims", "disruption_budgets", "catalogues", "node_classes", "pools", "claims",
    "nodes", "daemon_sets", "pods", "workloads", "jobs", "cron_jobs",
)  # fmt: skip


def objects_of(loaded: Loaded) -> tuple[object, ...]:
    """Returns everything that was loaded, what others depend on first."""
    return tuple(value for field in _ORDER for value in getattr(loaded, field))


K = TypeVar("K", bound=Hashable)
M = TypeVar(
    "M", Workload, NodePool, DaemonSet, Job, CronJob, DisruptionBudget, Namespace, LimitRange,
    PriorityClass, StorageClass, PersistentVolume, VolumeClaim, Pod, Node, NodeClaim,
)  # fmt: skip


class Objects:
    """The way in and out for people: create, change, delete.

    Args:
        simulation: the world.
        adopt_class: gives every new NodeClass its catalogue, and returns it with its hash.
    """

    def __init__(
        self, simulation: Simulation, adopt_class: Callable[[NodeClass], NodeClass]
    ) -> None:
        self._simulation = simulation
        self._world = simulation.world
        self._adopt_class = adopt_class

    def refusals(self, value: object) -> tuple[Finding, ...]:
        """Returns why an object may not take the place of the one that exists."""
        if not isinstance(value, NodePool):
            return ()
        old = self._world.state.pools.current(value)
        return check_update(old, value) if old is not None else ()

    def apply(self, value: object) -> None:
        """Creates or changes an object; kinds that the world does not know are left out."""
        state = self._world.state
        match value:
            case Pod():
                self._apply_pod(value)
            case Node():
                self._apply_node(value)
            case NodeClaim():
                self._apply_claim(value)
            case NodeClass():
                state.node_classes.put(self._adopt_class(value))
            case CatalogueManifest():
                self._apply_catalogue(value)
            case NodePool():
                self._put(state.pools, value)
            case Workload():
                self._put(state.workloads, value)
            case _:
                self._apply_further(value)

    def _apply_catalogue(self, manifest: CatalogueManifest) -> None:
        """A catalogue serves the classes that it names, and is one itself."""
        market = self._simulation.actors.provider.market
        for ref in (manifest.ref, *manifest.serves):
            market.serve(ref, manifest.catalogue, pinned=True)
            if self._world.state.node_classes.get(ref) is None:
                meta = msgspec.structs.replace(manifest.meta, name=ref.name)
                self._world.state.node_classes.put(
                    NodeClass(meta=meta, ref=ref, source=manifest.source)
                )

    def _apply_further(self, value: object) -> None:
        state = self._world.state
        match value:
            case DaemonSet():
                self._put(state.daemon_sets, self._admitted(value))
            case Job():
                self._put(state.jobs, value)
            case CronJob():
                self._put(state.cron_jobs, value)
            case DisruptionBudget():
                self._put(state.disruption_budgets, value)
            case Namespace():
                self._put(state.namespaces, value)
            case LimitRange():
                self._put(state.limit_ranges, value)
            case PriorityClass():
                self._put(state.priority_classes, value)
            case _:
                self._apply_storage(value)

    def _apply_storage(self, value: object) -> None:
        state = self._world.state
        match value:
            case StorageClass():
                self._put(state.storage_classes, value)
            case PersistentVolume():
                self._put(state.volumes, value)
            case VolumeClaim():
                self._put(state.volume_claims, value)
            case _:
                pass

    def _put(self, table: Table[K, M], value: M) -> None:
        table.put(self._with_identity(value, table.current(value)))

    def _with_identity(self, value: M, old: M | None) -> M:
        """Returns an object with what the API server adds: UID, creation time, generation."""
        meta = value.meta
        kind = str(getattr(value, "kind", type(value).__name__))
        uid = old.meta.uid if old else meta.uid
        meta = msgspec.structs.replace(
            meta,
            uid=uid or self._world.identities.uid(kind, meta.full_name),
            created=(old.meta.created if old else meta.created) or self._world.now,
            generation=old.meta.generation + 1 if old else max(1, meta.generation),
        )
        return msgspec.structs.replace(value, meta=meta)

    def _admitted(self, daemon_set: DaemonSet) -> DaemonSet:
        """Returns a DaemonSet whose template is as its pods will be."""
        template = daemon_set.template
        spec = self._simulation.actors.pods.admit(template.spec, daemon_set.meta.namespace)
        return msgspec.structs.replace(
            daemon_set, template=msgspec.structs.replace(template, spec=spec)
        )

    def _apply_pod(self, pod: Pod) -> None:
        spec = self._simulation.actors.pods.admit(pod.spec, pod.meta.namespace)
        admitted = msgspec.structs.replace(pod, spec=spec)
        if admitted.node and admitted.phase == RUNNING and admitted.started is None:
            admitted = msgspec.structs.replace(admitted, started=self._world.now)
        self._put(self._world.state.pods, admitted)

    def _apply_node(self, node: Node) -> None:
        if not node.ready and NOT_READY not in node.taints:
            node = msgspec.structs.replace(node, taints=(*node.taints, NOT_READY))
        self._put(self._world.state.nodes, node)

    def _apply_claim(self, claim: NodeClaim) -> None:
        self._put(self._world.state.claims, claim)
        labels, provider = claim.meta.labels, self._simulation.actors.provider
        keys = (well.INSTANCE_TYPE, well.ZONE, well.CAPACITY_TYPE)
        instance_type, zone, capacity_type = (labels.get(key, "") for key in keys)
        found = provider.market.find(claim.node_class, (instance_type, zone, capacity_type))
        if claim.provider_id and found is not None:
            provider.adopt(
                Instance(
                    provider_id=claim.provider_id, claim=claim.meta.name, type=found[0],
                    offering=found[1], launched=claim.meta.created or self._world.now,
                )
            )  # fmt: skip

    def scale(self, kind: str, *, namespace: str, name: str, replicas: int) -> bool:
        """Sets the replicas of a workload; returns whether there is one."""
        workload = self._world.state.workloads.get((kind, namespace, name))
        if workload is None:
            return False
        self._world.state.workloads.put(msgspec.structs.replace(workload, replicas=replicas))
        return True

    def delete(self, kind: str, *, namespace: str, name: str) -> bool:
        """Deletes an object as kubectl would; returns whether there was one."""
        state, key = self._world.state, (namespace, name)
        match kind:
            case "Pod":
                return self._delete_pod(key)
            case "Node":
                return self._delete_node(name)
            case "NodeClaim":
                return self._simulation.engine.lifecycle.delete(name)
            case "NodePool":
                for claim in sorted(c.meta.name for c in self._claims_of(name)):
                    self._simulation.engine.lifecycle.delete(claim)
                return state.pools.remove(name)
            case "Deployment" | "ReplicaSet" | "StatefulSet":
                return state.workloads.remove((kind, namespace, name))
            case _:
                return self._delete_further(kind, key)

    def _delete_further(self, kind: str, key: ObjectKey) -> bool:
        state = self._world.state
        tables: dict[str, Callable[[], bool]] = {
            "DaemonSet": lambda: state.daemon_sets.remove(key),
            "Job": lambda: state.jobs.remove(key),
            "CronJob": lambda: state.cron_jobs.remove(key),
            "PodDisruptionBudget": lambda: state.disruption_budgets.remove(key),
            "LimitRange": lambda: state.limit_ranges.remove(key),
            "Namespace": lambda: state.namespaces.remove(key[1]),
            "PriorityClass": lambda: state.priority_classes.remove(key[1]),
        }
        return tables[kind]()

    def _delete_pod(self, key: ObjectKey) -> bool:
        pod = self._world.state.pods.get(key)
        if pod is not None:
            self._simulation.actors.pods.delete(pod)
        return pod is not None

    def _delete_node(self, name: str) -> bool:
        """Deletes a node: a managed one through its claim, another with all its pods at once."""
        claim = next((c for c in self._world.state.claims.items.values() if c.node == name), None)
        if claim is not None:
            return self._simulation.engine.lifecycle.delete(claim.meta.name)
        gone = self._world.state.nodes.remove(name)
        for pod in sorted(self._world.state.index.on_node(name).values(), key=_by_key):
            self._simulation.actors.pods.delete(pod)
        return gone

    def _claims_of(self, pool: str) -> list[NodeClaim]:
        return [c for c in self._world.state.claims.items.values() if c.pool == pool]


def _by_key(pod: Pod) -> ObjectKey:
    return pod.meta.key
