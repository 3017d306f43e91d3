"""`offerings --format json`: kind OfferingList."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from msgspec import Meta

from policyscaler.cli.documents.values import (
    API_VERSION,
    ApiVersion,
    Document,
    Money,
    Quantities,
    money,
    quantities,
)
from policyscaler.model import labels as well
from policyscaler.model.offerings import OfferingRow


class OfferingItemDocument(Document, frozen=True, kw_only=True):
    """An instance type in one zone and capacity type."""

    catalogue: str
    instance_type: str
    zone: str
    capacity_type: str
    price_per_hour: Money
    available: bool
    labels: Annotated[
        dict[str, list[str]], Meta(description="The values that each label may have, mostly one.")
    ]
    capacity: Quantities
    allocatable: Annotated[Quantities, Meta(description="Capacity less what the system keeps.")]


class OfferingListDocument(Document, frozen=True, kw_only=True):
    """Offerings in the order asked for."""

    api_version: ApiVersion
    kind: Literal["OfferingList"]
    total: Annotated[int, Meta(description="How many match, whatever --limit cut off.")]
    items: list[OfferingItemDocument]
    notes: list[str]


def offering_item(catalogue: str, row: OfferingRow) -> OfferingItemDocument:
    """Returns the document of one offering."""
    own = {
        **row.offering.labels,
        well.ZONE: row.offering.zone,
        well.CAPACITY_TYPE: row.offering.capacity_type,
    }
    labels = {**row.type.labels, **{key: (value,) for key, value in own.items()}}
    return OfferingItemDocument(
        catalogue=catalogue, instance_type=row.type.name, zone=row.offering.zone,
        capacity_type=row.offering.capacity_type,
        price_per_hour=money(row.offering.price_micros_per_hour),
        available=row.offering.available,
        labels={key: [v for v in labels[key] if v] for key in sorted(labels) if any(labels[key])},
        capacity=quantities(row.type.capacity), allocatable=quantities(row.type.allocatable),
    )  # fmt: skip


def offering_list(
    rows: Iterable[tuple[str, OfferingRow]], *, total: int, notes: Iterable[str]
) -> OfferingListDocument:
    """Returns the document of a list of offerings, each with its catalogue's name."""
    return OfferingListDocument(
        api_version=API_VERSION, kind="OfferingList", total=total,
        items=[offering_item(name, row) for name, row in rows], notes=list(notes),
    )  # fmt: skip
