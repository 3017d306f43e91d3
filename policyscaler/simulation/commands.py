"""Disruption commands under way: replacements first, then the nodes, or back to where it was.

Source: Karpenter's disruption queue, v1.14; unlike there, nodes keep taking pods until their
replacements are initialized, so that a command that fails has disturbed nobody.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from policyscaler.model.money import decimal_price, format_price
from policyscaler.model.nodes import DISRUPTION_REASON, INITIALIZED, NodeClaim
from policyscaler.model.plan import DisruptionCommand
from policyscaler.planning.protection import is_protected
from policyscaler.ports.observation import DISRUPT, Moment
from policyscaler.simulation import claims as claiming
from policyscaler.simulation.clock import WorkQueue
from policyscaler.simulation.lifecycle import Lifecycle
from policyscaler.simulation.settings import REPLACEMENT_TIMEOUT
from policyscaler.simulation.world import World


@dataclass(slots=True, kw_only=True)
class Running:
    """A command that has been started: the claims that go, and those that must come first."""

    command: DisruptionCommand
    claims: tuple[str, ...]
    since: datetime
    replacements: tuple[str, ...] = field(default=())


class Commands:
    """Carries out commands.

    Attributes:
        counts: nodes disrupted so far, by reason.
    """

    def __init__(self, world: World, lifecycle: Lifecycle) -> None:
        self.counts: Counter[str] = Counter()
        self._world = world
        self._lifecycle = lifecycle
        self._running: dict[int, Running] = {}
        self._count = 0
        self._queue: WorkQueue[int] = WorkQueue(world.clock, self._reconcile)
        world.state.claims.watch(self._claim_changed)

    def is_busy(self, command: DisruptionCommand) -> bool:
        """Returns whether one of a command's nodes is on its way out already."""
        claims = self._claims_of(command)
        return claims is None or any(claiming.is_going(claim) for claim in claims)

    def start(self, command: DisruptionCommand) -> None:
        """Starts a command that has been validated."""
        claims = self._claims_of(command)
        if claims is None or any(claiming.is_going(claim) for claim in claims):
            return
        self._tell(command)
        for claim in claims:
            marked = claiming.with_condition(
                claim, DISRUPTION_REASON, status="True", now=self._world.now, reason=command.reason
            )
            self._world.state.claims.put(marked)
        self._note(command)
        replacements = tuple(
            self._lifecycle.create(planned).meta.name for planned in command.replacements
        )
        self._count += 1
        number = self._count
        self._running[number] = Running(
            command=command, claims=tuple(claim.meta.name for claim in claims),
            since=self._world.now, replacements=replacements,
        )  # fmt: skip
        self._world.clock.after(REPLACEMENT_TIMEOUT, lambda: self._queue.add(number))
        self._queue.add(number)

    def _tell(self, command: DisruptionCommand) -> None:
        self._world.tell(
            Moment(what=DISRUPT, nodes=command.nodes, reason=command.reason,
                   forceful=command.forceful)
        )  # fmt: skip

    def _claims_of(self, command: DisruptionCommand) -> list[NodeClaim] | None:
        by_node = {c.node: c for c in self._world.state.claims.items.values() if c.node}
        claims = [by_node[node] for node in command.nodes if node in by_node]
        return claims if len(claims) == len(command.nodes) else None

    def _claim_changed(self, old: NodeClaim | None, new: NodeClaim | None) -> None:
        name = new.meta.name if new else old.meta.name if old else ""
        for number, running in self._running.items():
            if name in running.replacements or name in running.claims:
                self._queue.add(number)

    def _reconcile(self, number: int) -> None:
        running = self._running.get(number)
        if running is None:
            return
        claims = self._world.state.claims
        waiting = 0
        for name in running.replacements:
            claim = claims.get(name)
            if claim is None or claim.meta.deleted is not None:
                self._roll_back(number, f"replacement {name} is gone")
                return
            waiting += not claim.has(INITIALIZED)
        if not waiting:
            self._finish(number, running)
        elif self._world.now - running.since >= REPLACEMENT_TIMEOUT:
            self._roll_back(number, f"{waiting} replacements are not ready in time")

    def _finish(self, number: int, running: Running) -> None:
        blocker = self._blocker(running)
        if blocker:
            self._roll_back(number, f"pod {blocker} must not be disrupted")
            return
        del self._running[number]
        for name in running.claims:
            if self._lifecycle.delete(name):
                self.counts[running.command.reason] += 1

    def _blocker(self, running: Running) -> str:
        """Returns a pod that came after the decision and forbids it, or nothing."""
        state, now = self._world.state, self._world.now
        if running.command.forceful:
            return ""
        for name in running.claims:
            claim = state.claims.get(name)
            if claim is None or claim.termination_grace is not None:
                continue
            for pod in state.index.on_node(claim.node).values():
                if is_protected(pod, now):
                    return pod.meta.full_name
        return ""

    def _roll_back(self, number: int, why: str) -> None:
        running = self._running.pop(number)
        for name in running.claims:
            claim = self._world.state.claims.get(name)
            if claim is None or claim.meta.deleted is not None:
                continue
            self._world.state.claims.put(claiming.without_condition(claim, DISRUPTION_REASON))
            node = self._world.state.nodes.get(claim.node)
            if node is not None and node != claiming.without_disrupted_taint(node):
                self._world.state.nodes.put(claiming.without_disrupted_taint(node))
        nodes = ", ".join(running.command.nodes)
        self._world.note(
            "rollback", f"node/{running.command.nodes[0]}", f"{nodes} stays after all: {why}"
        )

    def _note(self, command: DisruptionCommand) -> None:
        nodes = ", ".join(command.nodes)
        parts = [f"removing {nodes}"]
        if command.replacements:
            chosen = [planned.chosen for planned in command.replacements]
            parts = [f"replacing {nodes} by " + ", ".join(
                f"{c.instance_type} at ${format_price(c.price_micros_per_hour)}/h" for c in chosen
            )]  # fmt: skip
        if command.savings_micros_per_hour:
            parts.append(f"saves ${format_price(command.savings_micros_per_hour)}/h")
        if command.rules:
            parts.append("by " + ", ".join(str(rule) for rule in command.rules))
        self._world.note(
            "disruption", f"node/{command.nodes[0]}", f"{command.reason}: {', '.join(parts)}",
            reason=command.reason, nodes=len(command.nodes),
            replacements=len(command.replacements), pods=len(command.moves),
            savingsPerHour=decimal_price(command.savings_micros_per_hour),
            rules=", ".join(f"{rule.policy}/{rule.rule}" for rule in command.rules),
        )  # fmt: skip
