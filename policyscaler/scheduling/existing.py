"""Placing pods on nodes that exist or are on their way.

They come before any new node: initialized ones first, then by name, each filled as far as it
goes. Real labels must satisfy the pod strictly: what a node does not carry, it does not have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from policyscaler.model.nodes import Taint
from policyscaler.model.resources import Resources
from policyscaler.scheduling import requirements as req
from policyscaler.scheduling.offeringtable import Amounts, Mask
from policyscaler.scheduling.shapes import Shape
from policyscaler.scheduling.taints import untolerated


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRoom:
    """A node with what is free on it.

    Attributes:
        name: of the node, or of its claim while there is no node.
        labels: as they are, or as the claim promises them, as requirements.
        taints: those that will last.
        free: allocatable less bound pods and daemons still to come.
        initialized: whether it is fully there.
    """

    name: str
    labels: req.Requirements
    taints: tuple[Taint, ...]
    free: Resources
    initialized: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """What went onto existing nodes.

    Attributes:
        placed: per node name, (shape index, count) in order.
        left: per shape, how many pods have found no place.
    """

    placed: Mapping[str, tuple[tuple[int, int], ...]]
    left: tuple[int, ...]


def fill_existing(shapes: Sequence[Shape], nodes: Sequence[NodeRoom]) -> Filled:
    """Returns as many pods as fit on existing nodes, shapes in their order."""
    left = [shape.count for shape in shapes]
    if not nodes:
        return Filled(placed={}, left=tuple(left))
    ordered = sorted(nodes, key=lambda node: (not node.initialized, node.name))
    resources = sorted({name for shape in shapes for name in shape.requests})
    free = np.array([[n.free.get(r, 0) for r in resources] for n in ordered], dtype=np.int64)
    broken = np.array([any(a < 0 for a in node.free.values()) for node in ordered], dtype=bool)
    reach = _Reach(ordered)
    placed: dict[str, list[tuple[int, int]]] = {}
    for index, shape in enumerate(shapes):
        allowed = reach.of(shape) & ~broken
        if not allowed.any():
            continue
        need = np.array([shape.requests.get(r, 0) for r in resources], dtype=np.int64)
        counts = _counts(free, need, allowed, left[index])
        for position in np.flatnonzero(counts).tolist():
            count = int(counts[position])
            free[position] -= count * need
            left[index] -= count
            placed.setdefault(ordered[position].name, []).append((index, count))
    return Filled(placed={k: tuple(v) for k, v in placed.items()}, left=tuple(left))


def _counts(free: Amounts, need: Amounts, allowed: Mask, wanted: int) -> Amounts:
    """Returns how many pods each node takes when they are filled one after the other."""
    asked = need > 0
    room = (
        (free[:, asked] // need[asked]).min(axis=1) if asked.any() else np.full(len(free), wanted)
    )
    room = np.where(allowed, np.clip(room, 0, wanted), 0)
    before = np.cumsum(room) - room
    counts: Amounts = np.clip(wanted - before, 0, room)
    return counts


class _Reach:
    """Which nodes a shape may go to, apart from room; equal demands are answered once."""

    def __init__(self, nodes: Sequence[NodeRoom]) -> None:
        self.nodes = nodes
        self.known: dict[object, Mask] = {}

    def of(self, shape: Shape) -> Mask:
        options = req.alternatives_on_real_nodes(shape.spec) or shape.alternatives
        wanted = tuple(frozenset(option.items()) for option in options)
        key = (wanted, shape.spec.tolerations)
        mask = self.known.get(key)
        if mask is None:
            verdicts = (self._reaches(shape, options, node) for node in self.nodes)
            mask = self.known[key] = np.fromiter(verdicts, dtype=bool, count=len(self.nodes))
        return mask

    @staticmethod
    def _reaches(shape: Shape, options: Sequence[req.Requirements], node: NodeRoom) -> bool:
        if untolerated(node.taints, shape.spec.tolerations) is not None:
            return False
        return any(req.compatible(node.labels, want, undefined=None) for want in options)
