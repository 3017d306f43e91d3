"""Which pools could make a node for a shape, and if none, what stands in the way of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from policyscaler.model.plan import PoolRefusal, RuleCount, RuleRef
from policyscaler.model.quantities import format_resource
from policyscaler.model.resources import Resources
from policyscaler.scheduling import requirements as req
from policyscaler.scheduling.offeringtable import Amounts, Mask
from policyscaler.scheduling.shapes import Shape
from policyscaler.scheduling.taints import untolerated
from policyscaler.scheduling.templates import Template

_LONGEST = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """What policy says to the offerings of one pool for one shape.

    Attributes:
        rows: the offerings that every `require` rule keeps.
        prices: effective micro-dollars per hour per row.
        funnel: the rules in order, with what each kept and cut.
        blocking: the rule that cut the last rows, None while rows remain.
        notes: suspended rules and the like.
    """

    rows: Mask
    prices: Amounts
    funnel: tuple[RuleCount, ...] = ()
    blocking: RuleRef | None = None
    message: str = ""
    notes: tuple[str, ...] = ()


Screen: TypeAlias = Callable[[Shape, Template, Mask], Screened]
"""Asks policy about rows that are otherwise feasible."""


def no_policy(shape: Shape, template: Template, rows: Mask) -> Screened:
    """Keeps every row at its price: the screen where there is no policy."""
    del shape
    return Screened(rows=rows, prices=template.table.prices)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feasible:
    """Pool, narrowed requirements and the rows that are left; of a sized question, those that fit."""

    template: Template
    requirements: req.Requirements
    rows: Mask
    screened: Screened
    soft: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked of a pool.

    Attributes:
        shape: the pods; each of their OR-ed affinity terms is tried in order.
        template: the pool.
        remaining: what the pool's limits leave.
        screen: policy.
        sized: whether a row must hold one pod. The unsized answer is shared by all shapes that
            differ in requests alone.
    """

    shape: Shape
    template: Template
    remaining: Resources
    screen: Screen
    sized: bool = True


def examine(question: Question) -> Feasible | PoolRefusal:
    """Returns how a pool can serve a shape, or the first thing that stands in the way."""
    shape, template = question.shape, question.template
    taint = untolerated(template.pool.taints, shape.spec.tolerations)
    if taint is not None:
        return _refusal(template, "taints", f"does not tolerate the pool's taint {taint}")
    refusal: PoolRefusal | None = None
    for wanted in shape.alternatives:
        found = _examine_term(question, wanted)
        if isinstance(found, Feasible):
            return found
        refusal = refusal or found
    return refusal or _refusal(template, "requirements", "asks for nothing that can be had")


def _examine_term(question: Question, wanted: req.Requirements) -> Feasible | PoolRefusal:
    template = question.template
    conflict = req.find_conflict(template.requirements, wanted, undefined=template.undefined)
    if conflict is not None:
        miss = (
            f'declare a label or requirement "{conflict.key}" on pool {template.pool.name}'
            if conflict.undefined
            else f"change {conflict.key} of the pod or the pool"
        )
        return _refusal(template, "requirements", str(conflict), miss)
    matching = template.matching & template.table.mask_all(wanted)
    if not matching.any():
        return _no_machine(template, wanted)
    return _examine_rows(question, wanted, matching)


def _examine_rows(
    question: Question, asked: req.Requirements, matching: Mask
) -> Feasible | PoolRefusal:
    shape, template = question.shape, question.template
    merged = req.merge(template.requirements, asked)
    fits = matching & _fitting(template, shape.requests) if question.sized else matching
    if not fits.any():
        return _too_large(template, matching, shape)
    available = fits & template.table.available
    if not available.any():
        count = int(fits.sum())
        return _refusal(template, "offering", f"all {count} offerings that fit are unavailable now")
    limited = available & template.within(question.remaining)
    if not limited.any():
        return _over_limit(template, available, question.remaining)
    # Policy is asked about all machines of the class, so that its funnel shows what the pool's own
    # requirements cut; they are rules like any other there.
    offered = template.table.available & template.table.mask_all(asked)
    screened = question.screen(shape, template, offered & template.within(question.remaining))
    rows = screened.rows & limited
    if not rows.any():
        # Asked about these alone, policy tells which rule cut them.
        alone = question.screen(shape, template, limited)
        return _cut_by_policy(template, alone, int(limited.sum()))
    short = _short_values(template, rows) if question.sized else ""
    if short:
        return _refusal(template, "min-values", short)
    soft = untolerated(template.pool.taints, shape.spec.tolerations, soft=True) is not None
    return Feasible(template=template, requirements=merged, rows=rows, screened=screened, soft=soft)


def _cut_by_policy(template: Template, screened: Screened, count: int) -> PoolRefusal:
    rule = screened.blocking
    text = screened.message or f"policy leaves none of {count} offerings"
    miss = f"without {rule.policy}/{rule.rule} more would fit" if rule else ""
    return _refusal(template, "policy", text, miss, rule=rule)


def _fitting(template: Template, requests: Resources) -> Mask:
    """Returns the rows whose type holds one pod beside its daemons."""
    types = np.ones(len(template.table.types), dtype=bool)
    for resource in sorted({*requests, *template.overhead}):
        overhead = template.overhead.get(resource, np.int64(0))
        amount = requests.get(resource, 0)
        if amount or resource in template.overhead:
            types &= template.table.allocatable(resource) - overhead >= amount
    return types[template.table.type_of_row]


def _short_values(template: Template, rows: Mask) -> str:
    for key, minimum in template.min_values.items():
        have = len(template.table.values_of(key, rows))
        if have < minimum:
            return f"minValues {minimum} of {key} cannot be kept: {have} left"
    return ""


def _no_machine(template: Template, wanted: req.Requirements) -> PoolRefusal:
    for key in sorted(wanted):
        if not (template.matching & template.table.mask(wanted[key])).any():
            known = sorted(template.table.values_of(key, template.matching))[:5]
            text = f"no machine of the pool satisfies {wanted[key]}"
            hint = f"; it has {', '.join(known)}" if known else ""
            return _refusal(template, "requirements", text + hint, f"drop {key}")
    text = f"no machine of the pool satisfies all of {req.describe(wanted)}"
    if not template.matching.any():
        text = "no machine satisfies the pool's own requirements"
    return _refusal(template, "requirements", text)


def _too_large(template: Template, matching: Mask, shape: Shape) -> PoolRefusal:
    types = template.table.types_of(matching)
    for resource in sorted(
        shape.requests, key=lambda name: (name != "cpu", name != "memory", name)
    ):
        amount = shape.requests[resource]
        overhead = template.overhead.get(resource, np.zeros(len(types), dtype=np.int64))
        left = np.where(types, template.table.allocatable(resource) - overhead, -1)
        best = int(left.argmax())
        if amount > int(left[best]):
            name, most = template.table.types[best].name, max(0, int(left[best]))
            text = (
                f"needs {resource} {format_resource(resource, amount)}; the most that a machine of "
                f"the pool leaves is {format_resource(resource, most)} ({name}){_unit_hint(resource, amount)}"
            )
            daemon = int(overhead[best])
            constraint = "daemonset" if amount <= most + daemon else "resources"
            if constraint == "daemonset":
                text += f" after daemons' {format_resource(resource, daemon)}"
            return _refusal(template, constraint, text, f"a larger machine or a smaller {resource}")
    text = "no single machine of the pool has enough of everything it requests"
    return _refusal(template, "resources", text)


def _unit_hint(resource: str, amount: int) -> str:
    # A million whole CPUs is nearly always "m" written as "M".
    return "; was m meant, not M?" if resource == "cpu" and amount >= 10**9 else ""


def _over_limit(template: Template, rows: Mask, remaining: Resources) -> PoolRefusal:
    limits, name = template.pool.limits, template.pool.name
    if remaining.get("nodes", 1) < 1:
        text = f"pool {name} is at its limit of {limits['nodes']} nodes"
        return _refusal(template, "limits", text, f"raise limits.nodes of {name}")
    types = np.flatnonzero(template.table.types_of(rows))
    for resource in sorted(remaining):
        least = int(template.table.capacity(resource)[types].min())
        if resource != "nodes" and least > remaining[resource]:
            used = limits[resource] - remaining[resource]
            needed = format_resource(resource, used + least)
            text = (
                f"limit {resource} {format_resource(resource, limits[resource])} of pool {name}, used "
                f"{format_resource(resource, used)}, smallest allowed node {format_resource(resource, least)}"
            )
            return _refusal(template, "limits", text, f"a limit of {needed} or more would do")
    return _refusal(template, "limits", f"no machine fits all limits of pool {name} at once")


def _refusal(
    template: Template, constraint: str, text: str, miss: str = "", *, rule: RuleRef | None = None
) -> PoolRefusal:
    message = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return PoolRefusal(
        pool=template.pool.name,
        constraint=constraint,
        message=message,
        nearest_miss=miss,
        rule=rule,
    )


def preferred(options: Sequence[Feasible]) -> list[Feasible]:
    """Returns the options to pack by: PreferNoSchedule taints only where nothing else is left."""
    untainted = [option for option in options if not option.soft]
    return untainted or list(options)
