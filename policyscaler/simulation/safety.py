"""The check that every run makes of itself: pool limits, and machines that belong to nobody.

The tests attach stricter watchers.
"""

from __future__ import annotations

from policyscaler.model import resources as res
from policyscaler.model.quantities import format_resource
from policyscaler.ports.observation import SETTLED, ClusterView, Moment


class Safety:
    """Watches a run.

    Attributes:
        violations: one sentence for each thing that must never happen and did.
    """

    def __init__(self, view: ClusterView) -> None:
        self.violations: list[str] = []
        self._view = view
        self._over: set[tuple[str, str]] = set()

    def observe(self, moment: Moment) -> None:
        """Checks the cluster whenever it has settled."""
        if moment.what == SETTLED:
            self._check_limits()

    def _check_limits(self) -> None:
        for name, pool in sorted(self._view.pools.items()):
            if not pool.limits:
                continue
            members = [
                c for c in self._view.claims.values() if c.pool == name and c.meta.deleted is None
            ]
            used = res.add(*(c.capacity for c in members), {res.NODES: len(members)})
            for resource in res.exceeded(used, pool.limits):
                if (name, resource) not in self._over:
                    self._over.add((name, resource))
                    amount, limit = used[resource], pool.limits[resource]
                    self.violations.append(
                        f"{self._view.now.isoformat()}: NodePool {name} has "
                        f"{format_resource(resource, amount)} {resource}, over its limit of "
                        f"{format_resource(resource, limit)}"
                    )
