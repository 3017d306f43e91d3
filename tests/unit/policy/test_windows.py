"""Weekly windows in local time, across midnight and across changes of summer time."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from policyscaler.policy.signatures import ValueFault
from policyscaler.policy.windows import check_window, check_zone, find_zone, parse_window


def inside(window: str, local: str, zone: str = "Europe/Rome") -> bool:
    moment = datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    return parse_window(window).holds(moment.astimezone(find_zone(zone)))


@pytest.mark.parametrize(
    ("window", "local", "expected"),
    [
        pytest.param("Mon-Fri 08:00-18:00", "2026-12-01T08:00", True, id="the start is inside"),
        pytest.param("Mon-Fri 08:00-18:00", "2026-12-01T18:00", False, id="the end is not"),
        pytest.param(
            "Mon-Fri 08:00-18:00", "2026-12-05T12:00", False, id="Saturday is not a weekday"
        ),
        pytest.param("08:00-18:00", "2026-12-05T12:00", True, id="every day without days"),
        pytest.param("Sat,Sun 00:00-24:00", "2026-12-06T23:59", True, id="the whole day"),
        pytest.param(
            "Fri-Mon 10:00-11:00", "2026-12-06T10:30", True, id="a range of days over the weekend"
        ),
        pytest.param(
            "Fri 22:00-05:00", "2026-12-05T04:59", True, id="after midnight it is still Friday's"
        ),
        pytest.param(
            "Fri 22:00-05:00", "2026-12-05T22:30", False, id="Saturday has no window of its own"
        ),
        pytest.param(
            "Fri 22:00-05:00", "2026-12-04T04:00", False, id="nor is Friday morning inside"
        ),
        pytest.param("Sun 22:00-05:00", "2026-12-07T01:00", True, id="from Sunday to Monday"),
    ],
)
def test_holds(window, local, expected):
    assert inside(window, local) is expected


def test_summer_time_moves_the_window_with_the_clock_on_the_wall():
    rome = find_zone("Europe/Rome")
    window = parse_window("08:00-09:00")
    winter, summer = (
        datetime(2026, 3, 28, 7, 30, tzinfo=UTC),
        datetime(2026, 3, 29, 6, 30, tzinfo=UTC),
    )
    assert window.holds(winter.astimezone(rome))
    assert window.holds(summer.astimezone(rome))
    assert not window.holds(datetime(2026, 3, 29, 7, 30, tzinfo=UTC).astimezone(rome))


def test_the_hour_that_comes_twice_is_inside_twice():
    rome, window = find_zone("Europe/Rome"), parse_window("02:00-03:00")
    hits = [
        h
        for h in range(24)
        if window.holds(datetime(2026, 10, 25, h, 30, tzinfo=UTC).astimezone(rome))
    ]
    assert hits == [0, 1]


def test_the_hour_that_is_skipped_is_never_inside():
    rome, window = find_zone("Europe/Rome"), parse_window("02:00-03:00")
    hits = [
        h
        for h in range(24)
        if window.holds(datetime(2026, 3, 29, h, 30, tzinfo=UTC).astimezone(rome))
    ]
    assert not hits


@pytest.mark.parametrize(
    "text",
    ["", "Mon", "Mon-Fri", "Mon 8:00-9:00", "Mon 08:00-25:00", "Mon 08:60-09:00", "Mon 08:00-08:00", "Moo 08:00-09:00",
     "Mon-Tue-Wed 08:00-09:00", "Mon 08:00 - 09:00", "24:00-01:00"],
)  # fmt: skip
def test_refuses_what_is_no_window(text):
    with pytest.raises(ValueFault):
        parse_window(text)
    assert check_window(text)


@pytest.mark.parametrize("name", ["", "Europe/Roma", "../etc/passwd", "/etc/passwd", "Europe"])
def test_refuses_what_is_no_zone(name):
    assert "not a time zone" in check_zone(name)
