"""Labels, requirements and preferences as people report them: cases S01 to S10."""

import pytest

from policyscaler.manifests.loading import load_text
from policyscaler.model.meta import LabelSelector
from policyscaler.model.pods import PodAffinityTerm, PreferredTerm
from policyscaler.testing.builders import (
    a_node,
    a_pod,
    a_pool,
    a_term,
    a_type,
    label,
    needs,
    replicas,
)
from policyscaler.testing.expectations import (
    expect_scheduled,
    expect_unschedulable,
    machines,
    named,
    node_of,
    price,
    types,
)
from tests.acceptance.deciding import decided

M2 = a_type("m2", "2", memory="8Gi", price="0.10")
M4 = a_type("m4", "4", price="0.20")


@pytest.mark.case("S01")
def test_an_undeclared_label_names_the_pool_the_key_and_the_fix():
    pods = replicas("web", 5, cpu="500m", node_selector={"tier": "web"})
    plan = decided(a_pool("general", "arch In amd64"), M4, pods)
    assert plan.launches == ()
    (entry,) = plan.unschedulable
    assert len(entry.pods) == 5
    expect_unschedulable(
        plan, "web-0", constraint="requirements",
        mentions=["general", '"tier"', 'declare a label or requirement "tier" on pool general'],
    )  # fmt: skip


@pytest.mark.case("S02")
def test_exists_on_a_pool_is_no_gate():
    g8 = a_type("g8", "8", memory="32Gi", price="1.20")
    gpu, general = a_pool("gpu", "team/gpu Exists", "type In g8"), a_pool("general", "type In m4")
    assert machines(decided(gpu, general, g8, M4, a_pod("api", cpu="1"))) == [
        "general m4 on-demand"
    ]
    notes = [finding.message for finding in decided(gpu, general, g8, M4).findings]
    assert notes == [
        "team/gpu Exists keeps no pod away that does not name it; only a taint reserves the pool"
    ]
    alone = [decided(gpu, g8, a_pod("api", cpu="1")).launches[0].labels for _ in range(2)]
    assert alone[0]["team/gpu"] == alone[1]["team/gpu"] == "0"


@pytest.mark.case("S03")
def test_a_real_node_without_a_label_does_not_have_it():
    big = a_type("big", "96", memory="384Gi", price="4.0", labels={"size": "24xl"})
    legacy = a_node(
        "legacy-1", pool="", labels={"zone": "z1"}, allocatable={"cpu": "16", "pods": "9"}
    )
    plan = decided(a_pool("p"), big, legacy, a_pod("job", cpu="2", must=("size In 24xl",)))
    expect_scheduled(plan, "job", on="big")
    assert plan.existing == ()


@pytest.mark.case("S04")
def test_a_preference_that_can_never_hold_is_dropped_and_told():
    wish = PreferredTerm(weight=10, term=a_term("role/control-plane Exists"))
    plan = decided(a_pool("p"), M2, a_pod("ctrl", preferred_terms=(wish,)))
    assert types(plan) == ["m2"]
    (finding,) = plan.findings
    assert finding.subject == "default/ctrl"
    assert "preferred node affinity" in finding.message


@pytest.mark.case("S05")
@pytest.mark.parametrize("policy", ["Ignore"])
def test_soft_anti_affinity_costs_no_node(policy):
    apart = PodAffinityTerm(
        topology_key=label("host"), selector=LabelSelector(), weight=50, anti=True
    )
    running = [a_pod(name, cpu="1", node=node) for name, node in (("x", "a"), ("y", "b"))]
    web = replicas("web", 6, cpu="900m", pod_affinity=(apart,))
    plan = decided(
        a_pool("p"), M4, a_node("a", M4), a_node("b", M4), running, web, preference_policy=policy
    )
    assert plan.launches == ()
    assert sorted(named(plan).values()) == ["a", "a", "a", "b", "b", "b"]


@pytest.mark.case("S06")
def test_negative_demands_hold_for_a_missing_label_and_keep_away_from_a_present_one():
    plan = decided(
        a_pool("p", "blue NotIn yes"), M2,
        a_pod("a", must=("blue DoesNotExist",)),
        a_pod("b", must=("green NotIn 1",)),
        a_pod("c", must=("blue In no",)),
    )  # fmt: skip
    assert types(plan) == ["m2", "m2"]
    assert node_of(plan, "c").labels["blue"] == "no"
    assert "blue" not in node_of(plan, "a").labels
    assert node_of(plan, "b").name in {node_of(plan, "a").name, node_of(plan, "c").name}


@pytest.mark.parametrize(
    ("requirements", "kept"),
    [
        (("cpu Gt 2", "cpu Lt 9"), ["t4", "t8"]),
        (("cpu Gte 2", "cpu Lte 8"), ["t2", "t4", "t8"]),
        (("cpu Gt 4", "cpu In 2 4 8"), ["t8"]),
    ],
    ids=["S07 A exclusive", "S07 B inclusive", "S07 D with a list"],
)
def test_numeric_ranges(requirements, kept):
    sizes = [a_type(f"t{n}", str(n), labels={"cpu": str(n)}) for n in (1, 2, 4, 8, 16)]
    plan = decided(a_pool("p", *requirements), sizes, a_pod())
    assert sorted({offering.instance_type for offering in plan.launches[0].offerings}) == kept


POOL = """
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {{name: {name}}}
spec:
  template:
    metadata: {{labels: {labels}}}
    spec:
      nodeClassRef: {{group: machines.example, kind: MachineClass, name: default}}
      requirements: {requirements}
"""


def loaded(name, labels="{}", requirements="[]"):
    return load_text(
        POOL.format(name=name, labels=labels, requirements=requirements), name="p.yaml"
    )


@pytest.mark.case("S07")
def test_an_empty_range_is_an_error_when_it_is_loaded():
    key = "example.com/cpu"
    bounds = ", ".join(
        f"{{key: {key}, operator: {op}, values: ['{value}']}}"
        for op, value in (("Gt", 8), ("Lt", 9))
    )
    (finding,) = loaded("c", requirements=f"[{bounds}]").errors
    assert "empty numeric range" in str(finding)
    assert "p.yaml:" in str(finding)


@pytest.mark.parametrize(
    ("name", "fields", "told"),
    [
        ("ok1", {"labels": "{app.kubernetes.io/managed-by: gitops}"}, ()),
        ("bad1", {"labels": "{kubernetes.io/hostname: n1}"}, ("labels", "kubernetes.io/hostname")),
        ("bad2", {"labels": "{karpenter.sh/anything: x}"}, ("labels", "karpenter.sh/anything")),
        (
            "bad3",
            {"requirements": "[{key: karpenter.sh/nodepool, operator: In, values: [bad3]}]"},
            ("requirements", "karpenter.sh/nodepool"),
        ),
    ],
    ids=lambda value: f"S08 {value}" if isinstance(value, str) else None,
)
def test_restricted_labels(name, fields, told):
    found = loaded(name, **fields)
    assert bool(found.errors) is bool(told)
    assert len(found.pools) == (0 if told else 1)
    assert all(text in str(found.errors[0]) for text in told)


OLD = {"failure-domain.beta.kubernetes.io/zone": "z2", "beta.kubernetes.io/arch": "amd64"}


@pytest.mark.case("S09")
def test_aliases_stand_for_the_stable_labels_of_new_nodes():
    kind = a_type("m2", "2", zones=("z1", "z2"))
    plan = decided(a_pool("p", "zone In z2"), kind, a_pod("old", node_selector=OLD))
    expect_scheduled(plan, "old", on="m2")
    assert {offering.zone for offering in plan.launches[0].offerings} == {"z2"}


@pytest.mark.case("S09")
@pytest.mark.parametrize(
    ("selects", "labels", "place"),
    [
        ({"node_selector": OLD}, {}, "m2"),
        ({"node_selector": OLD}, OLD, "n1"),
        ({"must": ("failure-domain.beta.kubernetes.io/zone In z2",)}, {}, "m2"),
        ({"must": ("failure-domain.beta.kubernetes.io/zone In z2",)}, OLD, "n1"),
        ({"must": ("zone In z2",)}, {}, "n1"),
    ],
)
def test_on_a_real_node_an_alias_must_be_there(selects, labels, place):
    kind = a_type("m2", "2", zones=("z2",))
    plan = decided(a_pool("p"), kind, a_node("n1", kind, labels=labels), a_pod("old", **selects))
    expect_scheduled(plan, "old", on=place)


SIZES = [a_type(f"a{n}", cpu) for n, cpu in
         ((2, "2"), (4, "4"), (8, "8"), (16, "16"), (32, "31500m"), (64, "63500m"))]  # fmt: skip
FLEX = a_pool("flex", weight=10, requirements=(needs("type Exists", min_values=5),))


@pytest.mark.case("S10")
def test_strict_minimum_values_send_the_pod_to_the_next_pool():
    plan = decided(FLEX, a_pool("plain"), SIZES, a_pod("big", cpu="20"))
    assert machines(plan) == ["plain a32 on-demand"]
    alone = decided(FLEX, SIZES, a_pod("big", cpu="20"))
    expect_unschedulable(alone, "big", constraint="min-values", mentions=["minValues 5", "2 left"])


@pytest.mark.case("S10")
def test_minimum_values_at_best_effort_are_relaxed_and_told():
    plan = decided(
        FLEX, a_pool("plain"), SIZES, a_pod("big", cpu="20"), min_values_policy="BestEffort"
    )
    assert machines(plan) == ["flex a32 on-demand"]
    (finding,) = plan.launches[0].findings
    assert "relaxed 5→2" in finding.message
    assert price(plan) == "1.575"
