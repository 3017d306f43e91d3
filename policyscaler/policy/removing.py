"""Whether a node may go, what that costs, and whether what would replace it is worth it.

Deny adds up over all policies and any one is enough; eligible is an alternative between policies
and adds up inside one. An error denies, allows nothing, and makes the cost infinite.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from policyscaler.model.plan import RuleRef
from policyscaler.policy.compiled import IGNORE, CompiledRule
from policyscaler.policy.faults import EvalError
from policyscaler.policy.matching import Applied
from policyscaler.policy.verdicts import REASONS, DisruptionVerdict, RuleVerdict, shorten

_DISRUPTION = "disruption"


def judge_node(policies: Sequence[Applied]) -> DisruptionVerdict:
    """Returns the verdict of all policies that apply on the node in their bindings."""
    errors: list[RuleVerdict] = []
    in_force = [item for item in policies if not item.policy.audit]
    certain = [item for item in in_force if not item.doubt]
    cost = sum(_cost(item, errors) for item in certain)
    allowed = _allowed(certain, errors)
    denied = tuple(_denied(in_force, cost, errors))
    eligible = {
        reason: rules
        for reason, rules in allowed.items()
        if not any(reason in verdict.reasons for verdict in denied)
    }
    return DisruptionVerdict(
        denied=denied, eligible=eligible, allowed=allowed, cost=cost, errors=tuple(errors),
        notes=(*_doubts(policies), *_audit_notes(policies, cost)),
    )  # fmt: skip


def judge_replacement(policies: Sequence[Applied]) -> tuple[RuleVerdict, ...]:
    """Returns what every `replace` rule in force says; all must pass."""
    verdicts = []
    for item in policies:
        for rule in item.policy.replace if not item.policy.audit else ():
            value = rule.program.evaluate(item.bindings)
            if isinstance(value, EvalError) and rule.on_error == IGNORE:
                value = True
            message = rule.message or f"{rule.ref.rule} does not hold"
            verdicts.append(_verdict(rule, value, message="" if value is True else message))
    return tuple(verdicts)


def _allowed(
    policies: Iterable[Applied], errors: list[RuleVerdict]
) -> Mapping[str, tuple[RuleRef, ...]]:
    found: dict[str, list[RuleRef]] = {}
    for item in policies:
        for reason in REASONS:
            rules = [rule for rule in item.policy.eligible if rule.reason == reason]
            answers = [rule.program.evaluate(item.bindings) for rule in rules]
            for rule, answer in zip(rules, answers, strict=True):
                if isinstance(answer, EvalError):
                    errors.append(_verdict(rule, answer, message=rule.message))
            if rules and all(answer is True for answer in answers):
                found.setdefault(reason, []).extend(rule.ref for rule in rules)
    return {reason: tuple(found[reason]) for reason in REASONS if reason in found}


def _denied(
    policies: Iterable[Applied], cost: float, errors: list[RuleVerdict]
) -> Iterable[RuleVerdict]:
    for item in policies:
        for rule in item.policy.deny:
            reasons, failure = _denied_reasons(rule, item, cost)
            if failure is not None:
                errors.append(_verdict(rule, failure, message=rule.message))
            if reasons:
                message = rule.message or f"{rule.ref.rule} keeps it"
                text = str(failure) if failure is not None else ""
                yield RuleVerdict(
                    rule=rule.ref,
                    passed=False,
                    message=shorten(message),
                    reasons=reasons,
                    error=text,
                )


def _denied_reasons(
    rule: CompiledRule, item: Applied, cost: float
) -> tuple[tuple[str, ...], EvalError | None]:
    """Returns the reasons for which a rule keeps the node, asking once where they do not matter."""
    failure: EvalError | None = None
    kept = []
    by_reason = any(path.split(".")[0] == _DISRUPTION for path in rule.program.reads)
    for reason in REASONS if by_reason else REASONS[:1]:
        step = {"reason": reason, "cost": cost}
        value = rule.program.evaluate({**item.bindings, _DISRUPTION: step})
        if isinstance(value, EvalError):
            failure, value = value, rule.on_error != IGNORE
        if value is True:
            kept.append(reason)
    return (tuple(kept) if by_reason else REASONS if kept else ()), failure


def _cost(item: Applied, errors: list[RuleVerdict]) -> float:
    rule = item.policy.cost
    if rule is None:
        return 0.0
    value = rule.program.evaluate(item.bindings)
    if isinstance(value, float | int) and not math.isnan(value):
        return float(value)
    errors.append(_verdict(rule, value, message="the cost is not known"))
    return math.inf


def _verdict(rule: CompiledRule, value: object, *, message: str) -> RuleVerdict:
    error = str(value) if isinstance(value, EvalError) else ""
    return RuleVerdict(rule=rule.ref, passed=value is True, message=shorten(message), error=error)


def _doubts(policies: Iterable[Applied]) -> list[str]:
    return [
        f"{item.policy.name}: match failed, so it can keep nodes and remove none: {item.doubt}"
        for item in policies
        if item.doubt
    ]


def _audit_notes(policies: Iterable[Applied], cost: float) -> list[str]:
    audited = [item for item in policies if item.policy.audit]
    errors: list[RuleVerdict] = []
    notes = [
        f"audit: {verdict.rule} would keep it from {', '.join(verdict.reasons)}"
        for verdict in _denied(audited, cost, errors)
    ]
    for reason, rules in _allowed([i for i in audited if not i.doubt], errors).items():
        notes.append(f"audit: {', '.join(str(rule) for rule in rules)} would let it go as {reason}")
    return notes
