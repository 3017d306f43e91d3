from datetime import timedelta

import pytest

from policyscaler.simulation.clock import Alarm, Clock, WorkQueue
from policyscaler.simulation.identity import Identities
from tests.unit.simulation.standin import START

SECOND = timedelta(seconds=1)


def test_events_happen_by_time_and_then_in_the_order_of_their_planning():
    clock, seen = Clock(START), []
    clock.after(2 * SECOND, lambda: seen.append("late"))
    clock.after(SECOND, lambda: seen.append("first"))
    clock.after(SECOND, lambda: seen.append("second"))
    clock.run(START + 5 * SECOND)
    assert seen == ["first", "second", "late"]
    assert clock.now == START + 5 * SECOND


def test_what_is_planned_in_the_past_happens_now():
    clock, seen = Clock(START), []
    clock.at(START - SECOND, lambda: seen.append(clock.now))
    clock.run(START)
    assert seen == [START]


def test_settled_is_told_once_per_instant():
    clock, settled = Clock(START), []
    for delay in (1, 1, 2):
        clock.after(delay * SECOND, lambda: None)
    clock.run(START + 3 * SECOND, settled=lambda: settled.append(clock.now))
    assert settled == [START + SECOND, START + 2 * SECOND]


def test_an_alarm_moves_earlier_but_not_later():
    clock, rang = Clock(START), []
    alarm = Alarm(clock, lambda: rang.append(clock.now))
    alarm.set(START + 5 * SECOND)
    alarm.set(START + 2 * SECOND)
    alarm.set(START + 9 * SECOND)
    clock.run(START + 20 * SECOND)
    assert rang == [START + 2 * SECOND]


def test_a_work_queue_looks_at_a_key_once_in_order():
    clock, seen = Clock(START), []
    queue = WorkQueue(clock, seen.append)
    for key in ("b", "a", "b"):
        queue.add(key)
    clock.run(START)
    assert seen == ["b", "a"]


def test_chances_of_one_entity_do_not_depend_on_others():
    alone, crowded = Identities(7), Identities(7)
    for other in range(5):
        crowded.uid("Pod", f"other-{other}")
    assert alone.uid("Pod", "a/b") == crowded.uid("Pod", "a/b")
    assert alone.suffix("x") == crowded.suffix("x") != Identities(8).suffix("x")


def test_the_next_object_of_a_name_gets_another_uid():
    ids = Identities(1)
    assert ids.uid("Pod", "a/b") != ids.uid("Pod", "a/b")


@pytest.mark.parametrize("name", ["a", "b", "c", "d"])
def test_variation_stays_within_its_percentage(name):
    varied = Identities(1).vary(100 * SECOND, 10, name)
    assert 90 * SECOND <= varied <= 110 * SECOND
    assert Identities(1).vary(100 * SECOND, 0, name) == 100 * SECOND
