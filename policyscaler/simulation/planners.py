"""The real planner, as the engine of a simulation calls it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from policyscaler.model.plan import Plan
from policyscaler.model.policies import ScalingPolicy
from policyscaler.model.pools import NodePool
from policyscaler.model.snapshot import Snapshot
from policyscaler.planning.decide import decide
from policyscaler.planning.effort import Memo
from policyscaler.policy.compiler import compile_pool, keys_of
from policyscaler.policy.evaluation import Policies


class PolicyPlanner:
    """Decides by bundles, the NodePools of each snapshot, and a user's policies.

    Policies are compiled when they or the pools have changed, and kept until then.

    Args:
        bundles: the policies of bundles.
        user: a user's own.

    Raises:
        PolicyError: the user's policies do not compile.
    """

    def __init__(
        self, bundles: Iterable[ScalingPolicy], user: Iterable[ScalingPolicy] = ()
    ) -> None:
        self._written = (*bundles, *user)
        self._memo = Memo()
        self._pools: tuple[NodePool, ...] = ()
        self._policies = Policies.compile(self._written)

    def __call__(self, snapshot: Snapshot, now: datetime) -> Plan:
        """Returns the plan for a snapshot."""
        return decide(snapshot, self._compiled(snapshot), now, memo=self._memo)

    def _compiled(self, snapshot: Snapshot) -> Policies:
        pools = tuple(
            pool
            for _, pool in sorted(snapshot.pools.items())
            if pool.node_class in snapshot.catalogues
        )
        if pools != self._pools:
            generated = [
                compile_pool(pool, keys_of(snapshot.catalogues[pool.node_class])) for pool in pools
            ]
            self._policies = Policies.compile((*self._written, *generated))
            self._pools = pools
        return self._policies
