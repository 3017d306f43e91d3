"""The type checker: syntax tree in, typed tree out, or findings that say what is wrong and where."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from policyscaler.policy import advice
from policyscaler.policy.core import (
    Call,
    Choice,
    Const,
    Get,
    Has,
    ListOf,
    Logic,
    Loop,
    MapOf,
    Typed,
    Var,
)
from policyscaler.policy.findings import Finding, Severity, Span, did_you_mean
from policyscaler.policy.functions import FUNCTIONS, MACROS
from policyscaler.policy.presence import NO_FACTS, Facts, entry_path, facts_when, path_of
from policyscaler.policy.resolution import coerce, resolve
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
    NOTHING,
    STRING,
    Field,
    ListType,
    MapType,
    ObjectType,
    Type,
    join_types,
)

MAX_LOOPS = 2
"""Macros inside macros."""


class _Fault(Exception):
    """Leaves a sub-expression whose finding is already recorded."""


class Checker:
    """Checks one expression against the variables that it sees.

    Args:
        text: The expression, for messages.
        variables: Types of the variables.
        allow_absent: Do not demand that optional fields are guarded; reading one that is absent
            is then an error at run time.
    """

    def __init__(
        self, text: str, variables: Mapping[str, Type], *, allow_absent: bool = False
    ) -> None:
        self.findings: list[Finding] = []
        self._text = text
        self._scope = dict(variables)
        self._loops: list[str] = []
        self._allow_absent = allow_absent
        self._tests: list[Typed] | None = None
        self._checks: Mapping[type, Callable[..., Typed]] = {
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

    def check(self, node: Node, wanted: Type | None) -> Typed | None:
        """Return the typed tree, or None; `findings` says what was wrong.

        Args:
            node: The syntax tree.
            wanted: The type that the value must have; None accepts any.
        """
        try:
            typed = self._check(node, NO_FACTS)
        except _Fault:
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

    def _add(
        self,
        code: str,
        message: str,
        span: Span,
        *,
        suggestion: str = "",
        severity: Severity = Severity.ERROR,
    ) -> None:
        self.findings.append(Finding(code, message, span, suggestion, severity))

    def _fail(self, code: str, message: str, span: Span, *, suggestion: str = "") -> NoReturn:
        self._add(code, message, span, suggestion=suggestion)
        raise _Fault

    def _source(self, node: Node | Typed) -> str:
        return self._text[node.span.start : node.span.end]

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

    def _field(self, operand: Typed, node: Select) -> Field:
        kind = operand.type
        if not isinstance(kind, ObjectType):
            hint = advice.no_fields(node.field, kind)
            self._fail(
                "PS121",
                f"{kind} has no fields, so no '{node.field}'",
                node.field_span,
                suggestion=hint,
            )
        if node.field not in kind.fields:
            near = did_you_mean(node.field, kind.fields)
            known = f"its fields: {', '.join(sorted(kind.fields))}" if kind.fields else ""
            self._fail(
                "PS121",
                f"{kind} has no field '{node.field}'",
                node.field_span,
                suggestion=near or known,
            )
        return kind.fields[node.field]

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

    def _demand(self, read: Typed, test: Typed, *, facts: Facts) -> None:
        """Take note that `read` can be absent, and complain unless something asked before."""
        if path_of(read) in facts or (self._allow_absent and self._tests is None):
            return
        if self._tests is not None:
            self._tests.append(test)
            return
        shown = self._source(read)
        asked = f"has({shown})" if "[" not in shown else self._presence_text(test)
        hint = f"write {asked} && ..., or orElse({shown}, ...)"
        self._add("PS141", f"'{shown}' can be absent", read.span, suggestion=hint)

    def _presence_text(self, test: Typed) -> str:
        key, entries = test.arguments if isinstance(test, Call) else (test, test)
        return f"{self._source(key)} in {self._source(entries)}"

    # ── operators ───────────────────────────────────────────────────────────────────────────────

    def _operation(self, node: Operation, facts: Facts) -> Typed:
        operands = tuple(self._check(operand, facts) for operand in node.operands)
        name = f"{node.operator}_" if len(operands) == 1 else f"_{node.operator}_"
        call = self._call(name, operands, span=node.span)
        doubt = advice.doubt_about(call)
        if doubt:
            self._add("PS127", doubt, node.span, severity=Severity.WARNING)
        return call

    def _call(self, name: str, arguments: tuple[Typed, ...], *, span: Span) -> Call:
        function = FUNCTIONS[name]
        call = resolve(function, arguments, span=span)
        if call is None:
            message = advice.no_overload(function, arguments)
            self._fail("PS123", message, span, suggestion=advice.operands(arguments))
        compared = arguments[0].type
        if name in {"_==_", "_!=_"} and isinstance(compared, ObjectType | MapType):
            self._fail(
                "PS123", f"{compared} cannot be compared", span, suggestion="compare its fields"
            )
        return call

    def _chain(self, node: Chain, facts: Facts) -> Typed:
        operands: list[Typed] = []
        failed = False
        for operand in node.operands:
            # One bad conjunct does not hide the findings of the others.
            try:
                typed = self._bool(operand, facts, what=f"both sides of {node.operator}")
            except _Fault:
                failed = True
                continue
            self._check_repetition(typed, operands, operator=node.operator)
            operands.append(typed)
            facts |= facts_when(typed, outcome=node.operator == "&&")
        if failed:
            raise _Fault
        return Logic(node.operator, tuple(operands), BOOL, node.span)

    def _check_repetition(self, typed: Typed, before: Sequence[Typed], *, operator: str) -> None:
        source = self._source(typed)
        if any(self._source(other) == source for other in before):
            message = f"'{source}' stands twice in the same {operator}"
            self._add("PS146", message, typed.span, severity=Severity.WARNING)

    def _bool(self, node: Node, facts: Facts, *, what: str) -> Typed:
        typed = self._check(node, facts)
        if typed.type != BOOL:
            hint = advice.conversion(typed.type, BOOL)
            message = f"'{self._source(node)}' is {typed.type}; {what} must be bool"
            self._fail("PS122", message, node.span, suggestion=hint)
        return typed

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

    def _alike(
        self, items: Sequence[Typed], *, what: str, span: Span
    ) -> tuple[Type, tuple[Typed, ...]]:
        kind: Type = NOTHING
        for item in items:
            joined = join_types(kind, item.type)
            if joined is None:
                self._fail(
                    "PS122", f"{what} are {kind} and {item.type}; they must be alike", item.span
                )
            kind = joined
        converted = [coerce(item, kind) for item in items]
        fitting = tuple(item for item in converted if item is not None)
        if len(fitting) < len(converted):
            self._fail("PS122", f"{what} must be alike", span)
        return kind, fitting

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

    def _macro(self, node: Apply, facts: Facts) -> Typed:
        macro = MACROS[node.name]
        if macro.method != (node.receiver is not None):
            hint = f"write it as {macro.example}"
            self._fail(
                "PS124", f"'{node.name}' is not called this way", node.name_span, suggestion=hint
            )
        if len(node.arguments) != macro.arguments:
            count = f"{macro.arguments} argument{'s' if macro.arguments > 1 else ''}"
            message = f"'{node.name}' takes {count}, not {len(node.arguments)}"
            self._fail("PS124", message, node.span, suggestion=f"for example {macro.example}")
        if node.name == "has":
            return self._has(node, facts)
        return self._or_else(node, facts) if node.name == "orElse" else self._loop(node, facts)

    def _has(self, node: Apply, facts: Facts) -> Typed:
        asked = node.arguments[0]
        if isinstance(asked, Index):
            entries, key = self._check(asked.operand, facts), self._check(asked.key, facts)
            if not isinstance(entries.type, MapType):
                self._fail("PS124", "has() asks for a field or a key of a map", asked.span)
            return self._call("_in_", (key, entries), span=node.span)
        if not isinstance(asked, Select):
            hint = "write has(a.b); a variable itself is always there"
            self._fail("PS124", "has() asks for a field", asked.span, suggestion=hint)
        operand = self._check(asked.operand, facts)
        if isinstance(operand.type, MapType):
            key = Const(asked.field, STRING, asked.field_span)
            return self._call("_in_", (key, operand), span=node.span)
        if not self._field(operand, asked).optional:
            message = f"'{self._source(asked)}' is always present"
            self._add("PS143", message, node.span, severity=Severity.WARNING)
        return Has(operand, asked.field, BOOL, node.span)

    def _or_else(self, node: Apply, facts: Facts) -> Typed:
        asked, default = node.arguments
        if not isinstance(asked, Select | Index):
            message = "the first argument of orElse must be a field or an entry of a map"
            self._fail("PS124", message, asked.span)
        outer, self._tests = self._tests, []
        try:
            read, tests = self._check(asked, facts), tuple(self._tests)
        finally:
            self._tests = outer
        other = self._check(default, facts)
        kind, (read, other) = self._alike(
            (read, other), what="the two values of orElse", span=node.span
        )
        if not tests:
            message = f"'{self._source(asked)}' is always present"
            self._add("PS143", message, node.span, severity=Severity.WARNING)
            return read
        present = tests[0] if len(tests) == 1 else Logic("&&", tests, BOOL, asked.span)
        return Choice(present, read, other, kind, node.span)

    def _loop(self, node: Apply, facts: Facts) -> Typed:
        name, body = node.arguments
        if not isinstance(name, Name):
            hint = f"for example {MACROS[node.name].example}"
            self._fail(
                "PS124",
                f"the first argument of '{node.name}' must be a name",
                name.span,
                suggestion=hint,
            )
        if name.name in self._scope:
            self._fail(
                "PS124",
                f"'{name.name}' is already a variable",
                name.span,
                suggestion="choose another name",
            )
        if len(self._loops) >= MAX_LOOPS:
            message = f"macros are nested more than {MAX_LOOPS} deep"
            self._fail("PS110", message, node.span, suggestion="move parts into variables")
        assert node.receiver is not None  # noqa: S101 - `_macro` has checked it
        items = self._check(node.receiver, facts)
        item = self._item_type(items, node)
        self._scope[name.name] = item
        self._loops.append(name.name)
        try:
            is_map = node.name == "map"
            typed = (
                self._check(body, facts)
                if is_map
                else self._bool(body, facts, what="the condition")
            )
        finally:
            self._loops.pop()
            del self._scope[name.name]
        bound = items.type.bound if isinstance(items.type, ListType | MapType) else 0
        results: dict[str, Type] = {
            "map": ListType(typed.type, bound),
            "filter": ListType(item, bound),
        }
        return Loop(node.name, name.name, items, typed, results.get(node.name, BOOL), node.span)

    def _item_type(self, items: Typed, node: Apply) -> Type:
        if isinstance(items.type, MapType):
            return STRING
        if not isinstance(items.type, ListType):
            message = (
                f"'{node.name}' needs a list or a map, '{self._source(items)}' is {items.type}"
            )
            self._fail("PS123", message, items.span)
        return items.type.item
