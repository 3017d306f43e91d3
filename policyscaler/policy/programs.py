"""The expressions of one policy, checked together: parameters, variables, and every finding placed.

Types of variables are not written down, so they are worked out in the order in which variables
read each other, anew for each site: what a variable may read depends on where it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Final

from policyscaler.manifests.findings import Finding
from policyscaler.model.durations import parse_go_duration
from policyscaler.model.errors import DurationError, PolicyError
from policyscaler.model.policies import Expression, Param, ScalingPolicy
from policyscaler.policy.expression import Program, compile_expression, infer_type
from policyscaler.policy.findings import Finding as EngineFinding
from policyscaler.policy.findings import Span
from policyscaler.policy.inlining import inline, variables_read
from policyscaler.policy.lexer import LexicalError, TokenKind, scan
from policyscaler.policy.types import SCALARS, Type
from policyscaler.policy.vocabulary import PARAMS, SITES, VARIABLES, VARS, Site

KIND: Final = "ScalingPolicy"
_PYTHON: Final[Mapping[str, tuple[type, ...]]] = {
    "bool": (bool,), "int": (int,), "double": (int, float), "string": (str,), "duration": (str,),
}  # fmt: skip


class PolicyExpressions:
    """Compiles the expressions of one policy and collects what is wrong with them.

    Args:
        policy: the policy.
        overrides: values of parameters, by name.
        sink: what findings are added to.
    """

    def __init__(
        self, policy: ScalingPolicy, overrides: Mapping[str, object], sink: list[Finding]
    ) -> None:
        self.policy = policy
        self._sink = sink
        self.params = self._values(overrides)
        self._param_types = {p.name: SCALARS[p.type] for p in policy.params if p.type in SCALARS}
        self._variables = dict(policy.variables)
        self._names = {name: self._names_in(name) for name, _ in policy.variables}
        self._order = self._sorted()
        self._at_site: dict[str, Mapping[str, Program]] = {}

    def compile(self, expression: Expression, site: str, *, path: str) -> Program | None:
        """Returns an expression's program without variables, or None after reporting why not.

        Args:
            expression: the expression.
            site: the name of its place in the vocabulary.
            path: of the field, for people.
        """
        variables = self._variables_at(site)
        types = {name: program.result_type for name, program in variables.items()}
        program = self._checked(expression, SITES[site], types, path=path)
        if program is None:
            return None
        whole = inline(program, variables)
        if isinstance(whole, EngineFinding):
            self.report(whole, expression, path=path)
            return None
        return whole

    def check_unused(self) -> None:
        """Checks the variables that no expression has asked for, wherever they could stand."""
        seen = {name for found in self._at_site.values() for name in found}
        for name in self._order:
            if name not in seen:
                site = next((s for s in SITES if self._fits(name, SITES[s])), "")
                if site:
                    self._variables_at(site)
                else:
                    self._mixed(name)

    def report(self, finding: EngineFinding, expression: Expression, *, path: str) -> None:
        """Adds what the engine found, at its place in the file."""
        self._sink.append(
            Finding(
                severity=str(finding.severity), code=finding.code, message=finding.message,
                position=expression.position(finding.span.start),
                subject=f"{KIND}/{self.policy.meta.name}", path=path, suggestion=finding.suggestion,
            )
        )  # fmt: skip

    def _checked(
        self, expression: Expression, site: Site, types: Mapping[str, Type], *, path: str
    ) -> Program | None:
        try:
            program = compile_expression(
                expression.text, site, params=self._param_types, variables=types
            )
        except PolicyError as error:
            for finding in error.findings:
                if isinstance(finding, EngineFinding):
                    self.report(finding, expression, path=path)
            return None
        for finding in program.warnings:
            self.report(finding, expression, path=path)
        return program

    # ── variables ───────────────────────────────────────────────────────────────────────────────

    def _variables_at(self, site: str) -> Mapping[str, Program]:
        """The variables that can be used at a site, each without variables in it."""
        found = self._at_site.get(site)
        if found is None:
            programs: dict[str, Program] = {}
            self._at_site[site] = programs
            for name in self._order:
                if self._fits(name, SITES[site]):
                    self._add_variable(name, SITES[site], programs)
            found = programs
        return found

    def _add_variable(self, name: str, site: Site, programs: dict[str, Program]) -> None:
        expression = self._variables[name]
        known = {other: program.result_type for other, program in programs.items()}
        try:
            kind = infer_type(expression.text, site, params=self._param_types, variables=known)
        except PolicyError:
            kind = site.result  # the check below reports what is wrong
        path = f"spec.variables.{name}"
        program = self._checked(expression, replace(site, result=kind), known, path=path)
        if program is None or any(other not in programs for other in variables_read(program)):
            return
        whole = inline(program, programs)
        if isinstance(whole, EngineFinding):
            self.report(whole, expression, path=path)
        else:
            programs[name] = whole

    def _fits(self, name: str, site: Site) -> bool:
        return self._names[name] <= {*site.variables, VARS, PARAMS}

    def _names_in(self, name: str) -> frozenset[str]:
        """The variables of the vocabulary that one of the policy's variables reads by itself."""
        try:
            tokens = scan(self._variables[name].text)
        except LexicalError:
            return frozenset()
        return frozenset(
            token.text
            for before, token in zip((None, *tokens), tokens, strict=False)
            if token.kind is TokenKind.NAME
            and (before is None or before.text != ".")
            and token.text in VARIABLES
        )

    def _reads(self, name: str) -> set[str]:
        """The other variables of the policy that one reads."""
        try:
            words = [token.text for token in scan(self._variables[name].text)]
        except LexicalError:
            return set()
        follows = zip(words, words[1:], words[2:], strict=False)
        return {c for a, b, c in follows if (a, b) == (VARS, ".") and c in self._variables}

    def _sorted(self) -> list[str]:
        """The variables, each after those that it reads; those in a circle are reported, left out."""
        waiting = {name: self._reads(name) for name in sorted(self._variables)}
        order: list[str] = []
        while ready := [name for name in sorted(waiting) if waiting[name] <= set(order)]:
            for name in ready:
                del waiting[name]
                inner = (self._names[other] for other in self._reads(name))
                self._names[name] = self._names[name].union(*inner)
            order += ready
        circle = [name for name in sorted(waiting) if self._in_circle(name, waiting)]
        for name in circle:
            text = f"variable {name} reads itself by way of {', '.join(sorted(waiting[name] & set(circle)))}"
            self.report(
                EngineFinding("PS211", text, Span(0, 1), "break the circle"),
                self._variables[name],
                path=f"spec.variables.{name}",
            )
        return order

    @staticmethod
    def _in_circle(name: str, waiting: Mapping[str, set[str]]) -> bool:
        seen: set[str] = set()
        pending = list(waiting[name])
        while pending:
            other = pending.pop()
            if other == name:
                return True
            if other not in seen:
                seen.add(other)
                pending += waiting.get(other, set())
        return False

    def _mixed(self, name: str) -> None:
        read = ", ".join(sorted(self._names[name]))
        text = f"no expression sees all of {read}, so variable {name} can be used nowhere"
        finding = EngineFinding("PS150", text, Span(0, 1), "split it in two")
        self.report(finding, self._variables[name], path=f"spec.variables.{name}")

    # ── parameters ──────────────────────────────────────────────────────────────────────────────

    def _values(self, overrides: Mapping[str, object]) -> dict[str, object]:
        values = {}
        for param in self.policy.params:
            written = overrides.get(param.name, param.default)
            fault = param_fault(param, written)
            if fault:
                self._sink.append(
                    Finding(
                        severity="error", code="PS149", message=fault, position=param.source,
                        subject=f"{KIND}/{self.policy.meta.name}", path=f"spec.params.{param.name}",
                    )
                )  # fmt: skip
            else:
                values[param.name] = param_value(param.type, written)
        return values


def param_value(kind: str, written: object) -> object:
    """Returns a parameter's value as expressions see it."""
    if kind == "duration":
        return parse_go_duration(str(written))
    return float(str(written)) if kind == "double" else written


def param_fault(param: Param, written: object) -> str:
    """Returns what is wrong with the value of a parameter, or an empty text."""
    kinds = _PYTHON.get(param.type)
    if kinds is None:
        return f'type "{param.type}" is none of {", ".join(sorted(_PYTHON))}'
    if not isinstance(written, kinds) or (isinstance(written, bool) and param.type != "bool"):
        return f"{written!r} is not a {param.type}"
    try:
        value = param_value(param.type, written)
        low, high = (
            None if bound is None else param_value(param.type, bound)
            for bound in (param.min, param.max)
        )
    except (DurationError, ValueError) as error:
        return str(error)
    if isinstance(low, int | float | timedelta) and value < low:  # type: ignore[operator]  # same type
        return f"{written} is less than the least, {param.min}"
    if isinstance(high, int | float | timedelta) and value > high:  # type: ignore[operator]  # same type
        return f"{written} is more than the most, {param.max}"
    return ""
