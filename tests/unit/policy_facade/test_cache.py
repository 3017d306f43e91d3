"""Keeping answers changes the time they take, and nothing else."""

import msgspec
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from policyscaler.policy.evaluation import Policies
from tests.unit.policy_facade.building import (
    a_catalogue,
    a_pool,
    a_type,
    names,
    offerings,
    policies,
    written,
)

SPECS = (
    (
        "offerings: {require: [{name: fits, expr: 'offering.cpu >= shape.cpu * params.times'}]}\n"
        "params: {times: {type: double, default: 1.0}}"
    ),
    "offerings: {require: [{name: arch, expr: 'offering.arch in shape.archs'}]}",
    "offerings: {require: [{name: odd, expr: 'int(offering.family) > shape.priority'}]}",
    "offerings: {require: [{name: tier, expr: \"orElse(shape.labels.tier, '') == '' || offering.cpu > 2.0\"}]}",
    "offerings: {prefer: [{name: gpu, expr: 'has(offering.gpu)', malus: 'double(shape.count)'}]}",
    "offerings: {score: {base: 'offering.price * (1.0 + spend.perHour)'}}",
)

SHAPES = st.fixed_dictionaries(
    {
        "cpu": st.sampled_from([0.5, 2.0, 3.0, 8.0]),
        "archs": st.sampled_from([["amd64"], ["arm64"], []]),
        "labels": st.sampled_from([{}, {"tier": "gold"}, {"tier": ""}]),
        "priority": st.integers(-1, 1),
        "count": st.integers(1, 3),
    }
)


def same(one, other):
    return (
        np.array_equal(one.rows, other.rows)
        and np.array_equal(one.prices, other.prices)
        and (one.funnel, one.notes, one.blocking, one.message, one.suspended)
        == (other.funnel, other.notes, other.blocking, other.message, other.suspended)
    )


WARM = policies(*SPECS)


@given(SHAPES)
def test_warm_and_cold_answers_are_equal(shape):
    assert same(offerings(WARM, **shape), offerings(policies(*SPECS), **shape))


def test_a_changed_price_is_seen_under_a_new_digest():
    of = policies("offerings: {require: [{name: cheap, expr: 'offering.price < 0.05'}]}")
    before = a_catalogue("before")
    dear = a_type("m5.large", cpu=2, price=96_000, spot_price=60_000)
    after = msgspec.structs.replace(before, types=(dear,), digest="after")
    assert names(before, offerings(of, catalogue=before).rows) == [
        "m5.large/a/spot",
        "m5.large/b/spot",
    ]
    assert not offerings(of, catalogue=after).rows.any()
    assert offerings(of, catalogue=before).rows.any()


def test_catalogues_without_a_digest_are_told_apart():
    of = policies("offerings: {require: [{name: big, expr: 'offering.cpu > 3.0'}]}")
    for cpu in range(1, 20):  # more than are kept, so that identities would come round again
        bare = msgspec.structs.replace(a_catalogue(""), types=(a_type("x.y", cpu=cpu, price=1),))
        assert offerings(of, catalogue=bare).rows.all() == (cpu > 3)


def test_equal_parameters_of_two_policies_are_not_confused():
    one = "params: {most: {type: double, default: 2.0}}\nofferings: {require: [{name: x, expr: 'offering.cpu <= params.most'}]}"
    other = one.replace("2.0", "4.0")
    verdict = offerings(policies(one, other))
    assert [count.only for count in verdict.funnel] == [4 + 2, 0]


def test_facts_of_different_pools_give_different_answers():
    of = policies("offerings: {require: [{name: x, expr: 'offering.cpu <= double(pool.weight)'}]}")
    assert offerings(of, pool=a_pool(weight=2)).rows.sum() == 4
    assert offerings(of, pool=a_pool(weight=4)).rows.sum() == 10


def test_what_cannot_be_lowered_to_columns_gives_the_same_row_by_row():
    of = policies(
        "offerings: {require: [{name: x, expr: \"offering.labels.exists(k, k.endsWith('gpu-name'))\"}]}"
    )
    engine = of.policies[0].require[0].program.engine
    assert names(a_catalogue(), offerings(of).rows) == [
        "g5.xlarge/a/on-demand",
        "g5.xlarge/b/on-demand",
    ], engine


def test_the_digest_depends_on_text_and_parameters_and_on_no_place():
    base = written(SPECS[0])
    moved = [msgspec.structs.replace(base[0], source=None)]
    digest = Policies.compile(base).digest
    assert Policies.compile(moved).digest == digest
    assert Policies.compile(base, params={"times": 2.0}).digest != digest
    assert Policies.compile(written(SPECS[1])).digest != digest
