"""Computes at load what needs no data, so that bad constants are found there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

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
)
from policyscaler.policy.findings import Finding
from policyscaler.policy.signatures import ValueFault
from policyscaler.policy.types import INT

Report = Callable[[Finding], None]


def fold(node: Typed, report: Report) -> Typed:
    """Return the tree with constant parts computed.

    Args:
        node: A typed tree.
        report: Takes a finding for each constant part that always fails.
    """
    match node:
        case Call():
            return _fold_call(node, report)
        case Logic():
            return _fold_logic(node, report)
        case Choice():
            return _fold_choice(node, report)
        case Get() | Has():
            return replace(node, operand=fold(node.operand, report))
        case _:
            return _fold_compound(node, report)


def _fold_compound(node: Typed, report: Report) -> Typed:
    match node:
        case ListOf():
            items = tuple(fold(item, report) for item in node.items)
            values = tuple(item.value for item in items if isinstance(item, Const))
            if len(values) == len(items):
                return Const(values, node.type, node.span)
            return replace(node, items=items)
        case MapOf():
            entries = tuple((fold(key, report), fold(value, report)) for key, value in node.entries)
            known = {
                key.value: value.value
                for key, value in entries
                if isinstance(key, Const) and isinstance(value, Const)
            }
            if len(known) == len(entries):
                return Const(known, node.type, node.span)
            return replace(node, entries=entries)
        case Loop():
            return replace(node, items=fold(node.items, report), body=fold(node.body, report))
        case _:
            return node


def _fold_call(node: Call, report: Report) -> Typed:
    arguments = tuple(fold(argument, report) for argument in node.arguments)
    _check_arguments(node, arguments, report)
    values = [argument.value for argument in arguments if isinstance(argument, Const)]
    if len(values) == len(arguments):
        try:
            return Const(node.overload.implementation(*values), node.type, node.span)
        except ValueFault as fault:
            report(Finding("PS125", str(fault), node.span))
    return replace(node, arguments=arguments)


def _check_arguments(node: Call, arguments: tuple[Typed, ...], report: Report) -> None:
    """Check literals such as a regular expression whose call has other, unknown arguments."""
    if all(isinstance(argument, Const) for argument in arguments):
        return
    divisor = arguments[-1]
    if node.name in {"_/_", "_%_"} and divisor.type == INT and _is_zero(divisor):
        report(Finding("PS125", "division by zero", node.span))
    for position, check in sorted(node.overload.checks.items()):
        argument = arguments[position]
        if isinstance(argument, Const) and isinstance(argument.value, str):
            fault = check(argument.value)
            if fault:
                report(Finding("PS125", fault, argument.span))


def _is_zero(node: Typed) -> bool:
    return isinstance(node, Const) and node.value == 0


def _fold_logic(node: Logic, report: Report) -> Typed:
    decisive = node.operator == "||"
    operands = [fold(operand, report) for operand in node.operands]
    kept = [
        operand
        for operand in operands
        if not (isinstance(operand, Const) and operand.value is not decisive)
    ]
    if any(isinstance(operand, Const) for operand in kept):
        return Const(decisive, node.type, node.span)
    if not kept:
        return Const(not decisive, node.type, node.span)
    return kept[0] if len(kept) == 1 else replace(node, operands=tuple(kept))


def _fold_choice(node: Choice, report: Report) -> Typed:
    condition = fold(node.condition, report)
    yes, no = fold(node.yes, report), fold(node.no, report)
    if isinstance(condition, Const):
        return yes if condition.value else no
    return replace(node, condition=condition, yes=yes, no=no)
