"""What a run of the engine tells those who watch over it: invariants, recorders.

An observer is told before the thing happens, while the cluster still looks as the engine saw it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final, Protocol

from policyscaler.model.meta import Value
from policyscaler.model.nodes import Node, NodeClaim
from policyscaler.model.pods import Pod
from policyscaler.model.pools import NodePool
from policyscaler.model.snapshot import ObjectKey
from policyscaler.model.workloads import DisruptionBudget

BIND: Final = "bind"
EVICT: Final = "evict"
DISRUPT: Final = "disrupt"
LAUNCH: Final = "launch"
SETTLED: Final = "settled"


class Moment(Value, frozen=True, kw_only=True):
    """One thing that is about to happen.

    Attributes:
        what: `bind` (pod to node), `evict` (pod gracefully, by a voluntary drain), `disrupt`
            (nodes of one command), `launch` (an instance for a claim), or `settled` (nothing is
            left to do at this instant).
        pod: the pod, where there is one.
        nodes: the nodes.
        claim: the claim, where there is one.
        reason: of a disruption.
        forceful: whether budgets do not count for it.
    """

    what: str
    pod: ObjectKey = ("", "")
    nodes: tuple[str, ...] = ()
    claim: str = ""
    reason: str = ""
    forceful: bool = False


class InstanceState(Value, frozen=True, kw_only=True):
    """A machine of the provider that runs and costs: whose it is and when it began."""

    id: str
    claim: str
    launched: datetime


class ClusterView(Protocol):
    """The cluster as it is at this instant, read-only."""

    @property
    def now(self) -> datetime:
        """The present."""
        ...

    @property
    def pods(self) -> Mapping[ObjectKey, Pod]:
        """All pods."""
        ...

    @property
    def nodes(self) -> Mapping[str, Node]:
        """All nodes."""
        ...

    @property
    def claims(self) -> Mapping[str, NodeClaim]:
        """All NodeClaims."""
        ...

    @property
    def pools(self) -> Mapping[str, NodePool]:
        """All NodePools."""
        ...

    @property
    def disruption_budgets(self) -> Mapping[ObjectKey, DisruptionBudget]:
        """All PodDisruptionBudgets."""
        ...

    @property
    def instances(self) -> Mapping[str, InstanceState]:
        """The running machines by provider ID."""
        ...

    def expected_pods(self, budget: DisruptionBudget) -> int:
        """Returns how many pods the workloads behind a budget want."""
        ...


class Observer(Protocol):
    """Something that watches a run."""

    def observe(self, moment: Moment) -> None:
        """Takes note of what is about to happen."""
        ...
