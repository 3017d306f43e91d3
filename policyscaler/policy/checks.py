"""What can be wrong with a set of policies although each expression is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from policyscaler.manifests.findings import ERROR, WARNING, Finding, did_you_mean
from policyscaler.model.meta import SourcePosition
from policyscaler.model.policies import Expression, ScalingPolicy
from policyscaler.policy.compiled import CompiledPolicy
from policyscaler.policy.expression import Program
from policyscaler.policy.verdicts import REASONS

_OWN_LABELS = "shape.labels"


def check_names(
    policies: Sequence[ScalingPolicy], overrides: Mapping[str, object]
) -> Iterator[Finding]:
    """Yields what is wrong with names: of policies, rules, reasons and parameters."""
    names = Counter(policy.meta.name for policy in policies)
    for name in sorted(name for name, count in names.items() if count > 1):
        same = [policy for policy in policies if policy.meta.name == name]
        places = " and ".join(str(p.source) for p in same if p.source)
        where = f": {places}" if places else ""
        text = f"{names[name]} policies are called {name}{where}"
        yield _finding(ERROR, "PS148", text, policy=same[-1], at=same[-1].source)
    for policy in policies:
        yield from _duplicate_rules(policy)
        yield from _unknown_reasons(policy)
    declared = sorted({param.name for policy in policies for param in policy.params})
    for name in sorted(set(overrides) - set(declared)):
        hint = did_you_mean(name, declared) or f"there are: {', '.join(declared) or 'none'}"
        text = f'no policy has a parameter "{name}"'
        yield Finding(severity=ERROR, code="PS149", message=text, suggestion=hint)


def check_set(policies: Sequence[CompiledPolicy]) -> Iterator[Finding]:
    """Yields conflicts between policies, and rules that do not do what they seem to."""
    yield from _score_ties(policies)
    yield from _useless_eligible(policies)
    for compiled in policies:
        yield from _own_labels(compiled)
        if compiled.match_pods is not None and _removes(compiled.policy):
            text = "match.pods is about pods that wait; disruption rules are asked of every node"
            yield _finding(
                WARNING, "PS214", text, policy=compiled.policy, at=compiled.policy.match_pods
            )


def _rules(policy: ScalingPolicy) -> Iterator[tuple[str, str, SourcePosition | None]]:
    """Yields section, name and place of every rule."""
    sections: Mapping[str, Iterable[object]] = {
        "offerings.require": policy.require, "offerings.prefer": policy.prefer,
        "limits": policy.limits, "disruption.eligible": policy.eligible,
        "disruption.deny": policy.deny, "disruption.replace": policy.replace,
    }  # fmt: skip
    for section, rules in sections.items():
        for rule in rules:
            yield section, str(getattr(rule, "name", "")), getattr(rule, "source", None)


def _duplicate_rules(policy: ScalingPolicy) -> Iterator[Finding]:
    seen: set[tuple[str, str]] = set()
    for section, name, source in _rules(policy):
        if (section, name) in seen:
            text = f"{section} has two rules called {name}"
            hint = "rules of a section are told apart by their names"
            yield _finding(ERROR, "PS147", text, policy=policy, at=source, hint=hint)
        seen.add((section, name))


def _unknown_reasons(policy: ScalingPolicy) -> Iterator[Finding]:
    for rule in policy.eligible:
        if rule.reason not in REASONS:
            hint = did_you_mean(rule.reason, REASONS) or f"one of {', '.join(REASONS)}"
            text = f'rule {rule.name} has the reason "{rule.reason}"'
            yield _finding(ERROR, "PS151", text, policy=policy, at=rule.source, hint=hint)


def _score_ties(policies: Sequence[CompiledPolicy]) -> Iterator[Finding]:
    scoring = [p for p in policies if p.score is not None and not p.audit]
    top = max((p.policy.priority for p in scoring), default=0)
    tied = [p for p in scoring if p.policy.priority == top]
    # Policies that say whom they are about may never meet; offering by offering it is not decidable.
    unbounded = [p for p in tied if p.match_pods is None and p.match_pools is None]
    if len(tied) > 1 and unbounded:
        names = ", ".join(sorted(p.name for p in tied))
        text = f"{names} all have a score of priority {top}, and only one can rank"
        last = tied[-1].policy
        yield _finding(
            ERROR, "PS210", text, policy=last, at=last.score, hint="give one a higher priority"
        )


def _useless_eligible(policies: Sequence[CompiledPolicy]) -> Iterator[Finding]:
    """Where another policy allows the same in any case, or in the same words."""
    in_force = [p for p in policies if not p.audit]
    for compiled in in_force:
        for reason in sorted({rule.reason for rule in compiled.eligible}):
            mine = _conditions(compiled, reason)
            for other in in_force:
                theirs = _conditions(other, reason)
                wider = theirs < mine or (theirs == mine and other.name < compiled.name)
                if other is not compiled and theirs and wider and not _bounded(other):
                    rule = next(r for r in compiled.policy.eligible if r.reason == reason)
                    text = f"eligible for {reason} adds nothing: {other.name} allows it already"
                    hint = "eligible rules of several policies are alternatives; you meant deny"
                    yield _finding(
                        WARNING, "PS212", text, policy=compiled.policy, at=rule.expr, hint=hint
                    )
                    break


def _bounded(compiled: CompiledPolicy) -> bool:
    return compiled.match_pools is not None


def _conditions(compiled: CompiledPolicy, reason: str) -> frozenset[str]:
    """The conditions for a reason; those of a policy add up, so fewer allow more."""
    return frozenset(
        " ".join(rule.program.text.split()) for rule in compiled.eligible if rule.reason == reason
    )


def _own_labels(compiled: CompiledPolicy) -> Iterator[Finding]:
    policy = compiled.policy
    for path, program, expression in _guards(compiled):
        if program is not None and _OWN_LABELS in program.reads:
            text = f"{path} depends on a pod's own label, which whoever makes the pod can choose"
            hint = "use team or shape.namespace, which come from the namespace"
            yield _finding(WARNING, "PS213", text, policy=policy, at=expression, hint=hint)


def _guards(compiled: CompiledPolicy) -> Iterator[tuple[str, Program | None, Expression | None]]:
    """Yields the expressions that people rely on to keep others out."""
    policy = compiled.policy
    yield "match.pods", compiled.match_pods, policy.match_pods
    written = {rule.name: rule.expr for rule in policy.require}
    for rule in compiled.require:
        yield f"require {rule.ref.rule}", rule.program, written[rule.ref.rule]
    limits = {rule.name: rule for rule in policy.limits}
    for limit in compiled.limits:
        source = limits[limit.ref.rule]
        yield f"limit {limit.ref.rule}", limit.by, source.by
        yield f"limit {limit.ref.rule}", limit.when, source.when
        yield f"limit {limit.ref.rule}", limit.maximum, source.max


def _removes(policy: ScalingPolicy) -> bool:
    return bool(policy.eligible or policy.deny or policy.replace or policy.cost)


def _finding(
    severity: str,
    code: str,
    message: str,
    *,
    policy: ScalingPolicy,
    at: Expression | SourcePosition | None = None,
    hint: str = "",
) -> Finding:
    place = at.position(0) if isinstance(at, Expression) else at
    return Finding(
        severity=severity, code=code, message=message, position=place or policy.source,
        subject=f"ScalingPolicy/{policy.meta.name}", suggestion=hint,
    )  # fmt: skip
