"""`plan --format json`: kind Plan."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from msgspec import Meta

from policyscaler.cli.documents.values import (
    API_VERSION,
    ApiVersion,
    Document,
    FindingDocument,
    Instant,
    Money,
    PodName,
    Quantities,
    RuleDocument,
    file_finding_documents,
    finding_documents,
    money,
    pod_names,
    quantities,
    rule_document,
    rule_documents,
    sorted_map,
)
from policyscaler.manifests.findings import Finding
from policyscaler.model import plan as model


class OfferingDocument(Document, frozen=True, kw_only=True):
    """An instance type in one zone and capacity type, and what it costs an hour."""

    instance_type: str
    zone: str
    capacity_type: str
    price_per_hour: Money


class NodeClassDocument(Document, frozen=True, kw_only=True):
    """The NodeClass that a node is launched with."""

    group: str
    kind: str
    name: str


class NodeDocument(Document, frozen=True, kw_only=True):
    """A node to launch: on the chosen offering, or on one of the alternatives if it has run out."""

    name: Annotated[str, Meta(description="Unique within the plan; no node has it later.")]
    pool: str
    node_class: NodeClassDocument
    instance_type: str
    zone: str
    capacity_type: str
    price_per_hour: Money
    alternatives: Annotated[
        list[OfferingDocument],
        Meta(description="The further offerings it would accept, best first."),
    ]
    requests: Quantities
    labels: dict[str, str]
    taints: Annotated[list[str], Meta(description="`key=value:effect`.")]
    pods: list[PodName]
    findings: list[FindingDocument]


class ExistingDocument(Document, frozen=True, kw_only=True):
    """Pods that fit on a node that exists or is on its way."""

    node: str
    pods: list[PodName]


class ReasonDocument(Document, frozen=True, kw_only=True):
    """Why one pool cannot take some pods."""

    pool: str
    constraint: Annotated[
        str,
        Meta(
            description="A stable word: taints, requirements, resources, limits, offering, policy,"
            " min-values, daemonset, not-ready, unsupported."
        ),
    ]
    message: str
    nearest_miss: Annotated[str, Meta(description="What would have to change, or empty.")]
    rule: RuleDocument | None


class UnschedulableDocument(Document, frozen=True, kw_only=True):
    """Equal pods without a place, and why not, for each pool."""

    pods: list[PodName]
    reasons: list[ReasonDocument]


class DisruptionDocument(Document, frozen=True, kw_only=True):
    """Nodes to remove, and what is launched before they go."""

    nodes: list[str]
    reason: str
    replacements: list[NodeDocument]
    moves: Annotated[list[PodName], Meta(description="The pods that move.")]
    savings_per_hour: Annotated[Money, Meta(description="Negative when it costs.")]
    rules: Annotated[list[RuleDocument], Meta(description="The rules that allowed it.")]
    forceful: Annotated[bool, Meta(description="Goes whatever budgets say.")]


class PlanDocument(Document, frozen=True, kw_only=True):
    """What policyscaler would do now."""

    api_version: ApiVersion
    kind: Literal["Plan"]
    now: Annotated[Instant, Meta(description="The instant that the plan was made for.")]
    nodes: Annotated[list[NodeDocument], Meta(description="Nodes to launch.")]
    existing: list[ExistingDocument]
    unschedulable: list[UnschedulableDocument]
    disruptions: Annotated[list[DisruptionDocument], Meta(description="In the order to do them.")]
    price_per_hour: Annotated[Money, Meta(description="Of the nodes to launch.")]
    findings: list[FindingDocument]
    notes: Annotated[
        list[str], Meta(description="What to know before believing numbers of the catalogues.")
    ]


def node_document(node: model.PlannedNode) -> NodeDocument:
    """Returns the document of a node to launch."""
    chosen = node.chosen
    return NodeDocument(
        name=node.name, pool=node.pool,
        node_class=NodeClassDocument(
            group=node.node_class.group, kind=node.node_class.kind, name=node.node_class.name
        ),
        instance_type=chosen.instance_type, zone=chosen.zone, capacity_type=chosen.capacity_type,
        price_per_hour=money(chosen.price_micros_per_hour),
        alternatives=[offering_document(offering) for offering in node.offerings[1:]],
        requests=quantities(node.requests), labels=sorted_map(node.labels),
        taints=[str(taint) for taint in sorted(node.taints)],
        pods=pod_names(node.pods), findings=finding_documents(node.findings),
    )  # fmt: skip


def offering_document(offering: model.ChosenOffering) -> OfferingDocument:
    """Returns the document of an offering."""
    return OfferingDocument(
        instance_type=offering.instance_type, zone=offering.zone,
        capacity_type=offering.capacity_type, price_per_hour=money(offering.price_micros_per_hour),
    )  # fmt: skip


def reason_documents(refusals: Iterable[model.PoolRefusal]) -> list[ReasonDocument]:
    """Returns why pools refuse, in the order given."""
    return [
        ReasonDocument(
            pool=refusal.pool, constraint=refusal.constraint, message=refusal.message,
            nearest_miss=refusal.nearest_miss, rule=rule_document(refusal.rule),
        )
        for refusal in refusals
    ]  # fmt: skip


def disruption_document(command: model.DisruptionCommand) -> DisruptionDocument:
    """Returns the document of a disruption."""
    return DisruptionDocument(
        nodes=list(command.nodes), reason=command.reason,
        replacements=[node_document(node) for node in command.replacements],
        moves=pod_names(command.moves), savings_per_hour=money(command.savings_micros_per_hour),
        rules=rule_documents(command.rules), forceful=command.forceful,
    )  # fmt: skip


def plan_document(
    plan: model.Plan, *, now: str, found: Iterable[Finding] = (), notes: Iterable[str] = ()
) -> PlanDocument:
    """Returns the document of a plan.

    Args:
        plan: the decision.
        now: the instant it was made for, as RFC 3339.
        found: what was found about the files.
        notes: of the catalogues that it was made from.
    """
    return PlanDocument(
        api_version=API_VERSION, kind="Plan", now=now,
        nodes=[node_document(node) for node in plan.launches],
        existing=[
            ExistingDocument(node=placed.node, pods=pod_names(placed.pods))
            for placed in plan.existing
        ],
        unschedulable=[
            UnschedulableDocument(
                pods=pod_names(entry.pods), reasons=reason_documents(entry.refusals)
            )
            for entry in plan.unschedulable
        ],
        disruptions=[disruption_document(command) for command in plan.disruptions],
        price_per_hour=money(plan.price_micros_per_hour),
        findings=[*file_finding_documents(found), *finding_documents(plan.findings)], notes=list(notes),
    )  # fmt: skip
