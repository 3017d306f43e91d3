"""Which of the nodes that fit a pod gets it: the scoring half of the simulated kube-scheduler.

Default plugins and weights: TaintToleration 3, NodeAffinity 2, NodeResourcesFit (LeastAllocated)
1, NodeResourcesBalancedAllocation 1. Integers throughout. Source: kube-scheduler 1.35.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from policyscaler.model import resources as res
from policyscaler.model.nodes import PREFER_NO_SCHEDULE, Node
from policyscaler.model.pods import PodSpec
from policyscaler.scheduling.taints import untolerated
from policyscaler.simulation.placement import term_matches

_FULL: Final = 100
_FINE: Final = 10_000
_TAINT_WEIGHT: Final = 3
_AFFINITY_WEIGHT: Final = 2


def score(nodes: Sequence[Node], spec: PodSpec, *, loads: Sequence[tuple[int, int]]) -> list[int]:
    """Returns a score for each node, higher is better.

    Args:
        nodes: those that fit.
        spec: the pod's.
        loads: (milli-CPU, memory) of each node with the pod on it, as scoring counts them.
    """
    totals = [_allocation(node, load) for node, load in zip(nodes, loads, strict=True)]
    if any(taint.effect == PREFER_NO_SCHEDULE for node in nodes for taint in node.taints):
        repelled = [_soft_taints(node, spec) for node in nodes]
        for i, share in enumerate(_normalized(repelled)):
            totals[i] += _TAINT_WEIGHT * (_FULL - share)
    if spec.preferred_terms:
        wished = [
            sum(p.weight for p in spec.preferred_terms if term_matches(p.term, node))
            for node in nodes
        ]
        for i, share in enumerate(_normalized(wished)):
            totals[i] += _AFFINITY_WEIGHT * share
    return totals


def _allocation(node: Node, load: tuple[int, int]) -> int:
    fractions = []
    for resource, used in zip((res.CPU, res.MEMORY), load, strict=True):
        allocatable = node.allocatable.get(resource, 0)
        fractions.append(min(_FINE, used * _FINE // allocatable) if allocatable else _FINE)
    least_allocated = sum(_FINE - f for f in fractions) // len(fractions) * _FULL // _FINE
    spread = abs(fractions[0] - fractions[1]) // 2
    return least_allocated + (_FINE - spread) * _FULL // _FINE


def _soft_taints(node: Node, spec: PodSpec) -> int:
    soft = (taint for taint in node.taints if taint.effect == PREFER_NO_SCHEDULE)
    return sum(untolerated((taint,), spec.tolerations, soft=True) is not None for taint in soft)


def _normalized(amounts: list[int]) -> list[int]:
    top = max(amounts, default=0)
    return [amount * _FULL // top if top else 0 for amount in amounts]
