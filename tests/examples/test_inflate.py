"""Example 01: fifteen pods arrive, one node comes and goes."""

from decimal import Decimal

import pytest

from tests.examples.reports import EXAMPLES, events, run, simulated


@pytest.fixture(scope="module")
def report():
    return simulated("01-inflate")


def pods(report):
    return [
        (e["offsetSeconds"], e["data"]["pending"], e["data"]["running"])
        for e in events(report, "pods")
    ]


def test_fifteen_pods_wait_when_the_deployment_is_scaled(report):
    waiting = [(at, pending) for at, pending, _ in pods(report) if at == 30]
    assert waiting == [(30, 15)]


def test_one_node_is_launched_as_the_pool_asks(report):
    (launch,) = events(report, "launch")
    family = launch["data"]["instanceType"].partition(".")[0]
    assert family[0] in "cmr"
    assert int(family[1]) > 2
    assert launch["data"]["pods"] == 13, "the two fixed nodes have room for one pod each"
    assert launch["data"]["pool"] == "default"


def test_the_launch_says_why_this_type_and_what_the_next_would_have_cost(report):
    (launch,) = events(report, "launch")
    chosen = Decimal(launch["data"]["pricePerHour"])
    lead, _, next_ones = launch["message"].partition("; next ")
    prices = [Decimal(text.split("$")[1]) for text in next_ones.split(", ")]
    assert "first of" in lead
    assert len(prices) == 3
    assert chosen <= min(prices)
    assert prices == sorted(prices)


def test_all_pods_run_within_two_minutes(report):
    first = next(
        at for at, pending, running in pods(report) if at > 30 and (pending, running) == (0, 17)
    )
    assert first < 150


def test_the_node_goes_thirty_seconds_after_the_scale_down(report):
    (disruption,) = events(report, "disruption")
    assert disruption["data"]["reason"] == "Empty"
    assert 330 <= disruption["offsetSeconds"] <= 360, "scaled down at 300, consolidateAfter 30 s"
    (gone,) = events(report, "terminated")
    assert gone["offsetSeconds"] < 420


def test_the_tables_at_the_end_show_the_pool_and_the_two_fixed_nodes(report):
    (pool,) = report["nodePools"]
    assert pool == {
        "name": "default", "nodeClass": "default", "nodes": 0, "ready": "True", "age": "10m",
    }  # fmt: skip
    assert report["nodeClaims"] == []
    assert [(node["type"], node["status"]) for node in report["nodes"]] == [
        ("m5.large", "Ready")
    ] * 2


def test_what_was_spent_is_the_nodes_seconds_at_its_price(report):
    (launched,) = events(report, "launched")
    (gone,) = events(report, "disruption")
    (launch,) = events(report, "launch")
    hours = Decimal(gone["offsetSeconds"] - launched["offsetSeconds"]) / 3600
    spent, expected = Decimal(report["spent"]), hours * Decimal(launch["data"]["pricePerHour"])
    assert expected <= spent <= expected * Decimal("1.1"), "draining takes a few seconds more"


def test_no_promise_is_broken_and_invented_prices_are_admitted(report):
    assert report["violations"] == []
    assert any("spot prices are simulated" in note for note in report["notes"])


def test_the_text_follows_the_run_and_ends_with_tables_like_kubectls():
    text = run("simulate", EXAMPLES / "01-inflate")
    lines = text.splitlines()
    assert "00:00:30  pods         15 Pending, 2 Running" in lines
    assert "NAME      NODECLASS   NODES   READY   AGE" in lines
    assert "default   default     0       True    10m" in lines
    assert any(line.startswith("spent: $") for line in lines)


def test_two_runs_are_equal_byte_for_byte():
    path = EXAMPLES / "01-inflate"
    first, second = (run("simulate", path, "--format", "json") for _ in range(2))
    assert first == second
    assert run("simulate", path, "--format", "json", "--seed", "2") != first
