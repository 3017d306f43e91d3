"""Policies with their expressions compiled: what the questions in `evaluation` are answered from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from policyscaler.manifests.findings import Finding
from policyscaler.model.plan import RuleRef
from policyscaler.model.policies import (
    AUDIT,
    Expression,
    LimitRule,
    Preference,
    Rule,
    ScalingPolicy,
)
from policyscaler.policy.compiler import is_compiled, pool_of
from policyscaler.policy.expression import Program
from policyscaler.policy.programs import PolicyExpressions

IGNORE = "ignore"
DENY = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledRule:
    """One rule.

    Attributes:
        message: what people are told when it forbids, or empty.
        on_error: ignore, deny or empty, as written.
        reason: of an `eligible` rule.
        amount: of a preference: the program of the bonus or malus.
        sign: of a preference: -1 for a bonus, 1 for a malus.
    """

    ref: RuleRef
    program: Program
    message: str = ""
    final: bool = False
    on_error: str = ""
    reason: str = ""
    amount: Program | None = None
    sign: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledLimit:
    """One limit; `when` None is always."""

    ref: RuleRef
    by: Program
    amount: Program
    maximum: Program
    when: Program | None = None
    on_error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledPolicy:
    """One policy.

    Attributes:
        audit: computed and reported, no effect.
        generated: made from a NodePool: its limits are kept by the solver, which counts nodes.
        params: their values.
        pool: the one pool that a generated policy is about, which saves asking its `match`.
    """

    name: str
    policy: ScalingPolicy
    audit: bool
    generated: bool
    params: Mapping[str, object]
    pool: str = ""
    match_pods: Program | None = None
    match_pools: Program | None = None
    require: tuple[CompiledRule, ...] = ()
    prefer: tuple[CompiledRule, ...] = ()
    score: CompiledRule | None = None
    limits: tuple[CompiledLimit, ...] = ()
    eligible: tuple[CompiledRule, ...] = ()
    deny: tuple[CompiledRule, ...] = ()
    cost: CompiledRule | None = None
    replace: tuple[CompiledRule, ...] = ()

    @property
    def choosing(self) -> tuple[Program, ...]:
        """The programs that say which offerings there are and how they rank."""
        rules = (*self.require, *self.prefer, *((self.score,) if self.score else ()))
        amounts = tuple(rule.amount for rule in rules if rule.amount is not None)
        return (*(rule.program for rule in rules), *amounts)

    @property
    def limiting(self) -> tuple[Program, ...]:
        """The programs of limits that planning keeps."""
        limits = () if self.generated else self.limits
        return tuple(
            program
            for limit in limits
            for program in (limit.by, limit.amount, limit.maximum, limit.when)
            if program is not None
        )


def compile_policy(
    policy: ScalingPolicy, overrides: Mapping[str, object], sink: list[Finding]
) -> CompiledPolicy:
    """Returns a policy with its programs; rules that do not compile are left out and reported.

    Args:
        policy: the policy.
        overrides: values of parameters by name.
        sink: what findings are added to; an error there means that the result must not be used.
    """
    work = _Work(PolicyExpressions(policy, overrides, sink))
    compiled = CompiledPolicy(
        name=policy.meta.name,
        policy=policy,
        audit=policy.mode == AUDIT,
        generated=is_compiled(policy),
        params=work.expressions.params,
        pool=pool_of(policy),
        match_pods=work.program(policy.match_pods, "match.pods"),
        match_pools=work.program(policy.match_pools, "match.pools"),
        require=work.rules(policy.require, "offerings.require"),
        prefer=tuple(work.preferences(policy.prefer)),
        score=work.single(policy.score, "offerings.score", name="score"),
        limits=tuple(work.limits(policy.limits)),
        eligible=work.rules(policy.eligible, "disruption.eligible"),
        deny=work.rules(policy.deny, "disruption.deny"),
        cost=work.single(policy.cost, "disruption.cost", name="cost"),
        replace=work.rules(policy.replace, "disruption.replace"),
    )
    work.expressions.check_unused()
    return compiled


@dataclass(frozen=True, slots=True)
class _Work:
    expressions: PolicyExpressions

    def program(self, expression: Expression | None, site: str, path: str = "") -> Program | None:
        if expression is None:
            return None
        return self.expressions.compile(expression, site, path=path or f"spec.{site}")

    def ref(self, rule: Rule | Preference | LimitRule) -> RuleRef:
        return RuleRef(policy=self.expressions.policy.meta.name, rule=rule.name, source=rule.source)

    def rules(self, rules: tuple[Rule, ...], site: str) -> tuple[CompiledRule, ...]:
        compiled = []
        for index, rule in enumerate(rules):
            program = self.program(rule.expr, site, f"spec.{site}[{index}]")
            if program is not None:
                compiled.append(
                    CompiledRule(
                        ref=self.ref(rule), program=program, message=rule.message,
                        final=rule.final, on_error=rule.on_error, reason=rule.reason,
                    )
                )  # fmt: skip
        return tuple(compiled)

    def preferences(self, rules: tuple[Preference, ...]) -> Iterable[CompiledRule]:
        for index, rule in enumerate(rules):
            path = f"spec.offerings.prefer[{index}]"
            program = self.program(rule.expr, "offerings.prefer", path)
            part = "malus" if rule.bonus is None else "bonus"
            written = rule.malus if rule.bonus is None else rule.bonus
            amount = self.program(written, f"offerings.prefer.{part}", f"{path}.{part}")
            if program is not None and amount is not None:
                yield CompiledRule(
                    ref=self.ref(rule), program=program, amount=amount,
                    sign=1 if rule.bonus is None else -1,
                )  # fmt: skip

    def single(self, expression: Expression | None, site: str, *, name: str) -> CompiledRule | None:
        program = self.program(expression, site)
        if program is None or expression is None:
            return None
        policy = self.expressions.policy.meta.name
        ref = RuleRef(policy=policy, rule=name, source=expression.source)
        return CompiledRule(ref=ref, program=program)

    def limits(self, rules: tuple[LimitRule, ...]) -> Iterable[CompiledLimit]:
        for index, rule in enumerate(rules):
            path = f"spec.limits[{index}]"
            when = self.program(rule.when, "limits.when", f"{path}.when")
            by = self.program(rule.by, "limits.by", f"{path}.by")
            amount = self.program(rule.amount, "limits.amount", f"{path}.amount")
            maximum = self.program(rule.max, "limits.max", f"{path}.max")
            if by is not None and amount is not None and maximum is not None:
                yield CompiledLimit(
                    ref=self.ref(rule), by=by, amount=amount, maximum=maximum, when=when,
                    on_error=rule.on_error,
                )  # fmt: skip
