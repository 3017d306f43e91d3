"""The fields of Kubernetes' own kinds other than pods. Source: its API groups as served."""

from __future__ import annotations

from datetime import datetime

import msgspec

from policyscaler.manifests.pod_wire import (
    ClaimSpecWire,
    ConditionWire,
    Effect,
    NodeSelectorWire,
    PodTemplateWire,
    SelectorWire,
    TemplateMetadata,
)
from policyscaler.manifests.wire import Amounts, CountOrPercent, OpenObjectWire, Wire


class RollingUpdateWire(Wire, frozen=True, kw_only=True):
    """How many pods may be more or fewer during an update."""

    max_surge: CountOrPercent = "25%"
    max_unavailable: CountOrPercent = "25%"


class StrategyWire(Wire, frozen=True, kw_only=True):
    """A Deployment's update strategy."""

    type: str = "RollingUpdate"
    rolling_update: RollingUpdateWire = RollingUpdateWire()


class WorkloadSpecWire(Wire, frozen=True, kw_only=True):
    """The spec of a Deployment, ReplicaSet, StatefulSet or DaemonSet."""

    template: PodTemplateWire
    replicas: int = 1
    selector: SelectorWire = SelectorWire()
    strategy: StrategyWire = StrategyWire()
    pod_management_policy: str = "OrderedReady"


class WorkloadWire(OpenObjectWire, frozen=True, kw_only=True):
    """A Deployment, ReplicaSet, StatefulSet or DaemonSet."""

    spec: WorkloadSpecWire


class JobSpecWire(Wire, frozen=True, kw_only=True):
    """The spec of a Job."""

    template: PodTemplateWire
    parallelism: int = 1
    completions: int | None = None
    suspend: bool = False


class JobWire(OpenObjectWire, frozen=True, kw_only=True):
    """A Job."""

    spec: JobSpecWire


class JobTemplateWire(Wire, frozen=True, kw_only=True):
    """The Jobs that a CronJob makes."""

    metadata: TemplateMetadata = TemplateMetadata()
    spec: JobSpecWire


class CronJobSpecWire(Wire, frozen=True, kw_only=True):
    """The spec of a CronJob."""

    schedule: str
    job_template: JobTemplateWire
    time_zone: str = ""
    suspend: bool = False
    concurrency_policy: str = "Allow"


class CronJobWire(OpenObjectWire, frozen=True, kw_only=True):
    """A CronJob."""

    spec: CronJobSpecWire


class NodeTaintWire(Wire, frozen=True, kw_only=True):
    """A taint of a node."""

    key: str
    value: str = ""
    effect: Effect
    time_added: datetime | None = None


class NodeSpecWire(Wire, frozen=True, kw_only=True):
    """The spec of a Node."""

    taints: tuple[NodeTaintWire, ...] = ()
    unschedulable: bool = False
    provider_id: str = msgspec.field(default="", name="providerID")


class NodeStatusWire(Wire, frozen=True, kw_only=True):
    """The status of a Node."""

    capacity: Amounts = {}
    allocatable: Amounts = {}
    conditions: tuple[ConditionWire, ...] = ()


class NodeWire(OpenObjectWire, frozen=True, kw_only=True):
    """A Node."""

    spec: NodeSpecWire = NodeSpecWire()
    status: NodeStatusWire = NodeStatusWire()


class BudgetSpecWire(Wire, frozen=True, kw_only=True):
    """The spec of a PodDisruptionBudget."""

    selector: SelectorWire | None = None
    min_available: CountOrPercent | None = None
    max_unavailable: CountOrPercent | None = None
    unhealthy_pod_eviction_policy: str = "IfHealthyBudget"


class BudgetWire(OpenObjectWire, frozen=True, kw_only=True):
    """A PodDisruptionBudget."""

    spec: BudgetSpecWire = BudgetSpecWire()


class PriorityClassWire(OpenObjectWire, frozen=True, kw_only=True):
    """A PriorityClass."""

    value: int
    global_default: bool = False


class LimitItemWire(Wire, frozen=True, kw_only=True):
    """One item of a LimitRange; only `Container` items have defaults."""

    type: str
    default: Amounts = {}
    default_request: Amounts = {}


class LimitRangeSpecWire(Wire, frozen=True, kw_only=True):
    """The spec of a LimitRange."""

    limits: tuple[LimitItemWire, ...] = ()


class LimitRangeWire(OpenObjectWire, frozen=True, kw_only=True):
    """A LimitRange."""

    spec: LimitRangeSpecWire = LimitRangeSpecWire()


class NamespaceWire(OpenObjectWire, frozen=True, kw_only=True):
    """A Namespace."""


class TopologyLabelWire(Wire, frozen=True, kw_only=True):
    """Values that a topology label may have."""

    key: str
    values: tuple[str, ...] = ()


class TopologyTermWire(Wire, frozen=True, kw_only=True):
    """Where a StorageClass makes volumes."""

    match_label_expressions: tuple[TopologyLabelWire, ...] = ()


class StorageClassWire(OpenObjectWire, frozen=True, kw_only=True):
    """A StorageClass."""

    provisioner: str = ""
    volume_binding_mode: str = "Immediate"
    allowed_topologies: tuple[TopologyTermWire, ...] = ()


class VolumeAffinityWire(Wire, frozen=True, kw_only=True):
    """The nodes that reach a volume."""

    required: NodeSelectorWire = NodeSelectorWire()


class CsiWire(Wire, frozen=True, kw_only=True):
    """A volume of a CSI driver."""

    driver: str = ""


class VolumeSpecWire(Wire, frozen=True, kw_only=True):
    """The spec of a PersistentVolume."""

    node_affinity: VolumeAffinityWire = VolumeAffinityWire()
    csi: CsiWire = CsiWire()


class PersistentVolumeWire(OpenObjectWire, frozen=True, kw_only=True):
    """A PersistentVolume."""

    spec: VolumeSpecWire = VolumeSpecWire()


class ClaimStatusWire(Wire, frozen=True, kw_only=True):
    """The status of a PersistentVolumeClaim."""

    phase: str = "Pending"


class VolumeClaimWire(OpenObjectWire, frozen=True, kw_only=True):
    """A PersistentVolumeClaim."""

    spec: ClaimSpecWire = ClaimSpecWire()
    status: ClaimStatusWire = ClaimStatusWire()
