"""What every part of the checker shares: findings, scope, calls, and what must be guarded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

from policyscaler.policy import advice
from policyscaler.policy.core import Call, Typed
from policyscaler.policy.findings import Finding, Severity, Span, did_you_mean
from policyscaler.policy.functions import FUNCTIONS
from policyscaler.policy.lexer import LexicalError
from policyscaler.policy.presence import Facts, path_of
from policyscaler.policy.resolution import coerce, resolve
from policyscaler.policy.syntax import Node, Select
from policyscaler.policy.types import BOOL, NOTHING, Field, MapType, ObjectType, Type, join_types


class Fault(Exception):
    """Leaves a sub-expression whose finding is already recorded."""


class Inference:
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

    def _check(self, node: Node, facts: Facts) -> Typed:
        """Return the typed form of a node.

        Args:
            node: A part of the syntax tree.
            facts: What is known to be present where it is evaluated.
        """
        raise NotImplementedError

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
        raise Fault

    def _refuse(self, error: LexicalError) -> NoReturn:
        self.findings.append(error.finding)
        raise Fault from error

    def _source(self, node: Node | Typed) -> str:
        return self._text[node.span.start : node.span.end]

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

    def _bool(self, node: Node, facts: Facts, *, what: str) -> Typed:
        typed = self._check(node, facts)
        if typed.type != BOOL:
            hint = advice.conversion(typed.type, BOOL)
            message = f"'{self._source(node)}' is {typed.type}; {what} must be bool"
            self._fail("PS122", message, node.span, suggestion=hint)
        return typed

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
