import textwrap
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from policyscaler.simulation.market import Selection
from policyscaler.simulation.scenario import (
    Apply,
    CapacityError,
    Delete,
    Interrupt,
    LaunchFailure,
    PolicyChange,
    PriceChange,
    Scale,
)
from policyscaler.simulation.scenario_loading import load_scenario
from policyscaler.simulation.settings import Settings

HEAD = """\
apiVersion: policyscaler.dev/v1alpha1
kind: Scenario
metadata: {name: trial}
spec:
  duration: 2h
"""


def write(folder, body="", head=HEAD):
    path = folder / "scenario.yaml"
    path.write_text(head + textwrap.indent(textwrap.dedent(body), "  "))
    return path


def actions(folder, *events):
    body = "events:\n" + "".join(f"  - {{at: 5m, {event}}}\n" for event in events)
    scenario, findings = load_scenario(write(folder, body))
    assert [str(f) for f in findings] == []
    return [event.action for event in scenario.events]


def test_a_folder_stands_for_its_scenario_file(tmp_path):
    write(tmp_path)
    scenario, findings = load_scenario(tmp_path)
    assert findings == ()
    assert (scenario.name, scenario.seed, scenario.settings) == ("trial", 1, Settings())
    assert scenario.end - scenario.start == timedelta(hours=2)


def test_start_seed_and_settings_are_read(tmp_path):
    body = """
    start: 2026-03-01T12:00:00+01:00
    seed: 9
    settings: {podStart: 8s, jitterPercent: 0, spotNotice: 1m}
    """
    scenario, _ = load_scenario(write(tmp_path, body))
    assert scenario.start == datetime(2026, 3, 1, 11, tzinfo=UTC)
    assert scenario.seed == 9
    assert scenario.settings == Settings(
        pod_start=timedelta(seconds=8), jitter_percent=0, spot_notice=timedelta(minutes=1)
    )


@pytest.mark.parametrize(
    ("event", "action"),
    [
        ("scale: {name: web, replicas: 3}",
         Scale(kind="Deployment", namespace="default", name="web", replicas=3)),
        ("scale: {kind: StatefulSet, namespace: db, name: pg, replicas: 1}",
         Scale(kind="StatefulSet", namespace="db", name="pg", replicas=1)),
        ("delete: {kind: Pod, name: web-1}", Delete(kind="Pod", namespace="default", name="web-1")),
        ("delete: {kind: Node, name: node-1}", Delete(kind="Node", namespace="", name="node-1")),
        ("interrupt: {random: 2}", Interrupt(random=2)),
        ("interrupt: {nodeSelector: {a: b}}", Interrupt(node_selector=(("a", "b"),))),
        ("price: {capacityType: spot, factor: 1.5}",
         PriceChange(offerings=Selection(capacity_type="spot"), factor=Decimal("1.5"))),
        ("price: {instanceType: m, price: '0.25'}",
         PriceChange(offerings=Selection(instance_type="m"), price=250_000)),
        ("capacityError: {zone: a, for: 5m}",
         CapacityError(offerings=Selection(zone="a"), duration=timedelta(minutes=5))),
        ("launchFailure: {count: 2}", LaunchFailure(count=2, silently=False)),
        ("launchFailure: {stage: register}", LaunchFailure(count=1, silently=True)),
    ],
)  # fmt: skip
def test_events(tmp_path, event, action):
    assert actions(tmp_path, event) == [action]


def test_an_object_is_applied_from_a_file_or_from_the_event_itself(tmp_path):
    (tmp_path / "space.yaml").write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n")
    inline = "apply: {apiVersion: v1, kind: Namespace, metadata: {name: b}}"
    found = actions(tmp_path, "apply: space.yaml", inline)
    assert all(isinstance(action, Apply) for action in found)
    assert [action.objects[0].meta.name for action in found] == ["a", "b"]
    assert [action.label for action in found] == ["space.yaml", "Namespace/b"]


def test_policies_are_read_for_later(tmp_path):
    policy = "apiVersion: policyscaler.dev/v1alpha1\nkind: ScalingPolicy\nmetadata: {name: p}\n"
    (tmp_path / "p.yaml").write_text(policy + "spec: {}\n")
    (action,) = actions(tmp_path, "policy: p.yaml")
    assert isinstance(action, PolicyChange)
    assert [policy.meta.name for policy in action.policies] == ["p"]


def test_repetitions_are_read(tmp_path):
    body = "events: [{at: 1h, interrupt: {random: 1}, repeat: {every: 10m, times: 3}}]"
    (event,) = load_scenario(write(tmp_path, body))[0].events
    assert (event.at, event.every, event.times) == (
        timedelta(hours=1), timedelta(minutes=10), 3,
    )  # fmt: skip


def test_a_folder_of_manifests_may_hold_the_scenario(tmp_path):
    (tmp_path / "space.yaml").write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n")
    scenario, findings = load_scenario(write(tmp_path, "manifests: ['.']"))
    assert findings == ()
    assert [space.meta.name for space in scenario.objects.namespaces] == ["a"]
    assert scenario.objects.notes == ()


@pytest.mark.parametrize(
    ("body", "line", "texts"),
    [
        pytest.param("sead: 3", 6, ['unknown field "sead"', 'did you mean "seed"?'],
                     id="a field that does not exist"),
        pytest.param("seed: x", 6, ["seed", "whole number"], id="a text for a number"),
        pytest.param("events: [{at: 1hr, scale: {name: a, replicas: 1}}]", 6,
                     ['"1hr" is not a duration', '"1h"'], id="a misspelt duration"),
        pytest.param("events: [{at: 1h}]", 6, ["does nothing", "write one of"], id="no action"),
        pytest.param("events: [{at: 1h, policy: p, interrupt: {random: 1}}]", 6,
                     ["2 actions: interrupt, policy"], id="two actions"),
        pytest.param("events: [{at: 1h, interrupt: {}}]", 6, ["exactly one of node"],
                     id="an interruption of nothing"),
        pytest.param("events: [{at: 1h, price: {zone: a}}]", 6, ["either factor or price"],
                     id="a price change to nothing"),
        pytest.param("events: [{at: 1h, price: {factor: much}}]", 6, ['"much" is not a factor'],
                     id="a factor that is no number"),
        pytest.param("events: [{at: 1h, price: {price: -1}}]", 6, ["-1", "not a price"],
                     id="a negative price"),
        pytest.param("events: [{at: 1h, delete: {kind: Pood, name: a}}]", 6,
                     ["Pood", 'did you mean "Pod"?'], id="a kind that does not exist"),
        pytest.param("events: [{at: 1h, scale: {kind: Job, name: a, replicas: 1}}]", 6,
                     ["Job", "Deployment"], id="a kind that cannot be scaled"),
        pytest.param("manifests: [gone.yaml]", 6, ['"gone.yaml" does not exist'],
                     id="a file that does not exist"),
        pytest.param("events: [{at: 1h, apply: {apiVersion: v1, kind: Pot}}]", 6,
                     ["v1 Pot", 'did you mean "Pod"?'], id="an object of no known kind"),
        pytest.param(
            "events: [{at: 1h, apply: {apiVersion: policyscaler.dev/v1alpha1, kind: Catalogue, "
            "metadata: {name: a}, spec: {instanceTipes: []}}}]", 6, ["instanceTipes"],
            id="a fault inside an applied object"),
    ],
)  # fmt: skip
def test_faults_are_found_where_they_stand(tmp_path, body, line, texts):
    path = write(tmp_path, body)
    scenario, findings = load_scenario(path)
    errors = [finding for finding in findings if finding.severity == "error"]
    assert scenario is None
    assert {(error.position.file, error.position.line) for error in errors} == {(str(path), line)}
    said = "; ".join(str(error) for error in errors)
    assert all(text in said for text in texts), said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds 0 objects"),
        (HEAD.replace("Scenario", "Scenaro"), 'kind is "Scenaro", not Scenario'),
        (HEAD.replace("v1alpha1", "v1"), "write apiVersion: policyscaler.dev/v1alpha1"),
        (HEAD + "---\n" + HEAD, "holds 2 objects"),
    ],
)
def test_a_file_that_is_no_scenario_says_so(tmp_path, text, said):
    path = tmp_path / "scenario.yaml"
    path.write_text(text)
    scenario, findings = load_scenario(path)
    assert scenario is None
    assert any(said in str(finding) for finding in findings), findings


def test_a_missing_file_is_a_finding(tmp_path):
    scenario, (finding,) = load_scenario(tmp_path / "nowhere")
    assert scenario is None
    assert "cannot be read" in str(finding)
