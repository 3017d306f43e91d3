"""Example 03: ten lines of policy change what example 01 launches, and explain says so."""

import json

import pytest

from tests.examples.reports import EXAMPLES, events, run

INFLATE = EXAMPLES / "01-inflate"
POLICY = EXAMPLES / "03-first-policy" / "policy.yaml"
FILES = [
    INFLATE / "nodepool.yaml",
    INFLATE / "ec2nodeclass.yaml",
    EXAMPLES / "03-first-policy" / "pods.yaml",
]


def plan(*arguments):
    return json.loads(run("plan", *FILES, *arguments, "--format", "json", "--quiet"))


def architectures(nodes):
    text = run(
        "offerings", INFLATE, "-l", f"instance-type in ({','.join(nodes)})", "--format", "json"
    )
    return {tuple(item["labels"]["kubernetes.io/arch"]) for item in json.loads(text)["items"]}


def test_the_policy_has_ten_lines():
    assert len(POLICY.read_text(encoding="utf-8").splitlines()) == 10


def test_before_one_cheap_arm_node_after_amd64_nodes_under_the_price():
    before, after = plan(), plan(POLICY)
    assert len(before["nodes"]) == 1
    assert architectures([before["nodes"][0]["instanceType"]]) == {("arm64",)}
    assert len(after["nodes"]) > 1
    assert architectures({node["instanceType"] for node in after["nodes"]}) == {("amd64",)}
    assert all(float(node["pricePerHour"]) <= 0.15 for node in after["nodes"])
    assert sum(len(node["pods"]) for node in after["nodes"]) == 15


def test_the_parameter_can_be_set_from_the_command_line():
    assert len(plan(POLICY, "--set", "dearest=10")["nodes"]) == 1
    assert len(plan(POLICY, "--set", "our-images.dearest=10")["nodes"]) == 1


@pytest.mark.parametrize(
    ("policies", "rules"),
    [
        pytest.param([], set(), id="before"),
        pytest.param(["--policies", POLICY], {"amd64", "dearest"}, id="after"),
    ],
)
def test_explain_pod_counts_what_each_rule_cuts(policies, rules):
    text = run("explain", "pod", "inflate", *FILES, *policies, "--format", "json")
    (funnel,) = json.loads(text)["funnels"]
    own = {
        line["rule"]["rule"]: line
        for line in funnel["rules"]
        if line["rule"]["policy"] == "our-images"
    }
    assert set(own) == rules
    assert funnel["steps"][0]["kept"] > funnel["steps"][1]["kept"]
    for line in own.values():
        assert line["cut"] > 0
        assert line["rule"]["source"]["file"].endswith("policy.yaml")


def test_explain_offering_shows_the_rule_and_its_values():
    chosen = plan()["nodes"][0]
    name = "/".join(chosen[key] for key in ("instanceType", "zone", "capacityType"))
    text = run("explain", "offering", name, "--pod", "inflate", *FILES, "--policies", POLICY)
    assert "may not be launched" in text
    assert "require cut  our-images/amd64" in text
    assert "offering.arch == 'amd64'  =>  false" in text
    assert "offering.arch  =>  arm64" in text


def test_the_simulation_of_example_01_obeys_it_too():
    text = run("simulate", INFLATE, "--policies", POLICY, "--format", "json")
    launches = events(json.loads(text), "launch")
    assert len(launches) > 1
    assert all(float(e["data"]["pricePerHour"]) <= 0.15 for e in launches)
