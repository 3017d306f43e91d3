"""Nodes, their taints, and the claims that they come from."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from policyscaler.model.meta import Condition, ObjectMeta, Value
from policyscaler.model.requirements import NodeSelectorRequirement
from policyscaler.model.resources import Resources

NO_SCHEDULE: Final = "NoSchedule"
PREFER_NO_SCHEDULE: Final = "PreferNoSchedule"
NO_EXECUTE: Final = "NoExecute"
EFFECTS: Final = (NO_SCHEDULE, PREFER_NO_SCHEDULE, NO_EXECUTE)

LAUNCHED: Final = "Launched"
REGISTERED: Final = "Registered"
INITIALIZED: Final = "Initialized"
DRIFTED: Final = "Drifted"
CONSOLIDATABLE: Final = "Consolidatable"
DISRUPTION_REASON: Final = "DisruptionReason"
"""Condition of a claim that a command is to remove; counts as marked for deletion."""


class Taint(Value, frozen=True, kw_only=True, order=True):
    """A mark on a node that keeps away the pods that do not tolerate it."""

    key: str
    value: str = ""
    effect: str = NO_SCHEDULE

    def __str__(self) -> str:
        """Returns `key=value:effect`, as kubectl writes it."""
        return (
            f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"
        )


class NodeClassRef(Value, frozen=True, kw_only=True, order=True):
    """The provider's half of a template: API group, kind and name."""

    group: str
    kind: str
    name: str

    def __str__(self) -> str:
        """Returns `Kind/name`."""
        return f"{self.kind}/{self.name}"


class Node(Value, frozen=True, kw_only=True):
    """A Kubernetes Node."""

    meta: ObjectMeta
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False
    provider_id: str = ""
    capacity: Resources = {}
    allocatable: Resources = {}
    ready: bool = True


class NodeClaim(Value, frozen=True, kw_only=True):
    """The record of one wanted machine: before, while and after it exists.

    Attributes:
        pool: the NodePool that it belongs to, empty for a stand-alone claim.
        requests: what the pods and daemons planned for it need.
        expire_after: its age limit, None for never.
        node: the Node that registered with its provider ID, empty before.
        conditions: by type, as in the status.
        last_pod_event: when a pod that is no daemon was last bound, ended or began to end on it
            (status.lastPodEventTime); None before the first.
    """

    meta: ObjectMeta
    pool: str = ""
    node_class: NodeClassRef
    requirements: tuple[NodeSelectorRequirement, ...] = ()
    taints: tuple[Taint, ...] = ()
    startup_taints: tuple[Taint, ...] = ()
    requests: Resources = {}
    expire_after: timedelta | None = None
    termination_grace: timedelta | None = None
    node: str = ""
    provider_id: str = ""
    capacity: Resources = {}
    allocatable: Resources = {}
    last_pod_event: datetime | None = None
    conditions: Mapping[str, Condition] = {}

    def has(self, condition: str) -> bool:
        """Returns whether a condition is True."""
        found = self.conditions.get(condition)
        return found is not None and found.status == "True"
