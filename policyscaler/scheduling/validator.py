"""An independent check of a packing, slow and plain on purpose.

It shares nothing with the packings but the algebra of requirements: every node is worked out
again from its pods. A packing that it rejects is a bug; the caller falls back to the baseline.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from policyscaler.model import resources as res
from policyscaler.model.labels import WELL_KNOWN
from policyscaler.scheduling import requirements as req
from policyscaler.scheduling.packing.problem import PackedNode, Packing
from policyscaler.scheduling.shapes import Shape
from policyscaler.scheduling.taints import untolerated
from policyscaler.scheduling.templates import Template


def violations(
    packing: Packing, templates: Sequence[Template], shapes: Sequence[Shape], wanted: dict[int, int]
) -> list[str]:
    """Returns what is wrong with a packing, empty if nothing is.

    Args:
        packing: nodes whose pools index `templates` and whose content indexes `shapes`.
        templates: the pools.
        shapes: the pods.
        wanted: how many pods of each shape were to be packed.
    """
    found = []
    placed: dict[int, int] = {}
    check = _NodeCheck(templates, shapes)
    for position, node in enumerate(packing.nodes):
        found += [f"node {position}: {text}" for text in check.violations(node)]
        for shape, count in node.content:
            placed[shape] = placed.get(shape, 0) + count
    for shape in sorted({*placed, *wanted}):
        have, asked = placed.get(shape, 0), wanted.get(shape, 0)
        if have != asked:
            found.append(f"{have} of {asked} pods of {shapes[shape].name} were placed")
    return found


class _NodeCheck:
    """Checks one node after the other; what nodes share is checked once."""

    def __init__(self, templates: Sequence[Template], shapes: Sequence[Shape]) -> None:
        self.templates, self.shapes = templates, shapes
        self.promises: dict[tuple[int, int], tuple[req.Requirements, list[str]]] = {}
        self.hosts: dict[tuple[int, int, int], tuple[req.Requirements, list[str]]] = {}

    def violations(self, node: PackedNode) -> list[str]:
        found = list(self._promise(node))
        total: dict[str, int] = {}
        for index, count in node.content:
            for name, amount in self.shapes[index].requests.items():
                total[name] = total.get(name, 0) + amount * count
            found += self._guest(node, index)
        return found + self._size(node, total)

    def _promise(self, node: PackedNode) -> list[str]:
        """Whether every offering that is left satisfies the pool and what the node became."""
        key = (id(node.requirements), id(node.base))
        known = self.promises.get(key)
        if known is not None:
            return known[1]
        template, found = self.templates[node.pool], []
        if not req.intersects(template.requirements, node.requirements):
            found.append(f"requirements left those of {template.pool.name}")
        allowed = template.matching & template.table.available
        allowed &= template.table.mask_all(node.requirements)
        if bool((node.base & ~allowed).any()):
            found.append("an offering is unavailable, or outside the pool or the requirements")
        self.promises[key] = (node.requirements, found)
        return found

    def _guest(self, node: PackedNode, index: int) -> list[str]:
        """Whether a shape may be on the node at all."""
        key = (node.pool, id(node.requirements), index)
        known = self.hosts.get(key)
        if known is not None:
            return known[1]
        template, shape, found = self.templates[node.pool], self.shapes[index], []
        if untolerated(template.pool.taints, shape.spec.tolerations) is not None:
            found.append(f"{shape.name} does not tolerate {template.pool.name}")
        if not any(_accepts(node.requirements, want, template) for want in shape.alternatives):
            found.append(f"{shape.name} cannot be on a node with {req.describe(node.requirements)}")
        self.hosts[key] = (node.requirements, found)
        return found

    def _size(self, node: PackedNode, total: dict[str, int]) -> list[str]:
        """Whether every type that is left holds all pods beside its daemons."""
        template = self.templates[node.pool]
        if not bool(node.rows(template.table).any()):
            return ["no offering is left"]
        found = []
        for name in sorted({*total, *template.overhead}):
            room = template.table.allocatable(name) - template.overhead.get(name, np.int64(0))
            short = node.types & (room < total.get(name, 0))
            if bool(short.any()):
                kind = template.table.types[int(np.flatnonzero(short)[0])].name
                found.append(f"{kind} is too small for {res.describe(total)}")
        return found


def _accepts(have: req.Requirements, want: req.Requirements, template: Template) -> bool:
    """Whether the node keeps the pod's promises: never wider than what the pod asks for."""
    undefined = template.table.keys | WELL_KNOWN
    return req.compatible(have, want, undefined=undefined) and all(
        have[key].values <= wanted.values
        for key, wanted in want.items()
        if wanted.operator == "In" and key in have and have[key].operator == "In"
    )
