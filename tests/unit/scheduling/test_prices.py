"""Price tables and what resources are worth, against brute force."""

import highspy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyscaler.scheduling import pricetable
from policyscaler.scheduling.pricetable import (
    NONE,
    PriceTable,
    cheapest_per_type,
    resource_duals,
    smoothed,
    undominated,
)

SMALL = st.integers(0, 12)
TYPES = st.lists(st.tuples(SMALL, SMALL, SMALL, st.integers(0, 9)), min_size=1, max_size=12)


def columns(types):
    table = np.array(types, dtype=np.int64)
    return table[:, :3], table[:, 3]


def brute(types, need):
    fits = [t[3] for t in types if all(a >= n for a, n in zip(t, need, strict=False))]
    return min(fits, default=NONE)


@given(TYPES, st.lists(st.tuples(SMALL, SMALL, SMALL), min_size=1, max_size=20))
def test_the_table_answers_like_a_search_through_all_types(types, needs):
    available, prices = columns(types)
    table = PriceTable(available, prices)
    want = [brute(types, need) for need in needs]
    assert [table.price(*need) for need in needs] == want
    asked = np.array(needs, dtype=np.int64)
    assert table.prices(asked[:, 0], asked[:, 1], asked[:, 2]).tolist() == want


@given(TYPES, st.tuples(SMALL, SMALL, SMALL))
def test_dropping_dominated_types_changes_no_answer(types, need):
    available, prices = columns(types)
    kept = undominated(available, prices)
    assert brute([types[i] for i in kept], need) == brute(types, need)
    for i in kept:
        better = [j for j in kept if j != i and (available[j] >= available[i]).all()]
        assert all(prices[j] > prices[i] for j in better)


def test_types_that_cannot_be_had_are_dropped():
    available, _ = columns([(1, 1, 1, 5), (9, 9, 9, 0)])
    assert undominated(available, np.array([5, NONE])).tolist() == [0]


@given(TYPES, st.tuples(SMALL, SMALL, SMALL))
def test_a_table_that_would_be_too_fine_promises_no_room_that_is_not_there(types, need):
    available, prices = columns(types)
    before = pricetable._MAX_CELLS
    pricetable._MAX_CELLS = 1
    try:
        price = PriceTable(available, prices).price(*need)
    finally:
        pricetable._MAX_CELLS = before
    assert price >= brute(types, need)


POSITIVE = st.integers(1, 12)


def bound_by_solver(available, prices, demand):
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    empty, index = np.array([]), np.arange(len(prices), dtype=np.int32)
    for price in prices:
        solver.addCol(float(price), 0.0, highspy.kHighsInf, 0, empty, empty)
    for axis, amount in enumerate(demand):
        share = available[:, axis].astype(float)
        solver.addRow(float(amount), highspy.kHighsInf, len(prices), index, share)
    solver.run()
    return solver.getInfo().objective_function_value


@given(
    st.lists(st.tuples(POSITIVE, POSITIVE, POSITIVE), min_size=1, max_size=8),
    st.tuples(st.integers(1, 50), st.integers(1, 50)),
)
def test_duals_are_worth_the_cheapest_fractional_cover(types, demand):
    table = np.array(types, dtype=np.int64)
    available, prices = table[:, :2], table[:, 2]
    per_cpu, per_byte = resource_duals(prices, available, demand)
    worth = available @ np.array([per_cpu, per_byte])
    assert (worth <= prices * (1 + 1e-6) + 1e-6).all()
    bound = bound_by_solver(available, prices, demand)
    assert demand[0] * per_cpu + demand[1] * per_byte == pytest.approx(bound, rel=1e-5)


def test_duals_of_nothing_usable_are_zero():
    nothing = np.zeros((2, 3), dtype=np.int64)
    assert resource_duals(np.array([5, 5]), nothing, (1, 1)) == (0.0, 0.0)


def test_smoothing_takes_off_a_share_of_what_capacity_is_worth():
    available = np.array([[10, 100], [20, 100]], dtype=np.int64)
    prices = np.array([100, 150], dtype=np.int64)
    assert smoothed(prices, available, (2.0, 0.5), 1.0).tolist() == [30, 60]
    assert smoothed(prices, available, (2.0, 0.5), 0.5).tolist() == [65, 105]


def test_the_cheapest_row_of_each_type():
    prices = np.array([5, 3, 9, 1], dtype=np.int64)
    rows, first = np.array([True, False, True, False]), np.array([0, 2])
    assert cheapest_per_type(rows, prices, first).tolist() == [5, 9]
    assert cheapest_per_type(np.zeros(4, dtype=bool), prices, first).tolist() == [NONE, NONE]
    assert len(cheapest_per_type(np.zeros(0, dtype=bool), prices[:0], first[:0])) == 0
