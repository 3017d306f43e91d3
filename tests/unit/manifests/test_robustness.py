"""Whatever a manifest says, loading answers with findings and never with a traceback."""

import json

from hypothesis import given
from hypothesis import strategies as st

from policyscaler.manifests.assembly import to_snapshot
from policyscaler.manifests.converting import convert_documents, write_yaml
from policyscaler.manifests.loading import load_text
from policyscaler_aws.provider import provider
from tests.unit.manifests.trees import a_claim_tree, a_pool_tree, a_requirement

REQUIREMENTS = [a_requirement("karpenter.sh/capacity-type", "In", "spot", minValues=1)]
POD_SPEC = {
    "containers": [{"name": "a", "resources": {"requests": {"cpu": "1"}}, "ports": [{"hostPort": 1}]}],
    "tolerations": [{"key": "a", "operator": "Exists"}],
    "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]}]}}},
    "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}],
}  # fmt: skip
TREES = [
    a_pool_tree(
        template__spec__requirements=REQUIREMENTS, limits={"cpu": 1}, weight=1,
        disruption__budgets=[{"nodes": "1", "schedule": "@daily", "duration": "1h", "reasons": ["Empty"]}],
        template__spec__taints=[{"key": "a", "effect": "NoSchedule"}], template__metadata__labels={"a": "b"},
        template__spec__expireAfter="1h",
    ),
    a_claim_tree(requirements=REQUIREMENTS),
    {**a_pool_tree(), "apiVersion": "karpenter.sh/v1beta1", "spec": {"disruption": {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "1h", "budgets": [{"nodes": "1"}]}, "template": {"spec": {"requirements": REQUIREMENTS, "kubelet": {"maxPods": 1}, "nodeClassRef": {"name": "a"}}}}},
    {**a_claim_tree(), "apiVersion": "karpenter.sh/v1beta1", "spec": {"requirements": [], "nodeClassRef": {"name": "a"}}},
    {"apiVersion": "karpenter.sh/v1alpha5", "kind": "Provisioner", "metadata": {"name": "a"}, "spec": {"requirements": REQUIREMENTS, "labels": {"a": "b"}, "limits": {"resources": {"cpu": 1}}, "ttlSecondsAfterEmpty": 3, "providerRef": {"name": "a"}, "consolidation": {"enabled": False}, "kubeletConfiguration": {"maxPods": 1}}},
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "ownerReferences": [{"kind": "Job", "name": "j", "controller": True}], "annotations": {"karpenter.sh/do-not-disrupt": "true"}}, "spec": POD_SPEC, "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}},
    {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": {"replicas": 2, "selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": POD_SPEC}}},
    {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "a"}, "spec": {"schedule": "@daily", "jobTemplate": {"spec": {"template": {"spec": POD_SPEC}}}}},
    {"apiVersion": "policyscaler.dev/v1alpha1", "kind": "Catalogue", "metadata": {"name": "a"}, "spec": {"nodeClassRefs": [{"group": "a", "kind": "b", "name": "c"}], "instanceTypes": [{"name": "a", "labels": {"a": "b"}, "capacity": {"cpu": 1, "memory": "1Gi"}, "offerings": [{"zone": "a", "price": 0.1, "available": True}]}]}},
    {"apiVersion": "policyscaler.dev/v1alpha1", "kind": "ScalingPolicy", "metadata": {"name": "a"}, "spec": {"priority": 1, "params": {"a": {"type": "int", "default": 1, "min": 0}}, "variables": {"a": "1"}, "offerings": {"require": [{"name": "a", "expr": "true", "onError": "deny"}], "score": {"base": "1.0"}}, "disruption": {"deny": [{"name": "a", "when": "true"}]}}},
]  # fmt: skip
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8),
    st.sampled_from(["", "Never", "1h", "-1", "10%", "1e400", "9" * 30, "a/b/c", "karpenter.sh/x"]),
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)  # fmt: skip


def places(tree, path=()):
    entries = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, entry in entries:
        yield (*path, key)
        if isinstance(entry, dict | list):
            yield from places(entry, (*path, key))


def with_value(tree, path, value):
    if not path:
        return value
    copied = dict(tree) if isinstance(tree, dict) else list(tree)
    copied[path[0]] = with_value(copied[path[0]], path[1:], value)
    return copied


@st.composite
def bent_trees(draw):
    tree = draw(st.sampled_from(TREES))
    path = draw(st.sampled_from(sorted(places(tree), key=str)))
    return with_value(tree, path, draw(VALUES))


@given(bent_trees())
def test_bent_manifest_is_loaded_or_refused(tree):
    for name, text in (("a.yaml", write_yaml(tree)), ("a.json", json.dumps(tree))):
        result = load_text(text, name=name, kinds=provider.kinds)
        assert all(str(finding) and finding.position for finding in result.findings)
        to_snapshot(result, [provider])


@given(bent_trees())
def test_bent_manifest_is_converted_or_refused(tmp_path_factory, tree):
    file = tmp_path_factory.mktemp("bent") / "a.yaml"
    file.write_text(write_yaml(tree))
    convert_documents([file], kinds=provider.kinds)


@given(st.text(alphabet=st.sampled_from("ab:-[]{}#&*!|>'\"%@`?, \n\t0"), max_size=60))
def test_any_text_is_read_or_refused(text):
    for name in ("a.yaml", "a.json", "a.csv"):
        assert all(finding.position for finding in load_text(text, name=name).findings)
