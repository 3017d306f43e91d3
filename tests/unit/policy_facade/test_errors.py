"""Errors never spend and never disrupt: what each section makes of an expression that fails."""

import math

import pytest

from tests.unit.policy_facade.building import (
    CONTEXT,
    a_catalogue,
    a_node,
    a_pod,
    a_pool,
    a_shape,
    all_rows,
    names,
    offerings,
    policies,
)

# Fails on every row: no family is a number.
FAILS = "int(offering.family) > 0"
FAILS_ON_M5 = "offering.family == 'g5' || int(offering.family) > 0"
NODE_FAILS = "int(node.name) > 0"


def require(expr, extra=""):
    return f'offerings: {{require: [{{name: odd, expr: "{expr}"{extra}}}]}}'


class TestRequire:
    def test_an_error_takes_out_the_row_and_no_other(self):
        verdict = offerings(policies(require(FAILS_ON_M5)))
        assert names(a_catalogue(), verdict.rows) == [
            "g5.xlarge/a/on-demand",
            "g5.xlarge/b/on-demand",
        ]
        assert (verdict.funnel[0].cut, verdict.funnel[0].errors) == (8, 8)
        assert not verdict.suspended
        assert verdict.notes == (
            "p0/odd (p0.yaml:5:25) failed on 8 offerings: int('m5'): not an integer",
        )

    def test_a_rule_that_fails_everywhere_is_suspended_with_a_finding(self):
        verdict = offerings(policies(require(FAILS)))
        assert verdict.suspended
        assert verdict.rows.all()
        assert verdict.notes[0].startswith(
            "p0/odd (p0.yaml:5:25) is suspended: it failed on 10 offerings"
        )

    def test_a_final_rule_that_fails_everywhere_keeps_the_pods_waiting(self):
        verdict = offerings(policies(require(FAILS, ", final: true")))
        assert not verdict.suspended
        assert not verdict.rows.any()
        assert verdict.blocking.rule == "odd"
        assert (
            "failed on 10 of 10 offerings (int('g5'): not an integer); it is final, so the pods wait"
            in (verdict.message)
        )

    def test_a_plain_false_is_never_suspended(self):
        only_m5_fails = "offering.family != 'g5' && int(offering.family) > 0"
        of = policies(require(only_m5_fails), require("offering.family == 'g5'"))
        verdict = offerings(of)
        assert not verdict.rows.any(), "g5 is refused by the one, m5 by the other"
        assert not verdict.suspended

    def test_what_a_suspended_rule_plainly_refused_stays_out(self):
        verdict = offerings(
            policies(require("offering.family != 'g5' && int(offering.family) > 0"))
        )
        assert verdict.suspended
        assert names(a_catalogue(), ~verdict.rows) == [
            "g5.xlarge/a/on-demand",
            "g5.xlarge/b/on-demand",
        ]

    def test_other_rules_hold_while_one_is_suspended(self):
        of = policies(require(FAILS), require("offering.capacityType != 'spot'"))
        assert all("spot" not in name for name in names(a_catalogue(), offerings(of).rows))

    def test_on_error_ignore_lets_the_failed_rows_pass(self):
        verdict = offerings(policies(require(FAILS_ON_M5, ", onError: ignore")))
        assert verdict.rows.all()
        assert not verdict.suspended

    def test_on_error_deny_is_never_suspended(self):
        verdict = offerings(policies(require(FAILS, ", onError: deny")))
        assert not verdict.rows.any()
        assert not verdict.suspended


class TestPrices:
    def test_a_score_that_fails_makes_the_row_the_worst(self):
        spec = "offerings: {score: {base: \"offering.family == 'g5' ? 2.0 : double(offering.family)\"}}"
        verdict = offerings(policies(spec))
        by_row = verdict.prices.tolist()
        assert by_row[:2] == [2_000_000, 2_000_000]
        assert min(by_row[2:]) > 100_000_000
        assert "failed on 8 offerings" in verdict.notes[0]

    def test_a_bonus_that_fails_is_not_given(self):
        spec = (
            "offerings: {prefer: [{name: odd, expr: 'true', bonus: \"double(offering.family)\"}]}"
        )
        assert offerings(policies(spec)).prices.tolist()[0] == 1_000_000

    def test_a_malus_that_fails_makes_the_row_the_worst(self):
        spec = (
            "offerings: {prefer: [{name: odd, expr: 'true', malus: \"double(offering.family)\"}]}"
        )
        assert offerings(policies(spec)).prices.min() > 100_000_000

    def test_a_score_that_is_no_number_is_the_worst(self):
        spec = "offerings: {score: {base: '0.0 / (offering.price - offering.price)'}}"
        assert offerings(policies(spec)).prices.min() > 100_000_000


def charge(spec):
    of = policies(f"limits: [{spec}]")
    found = of.limits(a_catalogue(), a_shape(), CONTEXT, pool=a_pool())
    return found[0] if found else None


class TestLimits:
    @pytest.mark.parametrize(
        "part",
        ["by", "max", "when"],
    )
    def test_an_error_leaves_no_room(self, part):
        fields = {"by": "\"'all'\"", "amount": "offering.price", "max": "10.0", "when": "'true'"}
        broken = {
            "by": '"string(int(shape.namespace))"',
            "max": "double(shape.namespace)",
            "when": "int(shape.namespace) > 0",
        }
        fields[part] = broken[part]
        found = charge("{name: odd, " + ", ".join(f"{k}: {v}" for k, v in fields.items()) + "}")
        assert found.maximum == 0
        assert found.amounts.min() > 0
        assert "leaves no room" in found.error

    def test_a_row_whose_amount_fails_fits_under_no_limit(self):
        found = charge(
            "{name: odd, by: \"'all'\", amount: \"offering.family == 'g5' ? 1.0 : double(offering.family)\", max: 1000000.0}"
        )
        assert found.amounts.tolist()[:2] == [1_000_000, 1_000_000]
        assert (found.amounts[2:] > found.maximum).all()

    def test_on_error_ignore_drops_the_limit(self):
        assert (
            charge(
                "{name: odd, by: \"'all'\", amount: '1.0', max: double(shape.namespace), onError: ignore}"
            )
            is None
        )

    def test_a_limit_that_depends_on_an_unknown_pool_leaves_no_room(self):
        of = policies("limits: [{name: x, by: pool.name, amount: '1.0', max: '5.0'}]")
        assert of.limits(a_catalogue(), a_shape(), CONTEXT)[0].maximum == 0


class TestDisruption:
    ELIGIBLE = "disruption: {eligible: [{name: any, reason: Empty, when: 'true'}]}"

    def test_an_error_in_deny_denies(self):
        of = policies(self.ELIGIBLE, f'disruption: {{deny: [{{name: odd, when: "{NODE_FAILS}"}}]}}')
        verdict = of.disruption(a_node(), a_pool(), CONTEXT)
        assert verdict.eligible == {}
        assert verdict.denied[0].error == "int('n1'): not an integer"
        assert [error.rule.rule for error in verdict.errors] == ["odd"]

    def test_an_error_in_eligible_allows_nothing(self):
        of = policies(
            f'disruption: {{eligible: [{{name: odd, reason: Empty, when: "{NODE_FAILS}"}}]}}'
        )
        verdict = of.disruption(a_node(), a_pool(), CONTEXT)
        assert verdict.eligible == {}
        assert [error.rule.rule for error in verdict.errors] == ["odd"]

    def test_an_error_in_cost_is_infinite(self):
        of = policies(self.ELIGIBLE, "disruption: {cost: double(node.name)}")
        assert of.disruption(a_node(), a_pool(), CONTEXT).cost == math.inf

    def test_a_match_that_fails_may_deny_and_may_not_allow(self):
        match = "match: {pools: 'int(pool.name) > 0'}\n"
        allow = policies(match + self.ELIGIBLE)
        assert allow.disruption(a_node(), a_pool(), CONTEXT).eligible == {}
        deny = policies(self.ELIGIBLE, match + "disruption: {deny: [{name: all, when: 'true'}]}")
        assert deny.disruption(a_node(), a_pool(), CONTEXT).eligible == {}

    def test_an_error_in_replace_refuses(self):
        of = policies("disruption: {replace: [{name: odd, expr: 'int(replacement.type) > 0'}]}")
        current = {"price": 1.0, "capacityType": "spot", "types": ["m5.large"], "count": 1}
        coming = {
            "price": 0.5,
            "capacityType": "spot",
            "type": "m5",
            "zone": "a",
            "candidates": 1,
            "cheaperTypes": 1,
        }
        step = {"reason": "Underutilized", "cost": 1.0}
        (verdict,) = of.replace(current, coming, step, CONTEXT, pool=a_pool())
        assert not verdict.passed
        assert verdict.error == "int('m5'): not an integer"

    def test_a_pod_without_what_a_rule_reads_denies(self):
        of = policies(
            self.ELIGIBLE,
            "disruption: {deny: [{name: pods, when: 'node.pods.exists(p, p.pdbBlocked)'}]}",
        )
        broken = a_pod()
        del broken["pdbBlocked"]
        assert of.disruption(a_node(pods=[broken]), a_pool(), CONTEXT).eligible == {}


def test_errors_of_rows_that_nobody_asked_about_are_not_reported():
    catalogue = a_catalogue()
    rows = all_rows(catalogue)
    rows[2:] = False
    assert offerings(policies(require(FAILS_ON_M5)), rows=rows).notes == ()
