"""The digest of what makes nodes of a pool drift when it is edited.

Source: Karpenter hashes the whole template less requirements (which are compared one by one);
lists count as sets. The keys are our own, so that Karpenter's stay as they are.
"""

from __future__ import annotations

import hashlib

import msgspec

from policyscaler.model import labels as well
from policyscaler.model.durations import format_duration
from policyscaler.model.pools import NodeClass, NodePool


def pool_hash(pool: NodePool) -> str:
    """Returns the digest of a pool's template: 16 hexadecimal digits.

    A pool that was converted from v1beta1 has the digest of the v1 pool that says the same, so
    translation alone drifts no node.
    """
    content = (
        sorted(pool.labels.items()),
        sorted(pool.annotations.items()),
        sorted(str(taint) for taint in pool.taints),
        sorted(str(taint) for taint in pool.startup_taints),
        str(pool.node_class.group),
        str(pool.node_class),
        format_duration(pool.expire_after),
        format_duration(pool.termination_grace) if pool.termination_grace is not None else "",
    )
    return hashlib.sha256(msgspec.json.encode(content)).hexdigest()[:16]


def hash_annotations(pool: NodePool, node_class: NodeClass | None) -> dict[str, str]:
    """Returns the annotations that a claim of this pool carries."""
    found = {well.POOL_HASH: pool_hash(pool)}
    if node_class is not None and node_class.hash:
        found[well.NODECLASS_HASH] = node_class.hash
    return found
