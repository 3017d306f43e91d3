"""Old manifests written anew; the rest stays as people wrote it."""

import json

import pytest
import yaml

from policyscaler.manifests.converting import convert_documents, write_yaml
from policyscaler.manifests.loading import load_text

OLD = """\
apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata:
  name: old # a remark
spec:
  template:
    metadata: {labels: {"n": "1e3", team: "yes"}}
    spec:
      requirements: []
      nodeClassRef: {apiVersion: example.com/v1, kind: MachineClass, name: base}
"""
KEPT = """\
# who owns it
apiVersion: v1
kind: Namespace
metadata: {name: a}   # as it is
"""


def converted(tmp_path, text, name="a.yaml"):
    (tmp_path / name).write_text(text)
    return convert_documents([tmp_path / name])


def test_document_that_needs_no_translation_keeps_its_text(tmp_path):
    result = converted(tmp_path, KEPT + "---\n" + OLD + "---\n" + KEPT)
    assert result.text.startswith(KEPT + "---\n")
    assert result.text.endswith("---\n" + KEPT)
    assert len(list(yaml.safe_load_all(result.text))) == 3
    assert len(result.translations) == 1
    assert any("comments" in note for note in result.notes)


def test_file_without_old_versions_is_unchanged(tmp_path):
    result = converted(tmp_path, KEPT)
    assert result.text == KEPT
    assert not result.notes


def test_text_that_looks_like_something_else_stays_text(tmp_path):
    result = converted(tmp_path, OLD)
    (pool,) = load_text(result.text).pools
    assert pool.labels == {"n": "1e3", "team": "yes"}


def test_list_in_json_is_written_as_documents(tmp_path):
    tree = yaml.safe_load(OLD)
    items = {"apiVersion": "v1", "kind": "List", "items": [tree, yaml.safe_load(KEPT)]}
    result = converted(tmp_path, json.dumps(items), "list.json")
    assert [d["kind"] for d in yaml.safe_load_all(result.text)] == ["NodePool", "Namespace"]
    assert yaml.safe_load(result.text.split("---\n")[0])["apiVersion"] == "karpenter.sh/v1"


def test_object_with_errors_stays_as_it_is_and_is_reported(tmp_path):
    result = converted(tmp_path, OLD + "  dissolve: true\n")
    assert "v1beta1" in result.text
    assert [finding.severity for finding in result.findings] == ["error"]


def test_claim_gets_the_age_limit_of_its_pool_wherever_that_stands():
    claim = OLD.replace("NodePool", "NodeClaim").replace(
        "  name: old # a remark", "  name: old-1\n  labels: {karpenter.sh/nodepool: old}"
    )
    start, end = claim.index("  template:"), claim.index("      requirements")
    claim = claim[:start] + claim[end:].replace("      ", "  ")
    pool = OLD + "  disruption: {expireAfter: 24h}\n"
    for text in (claim + "---\n" + pool, pool + "---\n" + claim):
        result = load_text(text)
        assert not result.errors
        assert result.claims[0].expire_after.total_seconds() == 24 * 3600


@pytest.mark.parametrize(
    "text", ["yes", "n", "1", "1e3", "0x1f", "null", "", "a: b", "two\nlines\n", "#x", "08", ".5"]
)
def test_written_text_reads_back_as_text(text):
    written = write_yaml(
        {
            "apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": "a", "annotations": {"k": text}},
        }
    )  # fmt: skip
    result = load_text(written)
    assert not result.errors
    assert result.namespaces[0].meta.annotations == {"k": text}
