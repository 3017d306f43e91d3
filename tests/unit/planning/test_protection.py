"""Pods that may not be moved, for now or at all."""

from datetime import timedelta

import pytest

from policyscaler.model.meta import LabelSelector, ObjectMeta
from policyscaler.model.workloads import DisruptionBudget
from policyscaler.planning.protection import (
    allowed_disruptions,
    blocked_pods,
    is_protected,
    stuck_pods,
)
from policyscaler.testing.builders import NOW, a_pod, a_snapshot

ALL = LabelSelector(match_labels={"app": "web"})


def a_budget(name="pdb", *, selector=ALL, **fields):
    meta = ObjectMeta(name=name, namespace="default")
    return DisruptionBudget(meta=meta, selector=selector, **fields)


def web(count, *, ready=None, **fields):
    """So many running pods, the first `ready` of them ready."""
    healthy = count if ready is None else ready
    return [
        a_pod(f"web-{i}", node="n", labels={"app": "web"}, phase="Running", ready=i < healthy,
              unschedulable=False, **fields)
        for i in range(count)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "count", "ready", "left"),
    [
        ({"max_unavailable": "1"}, 3, 3, 1),
        ({"max_unavailable": "1"}, 3, 2, 0),
        ({"max_unavailable": "0"}, 3, 3, 0),
        ({"max_unavailable": "30%"}, 4, 4, 2),
        ({"max_unavailable": "100%"}, 4, 1, 1),
        ({"max_unavailable": "9"}, 4, 4, 4),
        ({"min_available": "2"}, 3, 3, 1),
        ({"min_available": "50%"}, 3, 3, 1),
        ({"min_available": "100%"}, 3, 3, 0),
        ({"min_available": "9"}, 3, 3, 0),
        ({}, 3, 3, 3),
    ],
)
def test_how_many_may_go(fields, count, ready, left):
    assert allowed_disruptions(a_budget(**fields), web(count, ready=ready)) == left


def test_pods_that_have_ended_do_not_count():
    ended = a_pod("done", labels={"app": "web"}, phase="Succeeded")
    assert allowed_disruptions(a_budget(max_unavailable="50%"), [*web(2), ended]) == 1


def blocked(budgets, pods):
    state = a_snapshot(pods, disruption_budgets={b.meta.key: b for b in budgets})
    return {name for _, name in blocked_pods(state)}


def test_pods_are_blocked_while_their_budget_leaves_none():
    assert blocked([a_budget(max_unavailable="1")], web(2)) == set()
    assert blocked([a_budget(max_unavailable="1")], web(2, ready=1)) == {"web-0", "web-1"}


def test_a_budget_that_spares_unhealthy_pods_blocks_the_healthy_ones_only():
    spares = a_budget(max_unavailable="1", always_evict_unhealthy=True)
    assert blocked([spares], web(3, ready=2)) == {"web-0", "web-1"}


def test_two_budgets_block_whatever_they_leave():
    two = [a_budget("a", max_unavailable="9"), a_budget("b", max_unavailable="9")]
    assert blocked(two, web(1)) == {"web-0"}


def test_a_budget_without_a_selector_or_of_another_namespace_blocks_nothing():
    assert blocked([a_budget(selector=None, max_unavailable="0")], web(1)) == set()
    assert blocked([a_budget(max_unavailable="0")], web(1, namespace="other")) == set()


@pytest.mark.parametrize(
    ("text", "running_for", "held"),
    [
        ("true", timedelta(days=9), True),
        ("false", timedelta(0), False),
        ("", timedelta(0), False),
        ("1h", timedelta(minutes=59), True),
        ("1h", timedelta(hours=1), False),
        ("1h", None, True),
        ("-1h", timedelta(0), False),
        ("0s", None, False),
        ("soon", timedelta(0), False),
    ],
)
def test_do_not_disrupt_is_true_or_a_time_from_the_start(text, running_for, held):
    started = None if running_for is None else NOW - running_for
    pod = a_pod(annotations={"karpenter.sh/do-not-disrupt": text}, started=started)
    assert is_protected(pod, NOW) is held


def test_do_not_disrupt_of_a_pod_that_ends_holds_nothing():
    mark = {"karpenter.sh/do-not-disrupt": "true"}
    assert not is_protected(a_pod(annotations=mark, phase="Failed"), NOW)
    assert not is_protected(a_pod(annotations=mark, deleted=NOW), NOW)


@pytest.mark.parametrize(
    ("fields", "stuck"),
    [
        ({"max_unavailable": "0"}, True),
        ({"max_unavailable": "0%"}, True),
        ({"min_available": "100%"}, True),
        ({"max_unavailable": "1"}, False),
        ({"min_available": "1"}, False),
        ({"max_unavailable": "0", "always_evict_unhealthy": True}, False),
    ],
)
def test_pods_that_no_eviction_will_ever_move_are_stuck(fields, stuck):
    state = a_snapshot(web(1, ready=0), disruption_budgets={("default", "pdb"): a_budget(**fields)})
    assert bool(stuck_pods(state, NOW)) is stuck


def test_two_budgets_or_do_not_disrupt_are_stuck_too_and_pending_pods_are_not():
    two = {("default", name): a_budget(name, max_unavailable="1") for name in "ab"}
    assert stuck_pods(a_snapshot(web(1), disruption_budgets=two), NOW) == {("default", "web-0")}
    held = web(1, annotations={"karpenter.sh/do-not-disrupt": "true"})
    pending = a_pod("p", labels={"app": "web"}, annotations={"karpenter.sh/do-not-disrupt": "true"})
    assert stuck_pods(a_snapshot(held, pending), NOW) == {("default", "web-0")}
