"""Macros: forms whose arguments are not evaluated before they are looked at."""

from __future__ import annotations

from policyscaler.policy.core import Choice, Const, Has, Logic, Loop, Typed
from policyscaler.policy.findings import Severity
from policyscaler.policy.functions import MACROS
from policyscaler.policy.inference import Inference
from policyscaler.policy.lexer import too_large
from policyscaler.policy.presence import Facts
from policyscaler.policy.syntax import Apply, Index, Name, Select
from policyscaler.policy.types import BOOL, STRING, ListType, MapType, Type

MAX_LOOPS = 2
"""Macros inside macros."""


class MacroInference(Inference):
    """Adds `has`, `orElse` and the loops over lists and maps."""

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
            self._refuse(too_large(message, node.span, allowed=MAX_LOOPS, asked=MAX_LOOPS + 1))
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
