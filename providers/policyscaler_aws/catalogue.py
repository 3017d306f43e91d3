"""The catalogue of a NodeClass, put together from the shipped facts.

Labels and offerings do not depend on most of what a class says, so all classes of a region share
them; each class has its own capacities.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import msgspec

from policyscaler.model.labels import ON_DEMAND, SPOT
from policyscaler.model.offerings import Catalogue, InstanceType, Offering
from policyscaler_aws.capacity import size_of
from policyscaler_aws.compatibility import is_compatible
from policyscaler_aws.facts import TypeFacts, load_facts
from policyscaler_aws.labels import ZONE_ID, labels_of
from policyscaler_aws.prices import PriceTable, on_demand_prices, simulated_spot_price
from policyscaler_aws.settings import AwsSettings
from policyscaler_aws.sizing import Sizing, sizing_of
from policyscaler_aws.spec import EC2NodeClassSpec
from policyscaler_aws.zones import DEFAULT_REGION, zones_of_region


class Place(NamedTuple):
    """Where a class launches.

    Attributes:
        zones: (name, ID) pairs, sorted by name; the ID is empty where nobody named it.
        known: the class's status names them, rather than the table of regions.
    """

    region: str
    zones: tuple[tuple[str, str], ...]
    known: bool


def place_of(spec: EC2NodeClassSpec, settings: AwsSettings) -> Place:
    """Returns the region and zones of a class: its subnets', or else the region's.

    Raises:
        ConfigError: nothing is known about the region's zones.
    """
    found = {subnet.zone: subnet.zone_id for subnet in spec.resolved_subnets if subnet.zone}
    region = settings.region or _region_of(min(found, default="")) or DEFAULT_REGION
    if found:
        return Place(region, tuple(sorted(found.items())), known=True)
    return Place(region, tuple((zone, "") for zone in zones_of_region(region)), known=False)


def _region_of(zone: str) -> str:
    return zone.rstrip("abcdefghijklmnopqrstuvwxyz")


def build_catalogue(spec: EC2NodeClassSpec, settings: AwsSettings) -> Catalogue:
    """Returns every instance type as nodes of this class would be.

    Raises:
        ConfigError: the class or the settings say something that no catalogue can be made of.
    """
    place, sizing = place_of(spec, settings), sizing_of(spec, settings)
    usable = tuple(is_compatible(facts, spec) for facts in load_facts().types)
    prices = on_demand_prices(place.region)
    content = (load_facts().digest, prices.digest, place, sizing, usable, settings.spot_seed)
    return Catalogue(
        name=f"aws {place.region}",
        types=_types(place, sizing, usable=usable, seed=settings.spot_seed),
        digest=hashlib.blake2b(
            msgspec.json.encode(content, order="deterministic"), digest_size=16
        ).hexdigest(),
        notes=_notes(place, spec, prices=prices, seed=settings.spot_seed),
    )


def _types(
    place: Place, sizing: Sizing, *, usable: tuple[bool, ...], seed: int
) -> tuple[InstanceType, ...]:
    types = []
    for facts, labels, offered, wanted in zip(
        load_facts().types,
        _labels(place.region, sizing.family.windows_build),
        _offerings(place, seed),
        usable,
        strict=True,
    ):
        size = size_of(facts, sizing)
        types.append(
            InstanceType(
                name=facts.name,
                labels=labels,
                capacity=size.capacity,
                overhead=size.overhead,
                allocatable=size.allocatable,
                offerings=offered if wanted else _withdrawn(offered),
            )
        )
    return tuple(types)


@lru_cache(maxsize=8)
def _labels(region: str, windows_build: str) -> tuple[Mapping[str, tuple[str, ...]], ...]:
    return tuple(
        labels_of(facts, region=region, windows_build=windows_build) for facts in load_facts().types
    )


@lru_cache(maxsize=8)
def _offerings(place: Place, seed: int) -> tuple[tuple[Offering, ...], ...]:
    prices = on_demand_prices(place.region).micros_per_hour
    zones = [(zone, {ZONE_ID: zone_id} if zone_id else {}) for zone, zone_id in place.zones]
    return tuple(
        _offerings_of(facts, prices.get(facts.name), zones=zones, seed=seed)
        for facts in load_facts().types
    )


def _offerings_of(
    facts: TypeFacts, price: int | None, *, zones: list[tuple[str, dict[str, str]]], seed: int
) -> tuple[Offering, ...]:
    """Returns two offerings a zone; without a price none of them can be had."""
    priced, on_demand = price is not None, price or 0
    offerings = []
    for zone, labels in zones:
        spot = simulated_spot_price(on_demand, type_name=facts.name, zone=zone, seed=seed)
        for capacity_type, micros in ((ON_DEMAND, on_demand), (SPOT, spot)):
            offerings.append(
                Offering(
                    zone=zone,
                    capacity_type=capacity_type,
                    price_micros_per_hour=micros,
                    available=priced,
                    labels=labels,
                )
            )
    return tuple(offerings)


def _withdrawn(offerings: tuple[Offering, ...]) -> tuple[Offering, ...]:
    return tuple(msgspec.structs.replace(offering, available=False) for offering in offerings)


def _notes(
    place: Place, spec: EC2NodeClassSpec, *, prices: PriceTable, seed: int
) -> tuple[str, ...]:
    zones = "the zones of the class's subnets" if place.known else f"all zones of {place.region}"
    notes = [
        f"spot prices are simulated (seed {seed}), not market prices",
        f"every type is taken to be offered in {zones}; which zones have it is not known offline",
        f"on-demand prices are as published on {prices.date}",
    ]
    if prices.region != place.region:
        notes.append(f"no prices of {place.region} are shipped; those of {prices.region} stand in")
    if prices.currency != "USD":
        notes.append(f"amounts are in {prices.currency}, as published for {prices.region}")
    if spec.cpu_options is not None and spec.cpu_options.nested_virtualization == "enabled":
        notes.append("no type is left out for lack of nested virtualisation: offline it is unknown")
    if spec.placement_group_selector is not None:
        notes.append("no type is left out because of its placement group: offline it is unknown")
    return tuple(notes)
