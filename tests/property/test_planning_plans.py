"""Every plan holds what it promises, and depends on nothing but its arguments."""

import os
import subprocess
import sys

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from policyscaler.planning.decide import decide
from policyscaler.planning.effort import Effort, Memo
from policyscaler.planning.planner import PolicyPlanner
from policyscaler.policy.bundles import load_bundle
from policyscaler.policy.evaluation import Policies
from policyscaler.testing.builders import NOW
from tests.gates.repository import ROOT
from tests.property.worlds import faults, worlds

NO_POLICIES = Policies.compile(())
BASELINE = Effort(incremental=0)
MAPS = ("pools", "nodes", "claims", "pods", "daemon_sets", "node_classes", "catalogues")


def encoded(plan):
    return msgspec.json.encode(plan, order="deterministic")


@given(worlds())
def test_every_plan_holds_what_it_promises(snapshot):
    assert faults(snapshot, decide(snapshot, NO_POLICIES, NOW)) == []


@given(worlds())
@settings(max_examples=25)
def test_so_do_plans_under_the_default_bundle(snapshot):
    assert faults(snapshot, PolicyPlanner(load_bundle())(snapshot, NOW)) == []


@given(worlds(), st.randoms(use_true_random=False))
def test_the_order_of_maps_changes_no_byte(snapshot, chance):
    plan = decide(snapshot, NO_POLICIES, NOW)
    shuffled = {name: dict(chance.sample(sorted(getattr(snapshot, name).items(), key=str),
                                         len(getattr(snapshot, name)))) for name in MAPS}  # fmt: skip
    again = decide(msgspec.structs.replace(snapshot, **shuffled), NO_POLICIES, NOW)
    assert encoded(again) == encoded(plan)


@given(worlds(), worlds())
def test_what_is_remembered_changes_no_byte(snapshot, other):
    cold = encoded(decide(snapshot, NO_POLICIES, NOW))
    memo = Memo()
    decide(other, NO_POLICIES, NOW, memo=memo)
    assert encoded(decide(snapshot, NO_POLICIES, NOW, memo=memo)) == cold
    assert encoded(decide(snapshot, NO_POLICIES, NOW, memo=memo)) == cold


@given(worlds(limited=False))
def test_no_plan_is_dearer_than_the_baseline(snapshot):
    plan, baseline = decide(snapshot, NO_POLICIES, NOW), decide(
        snapshot, NO_POLICIES, NOW, effort=BASELINE
    )  # fmt: skip
    assert plan.price_micros_per_hour <= baseline.price_micros_per_hour
    assert [e.pods for e in plan.unschedulable] == [e.pods for e in baseline.unschedulable]


SCENARIO = """
import hashlib, random, sys
import msgspec
from policyscaler.planning.planner import PolicyPlanner
from policyscaler.policy.bundles import load_bundle
from policyscaler.testing.builders import *
from policyscaler.testing.karpenter_fixture import fixture_f
chance = random.Random(7)
pods = [a_pod(f"p{i}", cpu=f"{chance.choice([100, 300, 900])}m", labels={"app": str(i % 5), "tier": "x"},
              must=chance.choice([(), ("integer Gt 2",), ("size In small large",)])) for i in range(120)]
kind = fixture_f()[0]
nodes = [a_node(f"n{i}", kind, pool="b") for i in range(6)]
bound = [a_pod(f"b{i}", cpu="1", node=f"n{i % 5}", labels={"app": "b"}, unschedulable=False) for i in range(9)]
pools = [a_pool("a", "arch In amd64", limits={"cpu": "30"}), a_pool("b", "tier In gold silver", weight=5,
         limits={"cpu": "60"}, labels={"x": "1", "y": "2"}), a_pool("c")]
snapshot = a_snapshot(pools, fixture_f(), pods, nodes, [a_claim(n) for n in nodes], bound,
                      a_daemon_set("agent", cpu="100m"))
plan = PolicyPlanner(load_bundle())(snapshot, NOW)
assert plan.launches and plan.existing
sys.stdout.write(hashlib.sha256(msgspec.json.encode(plan)).hexdigest())
"""


def test_the_seed_of_hashes_changes_no_byte():
    digests = {
        subprocess.run(
            [sys.executable, "-c", SCENARIO], cwd=ROOT, capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "4711")
    }  # fmt: skip
    assert len(digests) == 1
    assert all(len(digest) == 64 for digest in digests)
