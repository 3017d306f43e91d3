"""What keeps starting nodes from the pods that they were launched for."""

from __future__ import annotations

from typing import Final

from policyscaler.model.nodes import NodeClaim, Taint
from policyscaler.model.plan import Finding
from policyscaler.planning.cluster import ClusterView
from policyscaler.scheduling.taints import DISRUPTED

_OF_KUBERNETES: Final = "node.kubernetes.io/"


def undeclared_taints(view: ClusterView) -> tuple[Finding, ...]:
    """Returns a warning for each taint on a starting node that its pool does not know.

    An agent has put it there and will remove it; unless the pool declares it as a startup taint,
    the node looks as if its pods could never run on it.
    """
    found = []
    for node in view.nodes:
        if node.initialized or node.claim is None or node.node is None:
            continue
        for taint in node.taints:
            if not _is_known(taint, node.claim):
                text = (
                    f"taint {taint} appeared on starting node {node.name}; if an agent removes it "
                    f"again, declare it in startupTaints of pool {node.pool}"
                )
                found.append(Finding(severity="warning", subject=node.name, message=text))
    return tuple(found)


def _is_known(taint: Taint, claim: NodeClaim) -> bool:
    declared = {(t.key, t.effect) for t in (*claim.taints, DISRUPTED)}
    return (taint.key, taint.effect) in declared or taint.key.startswith(_OF_KUBERNETES)
