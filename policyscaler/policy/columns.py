"""Columns: thousands of rows as arrays, one per field.

Numbers, bools and times are arrays; strings (and lists of strings) are codes into a vocabulary of
the distinct values, so that a question about text is asked once per distinct text. What is absent
is marked in `missing`, never stored as a value that could be taken for one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from policyscaler.policy.types import (
    BOOL,
    DOUBLE,
    DURATION,
    INT,
    TIMESTAMP,
    ListType,
    MapType,
    ObjectType,
    Type,
)

Mask: TypeAlias = NDArray[np.bool_]
Array: TypeAlias = NDArray[np.bool_] | NDArray[np.int64] | NDArray[np.float64] | NDArray[np.int32]
Path: TypeAlias = tuple[str, ...]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DTYPES: Mapping[Type, type[np.bool_ | np.int64 | np.float64]] = {
    BOOL: np.bool_, INT: np.int64, DOUBLE: np.float64, DURATION: np.int64, TIMESTAMP: np.int64,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Column:
    """One field of every row.

    Attributes:
        type: Its type; durations and times are whole microseconds.
        data: Values, or codes if there is a vocabulary; anything where missing.
        vocabulary: The distinct values that the codes stand for, or None.
        missing: True where the row has no value; None if all have one.
    """

    type: Type
    data: Array
    vocabulary: tuple[object, ...] | None = None
    missing: Mask | None = None


def is_coded(kind: Type) -> bool:
    """Tell whether values of a type are kept as codes."""
    return kind not in _DTYPES


def to_raw(value: object, kind: Type) -> object:
    """Return a value in the form that arrays hold: times as whole microseconds."""
    if kind == DURATION:
        return cast("timedelta", value) // _MICROSECOND
    if kind == TIMESTAMP:
        return (cast("datetime", value) - _EPOCH) // _MICROSECOND
    return value


def from_raw(value: object, kind: Type) -> object:
    """Return the value that an item of an array stands for."""
    item = value.item() if isinstance(value, np.generic) else value
    if kind == DURATION:
        return cast("int", item) * _MICROSECOND
    if kind == TIMESTAMP:
        return _EPOCH + cast("int", item) * _MICROSECOND
    return item


def make_column(values: Sequence[object], kind: Type) -> Column:
    """Build a column from values in row order; None is missing.

    Args:
        values: One per row, of the declared type. Lists become tuples.
        kind: Their type.
    """
    absent = np.fromiter((value is None for value in values), np.bool_, len(values))
    missing = absent if absent.any() else None
    if not is_coded(kind):
        raw = [0 if value is None else to_raw(value, kind) for value in values]
        return Column(kind, cast("Array", np.array(raw, _DTYPES[kind])), None, missing)
    frozen = (
        [tuple(v) if isinstance(v, list) else v for v in values]
        if isinstance(kind, ListType)
        else values
    )
    codes: dict[object, int] = {}
    coded = [0 if value is None else codes.setdefault(value, len(codes)) for value in frozen]
    return Column(kind, np.array(coded, np.int32), tuple(codes), missing)


@dataclass(frozen=True, slots=True)
class ColumnTable:
    """All fields of all rows, by path from the row variable (`("gpu", "count")`).

    Attributes:
        size: Rows.
        columns: Every declared field but objects and maps.
        present: Whether an optional object is there, by its path; only where some are not.
        entries: One column per key that any row has, by the path of the map.
        answers: What was found out about vocabularies; may change speed only.
    """

    size: int
    columns: Mapping[Path, Column]
    present: Mapping[Path, Mask]
    entries: Mapping[Path, Mapping[str, Column]]
    answers: dict[tuple[object, ...], object] = field(
        default_factory=dict, compare=False, repr=False
    )

    def replace(self, path: Path, values: Sequence[object]) -> ColumnTable:
        """Return a table with one column changed, such as prices."""
        column = make_column(values, self.columns[path].type)
        return ColumnTable(self.size, {**self.columns, path: column}, self.present, self.entries)

    def take(self, rows: NDArray[np.intp]) -> ColumnTable:
        """Return a table of some rows, in the order given."""
        columns = {path: _take(column, rows) for path, column in self.columns.items()}
        present = {path: mask[rows] for path, mask in self.present.items()}
        entries = {
            path: {key: _take(column, rows) for key, column in keys.items()}
            for path, keys in self.entries.items()
        }
        return ColumnTable(len(rows), columns, present, entries)


def _take(column: Column, rows: NDArray[np.intp]) -> Column:
    missing = None if column.missing is None else column.missing[rows]
    return Column(column.type, column.data[rows], column.vocabulary, missing)


def build_table(
    kind: ObjectType, fields: Mapping[str, Sequence[object]], *, size: int
) -> ColumnTable:
    """Build a table from one list of values per field.

    Args:
        kind: The type of a row.
        fields: Values in row order by dotted name (`gpu.count`); None is absent. A map is a list
            of mappings. A field that is left out is absent in every row. An optional object is
            present where any of its fields is, or where a list of bools under its own name says so.
        size: Number of rows.
    """
    columns: dict[Path, Column] = {}
    present: dict[Path, Mask] = {}
    entries: dict[Path, Mapping[str, Column]] = {}
    nothing: tuple[object, ...] = (None,) * size

    def add(owner: ObjectType, prefix: Path) -> Mask:
        """Add the fields of an object; return where any of them is present."""
        seen = np.zeros(size, np.bool_)
        for name, declared in owner.fields.items():
            path = (*prefix, name)
            if isinstance(declared.type, ObjectType):
                inside = add(declared.type, path)
                inside |= np.array([bool(v) for v in fields.get(".".join(path), nothing)], np.bool_)
                if declared.optional and not inside.all():
                    present[path] = inside
                seen |= inside
                continue
            values = fields.get(".".join(path), nothing)
            if isinstance(declared.type, MapType):
                entries[path] = _entry_columns(values, declared.type.value)
                continue
            if isinstance(declared.type, ListType) and isinstance(declared.type.item, ObjectType):
                continue  # the pods of a node: closures' business
            column = columns[path] = make_column(values, declared.type)
            seen |= True if column.missing is None else ~column.missing
        return seen

    add(kind, ())
    return ColumnTable(size, columns, present, entries)


def _entry_columns(values: Sequence[object], kind: Type) -> Mapping[str, Column]:
    maps = [cast("Mapping[str, object]", value or {}) for value in values]
    keys = sorted({key for entries in maps for key in entries})
    return {key: make_column([entries.get(key) for entries in maps], kind) for key in keys}


def table_from_rows(kind: ObjectType, rows: Sequence[Mapping[str, object]]) -> ColumnTable:
    """Build a table from rows given as nested mappings."""
    fields: dict[str, list[object]] = {}

    def collect(owner: ObjectType, prefix: str, parts: Sequence[Mapping[str, object]]) -> None:
        for name, declared in owner.fields.items():
            values = [part.get(name) for part in parts]
            if isinstance(declared.type, ObjectType):
                fields[prefix + name] = [value is not None for value in values]
                inner = [cast("Mapping[str, object]", value or {}) for value in values]
                collect(declared.type, f"{prefix}{name}.", inner)
            else:
                fields[prefix + name] = values

    collect(kind, "", rows)
    return build_table(kind, fields, size=len(rows))
