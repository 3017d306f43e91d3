"""Lets the events of a scenario happen when their time comes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from decimal import ROUND_HALF_EVEN, Decimal
from typing import assert_never

from policyscaler.model import labels as well
from policyscaler.model.errors import PolicyError
from policyscaler.model.policies import ScalingPolicy
from policyscaler.simulation.objects import Objects
from policyscaler.simulation.provider import Instance
from policyscaler.simulation.scenario import (
    Action,
    Apply,
    CapacityError,
    Delete,
    Interrupt,
    LaunchFailure,
    PolicyChange,
    PriceChange,
    Scale,
    ScenarioEvent,
)
from policyscaler.simulation.simulation import Simulation


class Script:
    """Schedules events and carries them out.

    Args:
        simulation: the world.
        objects: the way in and out.
        on_policies: puts other user policies in force.
    """

    def __init__(
        self, simulation: Simulation, *, objects: Objects,
        on_policies: Callable[[tuple[ScalingPolicy, ...]], None],
    ) -> None:  # fmt: skip
        self._simulation = simulation
        self._world = simulation.world
        self._objects = objects
        self._on_policies = on_policies
        self._draws = 0

    def schedule(self, event: ScenarioEvent, *, end: datetime) -> None:
        """Plans an event and its repetitions up to the end."""
        due = self._world.clock.start + event.at
        self._plan(event, due=due, left=event.times, end=end)

    def _plan(
        self, event: ScenarioEvent, *, due: datetime, left: int | None, end: datetime
    ) -> None:
        if due > end:
            return

        def happen() -> None:
            self.do(event.action)
            more = event.every and (left is None or left > 1)
            if more and event.every:
                rest = None if left is None else left - 1
                self._plan(event, due=due + event.every, left=rest, end=end)

        self._world.clock.at(due, happen)

    def do(self, action: Action) -> None:
        """Carries out one action now."""
        match action:
            case Scale():
                self._scale(action)
            case Delete():
                self._delete(action)
            case Apply():
                self._tell(f"applied {action.label}")
                for value in action.objects:
                    self._apply(value)
                self._simulation.engine.wake()
            case PolicyChange():
                self._change_policies(action)
            case _:
                self._do_to_machines(action)

    def _apply(self, value: object) -> None:
        """What an API server would refuse changes nothing, and does not stop the rest."""
        faults = self._objects.refusals(value)
        if faults:
            self._tell("; ".join(str(fault) for fault in faults), kind="error")
        else:
            self._objects.apply(value)

    def _change_policies(self, action: PolicyChange) -> None:
        """A broken set leaves the old one in force."""
        try:
            self._on_policies(action.policies)
        except PolicyError as error:
            self._tell(f"{action.label} is refused, the old policies stay: {error}", kind="error")
        else:
            self._tell(f"policies of {action.label} are in force")

    def _do_to_machines(
        self, action: Interrupt | PriceChange | CapacityError | LaunchFailure
    ) -> None:
        provider = self._simulation.actors.provider
        match action:
            case Interrupt():
                self._interrupt(action)
            case PriceChange():
                self._change_prices(action)
            case CapacityError():
                until = self._world.now + action.duration
                provider.market.run_out(action.offerings, until)
                self._tell(f"no capacity for {action.offerings} until {until:%H:%M:%S}")
            case LaunchFailure():
                provider.fail_launches(action.count, silently=action.silently)
                how = "never register" if action.silently else "fail"
                self._tell(f"the next {action.count} launches will {how}")
            case _:
                assert_never(action)

    def _scale(self, action: Scale) -> None:
        where = f"{action.kind} {action.namespace}/{action.name}"
        self._tell(f"scaled {where} to {action.replicas}")
        found = self._objects.scale(
            action.kind, namespace=action.namespace, name=action.name, replicas=action.replicas
        )
        if not found:
            self._tell(f"{where} does not exist: nothing was scaled", kind="error")

    def _delete(self, action: Delete) -> None:
        where = "/".join(part for part in (action.kind, action.namespace, action.name) if part)
        self._tell(f"deleted {where}")
        if not self._objects.delete(action.kind, namespace=action.namespace, name=action.name):
            self._tell(f"{where} does not exist: nothing was deleted", kind="error")

    def _change_prices(self, action: PriceChange) -> None:
        def changed(price: int) -> int:
            if action.price is not None:
                return action.price
            factor = action.factor if action.factor is not None else Decimal(1)
            return int((price * factor).to_integral_value(rounding=ROUND_HALF_EVEN))

        count = self._simulation.actors.provider.market.set_prices(action.offerings, changed)
        self._tell(f"prices of {count} offerings ({action.offerings}) changed")
        self._simulation.engine.wake()

    def _interrupt(self, action: Interrupt) -> None:
        chosen = self._machines(action)
        if not chosen:
            self._tell("no machine to interrupt", kind="error")
        for machine in chosen:
            self._simulation.actors.provider.interrupt(machine.provider_id)

    def _machines(self, action: Interrupt) -> list[Instance]:
        machines = [
            machine
            for _, machine in sorted(self._simulation.actors.provider.instances.items())
            if machine.taken_at is None
        ]
        if action.random:
            self._draws += 1
            draw, number = str(self._draws), self._world.identities.number
            spot = [m for m in machines if m.offering.capacity_type == well.SPOT]
            return sorted(spot, key=lambda m: number("draw", draw, m.claim))[: action.random]
        nodes = {node.provider_id: node for node in self._simulation.nodes.values()}
        wanted = set(action.node_selector)
        return [
            machine
            for machine in machines
            if (node := nodes.get(machine.provider_id)) is not None
            and (action.node in (node.meta.name, machine.claim) if action.node
                 else wanted <= set(node.meta.labels.items()))
        ]  # fmt: skip

    def _tell(self, message: str, *, kind: str = "scenario") -> None:
        self._world.note(kind, "scenario", message)
