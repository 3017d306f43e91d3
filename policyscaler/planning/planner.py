"""Policies put together for each snapshot: bundles, what its NodePools say, and a user's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from policyscaler.model.plan import Plan
from policyscaler.model.policies import ScalingPolicy
from policyscaler.model.pools import NodePool
from policyscaler.model.snapshot import Snapshot
from policyscaler.planning.decide import decide
from policyscaler.planning.effort import DEFAULT_EFFORT, Effort, Memo
from policyscaler.policy.compiler import compile_pool, keys_of
from policyscaler.policy.evaluation import Policies

_NO_PARAMS: Final[Mapping[str, object]] = {}


def known_pools(snapshot: Snapshot) -> tuple[NodePool, ...]:
    """Returns the pools whose machines are known, by name; the others can launch nothing."""
    pools = (pool for _, pool in sorted(snapshot.pools.items()))
    return tuple(pool for pool in pools if pool.node_class in snapshot.catalogues)


def pool_policies(snapshot: Snapshot) -> tuple[ScalingPolicy, ...]:
    """Returns what each NodePool says, as a policy, by name of the pool."""
    keys = {ref: keys_of(catalogue) for ref, catalogue in snapshot.catalogues.items()}
    return tuple(compile_pool(pool, keys[pool.node_class]) for pool in known_pools(snapshot))


class PolicyPlanner:
    """Decides. Policies are compiled when the pools have changed, and kept until then.

    Args:
        policies: of bundles and a user's own.
        params: values of parameters by name.
        effort: bounds on the work of each decision.

    Raises:
        PolicyError: the policies do not compile.
    """

    def __init__(
        self,
        policies: Iterable[ScalingPolicy],
        *,
        params: Mapping[str, object] = _NO_PARAMS,
        effort: Effort = DEFAULT_EFFORT,
    ) -> None:
        self.written = tuple(policies)
        self.params, self.effort = params, effort
        self.memo = Memo()
        self._pools: tuple[NodePool, ...] = ()
        self._compiled = Policies.compile(self.written, params=params)

    def __call__(self, snapshot: Snapshot, now: datetime) -> Plan:
        """Returns the plan for a snapshot."""
        policies = self.policies(snapshot)
        return decide(snapshot, policies, now, effort=self.effort, memo=self.memo)

    def policies(self, snapshot: Snapshot) -> Policies:
        """Returns the policies in force for a snapshot, those of its NodePools included.

        Raises:
            PolicyError: a NodePool's policy clashes with the others.
        """
        pools = known_pools(snapshot)
        if pools != self._pools:
            generated = pool_policies(snapshot)
            self._compiled = Policies.compile((*self.written, *generated), params=self.params)
            self._pools = pools
        return self._compiled
