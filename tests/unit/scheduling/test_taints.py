"""Taints and tolerations."""

import pytest

from policyscaler.model.nodes import NO_EXECUTE, PREFER_NO_SCHEDULE, Taint
from policyscaler.model.pods import Toleration
from policyscaler.scheduling.taints import lasting, tolerates, untolerated

TAINT = Taint(key="k", value="v")


@pytest.mark.parametrize(
    ("toleration", "fine"),
    [
        (Toleration(key="k", value="v"), True),
        (Toleration(key="k", value="other"), False),
        (Toleration(key="k"), False),
        (Toleration(key="other", value="v"), False),
        (Toleration(key="k", operator="Exists"), True),
        (Toleration(operator="Exists"), True),
        (Toleration(value="v"), False),
        (Toleration(operator="Exists", effect="NoSchedule"), True),
        (Toleration(operator="Exists", effect="NoExecute"), False),
    ],
    ids=["equal", "other value", "no value", "other key", "exists", "everything",
         "equal without a key", "same effect", "other effect"],
)  # fmt: skip
def test_a_toleration_accepts_what_kubernetes_says(toleration, fine):
    assert tolerates(toleration, TAINT) is fine
    assert (untolerated((TAINT,), (toleration,)) is None) is fine


def test_soft_taints_count_only_when_asked_for():
    soft = Taint(key="soft", effect=PREFER_NO_SCHEDULE)
    assert untolerated((soft,), ()) is None
    assert untolerated((soft, TAINT), ()) == TAINT
    assert untolerated((soft,), (), soft=True) == soft


def test_a_starting_node_will_lose_its_startup_and_lifecycle_taints():
    startup = Taint(key="agent", value="x")
    now = (
        TAINT, startup, Taint(key="node.kubernetes.io/not-ready"),
        Taint(key="node.kubernetes.io/not-ready", effect=NO_EXECUTE),
        Taint(key="karpenter.sh/unregistered", effect=NO_EXECUTE),
        Taint(key="readiness.k8s.io/cni"),
    )  # fmt: skip
    assert lasting(now, (Taint(key="agent"),), initialized=False) == (TAINT,)
    assert lasting(now, (Taint(key="agent"),), initialized=True) == now


def test_a_startup_taint_of_another_effect_lasts():
    other = Taint(key="agent", effect=NO_EXECUTE)
    assert lasting((other,), (Taint(key="agent"),), initialized=False) == (other,)
