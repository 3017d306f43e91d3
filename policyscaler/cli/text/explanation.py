"""Why: funnels, rules and gates for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from policyscaler.cli.documents.explanation import shown_value
from policyscaler.cli.text.plan import Pods, node_lines, offering_text, refusal_lines
from policyscaler.cli.text.pods import group_pods
from policyscaler.cli.text.tables import count, table
from policyscaler.model.money import format_price
from policyscaler.model.plan import NodeTrace, Plan, RuleCount
from policyscaler.planning.explanation import (
    BOUND,
    EXISTING,
    IGNORED,
    LAUNCH,
    OfferingAnswer,
    PodAnswer,
    PoolStory,
)
from policyscaler.policy.explaining import CUT, KEPT, RuleTrace
from policyscaler.policy.trace import TraceNode

_INDENT: Final = "  "


def pod_lines(answer: PodAnswer, *, pods: Pods) -> list[str]:
    """Returns where a pod goes and how the offerings of each pool were narrowed."""
    lines = [f"POD {answer.pod[0]}/{answer.pod[1]}: {_outcome(answer)}"]
    if answer.launch is not None:
        lines += node_lines(answer.launch, pods=pods)
    others = len(answer.equals) - 1
    if others > 0 and answer.launch is None:
        lines.append(
            f"{_INDENT}the same holds for {count(others, 'more pod')} like it: "
            f"{', '.join(group_pods(answer.equals, pods))}"
        )
    if answer.refusals:
        lines += ["", "WHY NOT", *refusal_lines(answer.refusals, indent=_INDENT)]
    for story in answer.stories:
        lines += ["", *story_lines(story)]
    return lines


def story_lines(story: PoolStory) -> list[str]:
    """Returns the funnel of one pool: steps, then rules."""
    verdict = "could launch a node for it" if story.refusal is None else "cannot"
    lines = [f"POOL {story.pool} {verdict}"]
    rows: list[tuple[str, ...]] = [(f"{kept:,}", "", "", "", step) for step, kept in story.steps]
    funnel = story.screened.funnel if story.screened else ()
    rows += [_rule_row(line) for line in funnel]
    lines += table(("LEFT", "CUT", "FAILED", "ONLY", "BY"), rows, indent=_INDENT)
    if story.screened and not funnel:
        lines.append(f"{_INDENT}no policy has a rule about offerings")
    lines += [f"{_INDENT}{note}" for note in (story.screened.notes if story.screened else ())]
    if story.refusal is not None:
        lines += refusal_lines((story.refusal,), indent=_INDENT)
    return lines


def offering_lines(answers: Sequence[OfferingAnswer], *, pod: str) -> list[str]:
    """Returns what each pool says of an offering, rule by rule with the values that led there."""
    row = answers[0].row
    price = format_price(row.offering.price_micros_per_hour)
    state = "available" if row.offering.available else "not available now"
    lines = [f"OFFERING {row.name}: ${price}/h, {state}, for pod {pod}"]
    for answer in answers:
        verdict = "may be launched" if answer.allowed else f"may not be launched: {answer.reason}"
        lines += ["", f"POOL {answer.pool}: {verdict}"]
        for trace in answer.rules:
            lines += _trace_lines(trace)
    return lines


def gate_lines(plan: Plan, node: str) -> list[str]:
    """Returns why a node stays or goes: for each reason the gates in their order."""
    going = next((command for command in plan.disruptions if node in command.nodes), None)
    outcome = f"goes, {going.reason}" if going else "stays"
    lines = [f"NODE {node}: {outcome}"]
    if going is not None:
        lines += [
            f"{_INDENT}first launches {offering_text(replacement.chosen)}"
            for replacement in going.replacements
        ]
    traces = [trace for trace in plan.trace.nodes if trace.node == node]
    for trace in traces:
        lines += ["", *_gates(trace)]
    if not traces:
        lines.append(f"{_INDENT}it belongs to no NodePool, so nothing is decided about it")
    return lines


def _outcome(answer: PodAnswer) -> str:
    if answer.outcome == BOUND:
        return f"is bound to node {answer.node}"
    if answer.outcome == EXISTING:
        return f"fits on node {answer.node}"
    if answer.outcome == LAUNCH and answer.launch is not None:
        return (
            f"gets a new node: {offering_text(answer.launch.chosen)} in pool {answer.launch.pool}"
        )
    if answer.outcome == IGNORED:
        return "is not planned for: it is done, gated, or wants no node of a NodePool"
    return "cannot be scheduled"


def _rule_row(line: RuleCount) -> tuple[str, ...]:
    return (f"{line.kept:,}", f"{line.cut:,}", f"{line.errors:,}", f"{line.only:,}", str(line.rule))


def _trace_lines(trace: RuleTrace) -> list[str]:
    """One rule; the values behind it only where it cut, failed or changed the price."""
    message = f": {trace.message}" if trace.message and trace.outcome.endswith(CUT) else ""
    lines = [f"{_INDENT}{trace.section} {trace.outcome}  {trace.rule}{message}"]
    return lines if trace.outcome.endswith(KEPT) else [*lines, *_values(trace.trace, depth=3)]


def _values(step: TraceNode, *, depth: int) -> list[str]:
    lines = [f"{_INDENT * depth}{step.text}  =>  {shown_value(step.value)}"]
    for part in step.parts:
        lines += _values(part, depth=depth + 1)
    return lines


def _gates(trace: NodeTrace) -> list[str]:
    lines = [f"{_INDENT}as {trace.reason}:" if trace.reason else f"{_INDENT}gates:"]
    for gate in trace.gates:
        mark = "passed" if gate.passed else "BLOCKED"
        rule = f"  [{gate.rule}]" if gate.rule else ""
        lines.append(f"{_INDENT * 2}{mark}  {gate.name}: {gate.message}{rule}")
    return lines
