import os
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from policyscaler.simulation.report import Report, human_age
from policyscaler.simulation.run import run_scenario
from policyscaler.simulation.scenario_loading import load_scenario
from policyscaler.testing.invariants import Invariants
from tests.unit.simulation.standin import START, StandIn

ROOT = Path(__file__).parents[3]
WORLD = """\
apiVersion: policyscaler.dev/v1alpha1
kind: Catalogue
metadata: {name: metal}
spec:
  instanceTypes:
    - name: small
      labels: {kubernetes.io/arch: amd64, kubernetes.io/os: linux}
      capacity: {cpu: "4", memory: 16Gi, pods: "30"}
      offerings:
        - {zone: a, capacityType: spot, price: "0.10"}
        - {zone: b, capacityType: on-demand, price: "0.20"}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  limits: {cpu: "40"}
  template:
    spec:
      expireAfter: Never
      nodeClassRef: {group: policyscaler.dev, kind: Catalogue, name: metal}
      requirements: []
  disruption:
    consolidationPolicy: WhenEmpty
    consolidateAfter: 30s
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, resources: {requests: {cpu: "1", memory: 1Gi}}}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}
"""
SCENARIO = """\
apiVersion: policyscaler.dev/v1alpha1
kind: Scenario
metadata: {name: trial}
spec:
  duration: 3h
  seed: 5
  manifests: [world.yaml]
  events:
    - {at: 10m, scale: {name: web, replicas: 12}}
    - {at: 20m, interrupt: {random: 1}, repeat: {every: 10m, times: 2}}
    - {at: 40m, price: {capacityType: spot, factor: 2}}
    - {at: 50m, capacityError: {instanceType: small, capacityType: spot, for: 30m}}
    - {at: 55m, launchFailure: {count: 1}}
    - {at: 1h, delete: {kind: Deployment, name: web}}
    - {at: 2h, scale: {name: web, replicas: 1}}
"""


@pytest.fixture
def scenario(tmp_path):
    (tmp_path / "world.yaml").write_text(WORLD)
    (tmp_path / "scenario.yaml").write_text(SCENARIO)
    scenario, findings = load_scenario(tmp_path)
    assert [str(finding) for finding in findings] == []
    return scenario


def run(scenario, **options):
    return run_scenario(
        scenario, policies=(), planners=lambda _: StandIn(), watchers=(Invariants,), **options
    )


def test_a_run_reports_what_happened(scenario):
    seen = []
    report = run(scenario, progress=seen.append)
    assert report.violations == ()
    assert len(seen) == len(report.timeline)
    assert report.interruptions == 2
    assert report.disruptions == {"Empty": 3}
    assert report.node_claims == report.nodes == ()
    assert (report.pods_running, report.pods_pending) == (0, 0)
    assert report.pending.max_seconds <= 60
    assert [row.name for row in report.node_pools] == ["default"]
    assert report.node_pools[0].age == "3h"
    said = [entry.message for entry in report.timeline if entry.kind == "error"]
    assert said == ["Deployment default/web does not exist: nothing was scaled"]


def test_a_run_that_ends_early_shows_what_is_there(scenario):
    scenario = replace(scenario, duration=timedelta(minutes=15))
    report = run(scenario)
    assert report.pods_running == 12
    assert {(row.type, row.capacity, row.ready) for row in report.node_claims} == {
        ("small", "spot", "True")
    }
    assert {row.status for row in report.nodes} == {"Ready"}
    assert report.node_pools[0].nodes == len(report.nodes) == 3
    assert float(report.spent) > 0


def test_a_report_is_json_of_its_own_shape(scenario):
    text = run(scenario).to_json()
    assert msgspec.json.decode(text, type=Report).to_json() == text
    assert msgspec.json.decode(text)["kind"] == "SimulationReport"


def test_another_seed_gives_another_run(scenario):
    other = replace(scenario, seed=6)
    assert run(scenario).to_json() == run(scenario).to_json() != run(other).to_json()


PROGRAM = """
import sys
from tests.unit.simulation.standin import StandIn
from policyscaler.simulation.run import run_scenario
from policyscaler.simulation.scenario_loading import load_scenario
scenario, _ = load_scenario(sys.argv[1])
report = run_scenario(scenario, policies=(), planners=lambda _: StandIn())
sys.stdout.buffer.write(report.to_json())
"""


@pytest.mark.slow
def test_equal_runs_are_equal_byte_for_byte_whatever_the_hash_seed(scenario, tmp_path):
    outputs = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM, str(tmp_path)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=ROOT,
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert outputs == {run(scenario).to_json()}


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"), (119, "119s"), (120, "2m"), (150, "2m30s"), (600, "10m"), (10_799, "179m"),
        (10_800, "3h"), (25_260, "7h1m"), (28_800, "8h"), (172_799, "47h"), (172_800, "2d"),
        (190_800, "2d5h"), (777_600, "9d"),
    ],
)  # fmt: skip
def test_ages_are_those_of_kubectl(seconds, text):
    assert human_age(START, START + timedelta(seconds=seconds)) == text


def test_an_unknown_age_is_said_to_be_unknown():
    assert human_age(None, START) == "<unknown>"
