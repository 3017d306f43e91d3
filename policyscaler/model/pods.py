"""Pods and pod templates, as far as scheduling and disruption look at them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from policyscaler.model.meta import LabelSelector, ObjectMeta, Value
from policyscaler.model.requirements import NodeSelectorRequirement
from policyscaler.model.resources import Resources

SUCCEEDED: Final = "Succeeded"
FAILED: Final = "Failed"
PENDING: Final = "Pending"
RUNNING: Final = "Running"


class HostPort(Value, frozen=True, kw_only=True, order=True):
    """A port of the node that a container takes for itself."""

    port: int
    protocol: str = "TCP"
    ip: str = "0.0.0.0"  # noqa: S104 - the API's default, not an address to bind


class Container(Value, frozen=True, kw_only=True):
    """A container's claims on its node; `sidecar` is an init container that keeps running."""

    name: str
    requests: Resources = {}
    limits: Resources = {}
    host_ports: tuple[HostPort, ...] = ()
    sidecar: bool = False


class Toleration(Value, frozen=True, kw_only=True):
    """A taint that a pod accepts; an empty key with Exists accepts all, an empty effect any."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""
    seconds: int | None = None


class NodeSelectorTerm(Value, frozen=True, kw_only=True):
    """One term of node affinity: all expressions must hold."""

    expressions: tuple[NodeSelectorRequirement, ...] = ()
    fields: tuple[NodeSelectorRequirement, ...] = ()


class PreferredTerm(Value, frozen=True, kw_only=True):
    """A node affinity term that is wished for, with its weight from 1 to 100."""

    weight: int
    term: NodeSelectorTerm


class PodAffinityTerm(Value, frozen=True, kw_only=True):
    """A wish or demand to be near to, or away from, other pods; weight None means required."""

    topology_key: str
    selector: LabelSelector | None = None
    namespaces: tuple[str, ...] = ()
    weight: int | None = None
    anti: bool = False


class TopologySpread(Value, frozen=True, kw_only=True):
    """A topology spread constraint; `hard` is whenUnsatisfiable DoNotSchedule."""

    topology_key: str
    max_skew: int = 1
    hard: bool = True
    selector: LabelSelector | None = None


class Volume(Value, frozen=True, kw_only=True):
    """A volume that may tie a pod to places: `claim` names a PVC, `ephemeral` its template's class."""

    name: str
    claim: str = ""
    ephemeral: bool = False
    storage_class: str = ""
    memory_backed: bool = False


class PodSpec(Value, frozen=True, kw_only=True):
    """What a pod asks for. Equal specs are shared, so that classes of pods are cheap to find."""

    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    requests: Resources = {}
    limits: Resources = {}
    overhead: Resources = {}
    node_selector: Mapping[str, str] = {}
    required_terms: tuple[NodeSelectorTerm, ...] = ()
    preferred_terms: tuple[PreferredTerm, ...] = ()
    pod_affinity: tuple[PodAffinityTerm, ...] = ()
    spread: tuple[TopologySpread, ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    volumes: tuple[Volume, ...] = ()
    priority: int | None = None
    priority_class: str = ""
    scheduler: str = "default-scheduler"
    scheduling_gates: tuple[str, ...] = ()
    resource_claims: tuple[str, ...] = ()
    termination_grace_seconds: int = 30
    restart_policy: str = "Always"
    active_deadline_seconds: int | None = None


class Pod(Value, frozen=True, kw_only=True):
    """A pod: `node` is empty until it is bound.

    Attributes:
        spec: what it asks for, requests already completed (limits, LimitRange defaults).
        unschedulable: the scheduler has tried and found no node (PodScheduled=False).
        nominated: the node that the scheduler or a plan keeps room on for it.
        allocated: what an in-place resize has granted so far, per container.
        resize_infeasible: a resize that the node has refused for good.
    """

    meta: ObjectMeta
    spec: PodSpec
    node: str = ""
    phase: str = PENDING
    unschedulable: bool = False
    nominated: str = ""
    ready: bool = False
    started: datetime | None = None
    allocated: Mapping[str, Resources] = {}
    resize_infeasible: bool = False

    @property
    def is_terminal(self) -> bool:
        """Whether all its containers have ended for good."""
        return self.phase in (SUCCEEDED, FAILED)

    @property
    def is_terminating(self) -> bool:
        """Whether it is being deleted."""
        return self.meta.deleted is not None

    @property
    def is_active(self) -> bool:
        """Whether it runs or may yet run."""
        return not self.is_terminal and not self.is_terminating

    def is_owned_by(self, kind: str) -> bool:
        """Returns whether an object of this kind owns it."""
        return any(owner.kind == kind for owner in self.meta.owners)

    @property
    def is_daemon(self) -> bool:
        """Whether a DaemonSet made it: it comes and goes with its node."""
        return self.is_owned_by("DaemonSet")

    @property
    def is_static(self) -> bool:
        """Whether it mirrors a file on the node, owned by the Node object."""
        return self.is_owned_by("Node")

    @property
    def is_reschedulable(self) -> bool:
        """Whether it must find a new home if its node goes.

        A terminating pod of a StatefulSet counts: its successor waits for it and needs the room.
        """
        lives = self.is_active or (
            self.is_terminating and not self.is_terminal and self.is_owned_by("StatefulSet")
        )
        return lives and not self.is_daemon and not self.is_static
