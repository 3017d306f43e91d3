"""Whether a node still is what its pool and class say.

Source: Karpenter compares a hash of the template, and the node's labels with the requirements.
Widening requirements drifts nothing; narrowing them, or asking for a label that nodes lack, does.
"""

from __future__ import annotations

from policyscaler.model import labels as well
from policyscaler.model.pools import NodePool
from policyscaler.model.snapshot import Snapshot
from policyscaler.planning.cluster import StateNode
from policyscaler.planning.hashes import pool_hash
from policyscaler.scheduling import requirements as req

POOL_DRIFTED = "NodePoolDrifted"
CLASS_DRIFTED = "NodeClassDrifted"
REQUIREMENTS_DRIFTED = "RequirementsDrifted"


def drift_reason(node: StateNode, pool: NodePool, snapshot: Snapshot) -> str:
    """Returns why a node has drifted from its pool, empty if it has not.

    A claim that carries no hash of ours has never been judged and is not drifted by it.
    """
    claim = node.claim
    if claim is None:
        return ""
    kept = claim.meta.annotations.get(well.POOL_HASH)
    if kept is not None and kept != pool_hash(pool):
        return POOL_DRIFTED
    node_class = snapshot.node_classes.get(pool.node_class)
    kept_class = claim.meta.annotations.get(well.NODECLASS_HASH)
    if node_class is not None and node_class.hash and kept_class not in (None, node_class.hash):
        return CLASS_DRIFTED
    have = req.of_node({**claim.meta.labels, **node.labels})
    wanted = req.of_pool(pool)
    if not req.compatible(have, wanted, undefined=None):
        return REQUIREMENTS_DRIFTED
    return ""
