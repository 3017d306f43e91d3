"""What policies are asked with, and what they answer.

*Suspended*: the rule failed on every offering that was left, so it is set aside for this class of
pods and this decision. *Audit*: the rule was computed and reported and changed nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from policyscaler.model.plan import RuleCount, RuleRef

REASONS = ("Empty", "Drifted", "Underutilized", "Expired")
"""What a node may be disrupted for, in the order in which Karpenter looks."""

MESSAGE_LENGTH = 300
"""The most characters of a sentence that ends up in an event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What expressions see beside their subject; the fields are those of the vocabulary.

    Attributes:
        cluster: see `cluster` in the vocabulary; so are `spend` and `team`.
        now: the instant of the decision, with a time zone.
    """

    cluster: Mapping[str, object]
    spend: Mapping[str, object]
    team: Mapping[str, object]
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferingVerdict:
    """Which offerings one class of pods may have in one pool, and how they rank.

    Attributes:
        rows: a mask over `rows_of(catalogue)`, never more than what was asked about.
        prices: micro-dollars per hour to rank by: score or price, less bonuses, plus maluses.
        funnel: one line per `require` rule in force, in the order in which they are asked.
        blocking: the rule to look at when nothing is left: the one whose removal would let most
            through, else the last that cut; None while something is left.
        message: for people, when nothing is left; otherwise empty.
        notes: errors, rules in audit mode and suspensions, one sentence each.
        suspended: rules that failed were set aside, or nothing would be left.
    """

    rows: NDArray[np.bool_]
    prices: NDArray[np.int64]
    funnel: tuple[RuleCount, ...] = ()
    blocking: RuleRef | None = None
    message: str = ""
    notes: tuple[str, ...] = ()
    suspended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitCharge:
    """One limit that a launch counts against.

    Attributes:
        key: `policy/rule/` and the value of `by`: launches with equal keys share the limit.
        amounts: what a launch on each row would take, in millionths.
        maximum: the most that all launches together may take, in millionths; 0 after an error.
        error: why there is no room, or empty.
    """

    key: str
    rule: RuleRef
    amounts: NDArray[np.int64]
    maximum: int
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleVerdict:
    """What one rule said.

    Attributes:
        passed: False where it forbids; `deny` rules forbid when they are true.
        message: for people, at most 300 characters.
        reasons: of a `deny` rule, the reasons for which it keeps the node.
        error: why it could not be computed, or empty.
    """

    rule: RuleRef
    passed: bool
    message: str
    reasons: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DisruptionVerdict:
    """Whether a node may go, and for what.

    Attributes:
        denied: the `deny` rules that keep it, each with the reasons it keeps it from.
        eligible: the reasons for which it may go, with the rules that allow it; reasons that a
            `deny` rule keeps it from are left out, so whatever is here may be acted on.
        allowed: the same before `deny` was asked, for explanations.
        cost: what disrupting it costs, in dollars; infinite after an error.
        errors: rules that could not be computed, whatever their section.
    """

    denied: tuple[RuleVerdict, ...] = ()
    eligible: Mapping[str, tuple[RuleRef, ...]] = field(default_factory=dict)
    allowed: Mapping[str, tuple[RuleRef, ...]] = field(default_factory=dict)
    cost: float = 0.0
    errors: tuple[RuleVerdict, ...] = ()
    notes: tuple[str, ...] = ()


def shorten(text: str) -> str:
    """Returns a sentence cut to what an event may hold."""
    return text if len(text) <= MESSAGE_LENGTH else f"{text[: MESSAGE_LENGTH - 1]}…"
