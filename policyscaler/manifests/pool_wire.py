"""The fields of NodePools and NodeClaims, v1. Source: Karpenter's API group karpenter.sh."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from policyscaler.manifests.pod_wire import ConditionWire
from policyscaler.manifests.wire import (
    Amounts,
    Duration,
    NillableDuration,
    ObjectWire,
    Strict,
    Wire,
)

Operator: TypeAlias = Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte"]
Reason: TypeAlias = Literal["Underutilized", "Empty", "Drifted"]
Policy: TypeAlias = Literal["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"]
Filled: TypeAlias = Annotated[str, Meta(min_length=1)]


class RequirementWire(Strict, frozen=True, kw_only=True):
    """A requirement on one label of the node."""

    key: Annotated[str, Meta(max_length=316, description="The label.")]
    operator: Annotated[Operator, Meta(description="Gt and Gte, Lt and Lte compare integers.")]
    values: Annotated[tuple[str, ...], Meta(description="As many as the operator asks for.")] = ()
    min_values: Annotated[
        int | None, Meta(description="How many different values must stay possible.")
    ] = None


Requirements: TypeAlias = Annotated[
    tuple[RequirementWire, ...],
    Meta(
        max_length=100,
        description="What nodes must be like; all must hold.",
        extra={"missing": "write requirements: [] if there are none"},
    ),
]


class TaintWire(Strict, frozen=True, kw_only=True):
    """A taint that new nodes get."""

    key: Filled
    value: str = ""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    time_added: datetime | None = None


class NodeClassRefWire(Strict, frozen=True, kw_only=True):
    """The provider's half of the template."""

    group: Filled
    kind: Filled
    name: Filled


ClassRef: TypeAlias = Annotated[
    NodeClassRefWire,
    Meta(
        description="The NodeClass that nodes are made from.",
        extra={"missing": "write nodeClassRef with group, kind and name of the NodeClass"},
    ),
]


class TemplateSpecWire(Strict, frozen=True, kw_only=True):
    """What nodes of the pool are like."""

    requirements: Requirements
    node_class_ref: ClassRef
    taints: tuple[TaintWire, ...] = ()
    startup_taints: Annotated[
        tuple[TaintWire, ...], Meta(description="Expected to be removed before a node is ready.")
    ] = ()
    termination_grace_period: Annotated[
        Duration | None, Meta(description="How long draining may take before pods are deleted.")
    ] = None
    expire_after: Annotated[NillableDuration, Meta(description="The age limit of nodes.")] = "720h"


class TemplateMetadataWire(Strict, frozen=True, kw_only=True):
    """Labels and annotations that nodes get."""

    labels: Annotated[dict[str, str], Meta(max_length=100)] = {}
    annotations: dict[str, str] = {}


class TemplateWire(Strict, frozen=True, kw_only=True):
    """The template of NodeClaims."""

    metadata: TemplateMetadataWire = TemplateMetadataWire()
    spec: TemplateSpecWire


class DisruptionBudgetWire(Strict, frozen=True, kw_only=True):
    """How many nodes may be disrupted at once."""

    nodes: Annotated[str, Meta(description="A number or a percentage.")] = "10%"
    reasons: Annotated[tuple[Reason, ...], Meta(max_length=50)] = ()
    schedule: Annotated[str, Meta(description="When the window opens: cron, or @daily.")] = ""
    duration: Annotated[str, Meta(description="How long it stays open, hours and minutes.")] = ""


class DisruptionWire(Strict, frozen=True, kw_only=True):
    """When nodes may go."""

    consolidate_after: NillableDuration = "0s"
    consolidation_policy: Policy = "WhenEmptyOrUnderutilized"
    budgets: Annotated[tuple[DisruptionBudgetWire, ...], Meta(max_length=50)] = (
        DisruptionBudgetWire(),
    )


class PoolSpecWire(Strict, frozen=True, kw_only=True):
    """The spec of a NodePool."""

    template: TemplateWire
    disruption: DisruptionWire = DisruptionWire()
    limits: Annotated[Amounts, Meta(description="Caps on the pool's total capacity.")] = {}
    weight: (
        Annotated[int, Meta(ge=1, le=100, description="Pools of higher weight are tried first.")]
        | None
    ) = None
    replicas: (
        Annotated[int, Meta(ge=0, description="A number of nodes to keep whatever pods ask for.")]
        | None
    ) = None


class PoolStatusWire(Wire, frozen=True, kw_only=True):
    """The status of a NodePool, as far as it is read."""

    conditions: tuple[ConditionWire, ...] = ()


class PoolWire(ObjectWire, frozen=True, kw_only=True):
    """A NodePool: a template, limits and disruption rules for a set of nodes."""

    spec: PoolSpecWire
    status: PoolStatusWire = PoolStatusWire()


class ClaimResourcesWire(Strict, frozen=True, kw_only=True):
    """What the pods planned for a claim need."""

    requests: Amounts = {}


class ClaimSpecWire(Strict, frozen=True, kw_only=True):
    """The spec of a NodeClaim."""

    requirements: Requirements
    node_class_ref: ClassRef
    resources: ClaimResourcesWire = ClaimResourcesWire()
    taints: tuple[TaintWire, ...] = ()
    startup_taints: tuple[TaintWire, ...] = ()
    termination_grace_period: Duration | None = None
    expire_after: NillableDuration = "720h"


class ClaimStatusWire(Wire, frozen=True, kw_only=True):
    """The status of a NodeClaim."""

    node_name: str = ""
    provider_id: str = msgspec.field(default="", name="providerID")
    capacity: Amounts = {}
    allocatable: Amounts = {}
    conditions: tuple[ConditionWire, ...] = ()


class ClaimWire(ObjectWire, frozen=True, kw_only=True):
    """A NodeClaim: the record of one wanted machine."""

    spec: ClaimSpecWire
    status: ClaimStatusWire = ClaimStatusWire()
