"""Files to a snapshot: defaults, priorities, catalogues and missing replicas."""

import pytest

from policyscaler.manifests.assembly import to_snapshot
from policyscaler.manifests.loading import load_text
from policyscaler.manifests.replicas import pending_from_workloads
from policyscaler.model.offerings import rows_of

CATALOGUE = """\
apiVersion: policyscaler.dev/v1alpha1
kind: Catalogue
metadata: {name: own}
spec:
  nodeClassRefs: [{group: example.com, kind: MachineClass, name: base}]
  instanceTypes:
    - name: big
      labels: {example.com/rack: r1}
      capacity: {cpu: 8, memory: 32Gi}
      overhead: {cpu: 500m, memory: 1Gi}
      offerings: [{zone: b, price: 0.30}, {zone: a, price: "0.25", capacityType: spot}]
---
"""
WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 3
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app}], priorityClassName: high}
---
"""


def pod(name, kind, owner, phase="Running"):
    return f"""\
apiVersion: v1
kind: Pod
metadata:
  name: {name}
  namespace: shop
  ownerReferences: [{{apiVersion: x/v1, kind: {kind}, name: {owner}, controller: true}}]
spec: {{nodeName: n1, containers: [{{name: app}}]}}
status: {{phase: {phase}}}
---
"""


def missing(text):
    loaded = load_text(text)
    assert not loaded.errors
    return [(p.meta.name, p.meta.controller.kind) for p in pending_from_workloads(loaded)]


def test_deployment_lacks_its_replicas():
    assert missing(WEB) == [(f"web-{n}", "ReplicaSet") for n in (1, 2, 3)]


def test_pods_of_its_replica_set_count_and_finished_ones_do_not():
    present = pod("web-abc-1", "ReplicaSet", "web-abc") + pod(
        "web-abc-2", "ReplicaSet", "web-abc", "Failed"
    )
    assert missing(WEB + present) == [("web-1", "ReplicaSet"), ("web-2", "ReplicaSet")]


def test_stateful_set_lacks_the_ordinals_that_are_not_there():
    text = WEB.replace("Deployment", "StatefulSet") + pod("web-1", "StatefulSet", "web")
    assert missing(text) == [("web-0", "StatefulSet"), ("web-2", "StatefulSet")]


def test_replica_set_of_a_deployment_makes_no_pods_of_its_own():
    owned = WEB.replace("kind: Deployment", "kind: ReplicaSet").replace(
        "name: web, namespace: shop",
        "name: web-abc, namespace: shop, ownerReferences: "
        "[{kind: Deployment, name: web, controller: true}]",
    )
    assert len(missing(WEB + owned)) == 3
    assert len(missing(owned)) == 3


def test_job_lacks_what_may_run_beside_what_is_done():
    job = """\
apiVersion: batch/v1
kind: Job
metadata: {name: sum, namespace: shop}
spec: {parallelism: 3, completions: 4, template: {spec: {containers: [{name: app}]}}}
---
"""
    assert len(missing(job)) == 3
    done = "".join(pod(f"sum-{n}", "Job", "sum", "Succeeded") for n in (1, 2))
    assert [name for name, _ in missing(job + done)] == ["sum-3", "sum-4"]


def test_s22_limit_ranges_and_priorities_are_filled_in():
    text = WEB + """\
apiVersion: v1
kind: LimitRange
metadata: {name: l, namespace: shop}
spec: {limits: [{type: Container, defaultRequest: {cpu: 500m}, default: {memory: 1Gi}}]}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
---
""" + WEB.replace("kind: Deployment", "kind: DaemonSet").replace("  replicas: 3\n", "")  # fmt: skip
    assembled = to_snapshot(load_text(text), [])
    assert not assembled.findings
    specs = [p.spec for p in assembled.snapshot.pods.values()]
    assert len({id(spec) for spec in specs}) == 1
    daemon = assembled.snapshot.daemon_sets[("shop", "web")].template.spec
    for spec in (specs[0], daemon):
        assert spec.containers[0].requests == {"cpu": 500, "memory": 2**30}
        assert spec.priority == 1000
    assert all(p.unschedulable for p in assembled.snapshot.pods.values())


def test_missing_priority_class_is_a_warning():
    (finding,) = to_snapshot(load_text(WEB), []).findings
    assert (finding.severity, finding.subject) == ("warning", "PriorityClass/high")


def test_catalogue_serves_pools_by_name_and_the_classes_that_it_lists():
    snapshot = to_snapshot(load_text(CATALOGUE), []).snapshot
    assert sorted(str(ref) for ref in snapshot.catalogues) == ["Catalogue/own", "MachineClass/base"]
    (catalogue,) = {id(c): c for c in snapshot.catalogues.values()}.values()
    (big,) = catalogue.types
    assert big.labels["example.com/rack"] == ("r1",)
    assert big.labels["kubernetes.io/arch"] == ("amd64",)
    assert big.labels["topology.kubernetes.io/zone"] == ("a", "b")
    assert big.allocatable == {"cpu": 7500, "memory": 31 * 2**30, "pods": 110}
    assert [o.price_micros_per_hour for o in big.offerings] == [250_000, 300_000]


def test_digest_is_that_of_the_content():
    def digest(text):
        return load_text(text).catalogues[0].catalogue.digest

    assert digest(CATALOGUE) == digest(CATALOGUE.replace("price: 0.30", 'price: "0.3"'))
    assert digest(CATALOGUE) != digest(CATALOGUE.replace("0.30", "0.31"))


def test_csv_and_yaml_make_the_same_catalogue():
    table = (
        "instanceType,cpu,memory,zone,price,capacityType,overhead.cpu,overhead.memory,label:example.com/rack\n"
        "big,8,32Gi,b,0.30,,500m,1Gi,r1\n"
        "# a remark\n"
        "big,8,32Gi,a,0.25,spot,500m,1Gi,r1\n"
    )
    from_csv = load_text(table, name="own.csv")
    assert not from_csv.errors
    assert from_csv.catalogues[0].catalogue == load_text(CATALOGUE).catalogues[0].catalogue


@pytest.mark.parametrize("name", ["basse", "other"])
def test_pool_without_its_class_is_a_warning(name):
    text = CATALOGUE + f"""\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {{name: p}}
spec:
  template:
    spec:
      requirements: []
      nodeClassRef: {{group: example.com, kind: MachineClass, name: {name}}}
"""  # fmt: skip
    (finding,) = to_snapshot(load_text(text), []).findings
    assert f"MachineClass/{name}" in finding.message
    assert finding.suggestion == ('did you mean "base"?' if name == "basse" else "")
    assert finding.position.line == 13


def test_an_offering_may_have_capacity_of_its_own():
    text = """
apiVersion: policyscaler.dev/v1alpha1
kind: Catalogue
metadata: {name: racks}
spec:
  instanceTypes:
    - name: rack
      capacity: {cpu: "8", memory: 32Gi}
      offerings:
        - {zone: b, price: "0.3", capacity: {example.com/device: "2"}}
        - {zone: c, price: "0.2"}
"""
    loaded = load_text(text, name="racks.yaml")
    assert not loaded.errors
    plain, special = rows_of(loaded.catalogues[0].catalogue)
    assert (plain.offering.zone, plain.type.capacity.get("example.com/device")) == ("c", None)
    assert (special.offering.zone, special.type.capacity["example.com/device"]) == ("b", 2)
    assert special.type.allocatable["cpu"] == 8000
