"""Durations as Kubernetes and Karpenter write them: Go's `1h30m5s`, or `Never`."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

from policyscaler.model.errors import DurationError

_UNITS: Final = {"h": 3600 * 10**6, "m": 60 * 10**6, "s": 10**6, "ms": 1000, "us": 1, "µs": 1}
_PART: Final = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(h|ms|us|µs|m|s)")
_STRICT: Final = re.compile(r"(?:[0-9]+(?:h|m|s))+")
_MAX: Final = timedelta(days=365 * 290)  # Go's int64 nanoseconds end after 292 years


def parse_go_duration(text: str) -> timedelta:
    """Returns what Go's time.ParseDuration would, down to a microsecond; may be negative.

    Raises:
        DurationError: the text is no duration.
    """
    body = text[1:] if text[:1] in ("+", "-") else text
    if body == "0":
        return timedelta(0)
    total, end = 0.0, 0
    for part in _PART.finditer(body):
        if part.start() != end:
            break
        total += float(part[1]) * _UNITS[part[2]]
        end = part.end()
    if not body or end != len(body):
        raise DurationError(f'"{text}" is not a duration{_hint(text)}')
    if total > _MAX / timedelta(microseconds=1):
        raise DurationError(f'"{text}" is longer than a duration can be (about 290 years)')
    duration = timedelta(microseconds=round(total))
    return -duration if text[0] == "-" else duration


def parse_duration(text: str) -> timedelta:
    """Returns a duration in the strict form of Karpenter's fields: whole h, m and s, no sign.

    Raises:
        DurationError: the text is no such duration. Source: the patterns of Karpenter's CRDs.

    Example:
        >>> parse_duration("1h30m5s")
        datetime.timedelta(seconds=5405)
    """
    if text == "Never":
        raise DurationError('"Never" is not possible here; write a duration such as 1h30m')
    if not _STRICT.fullmatch(text):
        raise DurationError(f'"{text}" is not a duration{_hint(text)}')
    return parse_go_duration(text)


def parse_nillable_duration(text: str) -> timedelta | None:
    """Returns a duration in the strict form, or None for `Never`.

    Raises:
        DurationError: the text is neither.
    """
    return None if text == "Never" else parse_duration(text)


def format_duration(duration: timedelta | None) -> str:
    """Returns the canonical text: `1h30m5s` without zero parts, `0s`, or `Never` for None."""
    if duration is None:
        return "Never"
    seconds = int(duration.total_seconds())
    if seconds < 0:
        return "-" + format_duration(-duration)
    parts = [(seconds // 3600, "h"), (seconds // 60 % 60, "m"), (seconds % 60, "s")]
    return "".join(f"{amount}{unit}" for amount, unit in parts if amount) or "0s"


def _hint(text: str) -> str:
    lowered = text.strip().lower()
    if lowered == "never":
        return '; did you mean "Never"?'
    if text.startswith("-"):
        return "; it cannot be negative"
    match = re.fullmatch(
        r"([0-9]+)\s*(hrs?|hours?|mins?|minutes?|secs?|seconds?|d|days?)?", lowered
    )
    if match is None:
        return "; write hours, minutes and seconds, such as 1h30m or 45s"
    number, unit = match[1], match[2] or ""
    if unit.startswith("d"):
        return f'; days are not known, did you mean "{int(number) * 24}h"?'
    return f'; did you mean "{number}{unit[:1] or "s"}"?'
