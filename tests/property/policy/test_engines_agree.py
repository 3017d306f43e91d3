"""Columns, closures and celpy's interpreter give the same value, or all fail, on every row."""

from __future__ import annotations

import math
import random

import pytest

from policyscaler.model.errors import PolicyError
from policyscaler.policy.columns import table_from_rows
from policyscaler.policy.engines.celpy_interpreter import to_interpreter
from policyscaler.policy.expression import Program, compile_expression
from policyscaler.policy.faults import EvalError
from policyscaler.policy.offering_types import OFFERING
from policyscaler.policy.vocabulary import SITES, Site, variable_types
from tests.property.policy import expressions

BOOL_SITE = SITES["offerings.require"]
DOUBLE_SITE = SITES["offerings.score"]
SEEDS = range(8)
EXPRESSIONS_PER_SEED = 80
ROWS = 40
INTERPRETED_ROWS = 6
FAILED = "failed"


def outcome(value: object) -> object:
    return FAILED if isinstance(value, EvalError) else value


def interpret(program: Program, types: dict, bindings: dict) -> object:
    try:
        return to_interpreter(program.node, types)(bindings)
    except EvalError:
        return FAILED


def same(left: object, right: object) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        return left == right or (math.isnan(left) and math.isnan(right))
    return type(left) is type(right) and left == right


def attempt(text: str, site: Site) -> Program | None:
    """Compile, or return None for an expression that is refused for a constant that always fails."""
    try:
        return compile_expression(text, site, params=expressions.PARAMS, allow_absent=True)
    except PolicyError as error:
        refused = [
            f for f in error.findings if f.severity == "error" and f.code not in {"PS125", "PS190"}
        ]
    if refused:
        pytest.fail(f"{text}\n{refused}")
    return None


def differences(program: Program, rows: list, bindings: dict) -> list:
    types = variable_types(program.site, params=expressions.PARAMS, variables={})
    types = {name: types[name] for name in ("offering", "shape", "params", "now")}
    by_row = [outcome(program.evaluate({**bindings, "offering": row})) for row in rows]
    found = []
    if program.engine == "columns":
        values, failed = program.evaluate_rows(table_from_rows(OFFERING, rows), bindings)
        for place, expected in enumerate(by_row):
            got = FAILED if failed is not None and failed[place] else values[place].item()
            if not same(got, expected):
                found.append(("columns", place, got, "closure", expected))
    for place, expected in enumerate(by_row[:INTERPRETED_ROWS]):
        got = interpret(program, types, {**bindings, "offering": rows[place]})
        if not same(got, expected):
            found.append(("celpy", place, got, "closure", expected))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_columns_closures_and_celpy_agree_on_random_expressions(seed: int, record_property):
    generator = expressions.Generator(seed)
    pick = random.Random(seed)  # noqa: S311 - not for secrets
    rows = [expressions.make_row(pick) for _ in range(ROWS)]
    lowered = checks = 0
    for number in range(EXPRESSIONS_PER_SEED):
        wants_bool = number % 3 != 0
        text = generator.bool(3) if wants_bool else generator.double(3)
        program = attempt(text, BOOL_SITE if wants_bool else DOUBLE_SITE)
        if program is None:
            continue
        lowered += program.engine == "columns"
        checks += len(rows)
        found = differences(program, rows, expressions.make_bindings(pick))
        assert not found, f"seed {seed}, expression {number}: {text}\n{found[:3]}"
    record_property("row checks", checks)
    assert lowered >= EXPRESSIONS_PER_SEED // 2
