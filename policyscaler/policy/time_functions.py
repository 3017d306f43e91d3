"""Functions over times and durations. There is no `now()`: the time is a variable."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from policyscaler.model.durations import parse_go_duration
from policyscaler.model.errors import DurationError
from policyscaler.policy.signatures import Function, Style, ValueFault, function, overload
from policyscaler.policy.types import BOOL, DURATION, INT, STRING, TIMESTAMP
from policyscaler.policy.windows import check_window, check_zone, find_zone, parse_window

_TIMESTAMP = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})", re.ASCII
)
_SUNDAY_FIRST = 7
_SECOND, _MINUTE, _HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)


def _duration(text: str) -> timedelta:
    try:
        return parse_go_duration(text)
    except DurationError as error:
        raise ValueFault(str(error)) from None


def _timestamp(text: str) -> datetime:
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        raise ValueFault(f"'{text[:40]}' is not a time such as 2026-12-01T08:00:00Z")
    micros = (match[3] or ".0")[1:7].ljust(6, "0")
    zone = "+00:00" if match[4] in "Zz" else match[4]
    try:
        return datetime.fromisoformat(f"{match[1]}T{match[2]}.{micros}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueFault(f"'{text}' is not a time on the calendar") from None


def _same(value: object) -> object:
    return value


def _in_window(moment: datetime, window: str, zone: str) -> bool:
    return parse_window(window).holds(moment.astimezone(find_zone(zone)))


def _in_window_utc(moment: datetime, window: str) -> bool:
    return parse_window(window).holds(moment.astimezone(UTC))


def _seconds(value: timedelta) -> int:
    return _whole(value, _SECOND)


def _minutes(value: timedelta) -> int:
    return _whole(value, _MINUTE)


def _hours(value: timedelta) -> int:
    return _whole(value, _HOUR)


def _whole(value: timedelta, unit: timedelta) -> int:
    return value // unit if value >= timedelta(0) else -(-value // unit)


def _milliseconds(value: timedelta) -> int:
    micros = value // timedelta(microseconds=1)
    rest = abs(micros) % 1_000_000 // 1_000
    return rest if micros >= 0 else -rest


def _weekday(moment: datetime) -> int:
    return moment.isoweekday() % _SUNDAY_FIRST


def _year_day(moment: datetime) -> int:
    return moment.timetuple().tm_yday - 1


_PARTS: dict[str, tuple[str, Callable[[datetime], int]]] = {
    "getFullYear": ("The year", lambda moment: moment.year),
    "getMonth": ("The month, 0 to 11", lambda moment: moment.month - 1),
    "getDate": ("The day of the month, 1 to 31", lambda moment: moment.day),
    "getDayOfMonth": ("The day of the month, 0 to 30", lambda moment: moment.day - 1),
    "getDayOfWeek": ("The day of the week, 0 is Sunday", _weekday),
    "getDayOfYear": ("The day of the year, from 0", _year_day),
    "getHours": ("The hour", lambda moment: moment.hour),
    "getMinutes": ("The minute", lambda moment: moment.minute),
    "getSeconds": ("The second", lambda moment: moment.second),
    "getMilliseconds": ("The millisecond", lambda moment: moment.microsecond // 1_000),
}
_LENGTHS: dict[str, Callable[[timedelta], int]] = {
    "getHours": _hours,
    "getMinutes": _minutes,
    "getSeconds": _seconds,
    "getMilliseconds": _milliseconds,
}


def _getter(name: str) -> Function:
    what, part = _PARTS[name]

    def in_utc(moment: datetime) -> int:
        return part(moment.astimezone(UTC))

    def in_zone(moment: datetime, zone: str) -> int:
        return part(moment.astimezone(find_zone(zone)))

    overloads = [
        overload((TIMESTAMP,), INT, run=in_utc),
        overload((TIMESTAMP, STRING), INT, run=in_zone, checks={1: check_zone}),
    ]
    if name in _LENGTHS:
        overloads.append(overload((DURATION,), INT, run=_LENGTHS[name]))
        what += "; of a duration the whole number of them"
    text = f"{what}, in UTC or the time zone given."
    return function(name, Style.METHOD, overloads=tuple(overloads), description=text)


TIME_FUNCTIONS: tuple[Function, ...] = (
    function(
        "duration", Style.GLOBAL, description="A length of time.",
        overloads=(
            overload((STRING,), DURATION, run=_duration),
            overload((DURATION,), DURATION, run=_same),
        ),
        example="duration('1h30m')",
    ),
    function(
        "timestamp", Style.GLOBAL, description="A moment (RFC 3339).",
        overloads=(
            overload((STRING,), TIMESTAMP, run=_timestamp),
            overload((TIMESTAMP,), TIMESTAMP, run=_same),
        ),
        example="timestamp('2026-12-24T00:00:00+01:00')",
    ),
    function(
        "inWindow", Style.GLOBAL,
        description="Whether a moment is inside a weekly window, in local time; summer time is followed. "
        "A window that passes midnight belongs to the day it began on. Without a zone it is UTC.",
        overloads=(
            overload((TIMESTAMP, STRING, STRING), BOOL, run=_in_window, checks={1: check_window, 2: check_zone}),
            overload((TIMESTAMP, STRING), BOOL, run=_in_window_utc, checks={1: check_window}),
        ),
        example="inWindow(now, 'Mon-Fri 08:00-18:00', 'Europe/Rome')",
    ),
    *(_getter(name) for name in _PARTS),
)  # fmt: skip
