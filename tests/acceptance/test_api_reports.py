"""Acceptance: quantities, durations, old versions and bad configuration from public reports."""

from datetime import timedelta

import pytest

from policyscaler.manifests.converting import convert_documents
from policyscaler.manifests.loading import load, load_text
from policyscaler.model import resources as res
from policyscaler.model.errors import QuantityError
from policyscaler.model.quantities import NANO, parse_quantity
from policyscaler_aws.provider import provider
from tests.unit.manifests.trees import (
    a_pool_tree,
    a_requirement,
    an_object,
    errors_of,
    loaded,
    requiring,
    the_pool,
)

CPU = "karpenter.k8s.aws/instance-cpu"
OLD_POOL = """\
apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: {name: old}
spec:
  disruption: {consolidationPolicy: WhenUnderutilized, expireAfter: 168h}
  template:
    spec:
      nodeClassRef: {apiVersion: karpenter.k8s.aws/v1beta1, kind: EC2NodeClass, name: base}
      kubelet: {maxPods: 58}
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [spot]}]
"""
OLD_CLASS = """\
---
apiVersion: karpenter.k8s.aws/v1beta1
kind: EC2NodeClass
metadata: {name: base}
spec:
  amiFamily: AL2
  role: nodes
  subnetSelectorTerms: [{tags: {a: b}}]
  securityGroupSelectorTerms: [{tags: {a: b}}]
"""
PROVISIONER = """\
apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: default}
spec: {consolidation: {enabled: true}}
"""

QUANTITIES = [
    ("1e3", 1000), ("1E3", 1000), ("0.5", 0.5), ("1500m", 1.5), ("100k", 100_000),
    ("2Ti", 2199023255552), ("1.5Gi", 1610612736), (1000, 1000), ("1k", 1000), ("1000", 1000),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "value"), [pytest.param(t, v, id=f"Q01 {t!r}") for t, v in QUANTITIES]
)
def test_quantity_is_exact(text, value):
    assert parse_quantity(text) == value * NANO


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(t, id=f"Q01 {t!r}")
        for t in ("1 Gi", "100K", "1e", "Gi", "", "1.2.3", "0x10", "10gb")
    ],
)
def test_no_quantity_is_refused_with_its_field(text):
    with pytest.raises(QuantityError):
        parse_quantity(text)
    (error,) = errors_of(a_pool_tree(limits={"memory": text}))
    assert error.startswith("spec.limits.memory: ")


@pytest.mark.case("Q01")
def test_q01_a_near_form_is_suggested():
    (error,) = errors_of(a_pool_tree(limits={"memory": "100K"}))
    assert 'did you mean "100k" or "100Ki"?' in error


@pytest.mark.case("Q02")
def test_q02_mixed_units_compare_exactly():
    pool = the_pool(a_pool_tree(limits={"cpu": "1e1", "memory": "100G"}))
    used = the_pool(a_pool_tree(limits={"cpu": "9500m", "memory": "93Gi"})).limits
    candidate = the_pool(a_pool_tree(limits={"cpu": "500m", "memory": "128Mi"})).limits
    assert res.exceeded(res.add(used, candidate), pool.limits) == ()
    assert res.exceeded(res.add(used, candidate, candidate), pool.limits) == ("cpu", "memory")


def _budget(duration):
    entry = {"nodes": "1", "schedule": "@daily", "duration": duration}
    return a_pool_tree(disruption__budgets=[entry])


def _protected(value):
    return {
        **an_object("v1", "Pod", containers=[{"name": "a"}]),
        "metadata": {"name": "p", "annotations": {"karpenter.sh/do-not-disrupt": value}},
    }


@pytest.mark.parametrize(
    ("tree", "accepted"),
    [
        *(
            pytest.param(a_pool_tree(disruption__consolidateAfter=d), good, id=f"Q03 wait {d}")
            for good, texts in (
                (True, ("0s", "1h30m5s", "Never")),
                (False, ("1hr", "-1s", "FooNever", "1d")),
            )
            for d in texts
        ),
        *(
            pytest.param(_budget(d), good, id=f"Q03 window {d}")
            for good, texts in (
                (True, ("10m", "1h30m", "160h", "1h0m0s")),
                (False, ("30s", "1d", "1h30m15s")),
            )
            for d in texts
        ),
        *(
            pytest.param(_protected(d), good, id=f"Q03 protection {d}")
            for good, texts in ((True, ("true", "30m")), (False, ("30", "soon")))
            for d in texts
        ),
    ],
)
def test_duration(tree, accepted):
    assert (not errors_of(tree)) == accepted


@pytest.mark.case("Q03")
def test_q03_pod_with_an_unreadable_protection_is_loaded_all_the_same():
    result = loaded(_protected("soon"))
    assert len(result.pods) == 1
    (error,) = result.errors
    assert "protects nothing" in error.message


@pytest.mark.case("V01")
def test_v01_old_pool_reads_as_the_same_pool():
    result = load_text(OLD_POOL, kinds=provider.kinds)
    assert not result.errors
    (pool,) = result.pools
    assert pool.disruption.policy == "WhenEmptyOrUnderutilized"
    assert pool.disruption.consolidate_after == timedelta(0)
    assert [budget.nodes for budget in pool.disruption.budgets] == ["10%"]
    assert pool.expire_after == timedelta(hours=168)
    assert str(pool.node_class) == "EC2NodeClass/base"
    assert pool.node_class.group == "karpenter.k8s.aws"
    assert pool.graceful_expiry


@pytest.mark.case("V01")
def test_v01_every_change_and_every_added_default_is_said():
    (translation,) = load_text(OLD_POOL, kinds=provider.kinds).translations
    told = [str(change) for change in translation.changes]
    assert "spec.disruption.expireAfter 168h → spec.template.spec.expireAfter" in told
    assert any(line.startswith("added spec.disruption.consolidateAfter: 0s") for line in told)
    assert any(line.startswith("added spec.disruption.budgets: [nodes: 10%]") for line in told)
    assert any("graceful-expiry" in line for line in told)
    moved = next(c for c in translation.changes if c.before == "spec.disruption.expireAfter")
    assert (moved.position.line, moved.position.column) == (5, 69)


@pytest.mark.case("V01")
@pytest.mark.parametrize("text", [OLD_POOL + OLD_CLASS, OLD_CLASS[4:] + "---\n" + OLD_POOL])
def test_v01_kubelet_moves_to_the_node_class_with_a_warning(text):
    result = load_text(text, kinds=provider.kinds)
    assert not result.errors
    assert any("kubelet" in f.message for f in result.findings if f.severity == "warning")
    (node_class,) = result.node_classes
    assert node_class.spec.kubelet.max_pods == 58


@pytest.mark.case("V01")
def test_v01_converted_file_reads_back_as_the_same_pool(tmp_path):
    (tmp_path / "old.yaml").write_text(OLD_POOL + OLD_CLASS)
    converted = convert_documents([tmp_path], kinds=provider.kinds)
    again = load_text(converted.text, kinds=provider.kinds)
    before = load([tmp_path], kinds=provider.kinds)
    assert not again.translations
    assert again.node_classes[0].hash == before.node_classes[0].hash
    for pool in (*again.pools, *before.pools):
        assert pool.expire_after == timedelta(hours=168)
        assert pool.graceful_expiry


@pytest.mark.case("V02")
def test_v02_old_defaults_are_written_out():
    (pool,) = load_text(PROVISIONER, kinds=provider.kinds).pools
    assert {(r.key, r.operator, r.values) for r in pool.requirements} == {
        ("kubernetes.io/os", "In", ("linux",)),
        ("kubernetes.io/arch", "In", ("amd64",)),
        ("karpenter.sh/capacity-type", "In", ("on-demand",)),
        ("karpenter.k8s.aws/instance-category", "In", ("c", "m", "r")),
        ("karpenter.k8s.aws/instance-generation", "Gt", ("2",)),
    }
    assert pool.expire_after is None
    assert pool.disruption.policy == "WhenEmptyOrUnderutilized"


@pytest.mark.case("V02")
def test_v02_old_defaults_can_be_left_out_explicitly(tmp_path):
    file = tmp_path / "p.yaml"
    file.write_text(PROVISIONER)
    kept = convert_documents([file], kinds=provider.kinds)
    bare = convert_documents([file], kinds=provider.kinds, keep_old_defaults=False)
    assert "instance-category" in kept.text
    assert "requirements: []" in bare.text


@pytest.mark.case("E01")
def test_e01_one_bad_pool_leaves_the_others():
    trees = [a_pool_tree(), a_pool_tree(disruption__consolidateAfter="1hr"), a_pool_tree()]
    for tree, name in zip(trees, ("good1", "bad", "good2"), strict=True):
        tree["metadata"] = {"name": name}
    result = loaded(*trees)
    assert [pool.name for pool in result.pools] == ["good1", "good2"]
    (error,) = result.errors
    assert error.subject == "NodePool/bad"
    assert error.path == "spec.disruption.consolidateAfter"
    assert error.position.file == "manifest.yaml"


@pytest.mark.case("E02")
def test_e02_unknown_capacity_type():
    key = "karpenter.sh/capacity-type"
    assert errors_of(requiring(a_requirement(key, "In", "xspot")))
    usable = loaded(requiring(a_requirement(key, "In", "xspot", "spot")))
    assert len(usable.pools) == 1
    (finding,) = usable.findings
    assert finding.suggestion == 'did you mean "spot"?'


@pytest.mark.case("E04")
def test_e04_schedule_without_duration_and_a_typo_are_both_reported():
    errors = errors_of(
        requiring(
            a_requirement("karpenter.sh/capacitytype", "In", "spot"),
            disruption__budgets=[{"nodes": "0", "schedule": "0 9 * * *"}],
        )
    )
    assert len(errors) == 2
    assert any("duration is missing" in error for error in errors)
    assert any('did you mean "karpenter.sh/capacity-type"?' in error for error in errors)


@pytest.mark.parametrize(
    ("requirements", "fault"),
    [
        pytest.param([("Gt", "2"), ("Lt", "9")], "", id="S07 over 2 and under 9"),
        pytest.param([("Gte", "2"), ("Lte", "8")], "", id="S07 from 2 to 8"),
        pytest.param([("Gt", "8"), ("Lt", "9")], "empty numeric range", id="S07 between 8 and 9"),
        pytest.param([("Gt", "4"), ("In", "2 4 8")], "", id="S07 over 4, of three"),
        pytest.param([("Gt", "8"), ("In", "2 4 8")], "no value left", id="S07 over 8, of three"),
    ],
)
def test_range_that_leaves_nothing_is_an_error_when_loading(requirements, fault):
    written = [a_requirement(CPU, operator, *text.split()) for operator, text in requirements]
    errors = errors_of(requiring(*written))
    assert bool(errors) == bool(fault)
    assert all(fault in error for error in errors)


@pytest.mark.case("S08")
def test_s08_restricted_labels_are_refused_with_their_path_and_others_stay():
    ok = a_pool_tree(template__metadata__labels={"app.kubernetes.io/managed-by": "gitops"})
    bad1 = a_pool_tree(template__metadata__labels={"kubernetes.io/hostname": "n1"})
    bad2 = a_pool_tree(template__metadata__labels={"karpenter.sh/anything": "x"})
    bad3 = requiring(a_requirement("karpenter.sh/nodepool", "In", "bad3"))
    for tree, name in zip((ok, bad1, bad2, bad3), ("ok1", "bad1", "bad2", "bad3"), strict=True):
        tree["metadata"] = {"name": name}
    result = loaded(ok, bad1, bad2, bad3)
    assert [pool.name for pool in result.pools] == ["ok1"]
    assert [error.path for error in result.errors] == [
        "spec.template.metadata.labels[kubernetes.io/hostname]",
        "spec.template.metadata.labels[karpenter.sh/anything]",
        "spec.template.spec.requirements[0].key",
    ]
