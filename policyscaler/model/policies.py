"""Policies as written: expressions are text with positions; meaning is given in `policy`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from policyscaler.model.meta import ObjectMeta, SourcePosition, Value

ENFORCE: Final = "enforce"
AUDIT: Final = "audit"
OFF: Final = "off"
COMPILED_FROM: Final = "policyscaler.dev/compiled-from"


class Expression(Value, frozen=True, kw_only=True):
    """The text of a CEL expression and where it stands.

    Attributes:
        text: the expression.
        source: where its first character stands, None when it was not read from a file.
        lines: (offset in text, line, column) of the start of each further line of the file that
            the text was written on, for literals of several lines.
    """

    text: str
    source: SourcePosition | None = None
    lines: tuple[tuple[int, int, int], ...] = ()

    def position(self, offset: int) -> SourcePosition | None:
        """Returns where the character at an offset of the text stands in the file."""
        if self.source is None:
            return None
        start, line, column = 0, self.source.line, self.source.column
        for begin, at_line, at_column in self.lines:
            if begin > offset:
                break
            start, line, column = begin, at_line, at_column
        return SourcePosition(file=self.source.file, line=line, column=column + offset - start)


class Rule(Value, frozen=True, kw_only=True):
    """A named expression: one of `require`, `eligible`, `deny` or `replace`.

    Attributes:
        message: what people are told when it refuses.
        final: no exception and no suspension may loosen it.
        on_error: `ignore` or `deny`, or empty for the default of its section.
        reason: for `eligible`: Empty, Drifted, Underutilized or Expired.
    """

    name: str
    expr: Expression
    message: str = ""
    final: bool = False
    on_error: str = ""
    reason: str = ""
    source: SourcePosition | None = None


class Preference(Value, frozen=True, kw_only=True):
    """What makes an offering better (`bonus`) or worse (`malus`), in $/h per node; one is set."""

    name: str
    expr: Expression
    bonus: Expression | None = None
    malus: Expression | None = None
    source: SourcePosition | None = None


class LimitRule(Value, frozen=True, kw_only=True):
    """A cap: the amounts of all launches with equal `by` stay at or under `max`."""

    name: str
    by: Expression
    amount: Expression
    max: Expression
    when: Expression | None = None
    on_error: str = ""
    source: SourcePosition | None = None


class Param(Value, frozen=True, kw_only=True):
    """A parameter: `type` is bool, int, double, string or duration."""

    name: str
    type: str
    default: bool | int | float | str
    min: int | float | str | None = None
    max: int | float | str | None = None
    source: SourcePosition | None = None


class ScalingPolicy(Value, frozen=True, kw_only=True):
    """A policy document. Every section may be empty; small policies compose.

    Attributes:
        priority: only matters for `score`: the highest wins.
        mode: enforce, audit (computed and reported, no effect) or off.
        bundle: the bundle it came with, empty for a user's own.
        launch: labels, taints and ages as plain data; only compiled NodePools have it.
        budgets: likewise.
    """

    meta: ObjectMeta
    priority: int = 0
    mode: str = ENFORCE
    match_pods: Expression | None = None
    match_pools: Expression | None = None
    params: tuple[Param, ...] = ()
    variables: tuple[tuple[str, Expression], ...] = ()
    require: tuple[Rule, ...] = ()
    prefer: tuple[Preference, ...] = ()
    score: Expression | None = None
    limits: tuple[LimitRule, ...] = ()
    eligible: tuple[Rule, ...] = ()
    deny: tuple[Rule, ...] = ()
    cost: Expression | None = None
    replace: tuple[Rule, ...] = ()
    launch: Mapping[str, object] = {}
    budgets: tuple[Mapping[str, object], ...] = ()
    bundle: str = ""
    source: SourcePosition | None = None
