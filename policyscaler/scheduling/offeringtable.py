"""A catalogue in columns: one row per offering, masks per requirement.

A requirement set becomes a boolean mask over rows, computed once and shared by every pod that
asks for the same, so that the work grows with kinds of pods and not with pods.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from policyscaler.model import labels as well
from policyscaler.model.offerings import Catalogue, InstanceType, OfferingRow, rows_of
from policyscaler.model.requirements import Requirement

Mask: TypeAlias = NDArray[np.bool_]
Amounts: TypeAlias = NDArray[np.int64]

_ROW_KEYS = (well.ZONE, well.CAPACITY_TYPE)


class OfferingTable:
    """The rows of one catalogue. Immutable in what it says; columns are made when asked for.

    Attributes:
        rows: in the canonical order of `rows_of`.
        types: in the order of the catalogue; a type whose offerings differ in capacity comes
            once per capacity.
        type_of_row: index into `types` per row.
        first_row: per type the index of its first row; types without offerings are left out.
        prices: micro-dollars per hour per row.
        available: whether the row can be launched now.
        keys: every label that some type or offering carries.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.rows: list[OfferingRow] = rows_of(catalogue)
        runs = [list(rows) for _, rows in groupby(self.rows, key=lambda row: id(row.type))]
        self.types: tuple[InstanceType, ...] = tuple(rows[0].type for rows in runs)
        counts = np.array([len(rows) for rows in runs], dtype=np.int64)
        self.type_of_row = np.repeat(np.arange(len(self.types)), counts)
        self.first_row = np.cumsum(counts) - counts
        self.prices: Amounts = np.array(
            [row.offering.price_micros_per_hour for row in self.rows], dtype=np.int64
        )
        self.available: Mask = np.array([row.offering.available for row in self.rows], dtype=bool)
        self._row_keys = frozenset(_ROW_KEYS).union(
            *{frozenset(row.offering.labels) for row in self.rows}
        )
        type_keys = {key for t in self.types for key in t.labels}
        self.keys = frozenset(type_keys | self._row_keys)
        self._masks: dict[Requirement, Mask] = {}
        self._columns: dict[tuple[str, str], Amounts] = {}

    def __len__(self) -> int:
        """Returns the number of rows."""
        return len(self.rows)

    def mask(self, requirement: Requirement) -> Mask:
        """Returns the rows on which a requirement can hold; do not change the array.

        A label that no row of the catalogue carries restricts nothing here: the NodePool may set
        it. A label that some rows carry and this one lacks counts as missing.
        """
        wanted = requirement
        if wanted.min_values is not None:
            wanted = msgspec.structs.replace(wanted, min_values=None)
        found = self._masks.get(wanted)
        if found is None:
            found = self._masks[wanted] = self._build_mask(wanted)
        return found

    def mask_all(self, requirements: Mapping[str, Requirement]) -> Mask:
        """Returns the rows on which all requirements can hold, as a new array."""
        result = np.ones(len(self.rows), dtype=bool)
        for key in sorted(requirements):
            if key in self.keys:
                result &= self.mask(requirements[key])
        return result

    def allocatable(self, resource: str) -> Amounts:
        """Returns the allocatable amount of a resource per type."""
        return self._column("allocatable", resource)

    def capacity(self, resource: str) -> Amounts:
        """Returns the capacity of a resource per type."""
        return self._column("capacity", resource)

    def types_of(self, rows: Mask) -> Mask:
        """Returns per type whether any of its rows is in the mask."""
        if not self.rows:
            return np.zeros(0, dtype=bool)
        return np.logical_or.reduceat(rows, self.first_row)

    def values_of(self, key: str, rows: Mask) -> set[str]:
        """Returns the distinct values of a label on the rows of a mask."""
        if key in self._row_keys:
            return {v for i in np.flatnonzero(rows) for v in self._row_values(self.rows[i], key)}
        chosen = np.flatnonzero(self.types_of(rows))
        return {value for i in chosen for value in self.types[i].labels.get(key, ())}

    def _column(self, kind: str, resource: str) -> Amounts:
        column = self._columns.get((kind, resource))
        if column is None:
            amounts = (getattr(t, kind).get(resource, 0) for t in self.types)
            column = np.fromiter(amounts, dtype=np.int64, count=len(self.types))
            self._columns[kind, resource] = column
        return column

    def _build_mask(self, requirement: Requirement) -> Mask:
        key = requirement.key
        if key not in self.keys:
            return np.ones(len(self.rows), dtype=bool)
        if key in self._row_keys:
            values: Iterable[tuple[str, ...]] = (self._row_values(r, key) for r in self.rows)
            return _allowed(requirement, values, len(self.rows))
        per_type = _allowed(
            requirement, (t.labels.get(key, ()) for t in self.types), len(self.types)
        )
        return per_type[self.type_of_row]

    @staticmethod
    def _row_values(row: OfferingRow, key: str) -> tuple[str, ...]:
        if key == well.ZONE:
            return (row.offering.zone,)
        if key == well.CAPACITY_TYPE:
            return (row.offering.capacity_type,)
        value = row.offering.labels.get(key)
        return row.type.labels.get(key, ()) if value is None else (value,)


def _allowed(requirement: Requirement, values: Iterable[tuple[str, ...]], count: int) -> Mask:
    verdicts: dict[tuple[str, ...], bool] = {(): requirement.excludes_nothing_positive}

    def verdict(options: tuple[str, ...]) -> bool:
        known = verdicts.get(options)
        if known is None:
            known = verdicts[options] = any(requirement.allows(option) for option in options)
        return known

    return np.fromiter((verdict(options) for options in values), dtype=bool, count=count)
