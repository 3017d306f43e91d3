"""What a NodePool says of itself stays in force whatever a bundle calls eligible."""

from datetime import timedelta

import pytest

from policyscaler.manifests.loading import load_text
from policyscaler.model.labels import GRACEFUL_EXPIRY
from policyscaler.model.meta import ObjectMeta
from policyscaler.model.nodes import NodeClassRef
from policyscaler.model.pools import Disruption, NodePool
from policyscaler.policy.compiler import compile_pool, keys_of
from policyscaler.policy.evaluation import Policies
from policyscaler.policy.rendering import render, render_all
from policyscaler.policy.verdicts import REASONS
from tests.unit.policy_facade.building import CONTEXT, a_catalogue, a_node, a_pool, a_shape, written

_GREEDY_RULES = ", ".join(
    f"{{name: {reason}, reason: {reason}, when: 'true'}}" for reason in REASONS
)
GREEDY = f"disruption: {{eligible: [{_GREEDY_RULES}]}}"


def a_node_pool(name="default", **fields):
    ref = NodeClassRef(group="example.com", kind="Class", name="c")
    return NodePool(meta=ObjectMeta(name=name), node_class=ref, **fields)


def reasons(pool, **node):
    policy = compile_pool(pool, keys_of(a_catalogue()))
    of = Policies.compile([policy, *written(GREEDY)])
    return list(of.disruption(a_node(**node), a_pool(name="default"), CONTEXT).eligible)


def consolidated(after=timedelta(0), policy="WhenEmptyOrUnderutilized"):
    return a_node_pool(disruption=Disruption(consolidate_after=after, policy=policy))


@pytest.mark.parametrize(
    ("pool", "node", "expected"),
    [
        pytest.param(consolidated(), {}, list(REASONS), id="nothing is forbidden"),
        pytest.param(consolidated(policy="WhenEmpty"), {}, ["Empty", "Drifted", "Expired"], id="WhenEmpty with pods"),
        pytest.param(consolidated(policy="WhenEmpty"), {"empty": True}, list(REASONS), id="WhenEmpty without pods"),
        pytest.param(consolidated(None), {"empty": True}, ["Drifted", "Expired"], id="consolidateAfter Never"),
        pytest.param(consolidated(timedelta(hours=2)), {}, ["Drifted", "Expired"], id="consolidateAfter not elapsed"),
        pytest.param(consolidated(timedelta(hours=1)), {}, list(REASONS), id="consolidateAfter just elapsed"),
        pytest.param(a_node_pool(replicas=3), {"empty": True}, ["Drifted", "Expired"], id="a static pool"),
        pytest.param(a_node_pool("other", replicas=3), {}, list(REASONS), id="another pool's policy"),
    ],
)  # fmt: skip
def test_a_greedy_bundle_is_held_back_by_the_pool(pool, node, expected):
    assert reasons(pool, **node) == expected


def test_limits_of_pools_are_shown_and_left_to_the_solver():
    policy = compile_pool(a_node_pool(limits={"cpu": 2500, "nodes": 3}), keys_of(a_catalogue()))
    assert [(rule.name, rule.max.text) for rule in policy.limits] == [
        ("cpu", "2.5"),
        ("nodes", "3.0"),
    ]
    of = Policies.compile([policy])
    assert of.limits(a_catalogue(), a_shape(), CONTEXT, pool=a_pool()) == ()


def test_labels_that_no_machine_has_are_the_pods_choice():
    text = """
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template:
    metadata: {labels: {team: web}}
    spec:
      nodeClassRef: {group: example.com, kind: Class, name: c}
      requirements:
        - {key: example.com/tier, operator: In, values: [gold, silver], minValues: 2}
        - {key: machines.example/instance-family, operator: In, values: [m5]}
"""
    (pool,) = load_text(text, name="pool.yaml").pools
    policy = compile_pool(pool, keys_of(a_catalogue()))
    assert [rule.name for rule in policy.require] == ["instance-family"]
    assert str(policy.require[0].source) == "pool.yaml:12:11"
    assert policy.launch["podsChoose"] == {
        "example.com/tier": "example.com/tier In [gold silver] minValues 2"
    }
    assert policy.launch["minValues"] == {"example.com/tier": 2}
    assert policy.launch["labels"] == {"team": "web"}


def test_converted_pools_show_that_their_expiry_is_graceful():
    policy = compile_pool(a_node_pool(graceful_expiry=True), keys_of(a_catalogue()))
    assert policy.meta.annotations[GRACEFUL_EXPIRY] == "true"
    assert f'{GRACEFUL_EXPIRY}: "true"' in render(policy)


def test_names_with_quotes_cannot_leave_their_literal():
    pool = a_node_pool("it's \\ odd")
    of = Policies.compile([compile_pool(pool, keys_of(a_catalogue())), *written(GREEDY)])
    assert of.disruption(a_node(), a_pool(), CONTEXT).eligible


EVERY_SECTION = """
priority: 3
mode: audit
match: {pods: "shape.gpu > 0", pools: "pool.name != ''"}
params: {most: {type: double, default: 0.5, min: 0.1, max: 9.0}, word: {type: string, default: "yes"}}
variables: {cheap: "offering.price < params.most"}
offerings:
  require: [{name: a, expr: "vars.cheap && params.word != \\"no\\"", message: "say: 'no'", final: true, onError: deny}]
  prefer: [{name: b, expr: "true", bonus: 0.1}, {name: c, expr: "false", malus: 0.2}]
  score: {base: offering.price}
limits: [{name: d, when: shape.gpu > 1, by: "'x'", amount: offering.price, max: 1.5, onError: ignore}]
disruption:
  eligible: [{name: e, reason: Empty, when: node.empty}]
  deny: [{name: f, when: "node.age < duration('1h')", message: "young\\tnodes", final: true}]
  cost: 1.0
  replace: [{name: g, expr: "replacement.price < current.price"}]
"""


def test_every_section_is_printed_so_that_it_loads_again():
    before = written(EVERY_SECTION, GREEDY)
    again = load_text(render_all(before), name="again.yaml")
    assert [str(finding) for finding in again.findings] == []
    assert Policies.compile(again.policies).digest == Policies.compile(before).digest
