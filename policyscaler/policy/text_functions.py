"""Functions over strings, by the names that CEL and Kubernetes give them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Protocol

import re2  # type: ignore[import-untyped] # google-re2 ships no stubs

from policyscaler.policy.operators import checked_items, checked_text
from policyscaler.policy.signatures import Function, Overload, Style, ValueFault, function, overload
from policyscaler.policy.types import (
    BOOL,
    DOUBLE,
    DURATION,
    INT,
    SEMVER,
    STRING,
    TIMESTAMP,
    ListType,
)

_TEXTS = ListType(STRING)
_SEMVER = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?", re.ASCII
)
_MAX_SEMVER = 128
_Version = tuple[int, int, int, tuple[tuple[int, int, str], ...]]


class _Match(Protocol):
    def group(self) -> str: ...


class _Pattern(Protocol):
    def search(self, text: str) -> _Match | None: ...
    def finditer(self, text: str) -> Sequence[_Match]: ...


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> _Pattern:
    options = re2.Options()
    options.log_errors = False  # or C++ writes to standard error
    try:
        compiled: _Pattern = re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0].decode() if isinstance(error.args[0], bytes) else error.args[0]
        raise ValueFault(f"'{pattern}' is not a regular expression: {reason}") from None
    return compiled


def check_pattern(pattern: str) -> str:
    """Return what is wrong with a regular expression (RE2), or ""."""
    try:
        _compiled(pattern)
    except ValueFault as fault:
        return str(fault)
    return ""


def _matches(text: str, pattern: str) -> bool:
    return _compiled(pattern).search(text) is not None


def _find(text: str, pattern: str) -> str:
    match = _compiled(pattern).search(text)
    return match.group() if match else ""


def _find_all(text: str, pattern: str) -> tuple[object, ...]:
    return checked_items([match.group() for match in _compiled(pattern).finditer(text)])


def _find_some(text: str, pattern: str, limit: int) -> tuple[object, ...]:
    found = _find_all(text, pattern)
    return found if limit < 0 else found[:limit]


def _contains(text: str, part: str) -> bool:
    return part in text


def _starts_with(text: str, part: str) -> bool:
    return text.startswith(part)


def _ends_with(text: str, part: str) -> bool:
    return text.endswith(part)


def _lower(text: str) -> str:
    return "".join(c.lower() if c.isascii() else c for c in text)


def _upper(text: str) -> str:
    return "".join(c.upper() if c.isascii() else c for c in text)


def _trim(text: str) -> str:
    return text.strip()


def _index(text: str, part: str) -> int:
    return text.find(part)


def _last_index(text: str, part: str) -> int:
    return text.rfind(part)


def _char_at(text: str, position: int) -> str:
    if 0 <= position <= len(text):
        return text[position : position + 1]
    raise ValueFault(f"no character {position} in a string of {len(text)}")


def _tail(text: str, start: int) -> str:
    return _slice(text, start, len(text))


def _slice(text: str, start: int, end: int) -> str:
    if 0 <= start <= end <= len(text):
        return text[start:end]
    raise ValueFault(f"no characters {start} to {end} in a string of {len(text)}")


def _split(text: str, separator: str) -> tuple[object, ...]:
    return _split_some(text, separator, -1)


def _split_some(text: str, separator: str, limit: int) -> tuple[object, ...]:
    if limit == 0:
        return ()
    if separator:
        return checked_items(text.split(separator, limit - 1 if limit > 0 else -1))
    if limit < 0 or limit >= len(text):
        return checked_items(text)
    return checked_items((*text[: limit - 1], text[limit - 1 :]))


def _join(items: Sequence[str]) -> str:
    return checked_text("".join(items))


def _join_with(items: Sequence[str], separator: str) -> str:
    return checked_text(separator.join(items))


def _replace(text: str, old: str, new: str) -> str:
    return checked_text(text.replace(old, new))


def _replace_some(text: str, old: str, *rest: str | int) -> str:
    new, limit = rest
    return checked_text(text.replace(old, str(new), int(limit)))


def _same(text: str) -> str:
    return text


def _text_of_int(value: int) -> str:
    return str(value)


def _text_of_bool(value: bool) -> str:  # noqa: FBT001 - it is the operand
    return "true" if value else "false"


def _text_of_double(value: float) -> str:
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else repr(value)


def _text_of_duration(value: timedelta) -> str:
    micros = value // timedelta(microseconds=1)
    whole, rest = divmod(abs(micros), 1_000_000)
    fraction = f".{rest:06d}".rstrip("0") if rest else ""
    return f"{'-' if micros < 0 else ''}{whole}{fraction}s"


def _text_of_time(value: datetime) -> str:
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _version(text: str) -> _Version:
    match = _SEMVER.fullmatch(text) if len(text) <= _MAX_SEMVER else None
    if match is None:
        raise ValueFault(f"'{text[:40]}' is not a semantic version such as 1.31.2")
    # A release is after its pre-releases; numbers are before words (semver.org, 11).
    parts = match[4].split(".") if match[4] else []
    order = tuple((0, int(p), "") if p.isdigit() else (1, 0, p) for p in parts) or ((2, 0, ""),)
    return int(match[1]), int(match[2]), int(match[3]), order


def _is_version(text: str) -> bool:
    return len(text) <= _MAX_SEMVER and _SEMVER.fullmatch(text) is not None


def _version_compare(left: _Version, right: _Version) -> int:
    return (left > right) - (left < right)


def _version_less(left: _Version, right: _Version) -> bool:
    return left < right


def _version_greater(left: _Version, right: _Version) -> bool:
    return left > right


def _version_major(version: _Version) -> int:
    return version[0]


def _version_minor(version: _Version) -> int:
    return version[1]


def _version_patch(version: _Version) -> int:
    return version[2]


def _method(name: str, description: str, *overloads: Overload) -> Function:
    return function(name, Style.METHOD, overloads=overloads, description=description)


_CHECK = {1: check_pattern}

TEXT_FUNCTIONS: tuple[Function, ...] = (
    _method("contains", "Whether the text holds the part.", overload((STRING, STRING), BOOL, run=_contains)),
    _method("startsWith", "Whether the text starts so.", overload((STRING, STRING), BOOL, run=_starts_with)),
    _method("endsWith", "Whether the text ends so.", overload((STRING, STRING), BOOL, run=_ends_with)),
    function(
        "matches", Style.BOTH, description="Whether the regular expression (RE2) matches a part of the text.",
        overloads=(overload((STRING, STRING), BOOL, run=_matches, checks=_CHECK),),
        example="offering.family.matches('^[cm][67]')",
    ),
    _method("find", "The first match of a regular expression, or ''.",
            overload((STRING, STRING), STRING, run=_find, checks=_CHECK)),
    _method("findAll", "All matches of a regular expression, or the first few.",
            overload((STRING, STRING), _TEXTS, run=_find_all, checks=_CHECK),
            overload((STRING, STRING, INT), _TEXTS, run=_find_some, checks=_CHECK)),
    _method("lowerAscii", "ASCII letters in lower case.", overload((STRING,), STRING, run=_lower)),
    _method("upperAscii", "ASCII letters in upper case.", overload((STRING,), STRING, run=_upper)),
    _method("trim", "Without white space at both ends.", overload((STRING,), STRING, run=_trim)),
    _method("charAt", "The character at a position from 0; '' at the end.",
            overload((STRING, INT), STRING, run=_char_at)),
    _method("substring", "From a position, up to another if given.",
            overload((STRING, INT), STRING, run=_tail), overload((STRING, INT, INT), STRING, run=_slice)),
    _method("split", "The parts between separators, at most as many as given.",
            overload((STRING, STRING), _TEXTS, run=_split),
            overload((STRING, STRING, INT), _TEXTS, run=_split_some)),
    _method("join", "The items of a list as one text, with a separator if given.",
            overload((_TEXTS,), STRING, run=_join), overload((_TEXTS, STRING), STRING, run=_join_with)),
    _method("replace", "With every occurrence replaced, or the first few.",
            overload((STRING, STRING, STRING), STRING, run=_replace),
            overload((STRING, STRING, STRING, INT), STRING, run=_replace_some)),
    function(
        "string", Style.GLOBAL, description="To text.",
        overloads=(
            overload((STRING,), STRING, run=_same),
            overload((INT,), STRING, run=_text_of_int),
            overload((BOOL,), STRING, run=_text_of_bool),
            overload((DOUBLE,), STRING, run=_text_of_double),
            overload((DURATION,), STRING, run=_text_of_duration),
            overload((TIMESTAMP,), STRING, run=_text_of_time),
        ),
    ),
    function("semver", Style.GLOBAL, description="A semantic version.",
             overloads=(overload((STRING,), SEMVER, run=_version),),
             example="semver('1.31.2').isLessThan(semver('1.32.0'))"),
    function("isSemver", Style.GLOBAL, description="Whether the text is a semantic version.",
             overloads=(overload((STRING,), BOOL, run=_is_version),)),
    _method("compareTo", "-1, 0 or 1.", overload((SEMVER, SEMVER), INT, run=_version_compare)),
    _method("isLessThan", "Whether the version is older.", overload((SEMVER, SEMVER), BOOL, run=_version_less)),
    _method("isGreaterThan", "Whether it is newer.", overload((SEMVER, SEMVER), BOOL, run=_version_greater)),
    _method("major", "The first number of a version.", overload((SEMVER,), INT, run=_version_major)),
    _method("minor", "The second number of a version.", overload((SEMVER,), INT, run=_version_minor)),
    _method("patch", "The third number of a version.", overload((SEMVER,), INT, run=_version_patch)),
)  # fmt: skip
"""`indexOf` and `lastIndexOf` serve lists too: see `list_functions`."""

INDEX_OF = overload((STRING, STRING), INT, run=_index)
LAST_INDEX_OF = overload((STRING, STRING), INT, run=_last_index)
