"""Kubelets and the cloud's node controller: machines become nodes, pods start, stop and end."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

import msgspec

from policyscaler.model import labels as well
from policyscaler.model.meta import ObjectMeta
from policyscaler.model.nodes import NO_SCHEDULE, Node, Taint
from policyscaler.model.pods import FAILED, RUNNING, SUCCEEDED, Pod
from policyscaler.scheduling.requirements import with_aliases
from policyscaler.scheduling.taints import UNREGISTERED
from policyscaler.simulation.jobs import JOB
from policyscaler.simulation.podlife import PodLife
from policyscaler.simulation.provider import Instance, SimulatedProvider
from policyscaler.simulation.usage import owner_key
from policyscaler.simulation.world import World

NOT_READY: Final = Taint(key=well.NOT_READY_TAINT, effect=NO_SCHEDULE)


class Machines:
    """Boots machines into nodes, and takes nodes away when their machine is gone."""

    def __init__(self, world: World, *, provider: SimulatedProvider, pods: PodLife) -> None:
        self._world = world
        self._provider = provider
        self._pods = pods
        provider.on_launched.append(self._boot)
        provider.on_gone.append(self._lose)
        world.state.nodes.watch(self._node_changed)

    def _boot(self, instance: Instance) -> None:
        if not instance.silent:
            settings, name = self._world.settings, instance.provider_id
            delay = self._vary(settings.register, "register", name)
            self._world.clock.after(delay, lambda: self._join(instance))

    def _join(self, instance: Instance) -> None:
        if not self._provider.is_running(instance.provider_id):
            return
        name = node_name(instance)
        labels = {
            **instance.labels, well.HOSTNAME: name, well.OS: instance.labels.get(well.OS, "linux"),
            well.ARCH: instance.labels.get(well.ARCH, "amd64"),
        }  # fmt: skip
        meta = ObjectMeta(
            name=name, labels=with_aliases(labels), created=self._world.now,
            uid=self._world.identities.uid("Node", name),
        )  # fmt: skip
        self._world.state.nodes.put(
            Node(
                meta=meta, taints=(UNREGISTERED, NOT_READY), provider_id=instance.provider_id,
                capacity=instance.type.capacity, allocatable=instance.type.allocatable,
                ready=False,
            )
        )  # fmt: skip
        delay = self._vary(self._world.settings.ready, "ready", name)
        self._world.clock.after(delay, lambda: self._become_ready(name))

    def _become_ready(self, name: str) -> None:
        node = self._world.state.nodes.get(name)
        if node is not None and self._provider.is_running(node.provider_id):
            taints = tuple(t for t in node.taints if t != NOT_READY)
            self._world.state.nodes.put(msgspec.structs.replace(node, taints=taints, ready=True))

    def _node_changed(self, old: Node | None, new: Node | None) -> None:
        if new is None:
            return
        was_registered = old is not None and well.REGISTERED in old.meta.labels
        if well.REGISTERED in new.meta.labels and not was_registered:
            name = new.meta.name
            self._world.clock.after(
                self._world.settings.startup_taints, lambda: self._remove_startup_taints(name)
            )

    def _remove_startup_taints(self, name: str) -> None:
        """Does what the agents do that startup taints wait for."""
        state = self._world.state
        node = state.nodes.get(name)
        claim = next((c for c in state.claims.items.values() if c.node == name), None)
        if node is None or claim is None or not claim.startup_taints:
            return
        startup = {(t.key, t.effect) for t in claim.startup_taints}
        kept = tuple(t for t in node.taints if (t.key, t.effect) not in startup)
        state.nodes.put(msgspec.structs.replace(node, taints=kept))

    def _lose(self, instance: Instance) -> None:
        name, state = node_name(instance), self._world.state
        node = state.nodes.get(name)
        if node is None or node.provider_id != instance.provider_id:
            node = next(
                (n for n in state.nodes.items.values() if n.provider_id == instance.provider_id),
                None,
            )
        if node is None:
            return
        state.nodes.remove(node.meta.name)
        for pod in sorted(state.index.on_node(node.meta.name).values(), key=lambda p: p.meta.key):
            self._pods.delete(pod)

    def _vary(self, duration: timedelta, *path: str) -> timedelta:
        return self._world.identities.vary(duration, self._world.settings.jitter_percent, *path)


def node_name(instance: Instance) -> str:
    """Returns the name that a machine's kubelet registers under."""
    return f"node-{instance.claim}"


class Kubelets:
    """Starts the pods that are bound to nodes, stops those that are deleted, ends those that end."""

    def __init__(self, world: World, pods: PodLife) -> None:
        self._world = world
        self._pods = pods
        world.state.pods.watch(self._pod_changed)

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        if new is None or not new.node or new.is_terminal:
            return
        uid, key = new.meta.uid, new.meta.key
        if new.meta.deleted is not None:
            if old is None or old.meta.deleted != new.meta.deleted:
                self._world.clock.after(self._stop_time(new), lambda: self._stopped(key, uid))
        elif (old is None or not old.node) and new.phase != RUNNING:
            self._world.clock.after(self._world.settings.pod_start, lambda: self._started(key, uid))

    def adopt(self) -> None:
        """Goes on with pods that ran when the world began: their Jobs' time starts now."""
        for pod in list(self._world.state.pods.items.values()):
            if pod.node and pod.phase == RUNNING:
                self._plan_end(pod)

    def _stop_time(self, pod: Pod) -> timedelta:
        left = (pod.meta.deleted or self._world.now) - self._world.now
        return max(timedelta(0), min(self._world.settings.pod_stop, left))

    def _started(self, key: tuple[str, str], uid: str) -> None:
        pod = self._current(key, uid)
        if pod is not None and pod.meta.deleted is None and not pod.is_terminal:
            running = msgspec.structs.replace(
                pod, phase=RUNNING, ready=True, started=self._world.now
            )
            self._world.state.pods.put(running)
            self._plan_end(running)

    def _plan_end(self, pod: Pod) -> None:
        run_time = self._run_time(pod)
        if run_time is not None:
            self._world.clock.after(run_time, lambda: self._ended(pod.meta.key, pod.meta.uid))

    def _run_time(self, pod: Pod) -> timedelta | None:
        owner = owner_key(pod)
        if owner is None or owner[0] != JOB:
            return None
        job = self._world.state.jobs.get((owner[1], owner[2]))
        return (job.run_time if job else None) or self._world.settings.job_run_time

    def _ended(self, key: tuple[str, str], uid: str) -> None:
        pod = self._current(key, uid)
        if pod is not None and pod.is_active:
            self._pods.end(pod, SUCCEEDED)

    def _stopped(self, key: tuple[str, str], uid: str) -> None:
        pod = self._current(key, uid)
        if pod is None:
            return
        if owner_key(pod) is not None and pod.is_owned_by(JOB):
            self._pods.end(pod, FAILED)
        self._world.state.pods.remove(key)

    def _current(self, key: tuple[str, str], uid: str) -> Pod | None:
        pod = self._world.state.pods.get(key)
        return pod if pod is not None and pod.meta.uid == uid else None
