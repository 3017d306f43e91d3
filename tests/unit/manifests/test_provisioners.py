"""Provisioners with everything, and what is asked of the person who translates them."""

from datetime import timedelta

from policyscaler.manifests.kinds import define_kind
from policyscaler.manifests.loading import load_text
from policyscaler.manifests.wire import OpenObjectWire
from policyscaler.model.nodes import NodeClassRef
from policyscaler.model.pools import NodeClass

FULL = """\
apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: old}
spec:
  requirements:
    - {key: machines.example.com/instance-family, operator: In, values: [a]}
    - {key: beta.kubernetes.io/arch, operator: In, values: [arm64]}
  labels: {team: a}
  annotations: {note: b}
  taints: [{key: t, effect: NoSchedule}]
  startupTaints: [{key: s, effect: NoExecute}]
  limits: {resources: {cpu: 1000}}
  ttlSecondsAfterEmpty: 30
  ttlSecondsUntilExpired: 86400
  weight: 10
  providerRef: {name: base}
  provider: {subnets: x}
  kubeletConfiguration: {maxPods: 20}
"""


def _decode(wire, _):
    ref = NodeClassRef(group="machines.example.com", kind="MachineClass", name=wire.metadata.name)
    return NodeClass(meta=wire.metadata.decode(namespaced=False), ref=ref)


KINDS = (
    define_kind("machines.example.com/v1", "MachineClass", wire=OpenObjectWire, decode=_decode),
)


def test_everything_finds_its_place():
    result = load_text(FULL, kinds=KINDS)
    assert not result.errors, [str(error) for error in result.errors]
    (pool,) = result.pools
    assert {(r.key, r.values) for r in pool.requirements} == {
        ("machines.example.com/instance-family", ("a",)),
        ("beta.kubernetes.io/arch", ("arm64",)),
        ("kubernetes.io/os", ("linux",)),
        ("karpenter.sh/capacity-type", ("on-demand",)),
    }
    assert (pool.labels, pool.annotations) == ({"team": "a"}, {"note": "b"})
    assert [str(t) for t in (*pool.taints, *pool.startup_taints)] == ["t:NoSchedule", "s:NoExecute"]
    assert (pool.limits, pool.weight) == ({"cpu": 1_000_000}, 10)
    assert pool.expire_after == timedelta(days=1)
    assert pool.disruption.policy == "WhenEmpty"
    assert pool.disruption.consolidate_after == timedelta(seconds=30)
    assert str(pool.node_class) == "MachineClass/base"
    told = [str(change) for change in result.translations[0].changes]
    assert "spec.ttlSecondsUntilExpired 86400 → spec.template.spec.expireAfter: 24h" in told
    assert any(line.startswith("dropped spec.provider") for line in told)
    assert any("kubelet" in finding.message for finding in result.findings)


def test_nodes_were_not_consolidated_unless_asked():
    text = "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: old}\n"
    (pool,) = load_text(text, kinds=KINDS).pools
    assert pool.disruption.policy == "WhenEmpty"
    assert pool.disruption.consolidate_after is None
    assert pool.expire_after is None


def test_without_a_provider_nobody_knows_the_class():
    (error, *_) = load_text(FULL).errors
    assert "no provider" in error.message


def test_provisioner_and_pool_of_one_name_are_one_too_many():
    pool = """\
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: old}
spec:
  template:
    spec:
      requirements: []
      nodeClassRef: {group: machines.example.com, kind: MachineClass, name: base}
"""
    result = load_text(FULL + pool, kinds=KINDS)
    assert len(result.pools) == 1
    (error,) = result.errors
    assert "is there twice" in error.message
