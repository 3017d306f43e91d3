"""What loading returns."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import TypeVar

from policyscaler.manifests.announced import Announced
from policyscaler.manifests.catalogues import CatalogueManifest
from policyscaler.manifests.findings import ERROR, Finding
from policyscaler.manifests.kinds import Change
from policyscaler.model.meta import SourcePosition
from policyscaler.model.nodes import Node, NodeClaim
from policyscaler.model.pods import Pod
from policyscaler.model.policies import ScalingPolicy
from policyscaler.model.pools import NodeClass, NodePool
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

_T = TypeVar("_T")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Translation:
    """What was changed to read an object of an old version."""

    subject: str
    from_version: str
    to_version: str
    position: SourcePosition
    changes: tuple[Change, ...]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What was loaded, in the order of files and documents.

    Attributes:
        announced: objects of kinds that are validated and have no effect yet.
        findings: in the order of the files; errors name what was left out.
        translations: one for each object of an old version.
        notes: sentences about the whole, such as how many objects were ignored.
    """

    pods: tuple[Pod, ...] = ()
    workloads: tuple[Workload, ...] = ()
    daemon_sets: tuple[DaemonSet, ...] = ()
    jobs: tuple[Job, ...] = ()
    cron_jobs: tuple[CronJob, ...] = ()
    nodes: tuple[Node, ...] = ()
    claims: tuple[NodeClaim, ...] = ()
    pools: tuple[NodePool, ...] = ()
    node_classes: tuple[NodeClass, ...] = ()
    catalogues: tuple[CatalogueManifest, ...] = ()
    policies: tuple[ScalingPolicy, ...] = ()
    disruption_budgets: tuple[DisruptionBudget, ...] = ()
    namespaces: tuple[Namespace, ...] = ()
    limit_ranges: tuple[LimitRange, ...] = ()
    priority_classes: tuple[PriorityClass, ...] = ()
    storage_classes: tuple[StorageClass, ...] = ()
    volumes: tuple[PersistentVolume, ...] = ()
    volume_claims: tuple[VolumeClaim, ...] = ()
    announced: tuple[Announced, ...] = ()
    findings: tuple[Finding, ...] = ()
    translations: tuple[Translation, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that are errors."""
        return tuple(finding for finding in self.findings if finding.severity == ERROR)


def collect(
    objects: Sequence[object],
    *,
    findings: tuple[Finding, ...],
    translations: tuple[Translation, ...],
    notes: tuple[str, ...],
) -> Loaded:
    """Returns objects sorted into their kinds, each kind in the order given."""
    return Loaded(
        pods=_of(Pod, objects),
        workloads=_of(Workload, objects),
        daemon_sets=_of(DaemonSet, objects),
        jobs=_of(Job, objects),
        cron_jobs=_of(CronJob, objects),
        nodes=_of(Node, objects),
        claims=_of(NodeClaim, objects),
        pools=_of(NodePool, objects),
        node_classes=_of(NodeClass, objects),
        catalogues=_of(CatalogueManifest, objects),
        policies=_of(ScalingPolicy, objects),
        disruption_budgets=_of(DisruptionBudget, objects),
        namespaces=_of(Namespace, objects),
        limit_ranges=_of(LimitRange, objects),
        priority_classes=_of(PriorityClass, objects),
        storage_classes=_of(StorageClass, objects),
        volumes=_of(PersistentVolume, objects),
        volume_claims=_of(VolumeClaim, objects),
        announced=_of(Announced, objects),
        findings=findings,
        translations=translations,
        notes=notes,
    )


def _of(wanted: type[_T], values: Iterable[object]) -> tuple[_T, ...]:
    return tuple(value for value in values if isinstance(value, wanted))
