"""How policies come together: alternatives, audits, order, and what traces show."""

import msgspec

from policyscaler.model.offerings import rows_of
from policyscaler.policy.compiler import compile_pool, keys_of
from policyscaler.policy.evaluation import Policies, load_findings
from tests.unit.policy_facade.building import (
    CONTEXT,
    a_catalogue,
    a_node,
    a_pool,
    a_shape,
    offerings,
    policies,
    written,
)
from tests.unit.policy_facade.test_compiler import a_node_pool

QUIET = "{name: quiet, reason: Empty, when: node.quietFor > duration('30m')}"
YOUNG = "{name: young, reason: Empty, when: node.age < duration('1h')}"
ALL = "disruption: {eligible: [{name: any, reason: Empty, when: 'true'}]}"


def eligible(*specs, **node):
    return policies(*specs).disruption(a_node(**node), a_pool(), CONTEXT).eligible


def test_eligible_rules_of_one_policy_must_all_hold():
    assert eligible(f"disruption: {{eligible: [{QUIET}, {YOUNG}]}}") == {}


def test_eligible_rules_of_several_policies_are_alternatives():
    found = eligible(f"disruption: {{eligible: [{QUIET}]}}", f"disruption: {{eligible: [{YOUNG}]}}")
    assert [rule.rule for rule in found["Empty"]] == ["quiet"]


def test_costs_add_up():
    of = policies("disruption: {cost: 1.5}", "disruption: {cost: 0.25}")
    assert of.disruption(a_node(), a_pool(), CONTEXT).cost == 1.75


def test_audited_deny_and_eligible_rules_are_reported_and_change_nothing():
    audited = "mode: audit\ndisruption: {deny: [{name: all, when: 'true'}], eligible: [{name: old, reason: Expired, when: 'true'}], cost: 9.0}"
    verdict = policies(ALL, audited).disruption(a_node(), a_pool(), CONTEXT)
    assert list(verdict.eligible) == ["Empty"]
    assert (verdict.denied, verdict.cost) == ((), 0.0)
    assert verdict.notes == (
        "audit: p1/all (p1.yaml:6:23) would keep it from Empty, Drifted, Underutilized, Expired",
        "audit: p1/old (p1.yaml:6:62) would let it go as Expired",
    )


def test_an_audited_preference_is_reported_and_ranks_nothing():
    spec = "mode: audit\nofferings: {prefer: [{name: cheap, expr: 'true', bonus: 0.01}]}"
    verdict = offerings(policies(spec))
    prices = [row.offering.price_micros_per_hour for row in rows_of(a_catalogue())]
    assert verdict.prices.tolist() == prices
    assert verdict.notes == (
        "audit: p0/cheap (p0.yaml:6:24) would change the rank of 10 offerings",
    )


def test_an_audited_score_ranks_nothing():
    spec = "mode: audit\nofferings: {score: {base: '7.0'}}"
    verdict = offerings(policies(spec))
    assert verdict.prices.max() == 1_000_000
    assert verdict.notes == ("audit: p0 would rank by its own score",)


def test_an_audited_replace_rule_is_not_asked():
    of = policies("mode: audit\ndisruption: {replace: [{name: never, expr: 'false'}]}")
    assert of.replace({}, {}, {}, CONTEXT, pool=a_pool()) == ()


def test_generated_policies_are_asked_first_then_bundles_then_a_users_own():
    own, bundled = written(*["offerings: {require: [{name: a, expr: 'true'}]}"] * 2)
    bundled = msgspec.structs.replace(bundled, bundle="karpenter")
    generated = compile_pool(
        a_node_pool(labels={"kubernetes.io/os": "linux"}), keys_of(a_catalogue())
    )
    verdict = offerings(Policies.compile([own, bundled, generated]))
    assert [count.rule.policy for count in verdict.funnel] == ["nodepool.default", "p1", "p0"]


def test_a_trace_shows_a_variable_in_its_own_words():
    spec = """
variables: {big: "offering.cpu > 2.0", good: "vars.big && offering.zone == 'a'"}
offerings: {require: [{name: good, expr: "!vars.good"}]}
"""
    (trace,) = policies(spec).explain_offering(a_catalogue(), 0, a_pool(), a_shape(), CONTEXT)
    (good,) = trace.trace.parts
    assert (trace.trace.text, trace.trace.value) == ("!vars.good", False)
    assert (good.text, good.value) == ("vars.big && offering.zone == 'a'", True)
    assert [part.text for part in good.parts] == ["offering.cpu > 2.0", "offering.zone == 'a'"]


def test_bounds_of_parameters_are_inclusive():
    spec = "params: {most: {type: int, default: 1, min: 1, max: 3}}\nmatch: {pods: shape.count < params.most}"
    assert [load_findings(written(spec), params={"most": most}) for most in (1, 3)] == [(), ()]
