"""`explain --format json`: kinds PodExplanation, OfferingExplanation and NodeExplanation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Final, Literal

from msgspec import Meta

from policyscaler.cli.documents.plan import (
    NodeDocument,
    ReasonDocument,
    node_document,
    reason_documents,
)
from policyscaler.cli.documents.values import (
    API_VERSION,
    ApiVersion,
    Document,
    Instant,
    Money,
    PodName,
    RuleDocument,
    money,
    pod_name,
    pod_names,
    rule_document,
)
from policyscaler.model import plan as model
from policyscaler.planning.explanation import OfferingAnswer, PodAnswer, PoolStory
from policyscaler.policy.explaining import RuleTrace
from policyscaler.policy.faults import EvalError
from policyscaler.policy.trace import TraceNode

_SHOWN_ENTRIES: Final = 5


class RuleCountDocument(Document, frozen=True, kw_only=True):
    """One line of a funnel."""

    rule: RuleDocument | None
    kept: Annotated[int, Meta(description="Offerings left after this rule.")]
    cut: Annotated[int, Meta(description="Offerings that this rule took out here.")]
    errors: Annotated[int, Meta(description="Offerings on which the rule failed.")]
    only: Annotated[int, Meta(description="Offerings that this rule alone keeps out.")]


class StepCountDocument(Document, frozen=True, kw_only=True):
    """One step before policy is asked."""

    step: str
    kept: Annotated[int, Meta(description="Offerings left after it.")]


class FunnelDocument(Document, frozen=True, kw_only=True):
    """How the offerings of one pool were narrowed for the pod: steps, then rules of policies."""

    pool: str
    allowed: Annotated[bool, Meta(description="Whether the pool could launch a node for it.")]
    steps: list[StepCountDocument]
    rules: list[RuleCountDocument]
    notes: list[str]


class PodExplanationDocument(Document, frozen=True, kw_only=True):
    """Where a pod goes and why, or why there is no place for it."""

    api_version: ApiVersion
    kind: Literal["PodExplanation"]
    now: Instant
    pod: PodName
    outcome: Annotated[str, Meta(description="bound, existing, launch, unschedulable or ignored.")]
    node: Annotated[str, Meta(description="The node for bound and existing, else empty.")]
    launch: Annotated[NodeDocument | None, Meta(description="The node to launch for it.")]
    equals: Annotated[
        list[PodName], Meta(description="Pods of its class: the same holds for them.")
    ]
    funnels: list[FunnelDocument]
    reasons: list[ReasonDocument]


class StepDocument(Document, frozen=True, kw_only=True):
    """A sub-expression and its value, and what it was made from."""

    expression: str
    value: str
    parts: list[StepDocument]


class VerdictDocument(Document, frozen=True, kw_only=True):
    """What one rule says of an offering."""

    rule: RuleDocument | None
    section: str
    outcome: Annotated[str, Meta(description="kept, cut or failed for require; else a value.")]
    message: str
    trace: StepDocument


class PoolVerdictDocument(Document, frozen=True, kw_only=True):
    """What one pool says of an offering for a pod."""

    pool: str
    allowed: bool
    reason: Annotated[str, Meta(description="Why not, or empty.")]
    rules: list[VerdictDocument]


class OfferingExplanationDocument(Document, frozen=True, kw_only=True):
    """Why an offering may or may not be launched for a pod, for each pool."""

    api_version: ApiVersion
    kind: Literal["OfferingExplanation"]
    now: Instant
    offering: Annotated[str, Meta(description="`type/zone/capacity type`.")]
    price_per_hour: Money
    available: bool
    pod: str
    pools: list[PoolVerdictDocument]


class GateDocument(Document, frozen=True, kw_only=True):
    """One gate that a node met on its way to being disrupted."""

    name: str
    passed: bool
    message: str
    rule: RuleDocument | None


class NodeReasonDocument(Document, frozen=True, kw_only=True):
    """The gates for one reason, in the order in which they were asked."""

    reason: str
    gates: list[GateDocument]


class NodeExplanationDocument(Document, frozen=True, kw_only=True):
    """Why a node stays or goes."""

    api_version: ApiVersion
    kind: Literal["NodeExplanation"]
    now: Instant
    node: str
    goes: Annotated[bool, Meta(description="Whether the plan removes it.")]
    reason: Annotated[str, Meta(description="Of its removal, or empty.")]
    reasons: list[NodeReasonDocument]


def rule_count_document(line: model.RuleCount) -> RuleCountDocument:
    """Returns the document of one line of a funnel."""
    return RuleCountDocument(
        rule=rule_document(line.rule), kept=line.kept, cut=line.cut, errors=line.errors,
        only=line.only,
    )  # fmt: skip


def funnel_document(story: PoolStory) -> FunnelDocument:
    """Returns the document of how one pool was narrowed."""
    screened = story.screened
    return FunnelDocument(
        pool=story.pool, allowed=story.refusal is None,
        steps=[StepCountDocument(step=step, kept=kept) for step, kept in story.steps],
        rules=[rule_count_document(line) for line in screened.funnel] if screened else [],
        notes=list(screened.notes) if screened else [],
    )  # fmt: skip


def pod_explanation(answer: PodAnswer, *, now: str) -> PodExplanationDocument:
    """Returns the document of what is said about a pod."""
    return PodExplanationDocument(
        api_version=API_VERSION, kind="PodExplanation", now=now, pod=pod_name(answer.pod),
        outcome=answer.outcome, node=answer.node,
        launch=node_document(answer.launch) if answer.launch else None,
        equals=pod_names(answer.equals),
        funnels=[funnel_document(story) for story in answer.stories],
        reasons=reason_documents(answer.refusals),
    )  # fmt: skip


def offering_explanation(
    answers: Iterable[OfferingAnswer], *, now: str, pod: str
) -> OfferingExplanationDocument:
    """Returns the document of what each pool says of an offering."""
    listed = list(answers)
    row = listed[0].row
    return OfferingExplanationDocument(
        api_version=API_VERSION, kind="OfferingExplanation", now=now, offering=row.name,
        price_per_hour=money(row.offering.price_micros_per_hour),
        available=row.offering.available, pod=pod,
        pools=[
            PoolVerdictDocument(
                pool=answer.pool, allowed=answer.allowed, reason=answer.reason,
                rules=[verdict_document(trace) for trace in answer.rules],
            )
            for answer in listed
        ],
    )  # fmt: skip


def verdict_document(trace: RuleTrace) -> VerdictDocument:
    """Returns the document of what one rule says."""
    return VerdictDocument(
        rule=rule_document(trace.rule), section=trace.section, outcome=trace.outcome,
        message=trace.message, trace=step_document(trace.trace),
    )  # fmt: skip


def step_document(step: TraceNode) -> StepDocument:
    """Returns the document of a sub-expression."""
    return StepDocument(
        expression=step.text, value=shown_value(step.value),
        parts=[step_document(part) for part in step.parts],
    )  # fmt: skip


def shown_value(value: object) -> str:
    """Returns a value of the policy language as text; of large ones only their size."""
    if isinstance(value, EvalError):
        return f"error: {value}"
    if isinstance(value, Mapping | list | tuple) and len(value) > _SHOWN_ENTRIES:
        return f"{len(value)} entries"
    return str(value).lower() if isinstance(value, bool) else str(value)


def node_explanation(plan: model.Plan, node: str, *, now: str) -> NodeExplanationDocument:
    """Returns the document of why a node stays or goes."""
    going = next((c for c in plan.disruptions if node in c.nodes), None)
    return NodeExplanationDocument(
        api_version=API_VERSION, kind="NodeExplanation", now=now, node=node,
        goes=going is not None, reason=going.reason if going else "",
        reasons=[
            NodeReasonDocument(
                reason=trace.reason,
                gates=[
                    GateDocument(
                        name=gate.name, passed=gate.passed, message=gate.message,
                        rule=rule_document(gate.rule),
                    )
                    for gate in trace.gates
                ],
            )
            for trace in plan.trace.nodes
            if trace.node == node
        ],
    )  # fmt: skip
