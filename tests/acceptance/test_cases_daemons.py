"""Ports, daemons and the sums of containers as people report them: cases S19 to S26."""

from datetime import timedelta

import pytest

from policyscaler.manifests.assembly import to_snapshot
from policyscaler.manifests.loading import load_text
from policyscaler.model import labels as well
from policyscaler.model.pods import HostPort
from policyscaler.model.snapshot import Attempts
from policyscaler.testing.builders import (
    NOW,
    a_container,
    a_daemon_set,
    a_pod,
    a_pool,
    a_type,
    replicas,
)
from policyscaler.testing.expectations import expect_scheduled, expect_unschedulable, price, types
from tests.acceptance.deciding import decide_on, decided

M2 = a_type("m2", "2", memory="8Gi", price="0.10")
M4 = a_type("m4", "4", price="0.20")


def test_a_host_port_keeps_its_pod_pending_and_others_are_placed():
    # Cases F101, S19 and S20 wait for host ports; until then such a pod is never placed wrongly.
    port = a_container(host_ports=(HostPort(port=8080),))
    plan = decided(a_pool("p"), M4, a_pod("a", containers=(port,)), a_pod("c"))
    expect_unschedulable(plan, "a", constraint="unsupported", mentions=["host ports"])
    assert types(plan) == ["m4"]


@pytest.mark.case("S21")
def test_a_daemon_burdens_only_the_types_that_it_runs_on():
    agent = a_daemon_set("gpu-agent", cpu="1", must=("type In g4",))
    others = (a_type("g4", "4", price="0.90"), a_type("m8", "8", memory="32Gi", price="0.40"))
    plan = decided(a_pool("p"), M4, others, agent, a_pod("app", cpu="3500m"))
    assert types(plan) == ["m4"]
    assert {o.instance_type for o in plan.launches[0].offerings} == {"m4", "m8"}
    assert plan.launches[0].requests["cpu"] == 3500


LIMIT_RANGE = """
apiVersion: v1
kind: LimitRange
metadata: {name: defaults, namespace: agents}
spec: {limits: [{type: Container, defaultRequest: {cpu: 500m}}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: net, namespace: kube-system}
spec:
  selector: {matchLabels: {app: net}}
  template:
    metadata: {labels: {app: net}}
    spec: {containers: [{name: main, resources: {requests: {cpu: 630m}}}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: log, namespace: agents}
spec:
  selector: {matchLabels: {app: log}}
  template:
    metadata: {labels: {app: log}}
    spec: {containers: [{name: one}, {name: two}]}
---
apiVersion: v1
kind: Pod
metadata: {name: fat, namespace: default}
spec: {containers: [{name: main, resources: {requests: {cpu: 15}}}]}
---
apiVersion: policyscaler.dev/v1alpha1
kind: Catalogue
metadata: {name: own}
spec:
  nodeClassRefs: [{group: machines.example, kind: MachineClass, name: default}]
  instanceTypes:
    - {name: c16, capacity: {cpu: 16, memory: 64Gi}, offerings: [{zone: z1, price: 0.70}]}
    - {name: c32, capacity: {cpu: 32, memory: 128Gi}, offerings: [{zone: z1, price: 1.40}]}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: p}
spec:
  template:
    spec:
      nodeClassRef: {group: machines.example, kind: MachineClass, name: default}
      requirements: []
"""


@pytest.mark.case("S22")
def test_a_limit_range_fills_in_what_daemons_request():
    loaded = load_text(LIMIT_RANGE, name="s22.yaml")
    assert not loaded.errors
    plan = decide_on(to_snapshot(loaded, ()).snapshot)
    assert types(plan) == ["c32"]
    assert plan.launches[0].requests["cpu"] == 15_000 + 630 + 2 * 500


@pytest.mark.case("S22")
def test_no_third_node_is_launched_for_a_pod_that_ran_on_neither_of_two():
    key = ("default", "fat")
    parts = [a_pool("p"), M4, a_pod("fat", cpu="1"), a_pod("other", cpu="1")]
    tried = {key: Attempts(count=2, latest=NOW)}
    plan = decided(*parts, fruitless_launches=tried, now=NOW + timedelta(minutes=9))
    expect_unschedulable(plan, "fat", constraint="launch-loop", mentions=["2 nodes were launched"])
    expect_scheduled(plan, "other", on="m4")
    assert [finding.severity for finding in plan.findings] == ["error"]
    later = decided(*parts, fruitless_launches=tried, now=NOW + timedelta(minutes=10))
    expect_scheduled(later, "fat", on="m4")
    once = {key: Attempts(count=1, latest=NOW)}
    expect_scheduled(decided(*parts, fruitless_launches=once), "fat", on="m4")


@pytest.mark.case("S23")
def test_lifecycle_labels_are_assumed_and_do_not_leak():
    daemons = [
        a_daemon_set("d1", cpu="1", must=(f"{well.INITIALIZED} In true",)),
        a_daemon_set("d2", cpu="1", must=(f"{well.REGISTERED} In true",)),
    ]
    plan = decided(a_pool("p"), M2, M4, daemons, a_pod("app", cpu="2"))
    (node,) = plan.launches
    assert node.chosen.instance_type == "m4"
    assert node.requests["cpu"] == 4000
    written = {entry.key for entry in node.requirements} | set(node.labels)
    assert not written & {well.INITIALIZED, well.REGISTERED}


@pytest.mark.case("S24")
def test_a_daemons_limits_count_where_it_requests_nothing():
    agent = a_daemon_set("d", containers=(a_container(limits={"cpu": "1", "memory": "1Gi"}),))
    assert types(decided(a_pool("p"), M2, M4, agent, a_pod("app", cpu="1500m"))) == ["m4"]


@pytest.mark.case("S25")
@pytest.mark.parametrize(
    ("order", "kind"), [(("mesh", "migrate"), "y"), (("migrate", "mesh"), "x")], ids=str
)
def test_sidecars_count_in_the_order_in_which_they_start(order, kind):
    parts = {
        "mesh": a_container("500m", name="mesh", sidecar=True),
        "migrate": a_container("2", name="migrate"),
    }
    pod = a_pod("app", cpu="1", init_containers=tuple(parts[name] for name in order))
    x, y = a_type("x", "2400m", price="0.11"), a_type("y", "3", price="0.14")
    assert types(decided(a_pool("p"), x, y, pod)) == [kind]


@pytest.mark.case("S26")
def test_small_nodes_multiply_what_daemons_cost():
    sizes = (
        a_type("s2", "1900m", memory="8Gi", price="0.085"),
        a_type("s16", "15800m", memory="64Gi", price="0.68"),
        a_type("s32", "31700m", memory="128Gi", price="1.40"),
    )
    plan = decided(
        a_pool("p"), sizes, a_daemon_set("agent", cpu="1"), replicas("w", 40, cpu="700m")
    )
    assert (types(plan), price(plan)) == (["s16", "s16"], "1.36")
