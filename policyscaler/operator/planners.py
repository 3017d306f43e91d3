"""Policies in force, put together from bundles, NodePools and a user's own; and planners of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from policyscaler.model.plan import Plan
from policyscaler.model.policies import ScalingPolicy
from policyscaler.model.snapshot import Snapshot
from policyscaler.operator.wiring import bundle_policies
from policyscaler.planning.decide import decide
from policyscaler.planning.effort import Memo
from policyscaler.policy.compiler import compile_pool, keys_of
from policyscaler.policy.evaluation import Policies

NO_BUNDLE: Final = "none"


def pool_policies(snapshot: Snapshot) -> list[ScalingPolicy]:
    """Returns what each NodePool says, as a policy, sorted by name.

    A pool without a catalogue has no offerings that its requirements could speak of.
    """
    return [
        compile_pool(pool, keys_of(snapshot.catalogues[pool.node_class]))
        for _, pool in sorted(snapshot.pools.items())
        if pool.node_class in snapshot.catalogues
    ]


@dataclass(kw_only=True)
class PolicySource:
    """Which policies are in force for a snapshot.

    Attributes:
        own: a user's policies.
        bundle: the name of a bundle, or NO_BUNDLE.
        settings: values of parameters by name.
    """

    own: Sequence[ScalingPolicy]
    bundle: str
    settings: Mapping[str, str] = field(default_factory=dict)

    def written(self, snapshot: Snapshot) -> list[ScalingPolicy]:
        """Returns the policies as written.

        Raises:
            ConfigError: there is no such bundle.
        """
        bundled = () if self.bundle == NO_BUNDLE else bundle_policies(self.bundle)
        return [*pool_policies(snapshot), *bundled, *self.own]

    def compile(self, snapshot: Snapshot) -> Policies:
        """Returns the policies ready to be asked.

        Raises:
            PolicyError: one of them cannot be used.
            ConfigError: there is no such bundle.
        """
        return Policies.compile(self.written(snapshot), params=dict(self.settings))


@dataclass(kw_only=True)
class PolicyPlanner:
    """Decides by the policies of a source; compiles anew when pools or catalogues change.

    Attributes:
        source: the policies.
    """

    source: PolicySource
    _memo: Memo = field(default_factory=Memo)
    _seen: tuple[object, ...] = ()
    _policies: Policies | None = None

    def __call__(self, snapshot: Snapshot, now: datetime) -> Plan:
        """Returns the plan for a snapshot."""
        seen = tuple(
            (pool, snapshot.catalogues[pool.node_class].digest)
            for _, pool in sorted(snapshot.pools.items())
            if pool.node_class in snapshot.catalogues
        )
        if self._policies is None or seen != self._seen:
            self._policies, self._seen = self.source.compile(snapshot), seen
        return decide(snapshot, self._policies, now, memo=self._memo)
