"""Pods that are promised to a node: kept until the node can be named to the scheduler.

A nomination to a node that does not exist is dropped by a real scheduler, so a pod planned for a
claim is nominated once the claim's node has registered.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Final

import msgspec

from policyscaler.model import labels as well
from policyscaler.model.nodes import Node, NodeClaim
from policyscaler.model.snapshot import ObjectKey
from policyscaler.simulation.world import World

_PATIENCE: Final = timedelta(minutes=1)  # then the pod is planned for again


class Nominations:
    """Remembers which claim or node each pod is planned for."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._planned: dict[str, dict[ObjectKey, None]] = {}
        world.state.claims.watch(self._claim_changed)
        world.state.nodes.watch(self._node_changed)

    def plan(self, pods: Iterable[ObjectKey], target: str) -> None:
        """Plans pods for a claim or node; the latest plan holds."""
        keys = dict.fromkeys(pods)
        for planned in self._planned.values():
            for key in keys:
                planned.pop(key, None)
        claim = self._world.state.claims.get(target)
        node = claim.node if claim is not None else target
        if node and node in self._world.state.nodes.items:
            self._nominate(keys, node)
        else:
            self._planned.setdefault(target, {}).update(keys)

    def _claim_changed(self, old: NodeClaim | None, new: NodeClaim | None) -> None:
        if new is None:
            if old is not None:
                self._planned.pop(old.meta.name, None)
        elif new.node and new.meta.name in self._planned:
            self._nominate(self._planned.pop(new.meta.name), new.node)

    def _node_changed(self, old: Node | None, new: Node | None) -> None:
        name = new.meta.name if new else old.meta.name if old else ""
        if new is None or any(t.key == well.DISRUPTED_TAINT for t in new.taints):
            self._withdraw(name, self._world.state.index.nominated_to(name))

    def _nominate(self, pods: Iterable[ObjectKey], node: str) -> None:
        named = []
        for key in pods:
            pod = self._world.state.pods.get(key)
            if pod is not None and not pod.node and pod.is_active and pod.nominated != node:
                self._world.state.pods.put(msgspec.structs.replace(pod, nominated=node))
                named.append(key)
        if named:
            self._world.clock.after(_PATIENCE, lambda: self._withdraw(node, named))

    def _withdraw(self, node: str, pods: Iterable[ObjectKey]) -> None:
        for key in list(pods):
            pod = self._world.state.pods.get(key)
            if pod is not None and pod.nominated == node and not pod.node:
                self._world.state.pods.put(msgspec.structs.replace(pod, nominated=""))
