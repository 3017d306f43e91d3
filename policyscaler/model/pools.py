"""NodePools, their disruption rules, and NodeClasses."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from policyscaler.model.meta import Condition, ObjectMeta, SourcePosition, Value
from policyscaler.model.nodes import NodeClassRef, Taint
from policyscaler.model.requirements import NodeSelectorRequirement
from policyscaler.model.resources import Resources

WHEN_EMPTY: Final = "WhenEmpty"
WHEN_EMPTY_OR_UNDERUTILIZED: Final = "WhenEmptyOrUnderutilized"
BALANCED: Final = "Balanced"
CONSOLIDATION_POLICIES: Final = (WHEN_EMPTY, WHEN_EMPTY_OR_UNDERUTILIZED, BALANCED)

EMPTY: Final = "Empty"
DRIFTED: Final = "Drifted"
UNDERUTILIZED: Final = "Underutilized"
EXPIRED: Final = "Expired"
BUDGET_REASONS: Final = (UNDERUTILIZED, EMPTY, DRIFTED)


class Budget(Value, frozen=True, kw_only=True):
    """How many nodes of a pool may be disrupted at once.

    Attributes:
        nodes: a count or a percentage of the pool's nodes, as written.
        reasons: the reasons it speaks of; empty means all.
        schedule: when its window opens, five cron fields or an alias; empty means always.
        duration: how long the window stays open; set exactly when `schedule` is.
    """

    nodes: str = "10%"
    reasons: tuple[str, ...] = ()
    schedule: str = ""
    duration: timedelta | None = None
    source: SourcePosition | None = None


class Disruption(Value, frozen=True, kw_only=True):
    """When nodes of a pool may go: `consolidate_after` None means never."""

    consolidate_after: timedelta | None = timedelta(0)
    policy: str = WHEN_EMPTY_OR_UNDERUTILIZED
    budgets: tuple[Budget, ...] = (Budget(),)
    source: SourcePosition | None = None


class NodePool(Value, frozen=True, kw_only=True):
    """A user's template, limits and disruption rules for a set of nodes.

    Attributes:
        labels: what nodes of the pool are labelled with.
        annotations: what they are annotated with.
        limits: caps on the pool's total capacity; `nodes` counts nodes.
        weight: pools of higher weight are tried first.
        replicas: a number of nodes to keep whatever the pods ask for; None for dynamic pools.
        graceful_expiry: expiry respects budgets and PDBs (manifests of v1beta1).
        ready: None when nobody has said; False keeps the pool out of scheduling.
    """

    meta: ObjectMeta
    node_class: NodeClassRef
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    taints: tuple[Taint, ...] = ()
    startup_taints: tuple[Taint, ...] = ()
    requirements: tuple[NodeSelectorRequirement, ...] = ()
    expire_after: timedelta | None = timedelta(hours=720)
    termination_grace: timedelta | None = None
    disruption: Disruption = Disruption()
    limits: Resources = {}
    weight: int = 0
    replicas: int | None = None
    graceful_expiry: bool = False
    ready: bool | None = None
    conditions: Mapping[str, Condition] = {}
    source: SourcePosition | None = None

    @property
    def name(self) -> str:
        """The pool's name."""
        return self.meta.name


class NodeClass(Value, frozen=True, kw_only=True):
    """The provider's half of a template; only its provider understands `spec`.

    Attributes:
        spec: the fields as decoded by the provider, or the raw mapping.
        hash: digest of the fields whose change makes nodes drift.
    """

    meta: ObjectMeta
    ref: NodeClassRef
    spec: object = None
    hash: str = ""
    source: SourcePosition | None = None
