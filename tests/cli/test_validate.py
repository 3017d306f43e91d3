"""validate: places, codes and formats; and nothing bad gets through."""

import json
import time
import xml.etree.ElementTree as ET

import pytest

from tests.cli.running import EXAMPLES, policyscaler
from tests.gates.repository import ROOT

BAD = sorted(
    path for path in (ROOT / "tests" / "bad").iterdir()
    if path.suffix in (".yaml", ".yml", ".json", ".csv") and path.name != "expected.yaml"
)  # fmt: skip

TYPO = """apiVersion: policyscaler.dev/v1alpha1
kind: ScalingPolicy
metadata:
  name: typo
spec:
  offerings:
    require:
      - name: big
        expr: "offering.cpuu >= 4"
"""


@pytest.fixture
def typo(tmp_path):
    path = tmp_path / "typo.yaml"
    path.write_text(TYPO, encoding="utf-8")
    return path


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.name)
def test_a_bad_file_ends_with_1_and_a_place(capsys, path):
    started = time.monotonic()
    result = policyscaler(capsys, "validate", path, "--format", "json")
    elapsed = time.monotonic() - started
    errors = [f for f in json.loads(result.out)["findings"] if f["severity"] == "error"]
    assert result.code == 1
    assert result.err == ""
    assert errors
    assert all(error["file"] == str(path) and error["line"] >= 1 for error in errors)
    assert elapsed < 10, "a second on an idle machine; this one runs other tests beside"


def test_there_are_enough_bad_files():
    assert len(BAD) >= 60


@pytest.mark.parametrize("example", sorted(p.name for p in EXAMPLES.iterdir() if p.is_dir()))
def test_examples_are_valid(capsys, example):
    result = policyscaler(capsys, "validate", EXAMPLES / example)
    assert result.code == 0
    assert "no errors" in result.out


def test_text_shows_the_line_and_a_caret_under_the_place(capsys, typo):
    result = policyscaler(capsys, "validate", typo)
    lines = result.out.splitlines()
    assert result.code == 1
    assert lines[0].startswith(f"{typo}:9:")
    assert "PS1" in lines[0]
    assert "did you mean" in lines[0]
    assert lines[1] == '            expr: "offering.cpuu >= 4"'
    caret = lines[2].index("^")
    assert lines[1][caret:].startswith(("offering.cpuu", ".cpuu", "cpuu"))


def test_github_format_is_a_workflow_command(capsys, typo):
    result = policyscaler(capsys, "validate", typo, "--format", "github")
    assert result.code == 1
    assert result.out.startswith(f"::error file={typo},line=9,col=")


def test_sarif_names_rule_and_place(capsys, typo):
    report = json.loads(policyscaler(capsys, "validate", typo, "--format", "sarif").out)
    (found,) = report["runs"][0]["results"]
    place = found["locations"][0]["physicalLocation"]
    assert report["version"] == "2.1.0"
    assert found["ruleId"].startswith("PS1")
    assert place["artifactLocation"]["uri"] == str(typo)
    assert place["region"]["startLine"] == 9


def test_junit_has_a_case_for_each_file_and_fails_the_bad_one(capsys, typo):
    good = EXAMPLES / "04-own-machines" / "nodepool.yaml"
    text = policyscaler(capsys, "validate", typo, good, "--format", "junit").out
    suite = ET.fromstring(text)  # noqa: S314 - our own output
    failed = {case.get("name") for case in suite if case.find("failure") is not None}
    assert {case.get("name") for case in suite} == {str(typo), str(good)}
    assert failed == {str(typo)}


def test_warnings_fail_only_when_strict(capsys, tmp_path):
    path = tmp_path / "pool.yaml"
    text = (EXAMPLES / "04-own-machines" / "nodepool.yaml").read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")  # its catalogue is not there: a warning
    assert policyscaler(capsys, "validate", path).code == 0
    assert policyscaler(capsys, "validate", path, "--strict").code == 1


def test_a_hundred_policies_are_checked_in_two_seconds(capsys, tmp_path):
    rule = "      - {name: r, expr: \"offering.cpu >= 4 && shape.namespace != 'x' || has(offering.gpu)\"}\n"
    for number in range(100):
        text = TYPO.replace("typo", f"p{number}").replace("cpuu", "cpu") + rule
        (tmp_path / f"p{number}.yaml").write_text(text, encoding="utf-8")
    policyscaler(capsys, "validate", tmp_path / "p0.yaml")  # imports and grammars
    started = time.process_time()
    assert policyscaler(capsys, "validate", tmp_path).code == 0
    assert time.process_time() - started < 2


def test_a_misspelt_label_of_a_provider_is_an_error(capsys, tmp_path):
    path = tmp_path / "pool.yaml"
    text = (EXAMPLES / "01-inflate" / "nodepool.yaml").read_text(encoding="utf-8")
    path.write_text(text.replace("instance-category", "instance-categroy"), encoding="utf-8")
    result = policyscaler(capsys, "validate", path)
    assert result.code == 1
    assert 'did you mean "karpenter.k8s.aws/instance-category"?' in result.out


@pytest.mark.parametrize("command", ["validate", "plan", "simulate"])
def test_reading_an_old_version_tells_the_translation_and_every_default(capsys, command):
    result = policyscaler(capsys, command, EXAMPLES / "01-inflate")
    assert result.code == 0
    assert "NodePool/default: karpenter.sh/v1beta1 → karpenter.sh/v1" in result.err
    assert "added spec.template.spec.expireAfter: 720h (the default)" in result.err
    assert "EC2NodeClass/default: karpenter.k8s.aws/v1beta1" in result.err
