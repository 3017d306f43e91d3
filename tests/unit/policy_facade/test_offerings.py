"""Which offerings are left, why, and in which order they rank."""

import numpy as np
import pytest

from policyscaler.model.offerings import rows_of
from policyscaler.policy.evaluation import Policies
from tests.unit.policy_facade.building import (
    a_catalogue,
    a_pool,
    all_rows,
    names,
    offerings,
    policies,
)

NO_SPOT = """
offerings:
  require:
    - {name: no-spot, expr: "offering.capacityType != 'spot'", message: "no spot here"}
"""
NO_GPU = """
offerings:
  require:
    - {name: no-gpu, expr: "shape.gpu > 0 || !has(offering.gpu)"}
"""


def prices_of(verdict):
    catalogue = a_catalogue()
    return {row.name: int(p) for row, p in zip(rows_of(catalogue), verdict.prices, strict=True)}


def test_without_policies_everything_passes_at_its_price():
    catalogue = a_catalogue()
    verdict = offerings(Policies.compile([]))
    assert verdict.rows.all()
    assert verdict.prices.tolist() == [r.offering.price_micros_per_hour for r in rows_of(catalogue)]
    assert (verdict.funnel, verdict.notes, verdict.blocking) == ((), (), None)


def test_rules_add_up_and_the_funnel_counts_what_each_cut():
    verdict = offerings(policies(NO_SPOT, NO_GPU))
    assert names(a_catalogue(), verdict.rows) == [
        "m5.large/a/on-demand", "m5.large/b/on-demand", "m5.xlarge/a/on-demand", "m5.xlarge/b/on-demand",
    ]  # fmt: skip
    lines = [(str(c.rule.rule), c.kept, c.cut, c.errors, c.only) for c in verdict.funnel]
    assert lines == [("no-spot", 6, 4, 0, 4), ("no-gpu", 4, 2, 0, 2)]


def test_only_counts_offerings_that_no_other_rule_keeps_out():
    small = "offerings: {require: [{name: small, expr: 'offering.cpu <= 2.0'}]}"
    verdict = offerings(policies(NO_SPOT, small))
    assert [(c.rule.rule, c.only) for c in verdict.funnel] == [("no-spot", 2), ("small", 4)]


def test_rows_that_were_not_asked_about_stay_out_and_are_not_counted():
    catalogue = a_catalogue()
    rows = all_rows(catalogue)
    rows[:4] = False
    verdict = offerings(policies(NO_SPOT), rows=rows)
    assert not verdict.rows[:4].any()
    assert verdict.funnel[0].kept + verdict.funnel[0].cut == int(rows.sum())
    assert not rows[:4].any(), "the caller's mask is not written to"


def test_when_nothing_is_left_the_rule_that_alone_keeps_most_out_is_named():
    huge = (
        "offerings: {require: [{name: huge, expr: 'offering.cpu >= 64.0', message: 'too small'}]}"
    )
    verdict = offerings(policies(NO_SPOT, huge))
    assert not verdict.rows.any()
    assert (verdict.blocking.policy, verdict.blocking.rule) == ("p1", "huge")
    assert verdict.message == (
        "policy p1/huge (p1.yaml:5:25) leaves none of 10 offerings: too small; without it 6 would be left"
    )


def test_match_narrows_a_policy_to_pods_and_pools():
    spec = (
        "match: {pods: \"shape.namespace == 'pay'\", pools: \"pool.name == 'default'\"}\n" + NO_SPOT
    )
    of = policies(spec)
    assert offerings(of).rows.all()
    assert not offerings(of, namespace="pay").rows.all()
    assert offerings(of, namespace="pay", pool=a_pool(name="other")).rows.all()


def test_a_match_that_fails_restricts_and_says_so():
    spec = (
        'match: {pods: "int(shape.namespace) > 1"}\n'
        + NO_SPOT
        + "  prefer: [{name: x, expr: 'true', bonus: 0.01}]"
    )
    verdict = offerings(policies(spec))
    assert names(a_catalogue(), ~verdict.rows) == [
        n for n in names(a_catalogue(), all_rows(a_catalogue())) if n.endswith("spot")
    ]
    assert "match failed" in verdict.notes[0]
    assert prices_of(verdict)["m5.large/a/on-demand"] == 96_000


def test_audit_mode_reports_and_changes_nothing():
    verdict = offerings(policies("mode: audit\n" + NO_SPOT))
    assert verdict.rows.all()
    assert verdict.funnel == ()
    assert verdict.notes == ("audit: p0/no-spot (p0.yaml:9:9) would cut 4 of 10 offerings",)


def test_mode_off_is_silent():
    verdict = offerings(policies("mode: 'off'\n" + NO_SPOT))
    assert verdict.rows.all()
    assert verdict.notes == ()


def test_bonus_and_malus_change_the_rank_in_dollars_per_hour():
    prefer = """
offerings:
  prefer:
    - {name: spot-risk, expr: "offering.capacityType == 'spot'", malus: "offering.price * 0.5"}
    - {name: big, expr: "offering.cpu >= 4.0", bonus: 0.05}
"""
    prices = prices_of(offerings(policies(prefer)))
    assert prices["m5.large/a/on-demand"] == 96_000
    assert prices["m5.large/a/spot"] == 52_500
    assert prices["m5.xlarge/a/spot"] == 55_000
    assert prices["m5.xlarge/a/on-demand"] == 142_000


def test_a_bonus_never_makes_an_offering_cheaper_than_nothing():
    of = policies("offerings: {prefer: [{name: x, expr: 'true', bonus: 0.5}]}")
    assert prices_of(offerings(of))["m5.large/a/spot"] == 0


def test_the_score_of_the_highest_priority_ranks():
    low = "priority: 1\nofferings: {score: {base: 'offering.price * 2.0'}}"
    high = "priority: 2\nofferings: {score: {base: 'offering.price / offering.cpu'}}"
    prices = prices_of(offerings(policies(low, high)))
    assert prices["m5.large/a/on-demand"] == 48_000
    assert prices["g5.xlarge/a/on-demand"] == 250_000


def test_the_score_in_force_is_that_of_a_policy_that_matches():
    low = "priority: 1\nofferings: {score: {base: 'offering.price * 2.0'}}"
    high = "priority: 2\nmatch: {pods: 'shape.gpu > 0'}\nofferings: {score: {base: '1.0'}}"
    of = policies(low, high)
    assert prices_of(offerings(of))["m5.large/a/on-demand"] == 192_000
    assert prices_of(offerings(of, gpu=1))["m5.large/a/on-demand"] == 1_000_000


def test_variables_and_parameters_are_read():
    spec = """
params: {most: {type: double, default: 0.1}}
variables:
  cheap: "offering.price <= params.most"
  good: "vars.cheap && offering.capacityType == 'on-demand'"
offerings: {require: [{name: good, expr: "vars.good"}]}
"""
    assert names(a_catalogue(), offerings(policies(spec)).rows) == [
        "m5.large/a/on-demand", "m5.large/b/on-demand",
    ]  # fmt: skip
    assert int(offerings(policies(spec, most=0.5)).rows.sum()) == 4


@pytest.mark.parametrize("order", [[0, 1], [1, 0]], ids=["as written", "reversed"])
def test_the_order_in_which_policies_are_loaded_changes_nothing(order):
    from tests.unit.policy_facade.building import written

    both = written(NO_SPOT, NO_GPU)
    of = Policies.compile([both[i] for i in order])
    assert of.digest == Policies.compile(both).digest
    assert offerings(of).funnel == offerings(Policies.compile(both)).funnel


def test_explain_offering_shows_every_rule_with_its_values():
    of = policies(NO_SPOT, NO_GPU)
    from tests.unit.policy_facade.building import CONTEXT, a_shape

    catalogue = a_catalogue()
    spot = names(catalogue, all_rows(catalogue)).index("m5.large/a/spot")
    traces = of.explain_offering(catalogue, spot, a_pool(), a_shape(), CONTEXT)
    assert [(t.rule.rule, t.section, t.outcome) for t in traces] == [
        ("no-spot", "require", "cut"),
        ("no-gpu", "require", "kept"),
    ]
    assert traces[0].trace.value is False
    assert [(part.text, part.value) for part in traces[0].trace.parts] == [
        ("offering.capacityType", "spot")
    ]


def test_an_empty_catalogue_is_no_error():
    from policyscaler.model.offerings import Catalogue

    verdict = offerings(policies(NO_SPOT), catalogue=Catalogue(name="none", digest="none"))
    assert verdict.rows.shape == (0,)
    assert verdict.rows.dtype == np.bool_
    assert verdict.blocking is None
