"""Which pools can serve each class of pods in one round of packing.

Most classes differ in nothing but their requests: what a pool and policy say to them is asked
once, and only whether one pod fits is asked for each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field

import numpy as np

from policyscaler.model.plan import PoolRefusal
from policyscaler.model.resources import Resources
from policyscaler.planning.workbench import Workbench
from policyscaler.policy.verdicts import LimitCharge
from policyscaler.scheduling.answers import Answered
from policyscaler.scheduling.feasibility import Feasible, Question, Screened, examine, preferred
from policyscaler.scheduling.offeringtable import Mask
from policyscaler.scheduling.packing.problem import Option, PackPool
from policyscaler.scheduling.pricetable import cheapest_per_type
from policyscaler.scheduling.shapes import Shape
from policyscaler.scheduling.templates import Template

_WHATEVER_SIZE = ("taints", "requirements")
"""Refusals that hold for a class whatever its requests are."""


@dataclass(kw_only=True)
class OptionFinder:
    """Finds options; made anew for each round because limits have shrunk since.

    Attributes:
        bench: the cluster and policy.
        pools: the templates in columns, in their order.
        charges: the policy limits that a launch for a shape counts against.
        left_of: what such a limit leaves.
        remaining: per pool, what its own limits leave.
        shared: answers by pool and kind of class; those of equal limits may be shared.
        latest: what policy said, by pool, to the shape that was asked about last.
    """

    bench: Workbench
    pools: tuple[PackPool, ...]
    charges: Callable[[Shape, Template], tuple[LimitCharge, ...]]
    left_of: Callable[[LimitCharge], int]
    remaining: Mapping[str, Resources]
    shared: MutableMapping[tuple[object, ...], Answered] = field(default_factory=dict)
    latest: dict[str, Screened] = field(default_factory=dict)

    def find(self, shape: Shape) -> tuple[list[Option], list[PoolRefusal]]:
        """Returns the options of a shape, preferred pools first, and why other pools have none."""
        self.latest = {}
        found: list[tuple[Feasible, Option]] = []
        refusals: list[PoolRefusal] = []
        key = self._kind(shape)
        for index, template in enumerate(self.bench.templates):
            answer = self._answer(shape, index, template, key)
            if isinstance(answer, PoolRefusal):
                refusals.append(answer)
            else:
                found.append(answer)
                self.latest[template.pool.name] = answer[0].screened
        wanted = {id(feasible) for feasible in preferred([pair[0] for pair in found])}
        return [option for feasible, option in found if id(feasible) in wanted], refusals

    def _kind(self, shape: Shape) -> tuple[object, ...]:
        wanted = tuple(frozenset(option.items()) for option in shape.alternatives)
        return (wanted, shape.spec.tolerations, self.bench.rules.policy_key(shape))

    def _answer(
        self, shape: Shape, index: int, template: Template, key: tuple[object, ...]
    ) -> tuple[Feasible, Option] | PoolRefusal:
        shared = self.shared.get((index, key))
        if shared is None:
            shared = self.shared[index, key] = self._ask(shape, index, template)
        answer, pool = shared.answer, self.pools[index]
        if isinstance(answer, PoolRefusal):
            if answer.constraint in _WHATEVER_SIZE:
                return answer
        elif shared.option is not None and not pool.min_values and self._fits(shape, shared):
            return answer, shared.option
        sized = examine(self._question(shape, template, sized=True))
        if isinstance(sized, PoolRefusal):
            return sized
        return sized, _option(index, sized)

    def _ask(self, shape: Shape, index: int, template: Template) -> Answered:
        answer = examine(self._question(shape, template, sized=False))
        if isinstance(answer, PoolRefusal):
            return Answered(answer=answer)
        pool = self.pools[index]
        prices = cheapest_per_type(answer.rows, answer.screened.prices, template.table.first_row)
        types = self.bench.memo.assortments.of(pool.available, prices)
        return Answered(answer=answer, option=_option(index, answer), best=types.available)

    def _fits(self, shape: Shape, shared: Answered) -> bool:
        need = np.array([shape.requests.get(r, 0) for r in self.pools[0].resources], dtype=np.int64)
        return bool((shared.best >= need).all(axis=1).any())

    def _question(self, shape: Shape, template: Template, *, sized: bool) -> Question:
        return Question(
            shape=shape, template=template, remaining=self.remaining[template.pool.name],
            screen=self._screen, sized=sized,
        )  # fmt: skip

    def _screen(self, shape: Shape, template: Template, rows: Mask) -> Screened:
        """Policy limits first: a row that counts more than a limit leaves is no offer at all."""
        charges = self.charges(shape, template)
        limited = rows
        for charge in charges:
            limited = limited & (charge.amounts <= self.left_of(charge))
        if limited.any():
            return self.bench.rules.screen(shape, template, limited)
        tight = min(charges, key=self.left_of)
        return Screened(
            rows=limited, prices=template.table.prices, blocking=tight.rule,
            message=self._over(tight, rows),
        )  # fmt: skip

    def _over(self, charge: LimitCharge, rows: Mask) -> str:
        """Says what a policy limit allows, who has used it up, and what one more launch would take."""
        if charge.error:
            return charge.error
        by_pool = dict(self.bench.rules.charged.get(charge.key, {}))
        used = charge.maximum - self.left_of(charge)
        now = used - sum(by_pool.values())
        parts = [f"{pool} {_units(amount)}" for pool, amount in sorted(by_pool.items())]
        parts += [f"launches of this decision {_units(now)}"] if now else []
        split = f" ({', '.join(parts)})" if parts else ""
        least = _units(int(charge.amounts[rows].min()))
        return (
            f"limit {charge.key} {_units(charge.maximum)}, used {_units(used)}{split}, "
            f"smallest launch {least}"
        )


def _units(millionths: int) -> str:
    return f"{millionths / 1e6:g}"


def _option(pool: int, answer: Feasible) -> Option:
    return Option(
        pool=pool, requirements=answer.requirements, rows=answer.rows, prices=answer.screened.prices
    )
