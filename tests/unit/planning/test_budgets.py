"""How many nodes of a pool may go, and when."""

from datetime import UTC, datetime, timedelta

import pytest

from policyscaler.model.nodes import DISRUPTION_REASON, Condition
from policyscaler.model.pools import DRIFTED, EMPTY, UNDERUTILIZED, Budget, Disruption
from policyscaler.planning.budgets import UNBOUNDED, BudgetBook, allowed, is_active
from policyscaler.planning.cluster import view_cluster
from policyscaler.testing.builders import a_claim, a_node, a_pool, a_snapshot, a_type

MIDNIGHT = datetime(2026, 12, 2, tzinfo=UTC)
DAILY = Budget(nodes="0", schedule="@daily", duration=timedelta(minutes=10))


def a_budgeted_pool(*budgets):
    return a_pool("p", disruption=Disruption(budgets=budgets))


@pytest.mark.parametrize(
    ("after", "open_now"),
    [
        (timedelta(0), True),
        (timedelta(minutes=9, seconds=59), True),
        (timedelta(minutes=10), False),
        (timedelta(seconds=-1), False),
        (timedelta(hours=12), False),
    ],
    ids=["at its start", "a second before its end", "at its end", "a second early", "at noon"],
)
def test_a_window_opens_with_its_start_and_is_over_after_its_duration(after, open_now):
    assert is_active(DAILY, MIDNIGHT + after) is open_now


def test_overlapping_starts_keep_a_window_open():
    always = Budget(schedule="*/5 * * * *", duration=timedelta(minutes=6))
    assert all(is_active(always, MIDNIGHT + timedelta(minutes=n)) for n in range(30))


def test_a_start_that_never_comes_opens_nothing():
    never = Budget(schedule="0 0 30 2 *", duration=timedelta(hours=1))
    assert not is_active(never, MIDNIGHT)


@pytest.mark.parametrize(
    ("nodes", "total", "count"),
    [("10%", 19, 2), ("10%", 20, 2), ("10%", 0, 0), ("0%", 9, 0), ("100%", 9, 9), ("7", 3, 7)],
)
def test_percentages_are_rounded_up(nodes, total, count):
    assert allowed(a_budgeted_pool(Budget(nodes=nodes)), EMPTY, total, MIDNIGHT) == count


def test_the_smallest_budget_that_applies_counts():
    pool = a_budgeted_pool(
        Budget(nodes="20%", reasons=(EMPTY, DRIFTED)),
        Budget(nodes="5"),
        Budget(
            nodes="0", reasons=(UNDERUTILIZED,), schedule="@daily", duration=timedelta(minutes=10)
        ),
    )
    noon = MIDNIGHT + timedelta(hours=12)
    assert [allowed(pool, r, 19, noon) for r in (EMPTY, DRIFTED, UNDERUTILIZED)] == [4, 4, 5]
    assert [allowed(pool, r, 19, MIDNIGHT) for r in (EMPTY, DRIFTED, UNDERUTILIZED)] == [4, 4, 0]


def test_no_budget_is_no_bound():
    assert allowed(a_budgeted_pool(), EMPTY, 5, MIDNIGHT) == UNBOUNDED


def test_a_schedule_that_is_none_allows_nothing():
    broken = Budget(nodes="9", schedule="every day", duration=timedelta(hours=1))
    assert allowed(a_budgeted_pool(broken), EMPTY, 5, MIDNIGHT) == 0


def test_nodes_that_leave_or_are_not_ready_are_disrupted_already():
    kind = a_type("m4")
    going = Condition(type=DISRUPTION_REASON, status="True")
    nodes = [a_node(f"n{i}", kind, pool="p", ready=i != 1) for i in range(5)]
    claims = [a_claim(node, conditions={DISRUPTION_REASON: going} if i == 0 else {})
              for i, node in enumerate(nodes)]  # fmt: skip
    young = a_node("young", kind, pool="")
    pool = a_budgeted_pool(Budget(nodes="60%"))
    state = a_snapshot(pool, kind, nodes, claims, young, a_claim(young, pool="p"))
    book = BudgetBook(view_cluster(state, MIDNIGHT).nodes, MIDNIGHT)
    assert (book.total, book.disrupted) == ({"p": 5}, {"p": 2})
    assert book.left(pool, EMPTY) == 1
    book.take("p", 3)
    assert book.left(pool, EMPTY) == 0
    assert BudgetBook((), MIDNIGHT).left(pool, EMPTY) == 0
