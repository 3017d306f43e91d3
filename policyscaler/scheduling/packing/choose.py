"""The packing to use: the baseline or something cheaper, never anything dearer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from policyscaler.scheduling.packing.greedy import pack_greedy
from policyscaler.scheduling.packing.incremental import pack_incremental
from policyscaler.scheduling.packing.problem import Packing, Problem
from policyscaler.scheduling.packing.signatures import Signatures
from policyscaler.scheduling.packing.split import MOST_NODES, split_nodes

SMOOTHING: Final = 0.8
"""Of the weights 0, 0.5, 0.8 and 0.95, measured on mixed workloads, this opened fewest nodes and
cost least; it loses only where prices are proportional to size, and there the plain one is tried.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The chosen packing and what each one tried would have cost, in micro-dollars per hour."""

    packing: Packing
    prices: Mapping[str, int]


def choose_packing(problem: Problem, *, incremental: int = 2) -> Choice:
    """Returns the cheapest packing; the baseline on a tie.

    Args:
        problem: what to pack; every item has an option.
        incremental: effort: how many incremental packings may be tried, 0 to 2. The plain one is
            only tried where the smoothed one did not beat the baseline. With 0, nothing but the
            baseline is made.
    """
    signatures = Signatures(problem)
    best = pack_greedy(problem, signatures)
    prices = {best.name: best.price}
    for weight in (SMOOTHING, 0.0)[:incremental]:
        if not problem.items or best.name != "greedy":
            break
        other = pack_incremental(problem, signatures, weight)
        prices[other.name] = other.price
        if other.price < prices[best.name]:
            best = other
    if incremental and len(best.nodes) <= MOST_NODES:
        other = split_nodes(problem, signatures, best)
        if other.price < prices[best.name]:
            prices[other.name] = other.price
            best = other
    return Choice(packing=best, prices=prices)
