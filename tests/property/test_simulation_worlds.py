"""Random worlds with random events keep the invariants, whoever plans."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policyscaler.model import labels as well
from policyscaler.model.meta import ObjectMeta
from policyscaler.model.nodes import Taint
from policyscaler.model.pools import Budget, Disruption
from policyscaler.model.workloads import DaemonSet, Job
from policyscaler.planning.planner import PolicyPlanner
from policyscaler.policy.bundles import load_bundle
from policyscaler.simulation.market import Selection
from policyscaler.simulation.objects import Objects
from policyscaler.simulation.scenario import (
    CapacityError,
    Delete,
    Interrupt,
    LaunchFailure,
    PriceChange,
    Scale,
    ScenarioEvent,
)
from policyscaler.simulation.script import Script
from policyscaler.testing.invariants import Invariants
from tests.unit.simulation.standin import (
    StandIn,
    a_budget,
    a_pool,
    a_template,
    a_workload,
    a_world,
    step,
)

APPS = ("web", "api", "db")
PROTECTED = {well.DO_NOT_DISRUPT: "true"}
OFFERINGS = st.builds(
    Selection,
    instance_type=st.sampled_from(("", "metal.02", "metal.08")),
    capacity_type=st.sampled_from(("", "spot", "on-demand")),
    zone=st.sampled_from(("", "zone-a")),
)
ACTIONS = st.one_of(
    st.builds(
        Scale,
        kind=st.just("Deployment"),
        namespace=st.just("default"),
        name=st.sampled_from(APPS),
        replicas=st.integers(0, 12),
    ),
    st.builds(Interrupt, random=st.integers(1, 3)),
    st.builds(LaunchFailure, count=st.integers(1, 3), silently=st.booleans()),
    st.builds(
        CapacityError,
        offerings=OFFERINGS,
        duration=st.integers(1, 30).map(lambda m: timedelta(minutes=m)),
    ),
    st.builds(PriceChange, offerings=OFFERINGS, price=st.integers(10_000, 900_000)),
    st.builds(
        Delete, kind=st.just("Deployment"), namespace=st.just("default"), name=st.sampled_from(APPS)
    ),
)
EVENTS = st.lists(
    st.builds(
        ScenarioEvent, at=st.integers(0, 110).map(lambda m: timedelta(minutes=m)), action=ACTIONS
    ),
    max_size=8,
)
POOLS = st.builds(
    a_pool,
    limits=st.sampled_from(({}, {"cpu": 24_000}, {"nodes": 3}, {"cpu": 4000})),
    expire_after=st.sampled_from((None, timedelta(minutes=25))),
    termination_grace=st.sampled_from((None, timedelta(minutes=4))),
    startup_taints=st.sampled_from(((), (Taint(key="agent"),))),
    disruption=st.builds(
        Disruption,
        consolidate_after=st.sampled_from((timedelta(0), timedelta(minutes=2))),
        budgets=st.sampled_from(((Budget(),), (Budget(nodes="2"),), (Budget(nodes="0"),))),
    ),
)
WORKLOADS = st.lists(
    st.builds(
        lambda app, replicas, cpu, protected: a_workload(
            app, replicas=replicas, cpu=cpu, annotations=PROTECTED if protected else None
        ),
        st.sampled_from(APPS),
        st.integers(0, 8),
        st.sampled_from((250, 1000, 1900)),
        st.booleans(),
    ),
    min_size=1,
    max_size=3,
)
BUDGETS = st.lists(
    st.builds(
        a_budget,
        app=st.sampled_from(APPS),
        max_unavailable=st.sampled_from(("0", "1", "50%")),
    ),
    max_size=2,
)


def build(planner, seed, pool, workloads, budgets, events):
    simulation = a_world(planner=planner, seed=seed, pools=(pool,))
    watcher = Invariants(simulation)
    simulation.world.observers.append(watcher)
    state = simulation.world.state
    state.daemon_sets.put(
        DaemonSet(
            meta=ObjectMeta(name="agent", namespace="kube-system"),
            template=a_template("agent", cpu=50, memory=2**20),
        )
    )
    state.jobs.put(
        Job(
            meta=ObjectMeta(name="job", namespace="default"),
            template=a_template("job", annotations=PROTECTED),
            completions=3,
            run_time=timedelta(minutes=7),
        )
    )
    for workload in workloads:
        state.workloads.put(workload)
    for budget in budgets:
        state.disruption_budgets.put(budget)
    objects = Objects(simulation, lambda node_class: node_class)
    script = Script(simulation, objects=objects, on_policies=lambda _: None)
    end = simulation.now + timedelta(hours=2)
    for event in events:
        script.schedule(event, end=end)
    return simulation, watcher


@pytest.mark.slow
@settings(max_examples=80)
@given(
    seed=st.integers(0, 2**32),
    pool=POOLS,
    workloads=WORKLOADS,
    budgets=BUDGETS,
    events=EVENTS,
    consolidates=st.booleans(),
)
def test_random_worlds_keep_the_invariants(seed, pool, workloads, budgets, events, consolidates):
    planner = StandIn(consolidates=consolidates)
    simulation, watcher = build(planner, seed, pool, workloads, budgets, events)
    step(simulation, hours=2)
    assert watcher.violations == []
    assert watcher.seen["settled"] > 0


@pytest.mark.slow
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), pool=POOLS, workloads=WORKLOADS, budgets=BUDGETS, events=EVENTS)
def test_random_worlds_keep_the_invariants_under_the_real_planner(
    seed, pool, workloads, budgets, events
):
    planner = PolicyPlanner(load_bundle())
    simulation, watcher = build(planner, seed, pool, workloads, budgets, events)
    step(simulation, hours=2)
    assert watcher.violations == []


@pytest.mark.slow
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32), pool=POOLS, workloads=WORKLOADS, events=EVENTS)
def test_a_world_that_is_run_in_small_steps_is_the_same(seed, pool, workloads, events):
    whole, _ = build(StandIn(), seed, pool, workloads, (), events)
    pieces, _ = build(StandIn(), seed, pool, workloads, (), events)
    step(whole, hours=2)
    for _ in range(120):
        step(pieces, minutes=1)
    assert whole.world.timeline.entries == pieces.world.timeline.entries
    assert whole.pods == pieces.pods
    assert whole.claims == pieces.claims
