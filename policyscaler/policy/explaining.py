"""Why an offering is in or out, and why it ranks as it does: every rule with its values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from policyscaler.model.plan import RuleRef
from policyscaler.policy.compiled import CompiledPolicy, CompiledRule
from policyscaler.policy.expression import Program
from policyscaler.policy.faults import EvalError
from policyscaler.policy.matching import Applied
from policyscaler.policy.trace import TraceNode

KEPT, CUT, FAILED, NOTED = "kept", "cut", "failed", "audit"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTrace:
    """What one rule said of one offering.

    Attributes:
        section: require, prefer, prefer amount or score.
        outcome: `kept`, `cut` or `failed` for require, with `audit ` before it in audit mode; the
            value as text for the others.
        message: the rule's own.
        trace: every sub-expression with its value.
    """

    rule: RuleRef
    section: str
    outcome: str
    message: str
    trace: TraceNode


def explain_row(policies: Sequence[Applied], facts: Mapping[str, object]) -> tuple[RuleTrace, ...]:
    """Returns the traces of all rules in force on one offering, in the order they are asked.

    Args:
        policies: those whose match holds.
        facts: the offering.
    """
    return tuple(
        trace
        for item in policies
        for trace in _traces(item.policy, {**item.bindings, "offering": facts})
    )


def _traces(policy: CompiledPolicy, bindings: Mapping[str, object]) -> Iterator[RuleTrace]:
    lead = f"{NOTED} " if policy.audit else ""
    for rule in policy.require:
        yield _trace(rule, rule.program, bindings, section="require", lead=lead)
    for rule in policy.prefer:
        yield _trace(rule, rule.program, bindings, section="prefer", lead=lead)
        if rule.amount is not None:
            yield _trace(rule, rule.amount, bindings, section="prefer amount", lead=lead)
    if policy.score is not None:
        yield _trace(policy.score, policy.score.program, bindings, section="score", lead=lead)


def _trace(
    rule: CompiledRule,
    program: Program,
    bindings: Mapping[str, object],
    *,
    section: str,
    lead: str,
) -> RuleTrace:
    value = program.evaluate(bindings)
    if isinstance(value, EvalError):
        outcome = FAILED
    elif section == "require":
        outcome = KEPT if value is True else CUT
    else:
        outcome = str(value).lower() if isinstance(value, bool) else str(value)
    return RuleTrace(
        rule=rule.ref, section=section, outcome=f"{lead}{outcome}", message=rule.message,
        trace=program.explain(bindings),
    )  # fmt: skip
