"""Instance types and what they cost where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from policyscaler.model import resources as res
from policyscaler.model.meta import Value
from policyscaler.model.resources import Resources


class Offering(Value, frozen=True, kw_only=True):
    """An instance type in one zone and capacity type.

    Attributes:
        price_micros_per_hour: whole micro-dollars.
        available: False while the provider has none, or the type does not go with the class.
        labels: further labels that a node gets here only, such as the zone's ID.
        capacity: amounts that a node has here only, instead of the type's; nearly always empty.
    """

    zone: str
    capacity_type: str
    price_micros_per_hour: int
    available: bool = True
    labels: Mapping[str, str] = {}
    capacity: Resources = {}


class InstanceType(Value, frozen=True, kw_only=True):
    """A shape of machine.

    Attributes:
        labels: the values that each label may take on a node of this type; nearly always one.
        allocatable: capacity less overhead, never negative.
        offerings: sorted by capacities of their own, zone, then capacity type.
    """

    name: str
    labels: Mapping[str, tuple[str, ...]] = {}
    capacity: Resources = {}
    overhead: Resources = {}
    allocatable: Resources = {}
    offerings: tuple[Offering, ...] = ()


class Catalogue(Value, frozen=True, kw_only=True):
    """All instance types that a NodeClass can have.

    Attributes:
        name: for people, such as `aws us-east-1`.
        types: sorted by name, names unique.
        digest: equal for equal content; what caches are keyed by.
        notes: what a person must know before believing the numbers, such as invented prices.
    """

    name: str
    types: tuple[InstanceType, ...] = ()
    digest: str = ""
    notes: tuple[str, ...] = ()


class OfferingRow(NamedTuple):
    """One row of a catalogue: which type, as it is in this offering, and which offering."""

    type: InstanceType
    offering: Offering

    @property
    def name(self) -> str:
        """`type/zone/capacity type`, unique in a catalogue."""
        return f"{self.type.name}/{self.offering.zone}/{self.offering.capacity_type}"


def rows_of(catalogue: Catalogue) -> list[OfferingRow]:
    """Returns every offering of a catalogue in canonical order: by type name, then as in the type.

    Scheduling and policy both index their columns by the position in this list. Offerings of one
    type that have the same capacity follow each other and share one value of the type.
    """
    rows = []
    for kind in catalogue.types:
        own: Resources = {}
        here = kind
        for offering in kind.offerings:
            if offering.capacity != own:
                own, here = offering.capacity, as_offered(kind, offering)
            rows.append(OfferingRow(here, offering))
    return rows


def as_offered(kind: InstanceType, offering: Offering) -> InstanceType:
    """Returns a type as it is in one of its offerings."""
    if not offering.capacity:
        return kind
    return instance_type(
        kind.name,
        labels=kind.labels,
        capacity={**kind.capacity, **offering.capacity},
        overhead=kind.overhead,
        offerings=tuple(other for other in kind.offerings if other.capacity == offering.capacity),
    )


def instance_type(
    name: str,
    *,
    labels: Mapping[str, tuple[str, ...]],
    capacity: Resources,
    overhead: Resources,
    offerings: tuple[Offering, ...],
) -> InstanceType:
    """Returns an instance type with its allocatable worked out and its offerings sorted.

    Huge pages come out of memory, as on a real node.
    """
    rest = res.subtract(capacity, overhead)
    for resource, amount in capacity.items():
        if resource.startswith("hugepages-"):
            rest[res.MEMORY] = rest.get(res.MEMORY, 0) - amount
    ordered = tuple(
        sorted(
            offerings,
            key=lambda o: (
                sorted(o.capacity.items()),
                o.zone,
                o.capacity_type,
                sorted(o.labels.items()),
            ),
        )
    )
    return InstanceType(
        name=name, labels=labels, capacity=capacity, overhead=overhead,
        allocatable=res.at_least_zero(rest), offerings=ordered,
    )  # fmt: skip
