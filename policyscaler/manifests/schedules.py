"""Checks of cron schedules and time zones in manifests."""

from __future__ import annotations

from policyscaler.manifests.findings import Code, Path
from policyscaler.manifests.reporting import Reporter
from policyscaler.model.cron import Schedule, time_zone
from policyscaler.model.errors import ConfigError


def check_schedule(text: str, *, at: Path, reporter: Reporter) -> None:
    """Reports a text that is no cron schedule."""
    try:
        Schedule.parse(text)
    except ConfigError as error:
        reporter.error(Code.BAD_SCHEDULE, str(error), at=at)


def check_time_zone(name: str, *, at: Path, reporter: Reporter) -> None:
    """Reports a name that is no IANA time zone; an empty one is UTC."""
    try:
        time_zone(name)
    except ConfigError as error:
        reporter.error(Code.BAD_SCHEDULE, str(error), at=at)
