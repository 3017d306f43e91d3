"""Checks a tree against the table of fields of its kind, and says all that is wrong at once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from functools import cache, lru_cache
from typing import Final, TypeAlias

import msgspec
from msgspec import inspect

from policyscaler.manifests.findings import Code, Path, did_you_mean, nearest, shorten
from policyscaler.manifests.reporting import Reporter
from policyscaler.manifests.trees import Tree
from policyscaler.manifests.wire import Strict, Wire
from policyscaler.model.errors import ConfigError, DurationError, QuantityError
from policyscaler.model.quantities import parse_quantity

_Sized: TypeAlias = inspect.VarTupleType | inspect.ListType | inspect.DictType
_Number: TypeAlias = inspect.IntType | inspect.FloatType

_NEAR: Final = 0.86  # so near that a field of a tolerant record is taken for a slip of the pen
_LISTED_FIELDS: Final = 12  # a suggestion names all fields of a record up to this many
_CODES: Final = {DurationError: Code.BAD_DURATION, QuantityError: Code.BAD_QUANTITY}
_PYTHON: Final[Mapping[type[inspect.Type], type]] = {
    inspect.StructType: dict,
    inspect.VarTupleType: list,
    inspect.ListType: list,
    inspect.DictType: dict,
    inspect.StrType: str,
    inspect.LiteralType: str,
    inspect.DateTimeType: str,
    inspect.IntType: int,
    inspect.FloatType: float,
    inspect.BoolType: bool,
}
_KUBERNETES_FIELDS: Final = frozenset({"hostIPs", "podIPs", "volumeMode", "namespaces"})
"""Real fields that are not modelled and look like ones that are."""


def check_tree(tree: Tree, wire: type[Wire], *, reporter: Reporter) -> bool:
    """Returns whether a tree fits a table of fields; reports everything that does not."""
    before = reporter.failed
    reporter.failed = False
    _Check(reporter).value(tree, _table_of(wire), at=())
    fits = not reporter.failed
    reporter.failed = reporter.failed or before
    return fits


@cache
def _table_of(wire: type[Wire]) -> inspect.Type:
    return inspect.type_info(wire)


@cache
def fields_of(record: type[msgspec.Struct]) -> Mapping[str, inspect.Field]:
    """Returns the declared fields of a record by the name they have in a manifest."""
    declared = inspect.type_info(record)
    fields = declared.fields if isinstance(declared, inspect.StructType) else ()
    return {field.encode_name: field for field in fields}


@cache
def slip_of(record: type[msgspec.Struct], key: str) -> str:
    """Returns the field that a tolerant record's unknown field is surely meant for, or nothing."""
    if key in _KUBERNETES_FIELDS or len(key) > 40:
        return ""
    return nearest(key, fields_of(record), cutoff=_NEAR)


def report_slips(tree: Tree, wire: type[Wire], *, reporter: Reporter) -> None:
    """Warns of fields of a tolerant kind that are surely slips of the pen."""
    _report_slips(tree, wire, at=(), reporter=reporter)


def _report_slips(
    value: object, record: type[msgspec.Struct], *, at: Path, reporter: Reporter
) -> None:
    if not isinstance(value, dict):
        return
    slips, inner = _shape(record, tuple(value))
    for key, slip in slips:
        _report_slip(key, slip, at=at, reporter=reporter)
    for key, child, is_list in inner:
        if not is_list:
            _report_slips(value[key], child, at=(*at, key), reporter=reporter)
            continue
        for index, item in enumerate(value[key]):
            _report_slips(item, child, at=(*at, key, index), reporter=reporter)


def _report_slip(key: str, slip: str, *, at: Path, reporter: Reporter) -> None:
    message = f'field "{shorten(key)}" is not known and has no effect'
    hint = f'did you mean "{slip}"?'
    reporter.warning(Code.NEAR_MISS, message, at=(*at, key), suggestion=hint, key=True)


@lru_cache(maxsize=4096)
def _shape(
    record: type[msgspec.Struct], keys: tuple[str, ...]
) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, type[msgspec.Struct], bool], ...]]:
    """Returns the slips among these keys, and which lead to records or lists of records."""
    slips: list[tuple[str, str]] = []
    inner: list[tuple[str, type[msgspec.Struct], bool]] = []
    fields = fields_of(record)
    for key in keys:
        field = fields.get(key)
        if field is None:
            if slip := slip_of(record, key):
                slips.append((key, slip))
            continue
        declared = _bare(field.type)
        is_list = isinstance(declared, inspect.VarTupleType)
        if isinstance(declared, inspect.VarTupleType):
            declared = _bare(declared.item_type)
        if isinstance(declared, inspect.StructType):
            inner.append((key, declared.cls, is_list))
    return tuple(slips), tuple(inner)


def _bare(declared: inspect.Type) -> inspect.Type:
    while isinstance(declared, inspect.Metadata | inspect.UnionType):
        if isinstance(declared, inspect.Metadata):
            declared = declared.type
        else:
            declared = next(t for t in declared.types if not isinstance(t, inspect.NoneType))
    return declared


class _Check:
    """One pass over one tree."""

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter

    def value(self, value: object, declared: inspect.Type, *, at: Path) -> None:
        """Checks a value against a declared type, and what its declaration says beyond the type."""
        extra: Mapping[str, object] = {}
        while isinstance(declared, inspect.Metadata | inspect.UnionType):
            if isinstance(declared, inspect.UnionType):
                declared = _choose(declared, value)
            else:
                extra = {**(declared.extra or {}), **extra}
                declared = declared.type
        reporter = self._reporter
        if extra.get("expects") and not _is_scalar(value, declared):
            self._wrong_type(value, str(extra["expects"]), at=at)
            return
        if "check" in extra and isinstance(value, int) and not isinstance(value, bool):
            value = str(value)  # a bare 30 is told the unit it lacks, not that it is no text
        failed, reporter.failed = reporter.failed, False
        self._typed(value, declared, at=at)
        if not reporter.failed:
            self._meaning(value, extra, at=at)
        reporter.failed = reporter.failed or failed

    def _typed(self, value: object, declared: inspect.Type, *, at: Path) -> None:
        match declared:
            case inspect.StructType():
                self._record(value, declared, at=at)
            case inspect.VarTupleType() | inspect.ListType():
                self._list(value, declared, at=at)
            case inspect.DictType():
                self._map(value, declared, at=at)
            case inspect.IntType() | inspect.FloatType():
                self._number(value, declared, at=at)
            case inspect.LiteralType():
                self._choice(value, declared, at=at)
            case inspect.StrType():
                self._text(value, declared, at=at)
            case inspect.BoolType() if not isinstance(value, bool):
                self._wrong_type(value, "true or false", at=at)
            case inspect.DateTimeType():
                self._instant(value, at=at)
            case _:
                pass

    def _meaning(self, value: object, extra: Mapping[str, object], *, at: Path) -> None:
        check = extra.get("check")
        try:
            if callable(check) and isinstance(value, str):
                check(value)
            elif extra.get("expects") == "a quantity" and isinstance(value, str | int | float):
                parse_quantity(value)
        except ConfigError as error:
            self._reporter.error(_CODES.get(type(error), Code.BAD_VALUE), str(error), at=at)

    def _record(self, value: object, declared: inspect.StructType, *, at: Path) -> None:
        if not isinstance(value, dict):
            self._wrong_type(value, "a mapping of fields", at=at)
            return
        fields = fields_of(declared.cls)
        for key, entry in value.items():
            field = fields.get(key)
            if field is not None:
                self.value(entry, field.type, at=(*at, key))
            else:
                self._unknown(key, declared.cls, at=at)
        for name, field in fields.items():
            if field.required and name not in value:
                self._reporter.error(
                    Code.MISSING_FIELD, f"{name} is missing", at=at, suggestion=_wanted(field)
                )

    def _unknown(self, key: str, record: type[msgspec.Struct], *, at: Path) -> None:
        path = (*at, key)
        if issubclass(record, Strict):
            hint = did_you_mean(key, fields_of(record)) or _listed(record)
            message = f'unknown field "{shorten(key)}"'
            self._reporter.error(Code.UNKNOWN_FIELD, message, at=path, suggestion=hint, key=True)
        elif slip := slip_of(record, key):
            _report_slip(key, slip, at=at, reporter=self._reporter)

    def _list(
        self, value: object, declared: inspect.VarTupleType | inspect.ListType, *, at: Path
    ) -> None:
        if not isinstance(value, list):
            self._wrong_type(value, "a list", at=at)
        elif self._size_fits(len(value), declared, at=at):
            for index, item in enumerate(value):
                self.value(item, declared.item_type, at=(*at, index))

    def _map(self, value: object, declared: inspect.DictType, *, at: Path) -> None:
        if not isinstance(value, dict):
            self._wrong_type(value, "a mapping", at=at)
        elif self._size_fits(len(value), declared, at=at):
            for key, item in value.items():
                if isinstance(declared.key_type, inspect.StrType):
                    self._text(key, declared.key_type, at=(*at, key))
                self.value(item, declared.value_type, at=(*at, key))

    def _size_fits(self, size: int, declared: _Sized, *, at: Path) -> bool:
        limit = ""
        if declared.max_length is not None and size > declared.max_length:
            limit = f"at most {declared.max_length} are allowed"
        elif declared.min_length is not None and size < declared.min_length:
            limit = f"at least {declared.min_length} are needed"
        if limit:
            self._reporter.error(Code.BAD_VALUE, f"has {size} entries; {limit}", at=at)
        return not limit

    def _text(self, value: object, declared: inspect.StrType, *, at: Path) -> None:
        if not isinstance(value, str):
            self._wrong_type(value, "text", at=at)
            return
        message = ""
        if declared.min_length is not None and len(value) < declared.min_length:
            message = "must not be empty"
        elif declared.max_length is not None and len(value) > declared.max_length:
            limit = f"at most {declared.max_length} are allowed"
            message = f'"{shorten(value)}" has {len(value)} characters; {limit}'
        elif declared.pattern is not None and re.search(declared.pattern, value) is None:
            message = f'"{shorten(value)}" does not match {declared.pattern}'
        if message:
            self._reporter.error(Code.BAD_VALUE, message, at=at)

    def _number(self, value: object, declared: _Number, *, at: Path) -> None:
        whole = isinstance(declared, inspect.IntType)
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
            self._wrong_type(value, "a whole number" if whole else "a number", at=at)
            return
        too_low = declared.ge is not None and value < declared.ge
        too_high = declared.le is not None and value > declared.le
        if too_low or too_high:
            message = f"{shorten(str(value))} is not {_range(declared)}"
            self._reporter.error(Code.BAD_VALUE, message, at=at)
        elif whole and not -(2**63) <= value < 2**63:
            self._reporter.error(Code.BAD_VALUE, f"{shorten(str(value))} is too large", at=at)

    def _choice(self, value: object, declared: inspect.LiteralType, *, at: Path) -> None:
        if not isinstance(value, str):
            self._wrong_type(value, "text", at=at)
        elif value not in declared.values:
            known = [str(choice) for choice in declared.values if choice]
            message = f'"{shorten(value)}" is not one of {", ".join(known)}'
            hint = did_you_mean(value, known)
            self._reporter.error(Code.BAD_VALUE, message, at=at, suggestion=hint)

    def _instant(self, value: object, *, at: Path) -> None:
        try:
            msgspec.convert(value, datetime)
        except msgspec.ValidationError:
            message = f'"{shorten(str(value))}" is not an instant; write 2026-01-31T08:00:00Z'
            self._reporter.error(Code.BAD_VALUE, message, at=at)

    def _wrong_type(self, value: object, wanted: str, *, at: Path) -> None:
        hint = ""
        match value:
            case bool() | int() | float():
                word = shorten(self._reporter.word(at) or str(value))
                what = "boolean" if isinstance(value, bool) else "number"
                found = f"the {what} {word}"
                hint = f'quote it: "{word}"' if wanted == "text" else ""
            case str():
                found = f'the text "{shorten(value)}"'
                hint = 'put "- " in front of each item' if wanted == "a list" else ""
            case list():
                found = "a list"
            case None:
                found = "nothing"
            case _:
                found = "a mapping"
                hint = 'put "- " in front of each item' if wanted == "a list" else ""
        message = f"must be {wanted}, not {found}"
        self._reporter.error(Code.WRONG_TYPE, message, at=at, suggestion=hint)


def _choose(declared: inspect.UnionType, value: object) -> inspect.Type:
    members = [member for member in declared.types if not isinstance(member, inspect.NoneType)]
    for member in members:
        bare = member
        while isinstance(bare, inspect.Metadata):
            bare = bare.type
        if type(value) is _PYTHON.get(type(bare)):
            return member
    return members[-1]


def _is_scalar(value: object, declared: inspect.Type) -> bool:
    if isinstance(value, bool):
        return isinstance(declared, inspect.BoolType)
    return isinstance(value, str | int | float)


def _wanted(field: inspect.Field) -> str:
    declared = field.type
    if not isinstance(declared, inspect.Metadata):
        return ""
    text = (declared.extra or {}).get("missing", "")
    return text if isinstance(text, str) else ""


def _listed(record: type[msgspec.Struct]) -> str:
    names = sorted(fields_of(record))
    if not 0 < len(names) <= _LISTED_FIELDS:
        return ""
    return f"the fields here are {', '.join(names)}"


def _range(declared: _Number) -> str:
    if declared.le is None:
        return f"{declared.ge} or more"
    if declared.ge is None:
        return f"{declared.le} or less"
    return f"between {declared.ge} and {declared.le}"
