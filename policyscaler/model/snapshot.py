"""Everything a decision may depend on, frozen."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from policyscaler.model.meta import Value
from policyscaler.model.nodes import Node, NodeClaim, NodeClassRef
from policyscaler.model.offerings import Catalogue
from policyscaler.model.pods import Pod
from policyscaler.model.pools import NodeClass, NodePool
from policyscaler.model.workloads import (
    DaemonSet,
    DisruptionBudget,
    Namespace,
    PersistentVolume,
    PriorityClass,
    StorageClass,
    VolumeClaim,
)

ObjectKey = tuple[str, str]
"""(namespace, name)."""


class Attempts(Value, frozen=True, kw_only=True):
    """Launches for one pod, of which all but the last came up without taking it.

    Attributes:
        count: how many, the last one included.
        latest: when the last of them was asked for.
    """

    count: int
    latest: datetime


class Snapshot(Value, frozen=True, kw_only=True):
    """The state of a cluster at one instant.

    Maps are keyed by name, or by (namespace, name) where the kind has namespaces. Their order
    carries no meaning: equal content gives equal plans whatever the order.

    Attributes:
        catalogues: what each NodeClass can launch; a pool whose class has none is skipped.
        preference_policy: `Respect` or `Ignore`: whether soft constraints are tried first.
        min_values_policy: `Strict` or `BestEffort`.
        fruitless_launches: by pod; it sits on no object, so whoever executes plans keeps it.
        default_termination_grace: for claims of pools that say nothing; None for no bound.
    """

    pools: Mapping[str, NodePool] = {}
    node_classes: Mapping[NodeClassRef, NodeClass] = {}
    catalogues: Mapping[NodeClassRef, Catalogue] = {}
    nodes: Mapping[str, Node] = {}
    claims: Mapping[str, NodeClaim] = {}
    pods: Mapping[ObjectKey, Pod] = {}
    daemon_sets: Mapping[ObjectKey, DaemonSet] = {}
    disruption_budgets: Mapping[ObjectKey, DisruptionBudget] = {}
    namespaces: Mapping[str, Namespace] = {}
    priority_classes: Mapping[str, PriorityClass] = {}
    storage_classes: Mapping[str, StorageClass] = {}
    volumes: Mapping[str, PersistentVolume] = {}
    volume_claims: Mapping[ObjectKey, VolumeClaim] = {}
    fruitless_launches: Mapping[ObjectKey, Attempts] = {}
    min_values_policy: str = "Strict"
    preference_policy: str = "Respect"
    default_termination_grace: timedelta | None = None
