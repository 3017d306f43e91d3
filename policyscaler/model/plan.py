"""What a decision says: launches, placements, disruptions, and why.

Words used here and nowhere defined again:

* *rule*: one named expression of a policy, or one requirement, limit or budget of a NodePool.
* *finding*: something a person should know about the decision that is no part of the plan.
* *funnel*: how many offerings each rule kept and cut for one class of pods.
* *nearest miss*: the rule or constraint whose removal would have let the most through.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from policyscaler.model.meta import SourcePosition, Value
from policyscaler.model.nodes import NodeClassRef, Taint
from policyscaler.model.requirements import NodeSelectorRequirement
from policyscaler.model.resources import Resources
from policyscaler.model.snapshot import ObjectKey


class RuleRef(Value, frozen=True, kw_only=True, order=True):
    """A rule by name: `policy` and `rule`, and where it is written."""

    policy: str
    rule: str
    source: SourcePosition | None = None

    def __str__(self) -> str:
        """Returns `policy/rule (file:line:column)`."""
        where = f" ({self.source})" if self.source else ""
        return f"{self.policy}/{self.rule}{where}"


class Finding(Value, frozen=True, kw_only=True, order=True):
    """Something a person should know: `severity` is error, warning or note."""

    severity: str
    subject: str
    message: str
    rule: RuleRef | None = None


class ChosenOffering(Value, frozen=True, kw_only=True):
    """One offering that a planned node may become."""

    instance_type: str
    zone: str
    capacity_type: str
    price_micros_per_hour: int


class PlannedNode(Value, frozen=True, kw_only=True):
    """A node to launch.

    Attributes:
        name: unique within the plan, `pool-1`; the real name comes with the claim.
        offerings: all it would accept, best first; the first is the chosen one; never empty.
        requests: what its pods and the daemons it will run need.
        labels: what the node will be labelled with beyond what the provider sets.
        expire_after: its age limit, None for never.
        termination_grace: how long draining may take at most, None for as long as it takes.
        pods: the pods it is for, sorted.
        findings: relaxed preferences, suspended rules and the like.
    """

    name: str
    pool: str
    node_class: NodeClassRef
    requirements: tuple[NodeSelectorRequirement, ...] = ()
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    taints: tuple[Taint, ...] = ()
    startup_taints: tuple[Taint, ...] = ()
    offerings: tuple[ChosenOffering, ...]
    requests: Resources = {}
    expire_after: timedelta | None = None
    termination_grace: timedelta | None = None
    pods: tuple[ObjectKey, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def chosen(self) -> ChosenOffering:
        """The offering it is planned on."""
        return self.offerings[0]


class ExistingPlacement(Value, frozen=True, kw_only=True):
    """Pods that fit on a node that exists or is on its way."""

    node: str
    pods: tuple[ObjectKey, ...]


class RuleCount(Value, frozen=True, kw_only=True):
    """One line of a funnel.

    Attributes:
        kept: offerings left after this rule.
        cut: offerings that this rule took out here.
        errors: offerings on which the rule failed (and which are out for that).
        only: offerings that this rule alone keeps out.
    """

    rule: RuleRef
    kept: int
    cut: int
    errors: int = 0
    only: int = 0


class PoolRefusal(Value, frozen=True, kw_only=True):
    """Why one pool cannot take a class of pods.

    Attributes:
        constraint: a stable word: taints, requirements, resources, limits, offering, policy,
            min-values, daemonset, not-ready, unsupported.
        message: one sentence with names and numbers, at most 300 characters.
        nearest_miss: what would have to change, or empty.
    """

    pool: str
    constraint: str
    message: str
    nearest_miss: str = ""
    rule: RuleRef | None = None


class Unschedulable(Value, frozen=True, kw_only=True):
    """Pods for which there is no place, and why not, per pool."""

    pods: tuple[ObjectKey, ...]
    refusals: tuple[PoolRefusal, ...] = ()


class DisruptionCommand(Value, frozen=True, kw_only=True):
    """Nodes to remove, and what is launched before they go.

    Attributes:
        reason: Empty, Expired, Drifted or Underutilized.
        nodes: the nodes that go, sorted.
        replacements: launched and initialized before the nodes go.
        moves: the pods that move, sorted.
        savings_micros_per_hour: what it saves; negative when it costs.
        rules: the rules that allowed it.
        forceful: goes whatever budgets say (v1 expiry); PDBs still hold while draining.
    """

    reason: str
    nodes: tuple[str, ...]
    replacements: tuple[PlannedNode, ...] = ()
    moves: tuple[ObjectKey, ...] = ()
    savings_micros_per_hour: int = 0
    rules: tuple[RuleRef, ...] = ()
    forceful: bool = False


class Gate(Value, frozen=True, kw_only=True):
    """One gate that a node met on its way to being disrupted, in order."""

    name: str
    passed: bool
    message: str
    rule: RuleRef | None = None


class NodeTrace(Value, frozen=True, kw_only=True):
    """Why a node stays or goes: its gates in the order they were asked."""

    node: str
    reason: str
    gates: tuple[Gate, ...]


class ShapeTrace(Value, frozen=True, kw_only=True):
    """How the offerings of one pool were narrowed for one class of pods."""

    shape: str
    pods: tuple[ObjectKey, ...]
    pool: str
    funnel: tuple[RuleCount, ...]
    notes: tuple[str, ...] = ()


class Trace(Value, frozen=True, kw_only=True):
    """Why the plan is as it is."""

    shapes: tuple[ShapeTrace, ...] = ()
    nodes: tuple[NodeTrace, ...] = ()
    packings: Mapping[str, int] = {}
    chosen_packing: str = ""
    counts: Mapping[str, int] = {}


class Plan(Value, frozen=True, kw_only=True):
    """What to do now.

    Attributes:
        launches: new nodes for pending pods, in order of their names.
        existing: pods that fit on what is there.
        unschedulable: classes of pods without a place, most pods first.
        disruptions: what to remove, in the order to do it.
        price_micros_per_hour: of the launches, at their chosen offerings.
    """

    launches: tuple[PlannedNode, ...] = ()
    existing: tuple[ExistingPlacement, ...] = ()
    unschedulable: tuple[Unschedulable, ...] = ()
    disruptions: tuple[DisruptionCommand, ...] = ()
    price_micros_per_hour: int = 0
    findings: tuple[Finding, ...] = ()
    trace: Trace = Trace()
