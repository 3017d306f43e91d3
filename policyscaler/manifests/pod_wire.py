"""The fields of pods that decisions look at. Source: the core/v1 API of Kubernetes."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from policyscaler.manifests.wire import Amounts, OpenObjectWire, Wire

Effect = Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


class ResourcesWire(Wire, frozen=True, kw_only=True):
    """Requests and limits."""

    requests: Amounts = {}
    limits: Amounts = {}


class PortWire(Wire, frozen=True, kw_only=True):
    """A container's port."""

    container_port: int = 0
    host_port: int = 0
    protocol: str = "TCP"
    host_ip: str = msgspec.field(default="", name="hostIP")


class ContainerWire(Wire, frozen=True, kw_only=True):
    """A container."""

    name: str
    resources: ResourcesWire = ResourcesWire()
    ports: tuple[PortWire, ...] = ()
    restart_policy: str = ""


class ExpressionWire(Wire, frozen=True, kw_only=True):
    """One expression of a label or node selector."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


class SelectorWire(Wire, frozen=True, kw_only=True):
    """A label selector."""

    match_labels: dict[str, str] = {}
    match_expressions: tuple[ExpressionWire, ...] = ()


class NodeTermWire(Wire, frozen=True, kw_only=True):
    """A node selector term."""

    match_expressions: tuple[ExpressionWire, ...] = ()
    match_fields: tuple[ExpressionWire, ...] = ()


class NodeSelectorWire(Wire, frozen=True, kw_only=True):
    """Terms of which one must hold."""

    node_selector_terms: tuple[NodeTermWire, ...] = ()


class PreferredNodeWire(Wire, frozen=True, kw_only=True):
    """A preferred node affinity term."""

    weight: int
    preference: NodeTermWire


class NodeAffinityWire(Wire, frozen=True, kw_only=True):
    """Node affinity."""

    required: NodeSelectorWire | None = msgspec.field(
        default=None, name="requiredDuringSchedulingIgnoredDuringExecution"
    )
    preferred: tuple[PreferredNodeWire, ...] = msgspec.field(
        default=(), name="preferredDuringSchedulingIgnoredDuringExecution"
    )


class PodTermWire(Wire, frozen=True, kw_only=True):
    """A pod affinity term."""

    topology_key: str
    label_selector: SelectorWire | None = None
    namespaces: tuple[str, ...] = ()
    namespace_selector: SelectorWire | None = None


class PreferredPodWire(Wire, frozen=True, kw_only=True):
    """A preferred pod affinity term."""

    weight: int
    pod_affinity_term: PodTermWire


class PodAffinityWire(Wire, frozen=True, kw_only=True):
    """Pod affinity or anti-affinity."""

    required: tuple[PodTermWire, ...] = msgspec.field(
        default=(), name="requiredDuringSchedulingIgnoredDuringExecution"
    )
    preferred: tuple[PreferredPodWire, ...] = msgspec.field(
        default=(), name="preferredDuringSchedulingIgnoredDuringExecution"
    )


class AffinityWire(Wire, frozen=True, kw_only=True):
    """All affinities."""

    node_affinity: NodeAffinityWire = NodeAffinityWire()
    pod_affinity: PodAffinityWire = PodAffinityWire()
    pod_anti_affinity: PodAffinityWire = PodAffinityWire()


class SpreadWire(Wire, frozen=True, kw_only=True):
    """A topology spread constraint."""

    topology_key: str
    max_skew: int = 1
    when_unsatisfiable: Literal["DoNotSchedule", "ScheduleAnyway"] = "DoNotSchedule"
    label_selector: SelectorWire | None = None


class TolerationWire(Wire, frozen=True, kw_only=True):
    """A toleration."""

    key: str = ""
    operator: Literal["Equal", "Exists", "", "Lt", "Gt"] = "Equal"
    value: str = ""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute", ""] = ""
    toleration_seconds: int | None = None


class ClaimSourceWire(Wire, frozen=True, kw_only=True):
    """A volume that is a PersistentVolumeClaim."""

    claim_name: str


class ClaimSpecWire(Wire, frozen=True, kw_only=True):
    """The spec of a PersistentVolumeClaim, or of the template of an ephemeral one."""

    storage_class_name: str = ""
    volume_name: str = ""


class ClaimTemplateWire(Wire, frozen=True, kw_only=True):
    """The template of an ephemeral volume."""

    spec: ClaimSpecWire = ClaimSpecWire()


class EphemeralWire(Wire, frozen=True, kw_only=True):
    """A generic ephemeral volume."""

    volume_claim_template: ClaimTemplateWire = ClaimTemplateWire()


class EmptyDirWire(Wire, frozen=True, kw_only=True):
    """A scratch volume."""

    medium: str = ""


class VolumeWire(Wire, frozen=True, kw_only=True):
    """A volume; sources that tie a pod to nothing are not read."""

    name: str
    persistent_volume_claim: ClaimSourceWire | None = None
    ephemeral: EphemeralWire | None = None
    empty_dir: EmptyDirWire | None = None


class NamedWire(Wire, frozen=True, kw_only=True):
    """A scheduling gate or a resource claim: only its name matters."""

    name: str


class PodSpecWire(Wire, frozen=True, kw_only=True):
    """What a pod asks for."""

    containers: tuple[ContainerWire, ...]
    init_containers: tuple[ContainerWire, ...] = ()
    resources: ResourcesWire = ResourcesWire()
    overhead: Amounts = {}
    node_name: str = ""
    node_selector: dict[str, str] = {}
    affinity: AffinityWire = AffinityWire()
    topology_spread_constraints: tuple[SpreadWire, ...] = ()
    tolerations: tuple[TolerationWire, ...] = ()
    volumes: tuple[VolumeWire, ...] = ()
    priority: int | None = None
    priority_class_name: str = ""
    scheduler_name: str = "default-scheduler"
    scheduling_gates: tuple[NamedWire, ...] = ()
    resource_claims: tuple[NamedWire, ...] = ()
    termination_grace_period_seconds: int = 30
    restart_policy: str = "Always"
    active_deadline_seconds: int | None = None
    host_network: bool = False


class ConditionWire(Wire, frozen=True, kw_only=True):
    """A status condition."""

    type: str
    status: str = "Unknown"
    reason: str = ""
    message: str = ""
    last_transition_time: datetime | None = None


class ContainerStatusWire(Wire, frozen=True, kw_only=True):
    """The status of a container."""

    name: str
    allocated_resources: Amounts = {}


class PodStatusWire(Wire, frozen=True, kw_only=True):
    """What is known of a pod."""

    phase: Literal["Pending", "Running", "Succeeded", "Failed", "Unknown"] = "Pending"
    conditions: tuple[ConditionWire, ...] = ()
    container_statuses: tuple[ContainerStatusWire, ...] = ()
    nominated_node_name: str = ""
    start_time: datetime | None = None
    resize: str = ""


class PodWire(OpenObjectWire, frozen=True, kw_only=True):
    """A Pod."""

    spec: PodSpecWire
    status: PodStatusWire = PodStatusWire()


class TemplateMetadata(Wire, frozen=True, kw_only=True):
    """The metadata of a template."""

    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}


class PodTemplateWire(Wire, frozen=True, kw_only=True):
    """The pods that a workload makes."""

    metadata: TemplateMetadata = TemplateMetadata()
    spec: PodSpecWire
