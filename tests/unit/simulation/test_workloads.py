from datetime import timedelta

import msgspec
import pytest

from policyscaler.model import labels as well
from policyscaler.model.meta import ObjectMeta
from policyscaler.model.nodes import Taint
from policyscaler.model.pods import Toleration
from policyscaler.model.workloads import CronJob, DaemonSet, Job
from policyscaler.simulation.replicas import deletion_order
from tests.unit.simulation.standin import (
    a_node,
    a_template,
    a_workload,
    a_world,
    running,
    step,
)


def a_cluster(nodes=3):
    simulation = a_world(pools=())
    for i in range(nodes):
        simulation.world.state.nodes.put(a_node(f"node-{i}", cpu=16_000))
    return simulation


def scale(simulation, workload, replicas):
    changed = msgspec.structs.replace(workload, replicas=replicas)
    simulation.world.state.workloads.put(changed)
    return changed


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "StatefulSet"])
def test_a_workload_has_as_many_pods_as_it_wants(kind):
    simulation = a_cluster()
    workload = a_workload(kind=kind, replicas=5)
    for replicas in (5, 2, 4, 0):
        workload = scale(simulation, workload, replicas)
        step(simulation, minutes=2)
        assert len(running(simulation)) == len(simulation.pods) == replicas


def test_a_rolling_update_stays_between_its_bounds():
    simulation = a_cluster()
    workload = a_workload(replicas=8, max_surge="25%", max_unavailable="25%")
    simulation.world.state.workloads.put(workload)
    step(simulation, minutes=1)
    changed = msgspec.structs.replace(workload, template=a_template("web", cpu=500))
    simulation.world.state.workloads.put(changed)
    for _ in range(120):
        step(simulation, seconds=1)
        assert len(running(simulation)) >= 6
        assert sum(pod.is_active for pod in simulation.pods.values()) <= 10
    requests = {pod.spec.containers[0].requests["cpu"] for pod in simulation.pods.values()}
    assert requests == {500}
    assert len(running(simulation)) == 8


def test_a_deployment_takes_its_pods_along():
    simulation = a_cluster()
    simulation.world.state.workloads.put(a_workload(replicas=3))
    step(simulation, minutes=1)
    simulation.world.state.workloads.remove(("Deployment", "default", "web"))
    step(simulation, minutes=1)
    assert not simulation.pods
    assert not simulation.world.state.workloads.items


def test_a_stateful_set_starts_and_stops_one_after_the_other():
    simulation = a_cluster()
    workload = a_workload(kind="StatefulSet", replicas=3)
    simulation.world.state.workloads.put(workload)
    counts = []
    for _ in range(20):
        step(simulation, seconds=1)
        counts.append(len(simulation.pods))
    assert [counts[i] for i in (0, 4, 8)] == [1, 2, 3]
    assert sorted(name for _, name in simulation.pods) == ["web-0", "web-1", "web-2"]
    scale(simulation, workload, 1)
    step(simulation, seconds=1)
    assert [pod.meta.name for pod in simulation.pods.values() if pod.is_terminating] == ["web-2"]


def test_a_parallel_stateful_set_starts_all_at_once():
    simulation = a_cluster()
    simulation.world.state.workloads.put(a_workload(kind="StatefulSet", replicas=3, parallel=True))
    step(simulation, seconds=1)
    assert len(simulation.pods) == 3


def test_a_daemon_runs_on_every_node_that_it_tolerates():
    simulation = a_cluster(nodes=2)
    state = simulation.world.state
    state.nodes.put(a_node("tainted", taints=(Taint(key="gpu"),)))
    state.nodes.put(a_node("cordoned", unschedulable=True))
    for name, tolerations in (("plain", ()), ("all", (Toleration(operator="Exists"),))):
        state.daemon_sets.put(
            DaemonSet(
                meta=ObjectMeta(name=name, namespace="kube-system"),
                template=a_template(name, cpu=100, tolerations=tolerations),
            )
        )
    step(simulation, minutes=1)
    places = {name: {pod.node for pod in running(simulation, name)} for name in ("plain", "all")}
    assert places["plain"] == {"node-0", "node-1", "cordoned"}
    assert places["all"] == places["plain"] | {"tainted"}


def a_job(name="work", **fields):
    meta = ObjectMeta(name=name, namespace="default")
    return Job(meta=meta, template=a_template(name), **fields)


def test_a_job_runs_so_many_pods_at_a_time_to_their_end():
    simulation = a_cluster()
    job = a_job(parallelism=2, completions=3, run_time=timedelta(seconds=30))
    simulation.world.state.jobs.put(job)
    step(simulation, seconds=10)
    assert len(running(simulation)) == 2
    step(simulation, minutes=2)
    assert sorted(pod.phase for pod in simulation.pods.values()) == ["Succeeded"] * 3


def test_a_job_replaces_a_pod_that_was_lost():
    simulation = a_cluster()
    simulation.world.state.jobs.put(a_job(run_time=timedelta(minutes=5)))
    step(simulation, seconds=30)
    (pod,) = running(simulation)
    simulation.actors.pods.delete(pod)
    step(simulation, seconds=30)
    (other,) = running(simulation)
    assert other.meta.name != pod.meta.name


@pytest.mark.parametrize(
    ("concurrency", "running_jobs"), [("Allow", 2), ("Forbid", 1), ("Replace", 1)]
)
def test_a_cron_job_starts_jobs_on_time(concurrency, running_jobs):
    simulation = a_cluster()
    cron_job = CronJob(
        meta=ObjectMeta(name="tick", namespace="default"),
        schedule="*/10 * * * *",
        job=a_job(run_time=timedelta(minutes=15)),
        concurrency=concurrency,
    )
    simulation.world.state.cron_jobs.put(cron_job)
    step(simulation, minutes=9)
    assert not simulation.pods
    step(simulation, minutes=12)
    assert len(running(simulation)) == running_jobs
    step(simulation, hours=5)
    assert len(simulation.world.state.jobs.items) <= 6


def test_a_scale_down_takes_pending_then_unready_then_cheap_then_young():
    simulation = a_cluster(nodes=1)
    simulation.world.state.workloads.put(a_workload(replicas=2))
    step(simulation, minutes=1)
    old, other = sorted(simulation.pods.values(), key=lambda pod: pod.meta.key)
    young = msgspec.structs.replace(other, started=old.started + timedelta(minutes=1))
    unready = msgspec.structs.replace(young, ready=False)
    pending = msgspec.structs.replace(other, node="", phase="Pending", ready=False)
    meta = msgspec.structs.replace(old.meta, annotations={well.POD_DELETION_COST: "-5"})
    cheap = msgspec.structs.replace(old, meta=meta)
    assert deletion_order([old, young, cheap, unready, pending]) == [
        pending, unready, cheap, young, old,
    ]  # fmt: skip
