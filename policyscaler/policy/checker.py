"""The type checker: syntax tree in, typed tree out, or findings that say what is wrong and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, cast

from policyscaler.policy import advice
from policyscaler.policy.core import (
    Choice,
    Const,
    Get,
    Has,
    ListOf,
    Logic,
    MapOf,
    Typed,
    Var,
)
from policyscaler.policy.findings import Severity, Span, did_you_mean
from policyscaler.policy.functions import FUNCTIONS, MACROS
from policyscaler.policy.inference import Fault
from policyscaler.policy.macros import MacroInference
from policyscaler.policy.presence import NO_FACTS, Facts, entry_path, facts_when
from policyscaler.policy.resolution import coerce
from policyscaler.policy.signatures import Style
from policyscaler.policy.syntax import (
    Apply,
    Chain,
    Entries,
    Index,
    Items,
    Literal,
    Name,
    Node,
    Operation,
    Select,
    Ternary,
)
from policyscaler.policy.types import (
    BOOL,
    DOUBLE,
    INT,
    STRING,
    ListType,
    MapType,
    Type,
    join_types,
)


class _Check(Protocol):
    def __call__(self, node: Node, facts: Facts, /) -> Typed: ...


class Checker(MacroInference):
    """Checks one expression: see `Inference` for its arguments."""

    def __init__(
        self, text: str, variables: Mapping[str, Type], *, allow_absent: bool = False
    ) -> None:
        super().__init__(text, variables, allow_absent=allow_absent)
        checks = {
            Literal: self._literal,
            Name: self._name,
            Select: self._select,
            Index: self._index,
            Apply: self._apply,
            Operation: self._operation,
            Chain: self._chain,
            Ternary: self._ternary,
            Items: self._items,
            Entries: self._entries,
        }
        self._checks = cast("Mapping[type, _Check]", checks)

    def check(self, node: Node, wanted: Type | None) -> Typed | None:
        """Return the typed tree, or None; `findings` says what was wrong.

        Args:
            node: The syntax tree.
            wanted: The type that the value must have; None accepts any.
        """
        try:
            typed = self._check(node, NO_FACTS)
        except Fault:
            return None
        result = typed if wanted is None else coerce(typed, wanted)
        if result is None:
            assert wanted is not None  # noqa: S101 - every value is of some type
            hint = advice.conversion(typed.type, wanted)
            self._add(
                "PS122",
                f"the result is {typed.type}, but must be {wanted} here",
                typed.span,
                suggestion=hint,
            )
        return result

    def _check(self, node: Node, facts: Facts) -> Typed:
        return self._checks[type(node)](node, facts)

    # ── leaves ──────────────────────────────────────────────────────────────────────────────────

    def _literal(self, node: Literal, _: Facts) -> Typed:
        kinds: dict[type, Type] = {bool: BOOL, int: INT, float: DOUBLE, str: STRING}
        return Const(node.value, kinds[type(node.value)], node.span)

    def _name(self, node: Name, _: Facts) -> Typed:
        kind = self._scope.get(node.name)
        if kind is None:
            near = did_you_mean(node.name, self._scope)
            seen = f"seen here: {', '.join(sorted(self._scope))}"
            self._fail(
                "PS120", f"unknown variable '{node.name}'", node.span, suggestion=near or seen
            )
        return Var(node.name, kind, node.span)

    # ── fields and entries ──────────────────────────────────────────────────────────────────────

    def _select(self, node: Select, facts: Facts) -> Typed:
        operand = self._check(node.operand, facts)
        if isinstance(operand.type, MapType):
            return self._entry(
                operand, Const(node.field, STRING, node.field_span), span=node.span, facts=facts
            )
        field = self._field(operand, node)
        read = Get(operand, node.field, field.type, node.span)
        if field.optional:
            self._demand(read, Has(operand, node.field, BOOL, node.span), facts=facts)
        return read

    def _index(self, node: Index, facts: Facts) -> Typed:
        operand, key = self._check(node.operand, facts), self._check(node.key, facts)
        if isinstance(operand.type, MapType) and key.type == STRING:
            return self._entry(operand, key, span=node.span, facts=facts)
        return self._call("_[_]", (operand, key), span=node.span)

    def _entry(self, entries: Typed, key: Typed, *, span: Span, facts: Facts) -> Typed:
        read = self._call("_[_]", (entries, key), span=span)
        if entry_path(entries, key) is not None:  # a table written out is its author's own affair
            self._demand(read, self._call("_in_", (key, entries), span=span), facts=facts)
        return read

    # ── operators ───────────────────────────────────────────────────────────────────────────────

    def _operation(self, node: Operation, facts: Facts) -> Typed:
        operands = tuple(self._check(operand, facts) for operand in node.operands)
        name = f"{node.operator}_" if len(operands) == 1 else f"_{node.operator}_"
        call = self._call(name, operands, span=node.span)
        doubt = advice.doubt_about(call)
        if doubt:
            self._add("PS127", doubt, node.span, severity=Severity.WARNING)
        return call

    def _chain(self, node: Chain, facts: Facts) -> Typed:
        operands: list[Typed] = []
        failed = False
        for operand in node.operands:
            # One bad conjunct does not hide the findings of the others.
            try:
                typed = self._bool(operand, facts, what=f"both sides of {node.operator}")
            except Fault:
                failed = True
                continue
            self._check_repetition(typed, operands, operator=node.operator)
            operands.append(typed)
            facts |= facts_when(typed, outcome=node.operator == "&&")
        if failed:
            raise Fault
        return Logic(node.operator, tuple(operands), BOOL, node.span)

    def _check_repetition(self, typed: Typed, before: Sequence[Typed], *, operator: str) -> None:
        source = self._source(typed)
        if any(self._source(other) == source for other in before):
            message = f"'{source}' stands twice in the same {operator}"
            self._add("PS146", message, typed.span, severity=Severity.WARNING)

    def _ternary(self, node: Ternary, facts: Facts) -> Typed:
        condition = self._bool(node.condition, facts, what="the condition before ?")
        yes = self._check(node.yes, facts | facts_when(condition, outcome=True))
        no = self._check(node.no, facts | facts_when(condition, outcome=False))
        kind = join_types(yes.type, no.type)
        left = None if kind is None else coerce(yes, kind)
        right = None if kind is None else coerce(no, kind)
        if kind is None or left is None or right is None:
            message = f"the values after ? and : are {yes.type} and {no.type}; they must be alike"
            self._fail("PS122", message, node.span)
        return Choice(condition, left, right, kind, node.span)

    # ── lists and maps ──────────────────────────────────────────────────────────────────────────

    def _items(self, node: Items, facts: Facts) -> Typed:
        items = [self._check(item, facts) for item in node.items]
        kind, alike = self._alike(items, what="the items of a list", span=node.span)
        return ListOf(alike, ListType(kind, len(alike)), node.span)

    def _entries(self, node: Entries, facts: Facts) -> Typed:
        keys = [self._check(key, facts) for key, _ in node.entries]
        for key in keys:
            if key.type != STRING:
                self._fail("PS122", f"the keys of a map are strings, this is {key.type}", key.span)
        values = [self._check(value, facts) for _, value in node.entries]
        kind, alike = self._alike(values, what="the values of a map", span=node.span)
        written = [key.value for key in keys if isinstance(key, Const)]
        if len(set(written)) < len(written):
            self._fail("PS122", "a key stands twice in this map", node.span)
        entries = tuple(zip(keys, alike, strict=True))
        return MapOf(entries, MapType(kind, len(entries)), node.span)

    # ── functions and macros ────────────────────────────────────────────────────────────────────

    def _apply(self, node: Apply, facts: Facts) -> Typed:
        if node.name in MACROS:
            return self._macro(node, facts)
        function = FUNCTIONS.get(node.name)
        if function is None:
            names = [name for name in (*FUNCTIONS, *MACROS) if name.isidentifier()]
            hint = advice.unknown_function(node.name) or did_you_mean(node.name, names)
            self._fail("PS124", f"unknown function '{node.name}'", node.name_span, suggestion=hint)
        if function.style is (Style.GLOBAL if node.receiver else Style.METHOD):
            hint = advice.call_form(node.name, method=function.style is Style.METHOD)
            self._fail(
                "PS124", f"'{node.name}' is not called this way", node.name_span, suggestion=hint
            )
        written = (node.receiver, *node.arguments) if node.receiver else node.arguments
        arguments = tuple(self._check(argument, facts) for argument in written)
        return self._call(node.name, arguments, span=node.span)
