"""What people read, against golden files: from plans made by hand, so that nothing else moves them."""

import pytest

from policyscaler.cli.text.plan import plan_lines
from policyscaler.cli.text.pods import group_pods
from policyscaler.cli.text.simulation import clock_text
from policyscaler.cli.text.tables import count, table
from policyscaler.model.meta import ObjectMeta, OwnerReference, SourcePosition
from policyscaler.model.nodes import NodeClassRef, Taint
from policyscaler.model.plan import (
    ChosenOffering,
    DisruptionCommand,
    ExistingPlacement,
    Finding,
    Plan,
    PlannedNode,
    PoolRefusal,
    RuleRef,
    Unschedulable,
)
from policyscaler.model.pods import Pod, PodSpec

RULE = RuleRef(
    policy="house", rule="amd64", source=SourcePosition(file="policy.yaml", line=7, column=9)
)


def offering(name, price, zone="z1"):
    return ChosenOffering(
        instance_type=name, zone=zone, capacity_type="spot", price_micros_per_hour=price
    )


def node(name, *offerings, pods=()):
    return PlannedNode(
        name=name, pool="general", node_class=NodeClassRef(group="g", kind="K", name="k"),
        offerings=offerings, pods=pods, requests={"cpu": 3500, "memory": 7 * 2**30, "pods": 4},
        taints=(Taint(key="team", value="a"),),
    )  # fmt: skip


def pods_of(workload, size):
    owner = OwnerReference(kind="ReplicaSet", name=f"{workload}-abc12", controller=True)
    return {
        ("default", f"{workload}-abc12-{n}"): Pod(
            meta=ObjectMeta(
                name=f"{workload}-abc12-{n}", namespace="default", owners=(owner,),
                labels={"pod-template-hash": "abc12"},
            ),
            spec=PodSpec(),
        )
        for n in range(size)
    }  # fmt: skip


WEB, API = pods_of("web", 3), pods_of("api", 2)
PLAN = Plan(
    launches=(
        node("general-1", offering("m4", 200_000), offering("m4", 210_000, "z2"), offering("c8", 199_999),
             offering("m8", 400_000), offering("r8", 500_000), pods=(*WEB, ("default", "alone"))),
        node("general-2", offering("m4", 200_000), pods=tuple(API)),
    ),
    existing=(ExistingPlacement(node="old-1", pods=(("default", "alone-2"),)),),
    unschedulable=(
        Unschedulable(
            pods=(("default", "big"),),
            refusals=(
                PoolRefusal(pool="general", constraint="resources", message="needs cpu 96; the most is 62",
                            nearest_miss="a smaller cpu"),
                PoolRefusal(pool="gpu", constraint="policy", message="policy leaves none of 4 offerings", rule=RULE),
            ),
        ),
        Unschedulable(pods=(("default", "nowhere"),)),
    ),
    disruptions=(
        DisruptionCommand(reason="Empty", nodes=("old-2",), savings_micros_per_hour=96_000, rules=(RULE,)),
        DisruptionCommand(reason="Expired", nodes=("old-3",), replacements=(node("general-3", offering("m4", 200_000)),),
                          moves=tuple(WEB)[:2], savings_micros_per_hour=-4_000, forceful=True),
    ),
    price_micros_per_hour=400_000,
    findings=(Finding(severity="warning", subject="default/web", message="a rule was suspended", rule=RULE),),
)  # fmt: skip


def test_a_plan_reads_as_agreed(golden):
    text = "\n".join(plan_lines(PLAN, pods={**WEB, **API}, notes=["prices are invented"])) + "\n"
    golden("cli/plan.txt", text)


def test_an_empty_plan_says_so_in_one_line():
    assert plan_lines(Plan(), pods={}) == ["PLAN: nothing to do"]


def test_pods_are_grouped_by_what_made_them_largest_first():
    keys = [*API, *WEB, ("kube-system", "lone")]
    assert group_pods(keys, {**WEB, **API}) == [
        "default/web ×3",
        "default/api ×2",
        "kube-system/lone",
    ]


def test_a_table_is_aligned_and_has_no_trailing_blanks():
    assert table(("A", "LONG"), [("xyz", "1"), ("x",)]) == ["A     LONG", "xyz   1", "x"]


@pytest.mark.parametrize(("number", "text"), [(0, "0 pods"), (1, "1 pod"), (1200, "1,200 pods")])
def test_counts_have_the_right_noun(number, text):
    assert count(number, "pod") == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "00:00:00"), (3661, "01:01:01"), (172_800, "48:00:00")]
)
def test_the_clock_of_a_run_goes_beyond_a_day(seconds, text):
    assert clock_text(seconds) == text
