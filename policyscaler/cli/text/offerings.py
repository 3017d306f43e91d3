"""Offerings as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from policyscaler.cli.text.tables import count, table
from policyscaler.model import labels as well
from policyscaler.model import resources as res
from policyscaler.model.money import format_price
from policyscaler.model.offerings import OfferingRow
from policyscaler.model.quantities import format_resource

_HEADER: Final = (
    "TYPE", "ZONE", "CAPACITY", "ARCH", "CPU", "MEMORY", "PODS", "ALLOCATABLE", "PRICE", "AVAILABLE",
)  # fmt: skip


def offering_lines(rows: Sequence[OfferingRow], *, total: int, notes: Sequence[str]) -> list[str]:
    """Returns offerings as a table, how many there are, and the notes of their catalogues."""
    if not total:
        return ["no offering matches"]
    lines = table(_HEADER, [_cells(row) for row in rows])
    rest = total - len(rows)
    lines.append("")
    lines.append(
        f"{count(total, 'offering')}, {rest:,} of them not shown (--limit 0 shows all)"
        if rest
        else count(total, "offering")
    )
    lines.extend(f"note: {note}" for note in notes)
    return lines


def _cells(row: OfferingRow) -> tuple[str, ...]:
    kind, offering = row.type, row.offering
    allocatable = f"{_amount(kind.allocatable, res.CPU)} / {_amount(kind.allocatable, res.MEMORY)}"
    return (
        kind.name, offering.zone, offering.capacity_type,
        ",".join(kind.labels.get(well.ARCH, ())),
        _amount(kind.capacity, res.CPU), _amount(kind.capacity, res.MEMORY),
        _amount(kind.capacity, res.PODS), allocatable,
        f"${format_price(offering.price_micros_per_hour)}/h", "yes" if offering.available else "no",
    )  # fmt: skip


def _amount(resources: res.Resources, resource: str) -> str:
    return format_resource(resource, resources.get(resource, 0))
