"""Catalogues as CSV: one row an offering, rows of the same type together make it.

Columns: `instanceType`, `cpu`, `memory`, `zone`, `price`; and if wanted `pods`, `arch`, `os`,
`capacityType`, `available`, `overhead.cpu`, `overhead.memory`, `label:<key>` (of the type) and
`capacity:<resource>`. Names in the first line, in any order.
"""

from __future__ import annotations

import csv
from pathlib import PurePath
from typing import Final

from policyscaler.manifests.catalogues import CatalogueManifest, make_catalogue, with_defaults
from policyscaler.manifests.findings import ERROR, Code, Finding, did_you_mean, shorten
from policyscaler.manifests.label_syntax import key_fault, value_fault
from policyscaler.model import labels
from policyscaler.model.errors import ConfigError
from policyscaler.model.meta import ObjectMeta, SourcePosition
from policyscaler.model.money import parse_price
from policyscaler.model.offerings import InstanceType, Offering
from policyscaler.model.quantities import resource_amount

_NEEDED: Final = ("instanceType", "cpu", "memory", "zone", "price")
_OPTIONAL: Final = (
    "pods",
    "arch",
    "os",
    "capacityType",
    "available",
    "overhead.cpu",
    "overhead.memory",
)
_PREFIXES: Final = ("label:", "capacity:")
_TRUE: Final = {
    "true": True,
    "yes": True,
    "1": True,
    "": True,
    "false": False,
    "no": False,
    "0": False,
}


class _Refused(Exception):
    def __init__(self, column: str, message: str) -> None:
        super().__init__(message)
        self.column = column


def read_catalogue_table(file: str, text: str, *, sink: list[Finding]) -> CatalogueManifest | None:
    """Returns the catalogue of a CSV file, named after the file, or None after reporting why not."""
    table = _Table(file, sink)
    types = table.read(text)
    if types is None:
        return None
    name = PurePath(file).stem
    return CatalogueManifest(
        meta=ObjectMeta(name=name),
        catalogue=make_catalogue(name, types),
        source=SourcePosition(file=file, line=1, column=1),
    )


class _Table:
    def __init__(self, file: str, sink: list[Finding]) -> None:
        self._file = file
        self._sink = sink
        self._failed = False
        self._header: list[str] = []

    def read(self, text: str) -> dict[str, InstanceType] | None:
        reader = csv.reader(text.split("\n"), strict=True)
        shapes: dict[str, tuple[dict[str, str], list[Offering]]] = {}
        made: dict[str, InstanceType] = {}
        try:
            self._header = [name.strip() for name in next(reader, [])]
            self._check_header()
            for cells in [] if self._failed else reader:
                if any(cell.strip() for cell in cells) and not cells[0].lstrip().startswith("#"):
                    self._row(cells, shapes=shapes, line=reader.line_num)
            for name, (row, offerings) in shapes.items():
                made[name] = _type_of(row, tuple(offerings))
        except csv.Error as error:
            self._report(Code.SYNTAX, f"not CSV: {error}", line=max(1, reader.line_num))
        if not made and not self._failed:
            self._report(Code.NOT_AN_OBJECT, "lists no instance type", line=1)
        return None if self._failed else made

    def _check_header(self) -> None:
        known = (*_NEEDED, *_OPTIONAL)
        for index, name in enumerate(self._header):
            if name in self._header[:index]:
                self._report(Code.DUPLICATE_KEY, f'the column "{name}" is there twice', line=1)
            if name not in known and not name.startswith(_PREFIXES):
                hint = did_you_mean(name, known) or "label:<key> and capacity:<resource> are free"
                message = f'unknown column "{shorten(name)}"; {hint}'
                self._report(Code.UNKNOWN_FIELD, message, line=1)
            elif name.startswith("label:") and (fault := key_fault(name[6:])):
                self._report(Code.BAD_LABEL, f'"{name[6:]}" is not a label key: {fault}', line=1)
        for name in _NEEDED:
            if name not in self._header:
                self._report(Code.MISSING_FIELD, f'the column "{name}" is missing', line=1)

    def _row(
        self,
        cells: list[str],
        *,
        shapes: dict[str, tuple[dict[str, str], list[Offering]]],
        line: int,
    ) -> None:
        if len(cells) != len(self._header):
            message = f"has {len(cells)} cells, the header has {len(self._header)}"
            self._report(Code.SYNTAX, message, line=line)
            return
        row = {name: cell.strip() for name, cell in zip(self._header, cells, strict=True)}
        try:
            offering = _offering_of(row)
            _type_of(row, (offering,))
            first, offerings = shapes.setdefault(row["instanceType"], (_shape(row), []))
            _check_same(first, _shape(row))
            _check_new(offering, offerings)
            offerings.append(offering)
        except _Refused as refused:
            self._report(Code.BAD_VALUE, f"{refused.column}: {refused}", line=line)

    def _report(self, code: Code, message: str, *, line: int) -> None:
        self._failed = True
        position = SourcePosition(file=self._file, line=line, column=1)
        self._sink.append(
            Finding(severity=ERROR, code=code.value, message=message, position=position)
        )


def _shape(row: dict[str, str]) -> dict[str, str]:
    own = ("zone", "price", "capacityType", "available")
    return {name: cell for name, cell in row.items() if name not in own}


def _check_same(first: dict[str, str], other: dict[str, str]) -> None:
    for column, cell in other.items():
        if cell != first[column]:
            name = first["instanceType"]
            raise _Refused(
                column, f'"{cell}" differs from "{first[column]}" in the first row of {name}'
            )


def _check_new(offering: Offering, offerings: list[Offering]) -> None:
    for other in offerings:
        if (other.zone, other.capacity_type) == (offering.zone, offering.capacity_type):
            raise _Refused("zone", f"{other.zone}/{other.capacity_type} is offered twice")


def _offering_of(row: dict[str, str]) -> Offering:
    capacity_type = row.get("capacityType") or labels.ON_DEMAND
    if capacity_type not in labels.CAPACITY_TYPES:
        known = ", ".join(labels.CAPACITY_TYPES)
        raise _Refused("capacityType", f'"{shorten(capacity_type)}" is not one of {known}')
    if not row["zone"]:
        raise _Refused("zone", "must not be empty")
    available = _TRUE.get(row.get("available", "").lower())
    if available is None:
        raise _Refused("available", f'"{shorten(row["available"])}" is not true or false')
    try:
        price = parse_price(row["price"])
    except ConfigError as error:
        raise _Refused("price", str(error)) from None
    return Offering(
        zone=row["zone"], capacity_type=capacity_type, price_micros_per_hour=price,
        available=available,
    )  # fmt: skip


def _type_of(row: dict[str, str], offerings: tuple[Offering, ...]) -> InstanceType:
    if not row["instanceType"]:
        raise _Refused("instanceType", "must not be empty")
    capacity = {"cpu": "cpu", "memory": "memory", "pods": "pods"}
    capacity |= {name: name[9:] for name in row if name.startswith("capacity:")}
    type_labels = {name[6:]: row[name] for name in row if name.startswith("label:") and row[name]}
    if row.get("arch"):
        type_labels[labels.ARCH] = row["arch"]
    if row.get("os"):
        type_labels[labels.OS] = row["os"]
    for key, value in type_labels.items():
        if fault := value_fault(value):
            raise _Refused(f"label:{key}", f'"{shorten(value)}" is not a label value: {fault}')
    return with_defaults(
        row["instanceType"],
        type_labels=type_labels,
        capacity=_amounts(row, capacity, needed=("cpu", "memory")),
        overhead=_amounts(row, {"overhead.cpu": "cpu", "overhead.memory": "memory"}, needed=()),
        offerings=offerings,
    )


def _amounts(
    row: dict[str, str], columns: dict[str, str], *, needed: tuple[str, ...]
) -> dict[str, int]:
    amounts = {}
    for column, resource in columns.items():
        cell = row.get(column, "")
        if not cell and column not in needed:
            continue
        try:
            amount = resource_amount(resource, cell)
        except ConfigError as error:
            raise _Refused(column, str(error)) from None
        if amount < 0:
            raise _Refused(column, f"{cell} is negative")
        amounts[resource] = amount
    return amounts
