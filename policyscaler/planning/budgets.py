"""How many nodes of a pool may be disrupted now, per reason.

Source: Karpenter: the smallest of all budgets that apply; percentages are rounded up; nodes that
are leaving or not ready count as disrupted already; a window is open when a start of its schedule
lies within the last `duration`. A schedule that does not parse allows nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from policyscaler.model.cron import Schedule
from policyscaler.model.errors import ConfigError
from policyscaler.model.pools import Budget, NodePool
from policyscaler.planning.cluster import StateNode

UNBOUNDED: Final = 2**31 - 1


def is_active(budget: Budget, now: datetime) -> bool:
    """Returns whether a budget's window is open; a budget without one always is.

    A start exactly `duration` ago is over. Raises ConfigError for a schedule that is none.
    """
    if not budget.schedule or budget.duration is None:
        return True
    opened = Schedule.parse(budget.schedule).next_after(now - budget.duration)
    return opened is not None and opened <= now


def allowed(pool: NodePool, reason: str, nodes: int, now: datetime) -> int:
    """Returns how many of a pool's nodes may be disrupted at once for a reason."""
    values = [UNBOUNDED]
    for budget in pool.disruption.budgets:
        if budget.reasons and reason not in budget.reasons:
            continue
        try:
            if is_active(budget, now):
                values.append(_value(budget.nodes, nodes))
        except ConfigError:
            values.append(0)
    return min(values)


def _value(text: str, nodes: int) -> int:
    if text.endswith("%"):
        return -(-int(text[:-1]) * nodes // 100)
    return int(text)


class BudgetBook:
    """What is left of the budgets while commands are planned."""

    def __init__(self, nodes: Iterable[StateNode], now: datetime) -> None:
        self.now = now
        self.total: dict[str, int] = {}
        self.disrupted: dict[str, int] = {}
        for node in nodes:
            if node.claim is None or node.node is None or not node.initialized:
                continue
            self.total[node.pool] = self.total.get(node.pool, 0) + 1
            if node.leaving or not node.node.ready:
                self.disrupted[node.pool] = self.disrupted.get(node.pool, 0) + 1

    def left(self, pool: NodePool, reason: str) -> int:
        """Returns how many more nodes of the pool may go for a reason."""
        total = self.total.get(pool.name, 0)
        return max(0, allowed(pool, reason, total, self.now) - self.disrupted.get(pool.name, 0))

    def take(self, pool: str, count: int = 1) -> None:
        """Counts nodes as disrupted from here on."""
        self.disrupted[pool] = self.disrupted.get(pool, 0) + count
