"""Files to trees: what YAML means to Kubernetes, and where everything stands."""

import io
import json

import pytest

from policyscaler.manifests.loading import load, load_text
from policyscaler.manifests.yaml_reader import read_yaml

NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}


def value_of(text):
    ((root, _),) = read_yaml(f"value: {text}\n")
    return root.get("value")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", True), ("Off", False), ("y", True), ("TRUE", True), ("~", None), ("", None),
        ("null", None), ("12", 12), ("-0x1F", -31), ("0b101", 5), ("017", 15), ("0o17", 15),
        ("1_000", 1000), ("1.30", 1.3), ("1e3", 1000.0), (".5", 0.5), ("08", 8), ("1.2.3", "1.2.3"),
        ("12h", "12h"), ("'yes'", "yes"), ('"1"', "1"), ("yesterday", "yesterday"),
        ("2026-01-31", "2026-01-31"), ("10%", "10%"), ("-", None),
    ],
)  # fmt: skip
def test_scalar_is_read_as_kubernetes_does(text, value):
    if text == "-":
        assert value_of('"-"') == "-"
        return
    assert value_of(text) == value
    assert type(value_of(text)) is type(value)


def test_broken_document_leaves_its_neighbours():
    text = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\na: [\n---\n"
    text += "apiVersion: v1\nkind: Namespace\nmetadata: {name: b}\n"
    result = load_text(text)
    assert [namespace.meta.name for namespace in result.namespaces] == ["a", "b"]
    (error,) = result.errors
    assert 5 <= error.position.line <= 6


def test_empty_documents_and_comments_are_no_objects():
    result = load_text("# nothing\n---\n---\n# still nothing\n...\n")
    assert [finding.message for finding in result.findings] == ["holds no object"]
    assert not result.errors


def test_byte_order_mark_and_windows_line_ends_are_read_over(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_bytes(b"\xef\xbb\xbfapiVersion: v1\r\nkind: Namespace\r\nmetadata:\r\n  name: a\r\n")
    result = load([file])
    assert not result.findings
    assert result.namespaces[0].meta.name == "a"


@pytest.mark.parametrize("kind", ["List", "NamespaceList"])
@pytest.mark.parametrize("form", ["json", "yaml"])
def test_list_is_taken_apart(kind, form, tmp_path):
    item = dict(NAMESPACE)
    if kind != "List":
        del item["kind"], item["apiVersion"]
    file = tmp_path / f"list.{form}"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": kind, "metadata": {}, "items": [item]}))
    result = load([file])
    assert not result.errors
    assert [namespace.meta.name for namespace in result.namespaces] == ["a"]


def test_folder_is_searched_in_sorted_order_and_files_count_once(tmp_path):
    (tmp_path / "b").mkdir()
    for name in ("b/2.yml", "a.yaml", "c.json", "notes.txt"):
        tree = {**NAMESPACE, "metadata": {"name": name.replace("/", "-")}}
        (tmp_path / name).write_text(json.dumps(tree))
    result = load([tmp_path, tmp_path / "a.yaml"])
    assert [n.meta.name for n in result.namespaces] == ["a.yaml", "b-2.yml", "c.json"]
    assert not result.errors


@pytest.mark.parametrize(
    "text", [json.dumps(NAMESPACE), "kind: Namespace\napiVersion: v1\nmetadata: {name: a}\n"]
)
def test_standard_input_is_yaml_or_json(text):
    result = load(["-"], stdin=io.BytesIO(text.encode()))
    assert not result.findings
    assert len(result.namespaces) == 1


def test_missing_file_is_an_error_without_a_traceback(tmp_path):
    (error,) = load([tmp_path / "missing.yaml"]).errors
    assert "no such file" in error.message
    assert error.position.file.endswith("missing.yaml")


def test_position_in_json_is_found_when_an_error_needs_it(tmp_path):
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {
            "containers": [{"name": "a"}, {"name": "b", "resources": {"requests": {"cpu": "x"}}}]
        },
    }
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [NAMESPACE, pod]}, indent=2)
    file = tmp_path / "list.json"
    file.write_text(text)
    (error,) = load([file]).errors
    line = text.split("\n")[error.position.line - 1]
    assert line[error.position.column - 1 :] == '"x"'


def test_unknown_kind_is_counted_and_a_near_one_is_named():
    result = load_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n"
        "apiVersion: karpenter.sh/v1\nkind: NodePol\nmetadata: {name: a}\n"
    )
    (finding,) = result.findings
    assert finding.suggestion == 'did you mean "NodePool"?'
    assert result.notes == (
        "1 object has a kind that no decision looks at, and was ignored: ConfigMap (1)",
    )


def test_kind_of_a_foreign_group_is_ignored_with_a_hint():
    (finding,) = load_text(
        "apiVersion: extensions/v1\nkind: Deployment\nmetadata: {name: a}\n"
    ).findings
    assert finding.severity == "warning"
    assert finding.suggestion == 'did you mean apiVersion "apps/v1"?'


def test_what_a_cluster_writes_loads_without_a_word():
    text = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
  uid: 0f0f
  creationTimestamp: "2026-01-31T08:00:00Z"
  deletionTimestamp: null
  managedFields:
    - {manager: kubectl, operation: Apply, fieldsType: FieldsV1, fieldsV1: {"f:spec": {}}}
spec:
  nodeName: n1
  containers:
    - name: app
      resources: {limits: {memory: 1Gi}, requests: {cpu: 100m}}
  affinity: null
status:
  phase: Running
  conditions: [{type: Ready, status: "True", lastProbeTime: null}]
"""
    result = load_text(text)
    assert not result.findings
    (pod,) = result.pods
    assert pod.ready
    assert pod.node == "n1"
    assert pod.meta.created.isoformat() == "2026-01-31T08:00:00+00:00"
