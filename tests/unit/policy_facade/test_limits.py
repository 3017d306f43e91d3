"""What a launch is charged to."""

import pytest

from tests.unit.policy_facade.building import CONTEXT, a_catalogue, a_pool, a_shape, policies

HOURLY = """
params: {most: {type: double, default: 0.5}}
limits:
  - {name: hourly, by: "'cluster'", amount: "offering.price", max: "params.most"}
"""


def limits(of, *, pool=None, **shape):
    return of.limits(a_catalogue(), a_shape(**shape), CONTEXT, pool=pool or a_pool())


def test_amounts_and_maximum_are_in_millionths():
    (charge,) = limits(policies(HOURLY))
    assert charge.key == "p0/hourly/cluster"
    assert charge.maximum == 500_000
    assert charge.amounts.tolist() == [
        1_000_000, 1_000_000, 96_000, 35_000, 96_000, 35_000, 192_000, 70_000, 192_000, 70_000,
    ]  # fmt: skip


def test_the_key_is_what_is_counted_together():
    of = policies("limits: [{name: team, by: shape.namespace, amount: '1.0', max: '2.0'}]")
    assert [charge.key for charge in limits(of, namespace="pay")] == ["p0/team/pay"]
    assert [charge.key for charge in limits(of, namespace="shop")] == ["p0/team/shop"]


def test_when_and_match_leave_a_limit_out():
    of = policies(
        "limits: [{name: batch, when: shape.priority < 0, by: \"'b'\", amount: '1.0', max: '2.0'}]",
        "match: {pools: \"pool.name == 'gpu'\"}\nlimits: [{name: x, by: \"'x'\", amount: '1.0', max: '2.0'}]",
    )
    assert limits(of) == ()
    assert [charge.rule.rule for charge in limits(of, priority=-1)] == ["batch"]
    assert [charge.rule.rule for charge in limits(of, pool=a_pool(name="gpu"))] == ["x"]


def test_an_audited_limit_is_not_charged():
    assert limits(policies("mode: audit\n" + HOURLY)) == ()


def test_a_fraction_of_a_millionth_is_rounded_up():
    of = policies("limits: [{name: x, by: \"'x'\", amount: '0.0000015', max: '1.0'}]")
    assert limits(of)[0].amounts.tolist()[0] == 2


@pytest.mark.parametrize(
    ("maximum", "expected"),
    [("-1.0", 0), ("1.0 / 0.0", 2**53 - 1), ("0.0 / 0.0", 0)],
    ids=["a negative limit is none at all", "no end is very much", "no number is no room"],
)
def test_odd_maxima(maximum, expected):
    of = policies(f"limits: [{{name: x, by: \"'x'\", amount: '1.0', max: '{maximum}'}}]")
    assert limits(of)[0].maximum == expected
