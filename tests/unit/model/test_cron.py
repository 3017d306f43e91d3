"""Cron schedules: the fields, the days, and the hours that clocks skip and repeat."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyscaler.model.cron import Schedule, time_zone
from policyscaler.model.errors import ConfigError

ROME = time_zone("Europe/Rome")


def at(text, zone=UTC):
    return datetime.fromisoformat(text).replace(tzinfo=zone)


@pytest.mark.parametrize(
    ("schedule", "after", "expected"),
    [
        ("0 9 * * *", "2026-01-31T08:59", "2026-01-31T09:00"),
        ("0 9 * * *", "2026-01-31T09:00", "2026-02-01T09:00"),
        ("*/15 * * * *", "2026-01-31T09:01", "2026-01-31T09:15"),
        ("0 0 29 2 *", "2026-01-31T00:00", "2028-02-29T00:00"),
        ("0 8 * * MON-FRI", "2026-01-30T09:00", "2026-02-02T08:00"),
        ("0 0 1 * SUN", "2026-01-31T00:00", "2026-02-01T00:00"),
        ("0 0 13 * 5", "2026-01-01T12:00", "2026-01-02T00:00"),
        ("5,10 1-3/2 * jan,mar *", "2026-01-31T03:10", "2026-03-01T01:05"),
        ("@hourly", "2026-12-31T23:00", "2027-01-01T00:00"),
        ("@yearly", "2026-01-01T00:00", "2027-01-01T00:00"),
    ],
)
def test_next_occurrence(schedule, after, expected):
    assert Schedule.parse(schedule).next_after(at(after)) == at(expected)
    assert Schedule.parse(schedule).last_before(at(expected)) == at(expected)


def test_schedule_that_never_occurs_has_no_next():
    assert Schedule.parse("0 0 30 2 *").next_after(at("2026-01-01T00:00")) is None
    assert Schedule.parse("0 0 30 2 *").last_before(at("2026-01-01T00:00")) is None


def test_skipped_hour_does_not_occur_and_repeated_hour_occurs_twice():
    schedule = Schedule.parse("30 2 * * *")
    spring = schedule.next_after(at("2026-03-28T12:00", ROME), zone=ROME)
    assert spring.astimezone(ROME).isoformat() == "2026-03-30T02:30:00+02:00"
    first = schedule.next_after(at("2026-10-24T12:00", ROME), zone=ROME)
    second = schedule.next_after(first, zone=ROME)
    assert second - first == timedelta(hours=1)


@pytest.mark.parametrize(
    "text",
    ["", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *",
     "* * * * 7", "5-1 * * * *", "*/0 * * * *", "a * * * *", "@never", "* * * foo *", "-1 * * * *"],
)  # fmt: skip
def test_no_schedule_is_refused(text):
    with pytest.raises(ConfigError):
        Schedule.parse(text)


def test_unknown_zone_is_refused():
    with pytest.raises(ConfigError, match="IANA"):
        time_zone("../etc/passwd")


MOMENTS = st.datetimes(datetime(2025, 1, 1), datetime(2028, 1, 1)).map(  # noqa: DTZ001
    lambda moment: moment.replace(tzinfo=UTC, second=0, microsecond=0)
)
TEXTS = st.sampled_from(
    ["0 9 * * *", "*/7 3-5 * * *", "30 2 * * 0", "15 0 1,15 * 3", "@weekly", "0 23 * * 1"]
)


@given(TEXTS, MOMENTS, st.sampled_from([UTC, ROME, time_zone("America/New_York")]))
def test_next_and_last_agree_with_matching_minute_by_minute(text, moment, zone):
    schedule = Schedule.parse(text)
    following = schedule.next_after(moment, zone=zone)
    assert following > moment
    assert schedule.matches(following, zone=zone)
    assert schedule.last_before(following, zone=zone) == following
    before = schedule.last_before(following - timedelta(minutes=1), zone=zone)
    assert before <= moment
    assert schedule.next_after(before, zone=zone) == following
