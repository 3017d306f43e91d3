"""Checks a tree against the table of fields of its kind, and says all that is wrong at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from typing import Final

import msgspec
from msgspec import inspect

from policyscaler.manifests.findings import Code, Path, did_you_mean, nearest
from policyscaler.manifests.reporting import Reporter
from policyscaler.manifests.trees import Tree
from policyscaler.manifests.wire import Strict, Wire
from policyscaler.model.errors import ConfigError, DurationError, QuantityError
from policyscaler.model.quantities import parse_quantity

_NEAR: Final = 0.86  # so near that a field of a tolerant record is taken for a slip of the pen


def check_tree(tree: Tree, wire: type[Wire], reporter: Reporter) -> bool:
    """Returns whether a tree fits a table of fields; reports everything that does not."""
    before = reporter.failed
    reporter.failed = False
    _check(tree, table_of(wire), (), reporter)
    fits = not reporter.failed
    reporter.failed = reporter.failed or before
    return fits


@cache
def table_of(wire: type[Wire]) -> inspect.Type:
    """Returns the declaration of a record as data."""
    return inspect.type_info(wire)


def _check(value: object, declared: inspect.Type, at: Path, reporter: Reporter) -> None:
    extra: Mapping[str, object] = {}
    while isinstance(declared, inspect.Metadata):
        extra = {**(declared.extra or {}), **extra}
        declared = declared.type
    if isinstance(declared, inspect.UnionType):
        declared = _choose(declared, value)
    if isinstance(declared, inspect.Metadata):
        _check(value, declared, at, reporter)
        return
    checker = _CHECKERS.get(type(declared))
    if checker is not None and checker(value, declared, at, reporter):
        _check_meaning(value, extra, at, reporter)


def _choose(declared: inspect.UnionType, value: object) -> inspect.Type:
    members = [t for t in declared.types if not isinstance(t, inspect.NoneType)]
    for member in members:
        if isinstance(value, _PYTHON.get(type(member), ())) and not (
            isinstance(value, bool) and not isinstance(member, inspect.BoolType)
        ):
            return member
    return members[-1]


def _check_meaning(
    value: object, extra: Mapping[str, object], at: Path, reporter: Reporter
) -> None:
    check = extra.get("check")
    try:
        if callable(check) and isinstance(value, str):
            check(value)
        elif extra.get("expects") == "a quantity" and isinstance(value, str | int | float):
            parse_quantity(value)
    except DurationError as error:
        reporter.error(Code.BAD_DURATION, str(error), at=at)
    except QuantityError as error:
        reporter.error(Code.BAD_QUANTITY, str(error), at=at)
    except ConfigError as error:
        reporter.error(Code.BAD_VALUE, str(error), at=at)


def _check_struct(value: object, declared: inspect.Type, at: Path, reporter: Reporter) -> bool:
    assert isinstance(declared, inspect.StructType)
    if not isinstance(value, dict):
        return _wrong_type(value, "a mapping of fields", at, reporter)
    fields = _fields_of(declared)
    for key, entry in value.items():
        field = fields.get(key)
        if field is not None:
            _check(entry, field.type, (*at, key), reporter)
        else:
            _unknown(key, declared.cls, at, reporter)
    for name, field in fields.items():
        if field.required and name not in value:
            reporter.error(
                Code.MISSING_FIELD, f"{name} is missing", at=at, suggestion=_wanted(field)
            )
    return True


def _fields_of(declared: inspect.StructType) -> Mapping[str, inspect.Field]:
    return _fields(declared.cls)


@cache
def _fields(record: type[msgspec.Struct]) -> Mapping[str, inspect.Field]:
    declared = inspect.type_info(record)
    assert isinstance(declared, inspect.StructType)
    return {field.encode_name: field for field in declared.fields}


def _wanted(field: inspect.Field) -> str:
    declared = field.type
    if isinstance(declared, inspect.Metadata):
        text = (declared.extra or {}).get("missing", "")
        return text if isinstance(text, str) else ""
    return ""


def _unknown(key: str, record: type[msgspec.Struct], at: Path, reporter: Reporter) -> None:
    if issubclass(record, Strict):
        hint = did_you_mean(key, _fields(record)) or _listed(record)
        reporter.error(
            Code.UNKNOWN_FIELD,
            f'unknown field "{_short(key)}"',
            at=(*at, key),
            suggestion=hint,
            key=True,
        )
        return
    hint = _slip(record, key)
    if hint:
        reporter.warning(
            Code.NEAR_MISS, f'field "{_short(key)}" is ignored', at=(*at, key),
            suggestion=f'did you mean "{hint}"?', key=True,
        )  # fmt: skip


@cache
def _slip(record: type[msgspec.Struct], key: str) -> str:
    if key in _KUBERNETES_FIELDS or len(key) > 40:
        return ""
    return nearest(key, _fields(record), cutoff=_NEAR)


_KUBERNETES_FIELDS: Final = frozenset(
    {"hostIPs", "podIPs", "volumeMode", "replicas", "initContainerStatuses", "namespaces"}
)
"""Real fields that are not modelled and look like ones that are."""


def _listed(record: type[msgspec.Struct]) -> str:
    names = sorted(_fields(record))
    return f"the fields here are {', '.join(names)}" if 0 < len(names) <= 12 else ""


def _check_list(value: object, declared: inspect.Type, at: Path, reporter: Reporter) -> bool:
    assert isinstance(declared, inspect.VarTupleType | inspect.ListType)
    if not isinstance(value, list):
        return _wrong_type(value, "a list", at, reporter)
    if not _check_size(len(value), declared, at, reporter):
        return False
    for index, item in enumerate(value):
        _check(item, declared.item_type, (*at, index), reporter)
    return True


def _check_map(value: object, declared: inspect.Type, at: Path, reporter: Reporter) -> bool:
    assert isinstance(declared, inspect.DictType)
    if not isinstance(value, dict):
        return _wrong_type(value, "a mapping", at, reporter)
    if not _check_size(len(value), declared, at, reporter):
        return False
    for key, item in value.items():
        _check(item, declared.value_type, (*at, key), reporter)
    return True


def _check_size(
    size: int, declared: inspect.VarTupleType | inspect.ListType | inspect.DictType, at: Path,
    reporter: Reporter,
) -> bool:  # fmt: skip
    if declared.max_length is not None and size > declared.max_length:
        reporter.error(
            Code.BAD_VALUE, f"has {size} entries; at most {declared.max_length} are allowed", at=at
        )
        return False
    if declared.min_length is not None and size < declared.min_length:
        reporter.error(
            Code.BAD_VALUE, f"has {size} entries; at least {declared.min_length} are needed", at=at
        )
        return False
    return True


def _check_text(value: object, declared: inspect.Type, at: Path, reporter: Reporter) -> bool:
    assert isinstance(declared, inspect.StrType)
    if not isinstance(value, str):
        return _wrong_type(value, "text", at, reporter)
    if declared.min_length is not None and len(value) < declared.min_length:
        reporter.error(Code.BAD_VALUE, "must not be empty", at=at)
    elif declared.max_length is not None and len(value) > declared.max_length:
        reporter.error(
            Code.BAD_VALUE,
            f'"{_short(value)}" has {len(value)} characters; at most {declared.max_length} are allowed',
            at=at,
        )
    elif declared.pattern is not None and re.search(declared.pattern, value) is None:
        reporter.error(
            Code.BAD_VALUE, f'"{_short(value)}" does not match {declared.pattern}', at=at
        )
    else:
        return True
    return False


def _check_integer(value: object, declared: inspect.Type, at: Path, reporter: Reporter) -> bool:
    assert isinstance(declared, inspect.IntType | inspect.FloatType)
    whole = isinstance(declared, inspect.IntType)
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        return _wrong_type(value, "a whole number" if whole else "a number", at, reporter)
    assert isinstance(value, int | float)
    if (declared.ge is not None and value < declared.ge) or (
        declared.le is not None and value > declared.le
    ):
        reporter.error(Code.BAD_VALUE, f"{_short(str(value))} is not {_range(declared)}", at=at)
        return False
    return True


def _range(declared: inspect.IntType | inspect.FloatType) -> str:
    if declared.le is None:
        return f"{declared.ge} or more"
    if declared.ge is None:
        return f"{declared.le} or less"
    return f"between {declared.ge} and {declared.le}"


def _check_boolean(value: object, _: inspect.Type, at: Path, reporter: Reporter) -> bool:
    return isinstance(value, bool) or _wrong_type(value, "true or false", at, reporter)


def _check_literal(value: object, declared: inspect.Type, at: Path, reporter: Reporter) -> bool:
    assert isinstance(declared, inspect.LiteralType)
    if value in declared.values and not isinstance(value, bool):
        return True
    if not isinstance(value, str):
        return _wrong_type(value, "text", at, reporter)
    known = [str(choice) for choice in declared.values]
    hint = did_you_mean(value, known)
    reporter.error(
        Code.BAD_VALUE,
        f'"{_short(value)}" is not one of {", ".join(known)}',
        at=at,
        suggestion=hint,
    )
    return False


def _check_instant(value: object, _: inspect.Type, at: Path, reporter: Reporter) -> bool:
    try:
        msgspec.convert(value, datetime)
    except msgspec.ValidationError:
        reporter.error(
            Code.BAD_VALUE,
            f'"{_short(str(value))}" is not an instant; write 2026-01-31T08:00:00Z',
            at=at,
        )
        return False
    return True


def _wrong_type(value: object, wanted: str, at: Path, reporter: Reporter) -> bool:
    found, hint = _found(value, wanted, at, reporter)
    reporter.error(Code.WRONG_TYPE, f"must be {wanted}, not {found}", at=at, suggestion=hint)
    return False


def _found(value: object, wanted: str, at: Path, reporter: Reporter) -> tuple[str, str]:
    match value:
        case bool():
            word = reporter.word(at) or str(value).lower()
            hint = f'quote it: "{word}"' if wanted == "text" else ""
            return (f"the boolean {str(value).lower()}", hint)
        case int() | float():
            word = reporter.word(at) or str(value)
            return (
                f"the number {_short(word)}",
                f'quote it: "{_short(word)}"' if wanted == "text" else "",
            )
        case str():
            hint = 'put "- " in front of each item' if wanted == "a list" else ""
            return (f'the text "{_short(value)}"', hint)
        case list():
            return ("a list", "")
        case _:
            return ("a mapping", 'put "- " in front of each item' if wanted == "a list" else "")


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def _accept(_value: object, _declared: inspect.Type, _at: Path, _reporter: Reporter) -> bool:
    return True


_Checker = Callable[[object, inspect.Type, Path, Reporter], bool]
_CHECKERS: Final[Mapping[type[inspect.Type], _Checker]] = {
    inspect.StructType: _check_struct,
    inspect.VarTupleType: _check_list,
    inspect.ListType: _check_list,
    inspect.DictType: _check_map,
    inspect.StrType: _check_text,
    inspect.IntType: _check_integer,
    inspect.FloatType: _check_integer,
    inspect.BoolType: _check_boolean,
    inspect.LiteralType: _check_literal,
    inspect.DateTimeType: _check_instant,
    inspect.CustomType: _accept,
    inspect.AnyType: _accept,
}
_PYTHON: Final[Mapping[type[inspect.Type], type | tuple[type, ...]]] = {
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
