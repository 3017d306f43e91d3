"""Weekly windows in local time: `Mon-Fri 08:00-18:00` in a named time zone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from policyscaler.policy.signatures import ValueFault

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_RANGE = re.compile(r"(\d{2}):(\d{2})-(\d{2}):(\d{2})", re.ASCII)
_DAY_MINUTES = 24 * 60
_HOUR, _WEEK = 60, 7


@dataclass(frozen=True, slots=True)
class Window:
    """Days of the week (Monday is 0) and minutes of the day; `end` may pass midnight."""

    days: frozenset[int]
    start: int
    end: int

    def holds(self, local: datetime) -> bool:
        """Tell whether a local time is inside: the start is, the end is not."""
        minute = local.hour * _HOUR + local.minute
        today = local.weekday()
        if today in self.days and self.start <= minute < self.end:
            return True
        # What began yesterday and passed midnight belongs to yesterday.
        return (today - 1) % _WEEK in self.days and minute + _DAY_MINUTES < self.end


@lru_cache(maxsize=256)
def parse_window(text: str) -> Window:
    """Parse `[days ]HH:MM-HH:MM`; without days it is every day.

    Raises:
        ValueFault: Naming the part that is wrong.
    """
    words = text.split()
    if not words or len(words) > 2:
        raise ValueFault(f"'{text}' is not a window such as 'Mon-Fri 08:00-18:00'")
    days = _parse_days(words[0]) if len(words) > 1 else frozenset(range(_WEEK))
    match = _RANGE.fullmatch(words[-1])
    if match is None:
        raise ValueFault(f"'{words[-1]}' is not a range of times such as 08:00-18:00")
    start = _minute(match[1], match[2], last=_DAY_MINUTES - 1)
    end = _minute(match[3], match[4], last=_DAY_MINUTES)
    if start == end:
        raise ValueFault(f"'{words[-1]}' is empty; the whole day is 00:00-24:00")
    return Window(days, start, end if end > start else end + _DAY_MINUTES)


def _minute(hour: str, minute: str, *, last: int) -> int:
    value = int(hour) * _HOUR + int(minute)
    if int(minute) >= _HOUR or value > last:
        raise ValueFault(f"'{hour}:{minute}' is not a time of day")
    return value


def _parse_days(text: str) -> frozenset[int]:
    days: set[int] = set()
    for part in text.split(","):
        ends = [_day(name) for name in part.split("-")]
        if len(ends) > 2:
            raise ValueFault(f"'{part}' is not a range of days such as Mon-Fri")
        length = (ends[-1] - ends[0]) % _WEEK
        days.update((ends[0] + step) % _WEEK for step in range(length + 1))
    return frozenset(days)


def _day(name: str) -> int:
    if name not in _DAYS:
        raise ValueFault(f"'{name}' is not a day; the days are {', '.join(_DAYS)}")
    return _DAYS.index(name)


@lru_cache(maxsize=64)
def find_zone(name: str) -> ZoneInfo:
    """Return the IANA time zone of that name.

    Raises:
        ValueFault: There is none.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueFault(
            f"'{name}' is not a time zone; write an IANA name such as Europe/Rome"
        ) from None


def check_window(text: str) -> str:
    """Return what is wrong with a window, or ""."""
    try:
        parse_window(text)
    except ValueFault as fault:
        return str(fault)
    return ""


def check_zone(name: str) -> str:
    """Return what is wrong with the name of a time zone, or ""."""
    try:
        find_zone(name)
    except ValueFault as fault:
        return str(fault)
    return ""
