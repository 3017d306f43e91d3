"""What the parts of one decision share: the cluster, the rules, and the pools made ready."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from policyscaler.model.plan import PoolRefusal
from policyscaler.model.pools import NodePool
from policyscaler.planning.cluster import ClusterView
from policyscaler.planning.effort import Effort, Memo
from policyscaler.planning.hashes import hash_annotations
from policyscaler.planning.launches import LaunchPlanner
from policyscaler.planning.rules import Rulebook
from policyscaler.scheduling.answers import Answered
from policyscaler.scheduling.offeringtable import OfferingTable
from policyscaler.scheduling.templates import Template, make_template, preference_order


@dataclass(frozen=True, kw_only=True)
class Workbench:
    """Everything that placing pods needs, worked out once per decision and shared by its parts.

    Attributes:
        answers: what pools and policy say to kinds of pods, per state of the limits.
        launches: makes planned nodes of packed ones.
    """

    view: ClusterView
    rules: Rulebook
    effort: Effort
    memo: Memo = field(default_factory=Memo)
    answers: dict[tuple[object, ...], dict[tuple[object, ...], Answered]] = field(
        default_factory=dict
    )
    launches: LaunchPlanner = field(default_factory=LaunchPlanner)

    @cached_property
    def templates(self) -> tuple[Template, ...]:
        """The pools that can launch, preferred ones first."""
        usable = [pool for _, pool in self._pools if self._unusable(pool) is None]
        return tuple(
            make_template(pool, self._table(pool), self.view.daemons, tier=tier)
            for tier, pool in preference_order(usable)
        )

    @cached_property
    def hashes(self) -> tuple[dict[str, str], ...]:
        """Per template the annotations by which its nodes are later found to have drifted."""
        classes = self.view.snapshot.node_classes
        return tuple(
            hash_annotations(t.pool, classes.get(t.pool.node_class)) for t in self.templates
        )

    @cached_property
    def unusable(self) -> tuple[PoolRefusal, ...]:
        """The pools that cannot launch, and why."""
        found = ((pool.name, self._unusable(pool)) for _, pool in self._pools)
        return tuple(
            PoolRefusal(pool=name, constraint="not-ready", message=text)
            for name, text in found
            if text is not None
        )

    @property
    def _pools(self) -> list[tuple[str, NodePool]]:
        return sorted(self.view.snapshot.pools.items())

    def _table(self, pool: NodePool) -> OfferingTable:
        return self.memo.table(self.view.snapshot.catalogues[pool.node_class])

    def _unusable(self, pool: NodePool) -> str | None:
        if pool.meta.deleted is not None:
            return f"pool {pool.name} is being deleted"
        if pool.replicas is not None:
            return (
                f"pool {pool.name} is static: it keeps {pool.replicas} nodes whatever pods ask for"
            )
        if pool.ready is False:
            return f"pool {pool.name} is not ready"
        catalogue = self.view.snapshot.catalogues.get(pool.node_class)
        if catalogue is None:
            return (
                f"{pool.node_class} of pool {pool.name} is not there, or nobody knows its machines"
            )
        if not catalogue.types:
            return f"{pool.node_class} of pool {pool.name} offers no instance types"
        return None
