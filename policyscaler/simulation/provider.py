"""A simulated provider of machines: prices, capacity, launches, failures, interruptions, bills.

It serves the catalogues that it is given and does what a scenario's script says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from policyscaler.model import labels as well
from policyscaler.model.errors import InstanceNotFound, InsufficientCapacity, LaunchRefused
from policyscaler.model.meta import Value
from policyscaler.model.nodes import NodeClassRef
from policyscaler.model.offerings import InstanceType, Offering
from policyscaler.simulation.market import Market, Triple
from policyscaler.simulation.world import World

HOUR_SECONDS: Final = 3600


@dataclass(slots=True, kw_only=True)
class Instance:
    """A running machine.

    Attributes:
        provider_id: what joins it to a Node.
        claim: the NodeClaim that it was launched for.
        silent: it will never register (on a script).
        taken_at: when an interruption takes it, None while it is safe.
    """

    provider_id: str
    claim: str
    type: InstanceType
    offering: Offering
    launched: datetime
    silent: bool = False
    taken_at: datetime | None = None

    @property
    def triple(self) -> Triple:
        """(instance type, zone, capacity type)."""
        return (self.type.name, self.offering.zone, self.offering.capacity_type)

    @property
    def labels(self) -> dict[str, str]:
        """The labels that the machine gives its node: those with one value, and the offering's."""
        single = {key: values[0] for key, values in self.type.labels.items() if len(values) == 1}
        return {
            **single,
            well.INSTANCE_TYPE: self.type.name,
            well.ZONE: self.offering.zone,
            well.CAPACITY_TYPE: self.offering.capacity_type,
            **self.offering.labels,
        }


class LaunchResult(Value, frozen=True, kw_only=True):
    """What a launch gave: the machine's provider ID, and the offerings that had no capacity."""

    provider_id: str
    exhausted: tuple[Triple, ...] = ()


class SimulatedProvider:
    """Launches, terminates and bills machines.

    Args:
        world: the common ground.
        market: prices and capacity.
    """

    def __init__(self, world: World, market: Market) -> None:
        self.market = market
        self.instances: dict[str, Instance] = {}
        self.on_launched: list[Callable[[Instance], None]] = []
        self.on_gone: list[Callable[[Instance], None]] = []
        self.on_notice: list[Callable[[Instance], None]] = []
        self._world = world
        self._bill = Bill()
        self._refusals = 0
        self._silences = 0
        market.on_prices.append(self._reprice)

    def launch(
        self, ref: NodeClassRef, *, rows: tuple[Triple, ...], claim: str, token: str
    ) -> LaunchResult:
        """Launches a machine on the first of these offerings that can be had.

        Args:
            ref: the NodeClass.
            rows: the only offerings that will do, best first.
            claim: whom it is for.
            token: a repeated call with the same token returns the same machine.

        Raises:
            InsufficientCapacity: none of them can be had.
            LaunchRefused: the script says so.
        """
        provider_id = f"sim:///{token}"
        if provider_id in self.instances:
            return LaunchResult(provider_id=provider_id)
        if self._refusals > 0:
            self._refusals -= 1
            raise LaunchRefused("the scenario lets this launch fail")
        exhausted: list[Triple] = []
        for row in rows:
            found = self.market.find(ref, row)
            if found is None or not self.market.has_capacity(row, self._world.now):
                exhausted.append(row)
                continue
            self._start(provider_id, claim=claim, found=found)
            return LaunchResult(provider_id=provider_id, exhausted=tuple(exhausted))
        raise InsufficientCapacity(tuple(exhausted))

    def _start(self, provider_id: str, *, claim: str, found: tuple[InstanceType, Offering]) -> None:
        instance = Instance(
            provider_id=provider_id, claim=claim, type=found[0], offering=found[1],
            launched=self._world.now, silent=self._silences > 0,
        )  # fmt: skip
        self._silences = max(0, self._silences - 1)
        self.adopt(instance)
        for callback in self.on_launched:
            callback(instance)

    def adopt(self, instance: Instance) -> None:
        """Takes on a machine that runs already, and bills it from now."""
        self.instances[instance.provider_id] = instance
        self._bill.start(instance.provider_id, now=self._world.now, price=self.price_of(instance))

    def terminate(self, provider_id: str) -> None:
        """Ends a machine: billing stops now, it is gone after a while.

        Raises:
            InstanceNotFound: there is no such machine (any more).
        """
        instance = self.instances.get(provider_id)
        if instance is None:
            raise InstanceNotFound(f"{provider_id} does not exist")
        if self._bill.stop(provider_id, self._world.now):
            self._world.clock.after(
                self._world.settings.terminate, lambda: self._vanish(provider_id)
            )

    def interrupt(self, provider_id: str) -> None:
        """Gives notice that a machine will be taken, and takes it when the notice is over."""
        instance = self.instances.get(provider_id)
        if instance is None or instance.taken_at is not None:
            return
        instance.taken_at = self._world.now + self._world.settings.spot_notice
        for callback in self.on_notice:
            callback(instance)
        self._world.clock.at(instance.taken_at, lambda: self._take(provider_id))

    def fail_launches(self, count: int, *, silently: bool) -> None:
        """Lets the next launches fail, or launch machines that never register."""
        if silently:
            self._silences += count
        else:
            self._refusals += count

    def price_of(self, instance: Instance) -> int:
        """Returns the present price of a machine in micro-dollars per hour."""
        return self.market.price(instance.triple, instance.offering.price_micros_per_hour)

    def spent_micros(self) -> int:
        """Returns what all machines have cost until now, in micro-dollars, rounded half even."""
        exact = self._bill.total(self._world.now)
        return round_half_even(exact, HOUR_SECONDS)

    def is_running(self, provider_id: str) -> bool:
        """Returns whether a machine exists and has not been told to end."""
        return provider_id in self.instances and self._bill.is_open(provider_id)

    def _take(self, provider_id: str) -> None:
        if provider_id in self.instances:
            self._bill.stop(provider_id, self._world.now)
            self._vanish(provider_id)

    def _vanish(self, provider_id: str) -> None:
        instance = self.instances.pop(provider_id, None)
        if instance is not None:
            for callback in self.on_gone:
                callback(instance)

    def _reprice(self) -> None:
        for provider_id, instance in self.instances.items():
            self._bill.reprice(provider_id, now=self._world.now, price=self.price_of(instance))


class Bill:
    """Adds up whole seconds times micro-dollars per hour; integers, so nothing is lost."""

    def __init__(self) -> None:
        self._closed = 0
        self._open: dict[str, tuple[datetime, int]] = {}

    def start(self, machine: str, *, now: datetime, price: int) -> None:
        """Begins to bill a machine."""
        self._open[machine] = (now, price)

    def stop(self, machine: str, now: datetime) -> bool:
        """Ends the billing of a machine; returns whether it was being billed."""
        entry = self._open.pop(machine, None)
        if entry is None:
            return False
        self._closed += _cost(entry, now)
        return True

    def reprice(self, machine: str, *, now: datetime, price: int) -> None:
        """Bills a machine at another price from now on."""
        if machine in self._open and self._open[machine][1] != price:
            self.stop(machine, now)
            self.start(machine, now=now, price=price)

    def is_open(self, machine: str) -> bool:
        """Returns whether a machine is being billed."""
        return machine in self._open

    def total(self, now: datetime) -> int:
        """Returns the sum in micro-dollars per hour times seconds."""
        return self._closed + sum(_cost(entry, now) for entry in self._open.values())


def _cost(entry: tuple[datetime, int], now: datetime) -> int:
    since, price = entry
    return -(-(now - since) // timedelta(seconds=1)) * price  # a begun second counts as one


def round_half_even(numerator: int, denominator: int) -> int:
    """Returns the nearest integer of a quotient, ties to even."""
    whole, rest = divmod(numerator, denominator)
    if 2 * rest > denominator or (2 * rest == denominator and whole % 2):
        whole += 1
    return whole
