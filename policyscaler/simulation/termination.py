"""The engine's way down: taint, drain tier by tier, terminate the machine, forget the claim.

Source: Karpenter's node.termination, eviction queue and claim finalisation, v1.14.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import msgspec

from policyscaler.model.nodes import Node, NodeClaim
from policyscaler.model.pods import Pod
from policyscaler.planning.protection import is_protected
from policyscaler.simulation import claims as claiming
from policyscaler.simulation.clock import Alarm
from policyscaler.simulation.draining import awaits_eviction, must_be_forced, tier
from policyscaler.simulation.pdb import Evictions
from policyscaler.simulation.podlife import PodLife
from policyscaler.simulation.provider import Instance, SimulatedProvider
from policyscaler.simulation.settings import MINIMUM_DRAIN
from policyscaler.simulation.world import World

_RETRY: Final = timedelta(seconds=1)
_RETRY_MAX: Final = timedelta(seconds=10)


@dataclass(slots=True, kw_only=True)
class Drain:
    """A drain under way."""

    claim: str
    since: datetime
    alarm: Alarm
    retry: timedelta = _RETRY
    terminating: bool = False


class Termination:
    """Takes deleted claims apart."""

    def __init__(
        self, world: World, *, provider: SimulatedProvider, pods: PodLife, evictions: Evictions
    ) -> None:
        self._world = world
        self._provider = provider
        self._pods = pods
        self._evictions = evictions
        self._drains: dict[str, Drain] = {}
        self._drain_by_node: dict[str, str] = {}
        provider.on_gone.append(self._machine_gone)
        world.state.claims.watch(self._claim_changed)
        world.state.pods.watch(self._pod_changed)

    def _claim_changed(self, old: NodeClaim | None, new: NodeClaim | None) -> None:
        if new is None:
            if old is not None:
                self._drains.pop(old.meta.name, None)
                self._drain_by_node.pop(old.node, None)
            return
        name = new.meta.name
        if new.meta.deleted is not None and name not in self._drains:
            alarm = Alarm(self._world.clock, lambda: self._step(name))
            self._drains[name] = Drain(claim=name, since=self._world.now, alarm=alarm)
            if new.node:
                self._drain_by_node[new.node] = name
            alarm.set(self._world.now)

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        if old is None or not old.node or (new is not None and new.is_active):
            return
        drain = self._drains.get(self._drain_by_node.get(old.node, ""))
        if drain is not None:
            drain.retry = _RETRY
            drain.alarm.set(self._world.now)

    def _step(self, name: str) -> None:
        drain, claim = self._drains.get(name), self._world.state.claims.get(name)
        if drain is None or claim is None or drain.terminating:
            return
        node = self._world.state.nodes.get(claim.node)
        if node is not None:
            self._mark(node)
            if not self._is_drained(drain, claim):
                return
        drain.terminating = True
        self._end_machine(claim)

    def _mark(self, node: Node) -> None:
        marked = claiming.with_disrupted_taint(node)
        if node.meta.deleted is None:
            meta = msgspec.structs.replace(node.meta, deleted=self._world.now)
            marked = msgspec.structs.replace(marked, meta=meta)
        if marked != node:
            self._world.state.nodes.put(marked)

    def _is_drained(self, drain: Drain, claim: NodeClaim) -> bool:
        now = self._world.now
        pods = sorted(self._world.state.index.on_node(claim.node).values(), key=_by_key)
        waiting = [pod for pod in pods if awaits_eviction(pod, now)]
        if not waiting:
            earliest = drain.since + MINIMUM_DRAIN
            if now < earliest:
                drain.alarm.set(earliest)
            return now >= earliest
        self._evict(claim, waiting)
        drain.alarm.set(now + drain.retry)
        drain.retry = min(2 * drain.retry, _RETRY_MAX)
        return False

    def _evict(self, claim: NodeClaim, waiting: list[Pod]) -> None:
        now = self._world.now
        deadline = deadline_of(claim)
        turn = min(tier(pod) for pod in waiting)
        for pod in waiting:
            if must_be_forced(pod, deadline, now=now):
                left = int((deadline - now).total_seconds()) if deadline else 0
                self._pods.delete(pod, grace_seconds=max(left, 1))
            elif tier(pod) == turn and pod.is_active and not is_protected(pod, now):
                self._evictions.evict(pod)

    def _end_machine(self, claim: NodeClaim) -> None:
        if claim.provider_id and self._provider.is_running(claim.provider_id):
            self._provider.terminate(claim.provider_id)
        elif claim.provider_id not in self._provider.instances:
            self._forget(claim.meta.name)

    def _machine_gone(self, instance: Instance) -> None:
        claim = self._world.state.claims.get(instance.claim)
        if claim is not None and claim.provider_id == instance.provider_id:
            self._forget(instance.claim)

    def _forget(self, name: str) -> None:
        claim = self._world.state.claims.get(name)
        if claim is not None:
            self._world.state.claims.remove(name)
            subject = f"node {claim.node}" if claim.node else "never had a node"
            self._world.note("terminated", f"nodeclaim/{name}", f"gone, {subject}")


def deadline_of(claim: NodeClaim) -> datetime | None:
    """Returns when draining ends by force, None for never."""
    if claim.termination_grace is None or claim.meta.deleted is None:
        return None
    return claim.meta.deleted + claim.termination_grace


def _by_key(pod: Pod) -> tuple[str, str]:
    return pod.meta.key
