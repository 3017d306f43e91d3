"""Cron schedules: five fields or an alias, to the minute, in UTC or an IANA time zone.

Days: when both the day of the month and the day of the week are restricted, either suffices, as
in every cron. Around a change of the clocks a schedule looks at the wall clock: a time that is
skipped does not occur, one that is repeated occurs twice.

Source: the five fields and aliases of the cron library that Kubernetes uses.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from policyscaler.model.errors import ConfigError
from policyscaler.model.meta import Value

ALIASES: Final = {
    "@annually": "0 0 1 1 *",
    "@yearly": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_MONTHS: Final = (
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
)
_DAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_FIELDS: Final = (
    ("minute", 0, 59),
    ("hour", 0, 23),
    ("day of the month", 1, 31),
    ("month", 1, 12),
    ("day of the week", 0, 6),
)
_NAMES: Final = {
    "month": {name: number + 1 for number, name in enumerate(_MONTHS)},
    "day of the week": {name: number for number, name in enumerate(_DAYS)},
}
_PART: Final = re.compile(r"(\*|\?|[0-9a-z]+)(?:-([0-9a-z]+))?(?:/([0-9]+))?")
_UNRESTRICTED: Final = frozenset({"*", "?", "*/1"})
_HORIZON: Final = timedelta(days=366 * 8)  # 29 February is at most eight years away
_MINUTE: Final = timedelta(minutes=1)


class Schedule(Value, frozen=True, kw_only=True):
    """When something recurs.

    Attributes:
        text: as written.
        minutes: allowed minutes, and likewise the other fields; Sunday is 0.
        any_day: the day of the month is unrestricted.
        any_weekday: the day of the week is unrestricted.
    """

    text: str
    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    any_day: bool
    any_weekday: bool

    @staticmethod
    def parse(text: str) -> Schedule:
        """Returns the schedule that a text stands for.

        Raises:
            ConfigError: it is no alias and has not five legal fields; the message says which.
        """
        expanded = ALIASES.get(text, text)
        fields = expanded.split()
        if len(fields) != len(_FIELDS):
            known = ", ".join(sorted(ALIASES))
            hint = f"write one of {known}" if text.startswith("@") else _FIVE
            raise ConfigError(f'"{text[:60]}" is not a schedule; {hint}')
        sets = [
            _values(field.lower(), name, low=low, high=high)
            for field, (name, low, high) in zip(fields, _FIELDS, strict=True)
        ]
        return Schedule(
            text=text,
            minutes=sets[0],
            hours=sets[1],
            days=sets[2],
            months=sets[3],
            weekdays=sets[4],
            any_day=not _UNRESTRICTED.isdisjoint(fields[2].split(",")),
            any_weekday=not _UNRESTRICTED.isdisjoint(fields[4].split(",")),
        )

    def matches(self, moment: datetime, *, zone: tzinfo = UTC) -> bool:
        """Returns whether it occurs in the minute of a moment (timezone-aware)."""
        local = moment.astimezone(zone)
        return (
            local.minute in self.minutes and local.hour in self.hours and self._day_matches(local)
        )

    def next_after(self, moment: datetime, *, zone: tzinfo = UTC) -> datetime | None:
        """Returns the first occurrence strictly after a moment, in UTC; None if there is none."""
        start = moment.astimezone(UTC).replace(second=0, microsecond=0) + _MINUTE
        return self._search(start, zone=zone, end=start + _HORIZON)

    def last_before(self, moment: datetime, *, zone: tzinfo = UTC) -> datetime | None:
        """Returns the last occurrence at or before a moment, in UTC; None if there is none."""
        current = moment.astimezone(UTC).replace(second=0, microsecond=0)
        end = current - _HORIZON
        while current >= end:
            local = current.astimezone(zone)
            if not self._day_matches(local):
                current = _at_wall(local, hour=0, minute=0).astimezone(UTC) - _MINUTE
            elif local.hour not in self.hours:
                current -= _MINUTE * (local.minute + 1)
            elif local.minute in self.minutes:
                return current
            else:
                current -= _MINUTE
        return None

    def _search(self, current: datetime, *, zone: tzinfo, end: datetime) -> datetime | None:
        while current <= end:
            local = current.astimezone(zone)
            if not self._day_matches(local):
                # Midnight may be skipped or repeated; an hour short of it is always before it.
                left = 24 * 60 - 60 * local.hour - local.minute
                current += _MINUTE * (left - 60 if left > 120 else 1)
            elif local.hour not in self.hours:
                current += _MINUTE * (60 - local.minute)
            elif local.minute in self.minutes:
                return current
            else:
                current += _MINUTE
        return None

    def _day_matches(self, local: datetime) -> bool:
        if local.month not in self.months:
            return False
        day = local.day in self.days
        weekday = local.isoweekday() % 7 in self.weekdays
        if self.any_day or self.any_weekday:
            return day and weekday
        return day or weekday


_FIVE: Final = "it needs five fields: minute, hour, day of the month, month, day of the week"


def _at_wall(local: datetime, *, hour: int, minute: int) -> datetime:
    return local.replace(hour=hour, minute=minute, fold=0)


def _values(field: str, name: str, *, low: int, high: int) -> frozenset[int]:
    values: set[int] = set()
    for part in field.split(","):
        match = _PART.fullmatch(part)
        if match is None:
            raise ConfigError(
                f'"{field}" does not fit the {name}; write numbers from {low} to {high}, *, 1-5 or */10'
            )
        first, last, step = match.groups()
        start = low if first in ("*", "?") else _number(first, name, low=low, high=high)
        if last is not None:
            end = _number(last, name, low=low, high=high)
        else:
            end = high if first in ("*", "?") or step else start
        width = int(step) if step else 1
        if width < 1 or start > end:
            raise ConfigError(f'"{part}" is an empty range of the {name}')
        values.update(range(start, end + 1, width))
    return frozenset(values)


def _number(text: str, name: str, *, low: int, high: int) -> int:
    number = _NAMES.get(name, {}).get(text, -1)
    if text.isdigit() and len(text) < 4:
        number = int(text)
    if not low <= number <= high:
        raise ConfigError(f'"{text}" does not fit the {name}, which is from {low} to {high}')
    return number


def time_zone(name: str) -> tzinfo:
    """Returns a time zone by its IANA name; UTC for an empty one.

    Raises:
        ConfigError: the name is not known.
    """
    if name in ("", "UTC"):
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ConfigError(
            f'"{name[:60]}" is not a time zone; write an IANA name such as Europe/Rome'
        ) from None
