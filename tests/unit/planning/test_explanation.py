"""Why a pod, or an offering, is decided as it is."""

import pytest

from policyscaler.manifests.loading import load_text
from policyscaler.model.errors import ConfigError
from policyscaler.model.nodes import Taint
from policyscaler.planning.explanation import Explainer, find_pod
from policyscaler.planning.planner import PolicyPlanner
from policyscaler.policy.bundles import load_bundle
from policyscaler.testing.builders import (
    NOW,
    a_node,
    a_pod,
    a_pool,
    a_snapshot,
    a_type,
    replicas,
)

TYPES = (
    a_type("m2", "2", price="0.10"),
    a_type("m4", price="0.20"),
    a_type("m8", "8", unavailable=("on-demand",)),
)
POLICY = """
apiVersion: policyscaler.dev/v1alpha1
kind: ScalingPolicy
metadata: {name: own}
spec:
  offerings:
    require: [{name: small, expr: offering.cpu < 4.0, message: too large for us}]
"""
OWN = load_text(POLICY, name="own.yaml").policies


def explained(*objects, own=OWN):
    state = a_snapshot(objects)
    planner = PolicyPlanner((*load_bundle(), *own))
    return Explainer(state, policies=planner.policies(state), now=NOW, plan=planner(state, NOW))


def test_a_launch_tells_how_offerings_were_narrowed_for_each_pool():
    pods = replicas("web", 2, cpu="500m", must=("zone In z1",))
    answer = explained(a_pool("a"), a_pool("z", taints=(Taint(key="t"),)), TYPES, pods).pod(
        ("default", "web-1")
    )
    assert answer.outcome == "launch"
    assert answer.launch.chosen.instance_type == "m2"
    assert len(answer.equals) == 2
    tainted, open_pool = answer.stories
    assert (tainted.pool, tainted.refusal.constraint, tainted.screened) == ("z", "taints", None)
    assert [count for _, count in open_pool.steps] == [9, 9, 3, 2, 2]
    assert [line.kept for line in open_pool.screened.funnel][-1] == 1


def test_a_pod_without_a_place_tells_why_for_each_pool():
    answer = explained(a_pool("a"), TYPES, a_pod("web", cpu="3")).pod(("default", "web"))
    assert answer.outcome == "unschedulable"
    (refusal,) = answer.refusals
    assert refusal.constraint == "policy"
    assert (
        "own/small (own.yaml:7:15) leaves none of 3 offerings: too large for us" in refusal.message
    )
    assert answer.stories[0].refusal.constraint == "policy"


def test_pods_on_nodes_need_no_story():
    node = a_node("n1", TYPES[1])
    pods = [a_pod("there", node="n1"), a_pod("joins"), a_pod("shuns", must=("pool DoesNotExist",))]
    answers = explained(a_pool(), TYPES, node, pods)
    assert (answers.pod(("default", "there")).outcome, answers.pod(("default", "there")).node) == (
        "bound",
        "n1",
    )
    assert (answers.pod(("default", "joins")).outcome, answers.pod(("default", "joins")).node) == (
        "existing",
        "n1",
    )
    assert answers.pod(("default", "shuns")).outcome == "ignored"


@pytest.mark.parametrize(
    ("name", "allowed", "reason"),
    [
        ("m2/z1/on-demand", True, ""),
        ("m4/z1/on-demand", False, "too large for us"),
        ("m8/z1/on-demand", False, "all 1 offerings that fit are unavailable now"),
    ],
)
def test_an_offering_tells_what_stands_in_its_way(name, allowed, reason):
    (answer,) = explained(a_pool("a"), TYPES, a_pod("web")).offering(name, a_pod("web"))
    assert (
        answer.pool,
        answer.row.name,
        answer.allowed,
        answer.reason.split(": ")[-1].split(";")[0],
    ) == (
        "a",
        name,
        allowed,
        reason,
    )
    assert any(trace.rule.rule == "small" for trace in answer.rules)


def test_an_unknown_offering_is_told_what_one_looks_like():
    with pytest.raises(ConfigError, match="such as m2/z1/on-demand"):
        explained(a_pool("a"), TYPES, a_pod("web")).offering("m2", a_pod("web"))
    with pytest.raises(ConfigError, match=r"such as m5\.large"):
        explained(a_pod("web")).offering("m2", a_pod("web"))


NAMES = a_snapshot(
    a_pod("web-0", node="n1"),
    a_pod("web-1"),
    a_pod("api"),
    a_pod("api", namespace="other"),
    a_pod("db", namespace="other"),
)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("db", ("other", "db")),
        ("other/api", ("other", "api")),
        ("web", ("default", "web-1")),
        ("default/web", ("default", "web-1")),
        ("web-0", ("default", "web-0")),
    ],
)
def test_pods_are_found_by_name_or_workload(name, found):
    assert find_pod(NAMES, name) == found


def test_names_that_mean_none_or_several_are_refused():
    with pytest.raises(ConfigError, match="may be default/api, other/api"):
        find_pod(NAMES, "api")
    with pytest.raises(ConfigError, match="there are 5, such as default/api"):
        find_pod(NAMES, "nothing")
    with pytest.raises(ConfigError, match="there are 0, such as none"):
        find_pod(a_snapshot(), "nothing")
