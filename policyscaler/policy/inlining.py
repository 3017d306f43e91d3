"""A policy's own variables, put in place of their names.

`vars.small` becomes the tree of the variable's expression, so that engines, caches and costs see
what is really read. The variable's text is kept behind the rule's own, and its spans point there:
traces show both in the words that were written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

from policyscaler.policy.closures import CannotLower, to_closure
from policyscaler.policy.core import Get, Typed, Var, children
from policyscaler.policy.cost import MAX_EVALUATION_COST, evaluation_cost
from policyscaler.policy.expression import Program
from policyscaler.policy.findings import Finding, Span
from policyscaler.policy.lowering import to_columns
from policyscaler.policy.vocabulary import VARS


def variables_read(program: Program) -> tuple[str, ...]:
    """Returns the names of the policy's variables that a program reads, sorted."""
    lead = f"{VARS}."
    return tuple(sorted(p.removeprefix(lead) for p in program.reads if p.startswith(lead)))


def inline(program: Program, variables: Mapping[str, Program]) -> Program | Finding:
    """Returns a program that reads no variables, or why it cannot be had.

    Args:
        program: checked with the types of the variables.
        variables: every variable that it reads, themselves inlined, checked at the same site.
    """
    names = variables_read(program)
    if not names:
        return program
    whole, trees = program.text, {}
    for name in names:
        trees[name] = _moved(variables[name].node, len(whole) + 1)
        whole = f"{whole}\n{variables[name].text}"
    node = _replaced(program.node, trees)
    cost, span = evaluation_cost(node), program.node.span
    if cost > MAX_EVALUATION_COST:
        text = f"with its variables one evaluation could take {cost:,} steps; at most {MAX_EVALUATION_COST:,} are allowed"
        return Finding("PS190", text, span, "use fewer or smaller lists, or simpler conditions")
    own = {path for path in program.reads if path.split(".")[0] != VARS}
    reads = own.union(*(variables[name].reads for name in names))
    try:
        run = to_closure(node)
        by_row = program.site.columns and program.engine == "columns"
        steps = to_columns(node, program.site.row) if by_row else None
    except CannotLower as obstacle:
        return Finding("PS190", f"{obstacle.construct} cannot be used in a variable", span)
    return replace(
        program, text=whole, node=node, reads=frozenset(reads), cost=cost, _run=run, _steps=steps
    )


def _replaced(node: Typed, trees: Mapping[str, Typed]) -> Typed:
    if isinstance(node, Get) and isinstance(node.operand, Var) and node.operand.name == VARS:
        return trees[node.field]
    return _rebuilt(node, {id(child): _replaced(child, trees) for child in children(node)})


def _moved(node: Typed, by: int) -> Typed:
    parts = _rebuilt(node, {id(child): _moved(child, by) for child in children(node)})
    return replace(parts, span=Span(node.span.start + by, node.span.end + by))


def _rebuilt(node: Typed, parts: Mapping[int, Typed]) -> Typed:
    """Returns a node with its direct parts exchanged, by the identity of the old ones."""
    changed = {f.name: _exchange(getattr(node, f.name), parts) for f in fields(node)}
    return replace(node, **changed)  # type: ignore[arg-type]  # the fields are its own


def _exchange(value: object, parts: Mapping[int, Typed]) -> object:
    if id(value) in parts:
        return parts[id(value)]
    if isinstance(value, tuple):
        return tuple(_exchange(item, parts) for item in value)
    return value
