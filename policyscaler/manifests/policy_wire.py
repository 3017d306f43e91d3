"""The fields of a ScalingPolicy: expressions are text here, meaning is given in `policy`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from policyscaler.manifests.wire import ObjectWire, Strict

Expr: TypeAlias = Annotated[
    str | int | float | bool,
    Meta(extra={"expects": "an expression"}, description="A CEL expression."),
]
"""An expression; a bare number or boolean is one too."""

Identifier: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
RuleName: TypeAlias = Annotated[
    str, Meta(min_length=1, max_length=63, description="Unique in its section.")
]
OnError: TypeAlias = Annotated[
    Literal["ignore", "deny"], Meta(description="What a failing expression counts as.")
]
DisruptionReason: TypeAlias = Literal["Empty", "Drifted", "Underutilized", "Expired"]


class MatchWire(Strict, frozen=True, kw_only=True):
    """Which pods and pools a policy speaks of."""

    pods: Expr | None = None
    pools: Expr | None = None


class ParamWire(Strict, frozen=True, kw_only=True):
    """A parameter that users set without touching expressions."""

    type: Literal["bool", "int", "double", "string", "duration"]
    default: bool | int | float | str
    min: int | float | str | None = None
    max: int | float | str | None = None


class RequireWire(Strict, frozen=True, kw_only=True):
    """An offering must satisfy it."""

    name: RuleName
    expr: Expr
    message: str = ""
    final: bool = False
    on_error: OnError | None = None


class PreferWire(Strict, frozen=True, kw_only=True):
    """An offering that satisfies it counts as cheaper (bonus) or dearer (malus)."""

    name: RuleName
    expr: Expr
    bonus: Expr | None = None
    malus: Expr | None = None


class ScoreWire(Strict, frozen=True, kw_only=True):
    """What offerings are compared by; lower is better."""

    base: Expr


class OfferingsWire(Strict, frozen=True, kw_only=True):
    """What may be launched, and what should be."""

    require: tuple[RequireWire, ...] = ()
    prefer: tuple[PreferWire, ...] = ()
    score: ScoreWire | None = None


class LimitWire(Strict, frozen=True, kw_only=True):
    """A cap on what all launches with an equal `by` add up to."""

    name: RuleName
    by: Expr
    amount: Expr
    max: Expr
    when: Expr | None = None
    on_error: OnError | None = None


class EligibleWire(Strict, frozen=True, kw_only=True):
    """A node that satisfies it may go, for this reason."""

    name: RuleName
    reason: DisruptionReason
    when: Expr


class DenyWire(Strict, frozen=True, kw_only=True):
    """A node that satisfies it stays."""

    name: RuleName
    when: Expr
    message: str = ""
    final: bool = False


class ReplaceWire(Strict, frozen=True, kw_only=True):
    """A replacement must satisfy it."""

    name: RuleName
    expr: Expr
    message: str = ""


class DisruptionWire(Strict, frozen=True, kw_only=True):
    """Which nodes may go, and which must stay."""

    eligible: tuple[EligibleWire, ...] = ()
    deny: tuple[DenyWire, ...] = ()
    cost: Expr | None = None
    replace: tuple[ReplaceWire, ...] = ()
    budgets: tuple[dict[str, object], ...] = ()


class PolicySpecWire(Strict, frozen=True, kw_only=True):
    """The spec of a ScalingPolicy; every section is optional."""

    priority: Annotated[int, Meta(description="The policy with the highest gives the score.")] = 0
    mode: Annotated[
        Literal["enforce", "audit", "off"], Meta(description="audit computes without effect.")
    ] = "enforce"
    match: MatchWire = MatchWire()
    params: dict[Identifier, ParamWire] = {}
    variables: dict[Identifier, Expr] = {}
    offerings: OfferingsWire = OfferingsWire()
    limits: tuple[LimitWire, ...] = ()
    disruption: DisruptionWire = DisruptionWire()
    headroom: object = None
    launch: dict[str, object] = {}


class PolicyWire(ObjectWire, frozen=True, kw_only=True):
    """A ScalingPolicy: which machines may be launched, limits, and which nodes may go."""

    spec: PolicySpecWire
    status: dict[str, object] = msgspec.field(default_factory=dict)
