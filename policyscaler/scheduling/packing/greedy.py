"""Karpenter's way to pack, by classes: the baseline that every other packing must beat.

Pods by cpu then memory, descending; nodes under construction by fewest pods, the first that still
has a type large enough; otherwise a new node from the first pool that works. Price plays no part
until the end. Source: reference behaviour of Karpenter v1.14.
"""

from __future__ import annotations

import numpy as np

from policyscaler.scheduling.offeringtable import Amounts
from policyscaler.scheduling.packing.open_nodes import OpenNodes, option_signatures
from policyscaler.scheduling.packing.problem import Item, Packing, Problem
from policyscaler.scheduling.packing.signatures import Signatures, has_price
from policyscaler.scheduling.pricetable import NONE

_NODES = 1 << 24


def pack_greedy(problem: Problem, signatures: Signatures) -> Packing:
    """Returns the baseline packing of all items, in their order."""
    nodes = OpenNodes(problem, signatures)
    for item in problem.items:
        _place(item, nodes, option_signatures(item, signatures))
    return nodes.finish("greedy")


def _place(item: Item, nodes: OpenNodes, options: dict[int, int]) -> None:
    joins = nodes.joins(options)
    order = _order(nodes, nodes.prices_with(item, joins, 0.0))
    for _ in range(item.count):
        node = _next_node(item, nodes, joins, order)
        if node < 0:
            node = nodes.open(next(iter(options.values())))
            joins = nodes.joins(options)
            if node >= len(order):
                order = np.concatenate([order, np.full(max(64, node), NONE, dtype=np.int64)])
        joined = joins[int(nodes.signature[node])]
        nodes.put(node, item, joined)
        joins.setdefault(joined, joined)
        price = nodes.signatures.table(joined, 0.0).price(
            nodes.used[node][0] + item.need[0],
            nodes.used[node][1] + item.need[1],
            nodes.used[node][2] + item.need[2],
        )
        order[node] = _rank(nodes.used[node][2], node) if has_price(price) else NONE


def _order(nodes: OpenNodes, prices: Amounts) -> Amounts:
    ranks = nodes.pods[: nodes.count] * _NODES + np.arange(nodes.count, dtype=np.int64)
    return np.where(prices < NONE // 2, ranks, NONE)


def _rank(pods: int, node: int) -> int:
    # Fewest pods first, then the node opened first; below NONE for up to 2^24 nodes.
    return pods * _NODES + node


def _next_node(item: Item, nodes: OpenNodes, joins: dict[int, int], order: Amounts) -> int:
    while len(order):
        node = int(order.argmin())
        if order[node] >= NONE:
            return -1
        if nodes.would_hold(node, item, joins[int(nodes.signature[node])]):
            return node
        order[node] = NONE
    return -1
