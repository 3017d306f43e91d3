"""Splitting dear nodes: the pods of one large node on several smaller ones, where that is cheaper.

Every packing fills a node before it opens the next, so a few pods too many end on a machine of
twice the size. In a large packing that evens out; in a small one it decides the price.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import Final

from policyscaler.scheduling.packing.greedy import pack_greedy
from policyscaler.scheduling.packing.open_nodes import option_signatures
from policyscaler.scheduling.packing.problem import Item, PackedNode, Packing, Problem
from policyscaler.scheduling.packing.signatures import Signatures

MOST_NODES: Final = 8
"""The largest packing in which nodes are split."""


def split_nodes(problem: Problem, signatures: Signatures, packing: Packing) -> Packing:
    """Returns the packing with every node split for which that is cheaper.

    Nodes stay in their pools, whose order is not a matter of price.
    """
    items = {item.shape: item for item in problem.items}
    nodes: list[PackedNode] = []
    for node in packing.nodes:
        parts = _split(problem, node, items)
        if parts and sum(part.price for part in parts) < node.price:
            nodes += [_widened(part, signatures, items) for part in parts]
        else:
            nodes.append(node)
    return Packing(name=f"{packing.name}-split", nodes=tuple(nodes))


def _split(problem: Problem, node: PackedNode, items: Mapping[int, Item]) -> tuple[PackedNode, ...]:
    """Returns the node's pods on cheaper machines only, or nothing if one of them has none."""
    smaller = [_cheaper_item(items[shape], count, node) for shape, count in node.content]
    if not all(item.options for item in smaller):
        return ()
    part = replace(problem, items=tuple(smaller))
    signatures = Signatures(part)
    if not all(signatures.holds(signatures.of_option(i.options[0]), i.need) for i in smaller):
        return ()
    return pack_greedy(part, signatures).nodes


def _cheaper_item(item: Item, count: int, node: PackedNode) -> Item:
    options = tuple(
        replace(option, rows=rows)
        for option in item.options
        if option.pool == node.pool and (rows := option.rows & (option.prices < node.price)).any()
    )
    return replace(item, count=count, options=options)


def _widened(node: PackedNode, signatures: Signatures, items: Mapping[int, Item]) -> PackedNode:
    """Returns a node with all offerings that hold it, the dear ones too: cheap ones may run out."""
    options = [option_signatures(items[shape], signatures)[node.pool] for shape, _ in node.content]
    signature = reduce(signatures.join, options)
    entry = signatures.all[signature]
    return replace(
        node, requirements=entry.requirements, base=entry.rows, prices=entry.prices,
        types=signatures.fitting_types(signature, node.used),
    )  # fmt: skip
