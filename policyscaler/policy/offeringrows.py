"""A catalogue as expressions see it: one row per offering, in the order of `rows_of`.

Fields that providers publish as labels only (family, generation, GPU model) are read by the last
part of the label's key, so that expressions are the same with every provider and none is named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from policyscaler.model import labels as well
from policyscaler.model import resources as res
from policyscaler.model.money import MICROS
from policyscaler.model.offerings import Catalogue, InstanceType, OfferingRow, rows_of
from policyscaler.policy.columns import Column, ColumnTable, build_table, make_column
from policyscaler.policy.offering_types import OFFERING
from policyscaler.policy.types import BOOL, DOUBLE, STRING, ListType

_MEBIBYTE: Final = 2**20
_SEVERAL: Final = 2
_BURSTABLE: Final = "t"


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferingRows:
    """The rows of one catalogue.

    Attributes:
        catalogue: kept, so that its identity stays its own while this lives.
        prices: micro-dollars per hour per row.
    """

    catalogue: Catalogue
    rows: tuple[OfferingRow, ...]
    table: ColumnTable
    prices: NDArray[np.int64]


def offering_rows(catalogue: Catalogue) -> OfferingRows:
    """Returns the columns of a catalogue: each type's fields are worked out once."""
    rows = tuple(rows_of(catalogue))
    types = [t for t in catalogue.types if t.offerings]
    counts = np.array([len(t.offerings) for t in types], dtype=np.int64)
    base = _type_table(types).take(np.repeat(np.arange(len(types)), counts))
    prices = np.fromiter((row.offering.price_micros_per_hour for row in rows), np.int64, len(rows))
    own = _row_columns(rows, prices)
    labels = {**base.entries["labels",], **_label_columns(rows)}
    labels |= {key: own[path] for key, path in _OWN.items()}
    choices = {**base.entries["choices",], **_choice_columns(rows, types)}
    entries = {**base.entries, ("labels",): labels, ("choices",): choices}
    table = ColumnTable(len(rows), {**base.columns, **own}, base.present, entries)
    return OfferingRows(catalogue=catalogue, rows=rows, table=table, prices=prices)


def offering_facts(row: OfferingRow) -> dict[str, object]:
    """Returns one offering as a mapping, with the fields and units of the vocabulary."""
    facts: dict[str, object] = {name: read(row.type) for name, read in _TYPE_FIELDS.items()}
    facts.update({name: read(row) for name, read in _ROW_FIELDS.items()})
    own = {**row.offering.labels, **{key: str(facts[field]) for key, (field,) in _OWN.items()}}
    facts["labels"] = {**_single_labels(row.type), **own}
    facts["choices"] = {k: v for k, v in _choices(row.type).items() if k not in own}
    nested: dict[str, dict[str, object]] = {}
    for name in [name for name in facts if "." in name]:
        owner, _, field = name.partition(".")
        nested.setdefault(owner, {})[field] = facts.pop(name)
    for owner, fields in nested.items():
        present = {name: value for name, value in fields.items() if value is not None}
        facts[owner] = present or None
    return {name: value for name, value in facts.items() if value is not None}


def _type_table(types: list[InstanceType]) -> ColumnTable:
    fields: dict[str, list[object]] = {
        name: [read(t) for t in types] for name, read in _TYPE_FIELDS.items()
    }
    fields["labels"] = [_single_labels(t) for t in types]
    fields["choices"] = [_choices(t) for t in types]
    return build_table(OFFERING, fields, size=len(types))


def _row_columns(
    rows: tuple[OfferingRow, ...], prices: NDArray[np.int64]
) -> dict[tuple[str, ...], Column]:
    """The columns of the fields that differ between the offerings of a type."""
    available = np.fromiter((row.offering.available for row in rows), np.bool_, len(rows))
    # Offerings in one zone share their labels; each mapping is looked at once.
    distinct = {id(row.offering.labels): row.offering.labels for row in rows}
    zone_ids = {key: _zone_id(labels) for key, labels in distinct.items()}
    return {
        ("zone",): make_column([row.offering.zone for row in rows], STRING),
        ("zoneId",): make_column([zone_ids[id(row.offering.labels)] for row in rows], STRING),
        ("capacityType",): make_column([row.offering.capacity_type for row in rows], STRING),
        ("price",): Column(DOUBLE, prices / MICROS),
        ("available",): Column(BOOL, available),
    }


def _label_columns(rows: tuple[OfferingRow, ...]) -> Mapping[str, Column]:
    """The columns of labels that differ between the offerings of a type."""
    made: dict[str, Column] = {}
    for key in sorted({key for row in rows for key in row.offering.labels} - _OWN.keys()):
        values = [row.offering.labels.get(key, _single(row.type, key)) for row in rows]
        made[key] = make_column(values, STRING)
    return made


def _choice_columns(
    rows: tuple[OfferingRow, ...], types: list[InstanceType]
) -> Mapping[str, Column]:
    """The columns of open labels that some offering settles."""
    open_keys = {key for t in types for key in _choices(t)}
    settled = {key for row in rows for key in row.offering.labels} | _OWN.keys()
    return {
        key: make_column([_open_values(row, key) for row in rows], ListType(STRING))
        for key in sorted(open_keys & settled)
    }


def _open_values(row: OfferingRow, key: str) -> tuple[str, ...] | None:
    values = row.type.labels.get(key, ())
    return None if key in _OWN or key in row.offering.labels or len(values) < _SEVERAL else values


_OWN: Final[Mapping[str, tuple[str]]] = {
    well.ZONE: ("zone",),
    well.CAPACITY_TYPE: ("capacityType",),
}
"""Labels that every offering has for itself, whatever its type or provider says, as fields."""


def _single(kind: InstanceType, key: str) -> str | None:
    values = kind.labels.get(key, ())
    return values[0] if len(values) == 1 else None


def _single_labels(kind: InstanceType) -> dict[str, str]:
    return {key: values[0] for key, values in kind.labels.items() if len(values) == 1}


def _choices(kind: InstanceType) -> dict[str, tuple[str, ...]]:
    return {key: values for key, values in kind.labels.items() if len(values) >= _SEVERAL}


def _by_suffix(kind: InstanceType, suffix: str) -> str | None:
    """The value of the label whose key ends like this; the first by key, None without any."""
    values = kind.labels.get(_key_with(suffix, tuple(kind.labels)), ())
    return values[0] if values else None


@lru_cache(maxsize=4096)
def _key_with(suffix: str, keys: tuple[str, ...]) -> str:
    """The first key by name that ends like this, or an empty text: types of a family share keys."""
    return min((key for key in keys if key.endswith(suffix)), default="")


def _number(kind: InstanceType, suffix: str) -> int | None:
    text = _by_suffix(kind, suffix)
    return int(text) if text is not None and text.isascii() and text.isdigit() else None


def _label(kind: InstanceType, key: str, *, preferred: str = "") -> str:
    values = kind.labels.get(key, ())
    return preferred if preferred in values else next(iter(values), "")


def _gpus(kind: InstanceType) -> int | None:
    count = sum(amount for name, amount in kind.capacity.items() if name.endswith("/gpu"))
    return count or _number(kind, "/instance-gpu-count")


def _gpu_memory(kind: InstanceType) -> float | None:
    mebibytes = _number(kind, "/instance-gpu-memory")
    return None if mebibytes is None else float(mebibytes * _MEBIBYTE)


def _size(kind: InstanceType) -> str | None:
    return _by_suffix(kind, "/instance-size") or kind.name.partition(".")[2] or None


def _features(kind: InstanceType) -> tuple[str, ...]:
    traits = {
        "burstable": _by_suffix(kind, "/instance-category") == _BURSTABLE,
        "flex": _by_suffix(kind, "/instance-capability-flex") == "true",
        "metal": (_size(kind) or "").startswith("metal"),
        "nvme": _by_suffix(kind, "/instance-local-nvme") is not None,
    }
    return tuple(name for name, has in traits.items() if has)


def _amount(resource: str, *, of: str) -> Callable[[InstanceType], object]:
    def read(kind: InstanceType) -> float | int:
        amount: int = getattr(kind, of).get(resource, 0)
        if resource == res.PODS:
            return amount
        return amount / 1000 if resource == res.CPU else float(amount)

    return read


def amounts(resources: res.Resources) -> dict[str, float]:
    """Returns amounts as expressions see them: cores for cpu, base units for the rest."""
    return {n: a / 1000 if n == res.CPU else float(a) for n, a in resources.items()}


_TYPE_FIELDS: Final[Mapping[str, Callable[[InstanceType], object]]] = {
    "name": lambda t: t.name,
    "family": lambda t: _by_suffix(t, "/instance-family") or t.name.partition(".")[0],
    "size": _size,
    "category": lambda t: _by_suffix(t, "/instance-category"),
    "generation": lambda t: _number(t, "/instance-generation"),
    "region": lambda t: _label(t, well.REGION) or None,
    "arch": lambda t: _label(t, well.ARCH),
    "os": lambda t: _label(t, well.OS, preferred="linux"),
    "cpu": _amount(res.CPU, of="capacity"),
    "memory": _amount(res.MEMORY, of="capacity"),
    "pods": _amount(res.PODS, of="capacity"),
    "allocatable.cpu": _amount(res.CPU, of="allocatable"),
    "allocatable.memory": _amount(res.MEMORY, of="allocatable"),
    "allocatable.pods": _amount(res.PODS, of="allocatable"),
    "gpu.count": _gpus,
    "gpu.model": lambda t: _by_suffix(t, "/instance-gpu-name"),
    "gpu.manufacturer": lambda t: _by_suffix(t, "/instance-gpu-manufacturer"),
    "gpu.memory": _gpu_memory,
    "hypervisor": lambda t: _by_suffix(t, "/instance-hypervisor"),
    "features": _features,
    "resources": lambda t: amounts(t.capacity),
}

_ROW_FIELDS: Final[Mapping[str, Callable[[OfferingRow], object]]] = {
    "zone": lambda row: row.offering.zone,
    "zoneId": lambda row: _zone_id(row.offering.labels),
    "capacityType": lambda row: row.offering.capacity_type,
    "price": lambda row: row.offering.price_micros_per_hour / MICROS,
    "available": lambda row: row.offering.available,
}


def _zone_id(labels: Mapping[str, str]) -> str | None:
    return next((value for key, value in sorted(labels.items()) if key.endswith("/zone-id")), None)
