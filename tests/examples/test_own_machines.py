"""Example 04: a plan on machines that a person wrote down."""

import json

import pytest

from tests.examples.reports import EXAMPLES, run

FOLDER = EXAMPLES / "04-own-machines"


@pytest.fixture(scope="module")
def plan():
    return json.loads(run("plan", FOLDER, "--format", "json"))


def test_every_pod_but_one_gets_a_machine_that_fits(plan):
    placed = {pod: node["instanceType"] for node in plan["nodes"] for pod in node["pods"]}
    assert placed["default/rendering"] == "rack-gpu"
    assert (
        next(t for pod, t in placed.items() if pod.startswith("default/warehouse")) == "rack-memory"
    )
    assert sum(pod.startswith("default/web") for pod in placed) == 12


def test_only_machines_of_the_catalogue_at_its_prices(plan):
    prices = {
        "rack-small": {"0.11", "0.12"}, "rack-medium": {"0.2", "0.22"}, "rack-large": {"0.61"},
        "rack-memory": {"0.95"}, "rack-gpu": {"1.4"},
    }  # fmt: skip
    assert all(node["pricePerHour"] in prices[node["instanceType"]] for node in plan["nodes"])


def test_what_is_unavailable_is_not_launched(plan):
    assert all((n["instanceType"], n["zone"]) != ("rack-gpu", "hall-2") for n in plan["nodes"])


def test_the_pod_that_wants_three_gpus_is_told_that_two_is_the_most(plan):
    (entry,) = plan["unschedulable"]
    (reason,) = entry["reasons"]
    assert entry["pods"] == ["default/training"]
    assert (reason["pool"], reason["constraint"]) == ("racks", "resources")
    assert "example.com/gpu 3" in reason["message"]
    assert "rack-gpu" in reason["message"]
    assert reason["nearestMiss"]


def test_detailed_exit_code_says_that_there_is_something_to_do():
    from policyscaler.cli.main import main

    assert main(["plan", str(FOLDER), "--detailed-exitcode", "--format", "json"]) == 2
    assert main(["plan", str(FOLDER / "catalogue.yaml"), "--detailed-exitcode"]) == 0


def test_offerings_lists_the_five_types_cheapest_first():
    items = json.loads(run("offerings", FOLDER, "--format", "json"))["items"]
    assert [item["instanceType"] for item in items][:2] == ["rack-small", "rack-small"]
    assert len({item["instanceType"] for item in items}) == 5
    assert len(items) == 8
