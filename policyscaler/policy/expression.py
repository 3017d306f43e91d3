"""Compiling an expression and evaluating it: the door to the policy language.

Example:
    >>> from policyscaler.policy.vocabulary import SITES
    >>> program = compile_expression("offering.cpu >= 4", SITES["offerings.require"])
    >>> program.evaluate({"offering": {"cpu": 8.0}})
    True
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from policyscaler.model.errors import (
    PolicyError,
    PolicyLimitExceeded,
    PolicySyntaxError,
    PolicyTypeError,
)
from policyscaler.policy.checker import Checker
from policyscaler.policy.closures import CannotLower, to_closure
from policyscaler.policy.columns import ColumnTable, Mask
from policyscaler.policy.core import Const, Get, Has, Loop, Typed, children, field_path
from policyscaler.policy.cost import (
    COLUMN_SHARE,
    MAX_EVALUATION_COST,
    MAX_INTERPRETED,
    MAX_TICK_COST,
    evaluation_cost,
)
from policyscaler.policy.engines.celpy_interpreter import Interpreted, to_interpreter
from policyscaler.policy.engines.celpy_parser import parse
from policyscaler.policy.faults import EvalError
from policyscaler.policy.findings import Finding, Severity
from policyscaler.policy.folding import fold
from policyscaler.policy.lexer import LexicalError
from policyscaler.policy.lowering import to_columns
from policyscaler.policy.syntax import Literal
from policyscaler.policy.trace import TraceNode, trace
from policyscaler.policy.types import BOOL, Type
from policyscaler.policy.vectors import Frame, Step, spread
from policyscaler.policy.vocabulary import Site, variable_types

NO_TYPES: Mapping[str, Type] = {}
Values: TypeAlias = (
    NDArray[np.bool_]
    | NDArray[np.int64]
    | NDArray[np.float64]
    | NDArray[np.int32]
    | NDArray[np.object_]
)


@dataclass(frozen=True, slots=True)
class Program:
    """An expression that was checked and lowered.

    Attributes:
        text: As it was written.
        site: Where it stands.
        node: The checked tree.
        result_type: The type of its value.
        reads: Dotted paths of what it reads, such as `offering.cpu`; a map counts as a whole.
            Two evaluations whose values at these paths are equal give equal results.
        engine: `columns`, `closure` or `interpreter`.
        cost: Most node visits of one evaluation.
        warnings: Findings that did not keep it from loading.
    """

    text: str
    site: Site
    node: Typed
    result_type: Type
    reads: frozenset[str]
    engine: str
    cost: int
    warnings: tuple[Finding, ...]
    _run: Interpreted = field(repr=False)
    _steps: Step | None = field(repr=False)

    def evaluate(self, bindings: Mapping[str, object]) -> object:
        """Return the value for these variables, or an EvalError.

        Args:
            bindings: A value for each variable; objects are mappings or have attributes, and an
                absent field is None or missing; durations are timedeltas, times aware datetimes.
        """
        try:
            return self._run(bindings)
        except EvalError as error:
            return error.with_traceback(None)

    def evaluate_rows(
        self, table: ColumnTable, bindings: Mapping[str, object]
    ) -> tuple[Values, Mask | None]:
        """Return the value of each row of a table, and the rows that failed.

        Args:
            table: The rows; its fields are those of the site's row variable.
            bindings: The other variables.

        Returns:
            One value per row, and True where the row failed (its value then means nothing and a
            bool is False); None if no row failed.

        Raises:
            PolicyError: The program did not lower to columns.
        """
        if self._steps is None:
            raise PolicyError(f"'{self.text}' runs as {self.engine}, not on columns")
        with np.errstate(all="ignore"):
            operand = self._steps(Frame(table, bindings))
        vector = spread(operand, self.result_type, size=table.size)
        error = vector.error if vector.error is not None and vector.error.any() else None
        if vector.vocabulary is None:
            if error is not None and self.result_type == BOOL:
                return np.logical_and(vector.data, ~error), error
            return vector.data, error
        words = np.empty(max(len(vector.vocabulary), 1), np.object_)
        words[: len(vector.vocabulary)] = vector.vocabulary
        return words[vector.data], error

    def explain(self, bindings: Mapping[str, object]) -> TraceNode:
        """Return every sub-expression with its value for these variables."""
        return trace(self.node, self.text, bindings)


def compile_expression(
    text: str,
    site: Site,
    *,
    params: Mapping[str, Type] = NO_TYPES,
    variables: Mapping[str, Type] = NO_TYPES,
    allow_absent: bool = False,
) -> Program:
    """Parse, check and lower an expression.

    Args:
        text: The expression.
        site: Where it stands, from `SITES`.
        params: Types of the policy's parameters.
        variables: Types of the policy's own variables.
        allow_absent: Accept fields that can be absent without a guard; reading one then fails at
            run time. For questions asked on the command line.

    Raises:
        PolicySyntaxError: It is not an expression of the language.
        PolicyTypeError: It reads or combines what does not exist or does not fit.
        PolicyLimitExceeded: It could cost more than its budget.
    """
    types = variable_types(site, params=params, variables=variables)
    return compile_with(text, site, types=types, allow_absent=allow_absent)


def infer_type(
    text: str,
    site: Site,
    *,
    params: Mapping[str, Type] = NO_TYPES,
    variables: Mapping[str, Type] = NO_TYPES,
) -> Type:
    """Return the type of one of a policy's own variables, whose type nobody wrote down.

    Raises:
        PolicyError: As `compile_expression`.
    """
    types = variable_types(site, params=params, variables=variables)
    return _checked(text, types, wanted=None, allow_absent=False)[0].type


def compile_with(
    text: str, site: Site, *, types: Mapping[str, Type], allow_absent: bool = False
) -> Program:
    """As `compile_expression`, with the types of all variables given."""
    node, warnings = _checked(text, types, wanted=site.result, allow_absent=allow_absent)
    steps, run, engine = _lower(node, site, types)
    _check_cost(node, site, engine=engine)
    reads = frozenset(_reads(node, frozenset()))
    cost = evaluation_cost(node)
    return Program(text, site, node, node.type, reads, engine, cost, warnings, run, steps)


def _checked(
    text: str, types: Mapping[str, Type], *, wanted: Type | None, allow_absent: bool
) -> tuple[Typed, tuple[Finding, ...]]:
    try:
        tree = parse(text)
    except LexicalError as error:
        raise _refusal((error.finding,)) from None
    checker = Checker(text, types, allow_absent=allow_absent)
    node = checker.check(tree, wanted)
    if node is not None:
        node = fold(node, checker.findings.append)
        if isinstance(node, Const) and node.type == BOOL and not isinstance(tree, Literal):
            message = f"this is always {str(node.value).lower()}"
            checker.findings.append(Finding("PS145", message, node.span, severity=Severity.WARNING))
    findings = tuple(sorted(checker.findings, key=lambda finding: finding.span))
    if node is None or any(finding.severity is Severity.ERROR for finding in findings):
        raise _refusal(findings)
    return node, findings


def _refusal(findings: tuple[Finding, ...]) -> PolicyError:
    first = next(f for f in findings if f.severity is Severity.ERROR)
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    if first.limit is not None:
        allowed, asked = first.limit
        message = f"{first.code}: {first.message}{more}"
        return PolicyLimitExceeded(message, findings, budget=allowed, used=asked)
    kind = PolicySyntaxError if first.code < "PS120" else PolicyTypeError
    return kind(f"{first.code}: {first.message}{more}", findings)


def _lower(
    node: Typed, site: Site, types: Mapping[str, Type]
) -> tuple[Step | None, Interpreted, str]:
    """Choose the fastest engine that knows every construct of the expression."""
    try:
        run: Interpreted = to_closure(node)
    except CannotLower as obstacle:
        if site.evaluations > MAX_INTERPRETED:
            message = (
                f"{obstacle.construct} cannot be lowered, and {site.name} may be evaluated "
                f"{site.evaluations:,} times in a tick; the interpreter bears {MAX_INTERPRETED}"
            )
            raise _too_costly(
                message, obstacle, budget=MAX_INTERPRETED, used=site.evaluations
            ) from None
        return None, to_interpreter(node, types), "interpreter"
    if not site.columns:
        return None, run, "closure"
    try:
        return to_columns(node, site.row), run, "columns"
    except CannotLower:
        return None, run, "closure"


def _check_cost(node: Typed, site: Site, *, engine: str) -> None:
    once = evaluation_cost(node)
    share = COLUMN_SHARE if engine == "columns" else 1.0
    total = int(once * site.evaluations * share)
    if once > MAX_EVALUATION_COST:
        message = (
            f"one evaluation could take {once:,} steps; at most {MAX_EVALUATION_COST:,} are allowed"
        )
        raise _too_costly(message, node, budget=MAX_EVALUATION_COST, used=once)
    if total > MAX_TICK_COST:
        message = (
            f"{site.evaluations:,} evaluations in a tick could take {total:,} steps; "
            f"at most {MAX_TICK_COST:,} are allowed"
        )
        raise _too_costly(message, node, budget=MAX_TICK_COST, used=total)


def _too_costly(message: str, where: Typed | CannotLower, *, budget: int, used: int) -> PolicyError:
    hint = "use fewer or smaller lists, or simpler conditions"
    finding = Finding("PS190", message, where.span, hint, limit=(budget, used))
    return _refusal((finding,))


def _reads(node: Typed, local: frozenset[str]) -> set[str]:
    """Return the dotted paths that a node reads; a macro's own variable is none."""
    if isinstance(node, Loop):
        return _reads(node.items, local) | _reads(node.body, local | {node.variable})
    path = field_path(
        Get(node.operand, node.field, node.type, node.span) if isinstance(node, Has) else node
    )
    if path is not None:
        return set() if path[0] in local else {".".join(path)}
    return set().union(*(_reads(child, local) for child in children(node)))
