"""Loading keeps up with clusters. The bounds leave room for slow machines."""

import json
import time

import pytest

from policyscaler.manifests.converting import write_yaml
from policyscaler.manifests.loading import load


def a_pod(number):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"web-{number}", "namespace": "shop", "uid": f"uid-{number}", "labels": {"app": "web"}},
        "spec": {
            "nodeName": f"n{number % 100}",
            "containers": [{"name": "app", "resources": {"requests": {"cpu": f"{number % 7 + 1}00m", "memory": "1Gi"}}}],
            "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}],
        },
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    }  # fmt: skip


@pytest.mark.slow
def test_ten_thousand_pods_in_json_and_equal_specs_are_shared(tmp_path):
    file = tmp_path / "pods.json"
    file.write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "items": [a_pod(n) for n in range(10_000)]})
    )
    start = time.perf_counter()
    result = load([file])
    assert time.perf_counter() - start < 3
    assert len(result.pods) == 10_000
    assert len({id(pod.spec) for pod in result.pods}) == 7


def test_thousand_small_objects_in_yaml(tmp_path):
    file = tmp_path / "pods.yaml"
    file.write_text("---\n".join(write_yaml(a_pod(n)) for n in range(1_000)))
    start = time.perf_counter()
    result = load([file])
    assert time.perf_counter() - start < 3
    assert len(result.pods) == 1_000
