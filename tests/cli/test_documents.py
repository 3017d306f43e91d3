"""--format json: every document fits its published schema, and money and order are exact."""

import json
from decimal import Decimal

import jsonschema
import pytest

from policyscaler.cli.documents.schemas import DOCUMENTS
from tests.cli.running import EXAMPLES, in_new_process, policyscaler
from tests.gates.repository import ROOT

OWN = EXAMPLES / "04-own-machines"
COMMANDS = {
    "Plan": ["plan", OWN],
    "PodExplanation": ["explain", "pod", "training", OWN],
    "OfferingExplanation": [
        "explain",
        "offering",
        "rack-gpu/hall-1/on-demand",
        "--pod",
        "rendering",
        OWN,
    ],
    "NodeExplanation": [
        "explain",
        "node",
        "ip-192-0-2-10.example.internal",
        EXAMPLES / "01-inflate",
    ],
    "OfferingList": ["offerings", OWN],
    "ValidationReport": ["validate", OWN],
    "SimulationReport": ["simulate", EXAMPLES / "01-inflate"],
}


def schema(kind):
    return json.loads((ROOT / "docs" / "schemas" / f"{kind}.json").read_text(encoding="utf-8"))


def test_every_document_is_tried():
    assert set(COMMANDS) == set(DOCUMENTS)


@pytest.mark.parametrize("kind", COMMANDS)
def test_what_is_printed_fits_the_published_schema(capsys, kind):
    result = policyscaler(capsys, *COMMANDS[kind], "--format", "json")
    document = json.loads(result.out)
    assert result.code == 0
    assert (document["apiVersion"], document["kind"]) == ("policyscaler.dev/v1alpha1", kind)
    jsonschema.validate(document, schema(kind), cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_published_schema_is_a_schema_and_requires_what_it_names(kind):
    published = schema(kind)
    jsonschema.Draft202012Validator.check_schema(published)
    root = published["$defs"][published["$ref"].rpartition("/")[2]]
    if kind != "SimulationReport":  # its two constants have defaults
        assert set(root["required"]) == set(root["properties"])


@pytest.mark.parametrize("kind", COMMANDS)
def test_the_schema_command_prints_what_is_published(capsys, kind):
    assert json.loads(policyscaler(capsys, "schema", kind).out) == schema(kind)


def test_a_schema_of_a_manifest_accepts_an_example(capsys):
    import yaml

    published = json.loads(policyscaler(capsys, "schema", "Catalogue").out)
    text = (OWN / "catalogue.yaml").read_text(encoding="utf-8")
    jsonschema.validate(yaml.safe_load(text), published, cls=jsonschema.Draft202012Validator)


def test_prices_are_exact_texts_that_add_up(capsys):
    plan = json.loads(policyscaler(capsys, "plan", OWN, "--format", "json").out)
    prices = [Decimal(node["pricePerHour"]) for node in plan["nodes"]]
    assert all(isinstance(node["pricePerHour"], str) for node in plan["nodes"])
    assert sum(prices) == Decimal(plan["pricePerHour"])


def test_a_plan_is_the_same_whatever_the_hash_seed():
    seeds = ("0", "1", "4711")
    import os

    runs = {
        in_new_process(
            "plan", "examples/01-inflate", "examples/04-own-machines", "--format", "json",
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in seeds
    }  # fmt: skip
    assert len(runs) == 1
    assert json.loads(runs.pop())["nodes"]


def test_the_order_of_the_files_changes_no_byte(capsys):
    files = sorted(OWN.glob("*.yaml"))
    forwards = policyscaler(capsys, "plan", *files, "--format", "json").out
    backwards = policyscaler(capsys, "plan", *reversed(files), "--format", "json").out
    assert forwards == backwards


def test_errors_in_the_files_stand_in_the_plan_and_in_the_exit_code(capsys, tmp_path):
    broken = tmp_path / "broken.yaml"
    broken.write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: 7}\n")
    result = policyscaler(capsys, "plan", OWN, broken, "--format", "json")
    document = json.loads(result.out)
    (error,) = [f for f in document["findings"] if f["severity"] == "error"]
    assert result.code == 1
    assert (error["source"]["file"], error["source"]["line"]) == (str(broken), 4)
    assert error["code"].startswith("PS0")
    assert document["nodes"], "the other objects are planned for all the same"
