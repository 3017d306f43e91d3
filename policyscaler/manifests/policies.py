"""ScalingPolicies: sections and names checked here, expressions kept as text with positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from policyscaler.manifests import policy_wire as wire
from policyscaler.manifests.findings import Code, Path
from policyscaler.manifests.kinds import Kind, define_kind
from policyscaler.manifests.reporting import Reporter
from policyscaler.model.durations import parse_duration
from policyscaler.model.errors import DurationError
from policyscaler.model.meta import ObjectMeta
from policyscaler.model.policies import (
    COMPILED_FROM,
    Expression,
    LimitRule,
    Param,
    Preference,
    Rule,
    ScalingPolicy,
)

API_VERSION: Final = "policyscaler.dev/v1alpha1"
_Written = str | int | float | bool
_PARAM_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "bool": (bool,),
    "int": (int,),
    "double": (int, float),
    "string": (str,),
    "duration": (str,),
}


class _Named(Protocol):
    @property
    def name(self) -> str: ...


def _policy(policy: wire.PolicyWire, reporter: Reporter) -> ScalingPolicy:
    spec = policy.spec
    meta = policy.metadata.decode(namespaced=False)
    _check_later_sections(spec, meta, reporter=reporter)
    decoder = _Decoder(reporter)
    at: Path = ("spec", "offerings")
    score = spec.offerings.score
    leave: Path = ("spec", "disruption")
    return ScalingPolicy(
        meta=meta,
        priority=spec.priority,
        mode=spec.mode,
        match_pods=decoder.optional(spec.match.pods, at=("spec", "match", "pods")),
        match_pools=decoder.optional(spec.match.pools, at=("spec", "match", "pools")),
        params=tuple(decoder.param(name, param) for name, param in spec.params.items()),
        variables=tuple(
            (name, decoder.expression(text, at=("spec", "variables", name)))
            for name, text in spec.variables.items()
        ),
        require=decoder.require(spec.offerings.require, at=(*at, "require")),
        prefer=decoder.prefer(spec.offerings.prefer, at=(*at, "prefer")),
        score=decoder.optional(score.base if score else None, at=(*at, "score", "base")),
        limits=decoder.limits(spec.limits, at=("spec", "limits")),
        eligible=decoder.eligible(spec.disruption.eligible, at=(*leave, "eligible")),
        deny=decoder.deny(spec.disruption.deny, at=(*leave, "deny")),
        cost=decoder.optional(spec.disruption.cost, at=(*leave, "cost")),
        replace=decoder.replace(spec.disruption.replace, at=(*leave, "replace")),
        launch=spec.launch,
        budgets=spec.disruption.budgets,
        source=reporter.position(),
    )


def _check_later_sections(
    spec: wire.PolicySpecWire, meta: ObjectMeta, *, reporter: Reporter
) -> None:
    """Reports sections that are not decided upon yet; compiled NodePools carry two as data."""
    compiled = COMPILED_FROM in meta.annotations
    sections: tuple[tuple[object, Path], ...] = (
        (spec.headroom is not None, ("spec", "headroom")),
        (not compiled and spec.disruption.budgets, ("spec", "disruption", "budgets")),
        (not compiled and spec.launch, ("spec", "launch")),
    )
    for written, at in sections:
        if written:
            message = f"{at[-1]} comes in a later version; leave it out"
            reporter.error(Code.NOT_YET, message, at=at, key=True)


class _Decoder:
    """Turns the sections of one policy into rules."""

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter

    def expression(self, written: _Written, *, at: Path) -> Expression:
        text = str(written).lower() if isinstance(written, bool) else str(written)
        if not text.strip():
            message = "the expression is empty; write true or false, or leave the field out"
            self._reporter.error(Code.MISSING_FIELD, message, at=at)
        return self._reporter.expression(text, at=at)

    def optional(self, written: _Written | None, *, at: Path) -> Expression | None:
        return None if written is None else self.expression(written, at=at)

    def require(self, rules: Sequence[wire.RequireWire], *, at: Path) -> tuple[Rule, ...]:
        self._check_names(rules, at=at)
        return tuple(
            Rule(
                name=rule.name, expr=self.expression(rule.expr, at=(*at, index, "expr")),
                message=rule.message, final=rule.final, on_error=rule.on_error or "",
                source=self._reporter.position((*at, index)),
            )
            for index, rule in enumerate(rules)
        )  # fmt: skip

    def prefer(self, rules: Sequence[wire.PreferWire], *, at: Path) -> tuple[Preference, ...]:
        self._check_names(rules, at=at)
        made = []
        for index, rule in enumerate(rules):
            here = (*at, index)
            if (rule.bonus is None) == (rule.malus is None):
                message = "exactly one of bonus and malus is needed"
                self._reporter.error(Code.BROKEN_RULE, message, at=here)
            made.append(
                Preference(
                    name=rule.name, expr=self.expression(rule.expr, at=(*here, "expr")),
                    bonus=self.optional(rule.bonus, at=(*here, "bonus")),
                    malus=self.optional(rule.malus, at=(*here, "malus")),
                    source=self._reporter.position(here),
                )
            )  # fmt: skip
        return tuple(made)

    def limits(self, rules: Sequence[wire.LimitWire], *, at: Path) -> tuple[LimitRule, ...]:
        self._check_names(rules, at=at)
        return tuple(
            LimitRule(
                name=rule.name,
                by=self.expression(rule.by, at=(*at, index, "by")),
                amount=self.expression(rule.amount, at=(*at, index, "amount")),
                max=self.expression(rule.max, at=(*at, index, "max")),
                when=self.optional(rule.when, at=(*at, index, "when")),
                on_error=rule.on_error or "",
                source=self._reporter.position((*at, index)),
            )
            for index, rule in enumerate(rules)
        )

    def eligible(self, rules: Sequence[wire.EligibleWire], *, at: Path) -> tuple[Rule, ...]:
        self._check_names(rules, at=at)
        return tuple(
            Rule(
                name=rule.name, expr=self.expression(rule.when, at=(*at, index, "when")),
                reason=rule.reason, source=self._reporter.position((*at, index)),
            )
            for index, rule in enumerate(rules)
        )  # fmt: skip

    def deny(self, rules: Sequence[wire.DenyWire], *, at: Path) -> tuple[Rule, ...]:
        self._check_names(rules, at=at)
        return tuple(
            Rule(
                name=rule.name, expr=self.expression(rule.when, at=(*at, index, "when")),
                message=rule.message, final=rule.final,
                source=self._reporter.position((*at, index)),
            )
            for index, rule in enumerate(rules)
        )  # fmt: skip

    def replace(self, rules: Sequence[wire.ReplaceWire], *, at: Path) -> tuple[Rule, ...]:
        self._check_names(rules, at=at)
        return tuple(
            Rule(
                name=rule.name, expr=self.expression(rule.expr, at=(*at, index, "expr")),
                message=rule.message, source=self._reporter.position((*at, index)),
            )
            for index, rule in enumerate(rules)
        )  # fmt: skip

    def param(self, name: str, param: wire.ParamWire) -> Param:
        at: Path = ("spec", "params", name)
        bounds: tuple[tuple[str, _Written | None], ...] = (
            ("default", param.default), ("min", param.min), ("max", param.max),
        )  # fmt: skip
        for field, value in bounds:
            if value is not None:
                self._check_param(param.type, value, at=(*at, field))
        return Param(
            name=name, type=param.type, default=param.default, min=param.min, max=param.max,
            source=self._reporter.position(at),
        )  # fmt: skip

    def _check_param(self, type_name: str, value: _Written, *, at: Path) -> None:
        is_bool = isinstance(value, bool)
        if not isinstance(value, _PARAM_TYPES[type_name]) or is_bool != (type_name == "bool"):
            message = f'"{value}" is not of type {type_name}'
            self._reporter.error(Code.WRONG_TYPE, message, at=at)
        elif type_name == "duration":
            try:
                parse_duration(str(value))
            except DurationError as error:
                self._reporter.error(Code.BAD_DURATION, str(error), at=at)

    def _check_names(self, rules: Sequence[_Named], *, at: Path) -> None:
        seen: set[str] = set()
        for index, rule in enumerate(rules):
            if rule.name in seen:
                message = f'the name "{rule.name}" is there twice'
                self._reporter.error(Code.DUPLICATE_OBJECT, message, at=(*at, index, "name"))
            seen.add(rule.name)


KINDS: tuple[Kind, ...] = (
    define_kind(API_VERSION, "ScalingPolicy", wire=wire.PolicyWire, decode=_policy),
)
