"""A NodePool and the policy that it compiles to say the same on every offering.

The set algebra narrows with requirements while it packs; people read them as expressions. Where
the two could differ, one of them would be a lie.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from policyscaler.manifests.loading import load_text
from policyscaler.model.meta import ObjectMeta
from policyscaler.model.nodes import NodeClassRef
from policyscaler.model.offerings import Catalogue, Offering, instance_type
from policyscaler.model.policies import COMPILED_FROM
from policyscaler.model.pools import NodePool
from policyscaler.model.requirements import NodeSelectorRequirement
from policyscaler.policy.compiler import compile_pool, keys_of
from policyscaler.policy.evaluation import Policies
from policyscaler.policy.offeringrows import offering_rows
from policyscaler.policy.rendering import render
from policyscaler.scheduling.offeringtable import OfferingTable
from policyscaler.scheduling.requirements import of_pool
from policyscaler_aws.catalogue import build_catalogue
from policyscaler_aws.settings import AwsSettings
from policyscaler_aws.spec import EC2NodeClassSpec
from tests.unit.policy_facade.building import CONTEXT, a_pool, a_shape

OS, ZONE, CAPACITY = "kubernetes.io/os", "topology.kubernetes.io/zone", "karpenter.sh/capacity-type"
SIZE, MIXED, TIER, RACK = (
    "example.com/size",
    "example.com/mixed",
    "example.com/tier",
    "example.com/rack",
)
FREE = "example.com/nobody-has-it"


def a_type(name, labels, *racks):
    offerings = [
        Offering(zone=zone, capacity_type=kind, price_micros_per_hour=1000, labels=labels)
        for zone, labels in [("z1", {RACK: "r1"} if "r1" in racks else {}), ("z2", {TIER: "here"})]
        for kind in ("on-demand", "spot")
    ]
    return instance_type(
        name, labels={"node.kubernetes.io/instance-type": (name,)} | labels,
        capacity={"cpu": 1000}, overhead={}, offerings=tuple(offerings),
    )  # fmt: skip


MADE_UP = Catalogue(
    name="made up",
    digest="made up",
    types=(
        a_type("a", {OS: ("linux", "windows"), SIZE: ("1", "10"), MIXED: ("3", "three")}, "r1"),
        a_type("b", {OS: ("linux",), SIZE: ("2",), MIXED: ("three",), TIER: ("gold", "here")}),
        a_type("c", {SIZE: ("007",), MIXED: (), TIER: ("gold",)}, "r1"),
        a_type(
            "d", {OS: ("darwin", "linux"), SIZE: ("-5", "9223372036854775808"), TIER: ("7", "8")}
        ),
        a_type("e", {OS: ("it's \\ odd",), RACK: ("r1", "r2")}),
    ),
)
VALUES = {
    OS: ["linux", "windows", "darwin", "it's \\ odd"],
    SIZE: ["1", "2", "7", "007", "10", "-5", "9223372036854775808"],
    MIXED: ["3", "three"],
    TIER: ["gold", "here", "7", "8"],
    RACK: ["r1", "r2"],
    ZONE: ["z1", "z2", "z3"],
    CAPACITY: ["on-demand", "spot"],
    "node.kubernetes.io/instance-type": ["a", "b", "c", "d", "e"],
    FREE: ["x"],
}


@cache
def aws():
    return build_catalogue(EC2NodeClassSpec(), AwsSettings(region="us-east-1"))


def aws_values(key):
    values = {value for kind in aws().types for value in kind.labels.get(key, ())}
    return sorted(values)[:: max(1, len(values) // 12)]


AWS_KEYS = [
    "karpenter.k8s.aws/instance-category", "karpenter.k8s.aws/instance-cpu", "karpenter.k8s.aws/instance-generation",
    "karpenter.k8s.aws/instance-hypervisor", "karpenter.k8s.aws/instance-tenancy", "karpenter.k8s.aws/instance-gpu-count",
    "karpenter.k8s.aws/instance-local-nvme", "karpenter.k8s.aws/instance-memory", "kubernetes.io/arch",
    "node.kubernetes.io/instance-type",
]  # fmt: skip


def requirements(values):
    """Up to five requirements over keys and their values, several on one key likely."""

    def one(key):
        listed = st.lists(st.sampled_from(values[key]), min_size=1, max_size=3, unique=True)
        bound = st.sampled_from(["-6", "0", "1", "2", "7", "9", "96", "9223372036854775807"])
        return st.one_of(
            st.tuples(st.just(key), st.sampled_from(["In", "NotIn"]), listed.map(tuple)),
            st.tuples(st.just(key), st.sampled_from(["Exists", "DoesNotExist"]), st.just(())),
            st.tuples(
                st.just(key), st.sampled_from(["Gt", "Lt", "Gte", "Lte"]), bound.map(lambda b: (b,))
            ),
        )

    return st.lists(st.sampled_from(sorted(values)).flatmap(one), max_size=5)


def pool_of(written, labels=None):
    return NodePool(
        meta=ObjectMeta(name="default"),
        node_class=NodeClassRef(group="example.com", kind="Class", name="c"),
        requirements=tuple(
            NodeSelectorRequirement(key=key, operator=operator, values=values)
            for key, operator, values in written
        ),
        labels=labels or {},
    )


@cache
def table(catalogue_name):
    return OfferingTable(CATALOGUES[catalogue_name]())


@cache
def columns(catalogue_name):
    return offering_rows(CATALOGUES[catalogue_name]()).table


CATALOGUES: dict[str, Callable[[], Catalogue]] = {"made up": lambda: MADE_UP, "aws": aws}


def expressions_say(pool, catalogue):
    policy = compile_pool(pool, keys_of(catalogue))
    rows = np.ones(sum(len(t.offerings) for t in catalogue.types), dtype=bool)
    verdict = Policies.compile([policy]).offerings(catalogue, a_pool(), a_shape(), rows, CONTEXT)
    assert not verdict.suspended
    return verdict.rows


def assert_equal(pool, name):
    """The expressions row by row, against the algebra's mask."""
    algebra = table(name).mask_all(of_pool(pool))
    policy = Policies.compile([compile_pool(pool, keys_of(CATALOGUES[name]()))]).policies[0]
    said = np.ones(len(algebra), dtype=bool)
    for rule in policy.require:
        values, _ = rule.program.evaluate_rows(columns(name), {})
        said &= values
    differing = [table(name).rows[i].name for i in np.flatnonzero(algebra != said)]
    assert not differing, render(compile_pool(pool, keys_of(CATALOGUES[name]())))


@given(requirements(VALUES), st.sampled_from([{}, {TIER: "gold"}, {OS: "linux"}, {FREE: "x"}]))
@example([(TIER, "In", ("gold",)), (TIER, "In", ("here",))], {})  # nothing: met by a missing label
@example([(SIZE, "Gt", ("1",)), (SIZE, "Lt", ("10",))], {})  # no value between 1 and 10
@example([(MIXED, "NotIn", ("3",)), (MIXED, "Gt", ("0",))], {})  # met by a missing label too
def test_the_two_forms_are_equal_on_every_made_up_offering(written, labels):
    assert_equal(pool_of(written, labels), "made up")


@given(st.deferred(lambda: requirements({key: aws_values(key) for key in AWS_KEYS})))
def test_the_two_forms_are_equal_on_every_aws_offering(written):
    assert_equal(pool_of(written), "aws")


def test_a_list_of_all_instance_types_is_equal_and_loads():
    names = tuple(kind.name for kind in aws().types)
    key = "node.kubernetes.io/instance-type"
    for operator in ("In", "NotIn"):
        pool = pool_of([(key, operator, names[::2])])
        assert_equal(pool, "aws")
        assert len(compile_pool(pool, keys_of(aws())).variables) > 1


def test_an_open_label_is_satisfied_by_one_of_its_values():
    said = expressions_say(pool_of([(OS, "NotIn", ("linux",))]), MADE_UP)
    kept = {row.type.name for row, keep in zip(table("made up").rows, said, strict=True) if keep}
    assert kept == {"a", "c", "d", "e"}, "a and d may run something else, c has no label"


def test_what_an_offering_settles_is_no_longer_open():
    said = expressions_say(pool_of([(TIER, "In", ("gold",))]), MADE_UP)
    kept = {row.name for row, keep in zip(table("made up").rows, said, strict=True) if keep}
    assert kept == {"b/z1/on-demand", "b/z1/spot", "c/z1/on-demand", "c/z1/spot"}


POOL = """
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  weight: 10
  limits: {cpu: "1000", memory: 4Ti}
  disruption:
    consolidationPolicy: WhenEmpty
    consolidateAfter: 30s
    budgets: [{nodes: "20%"}, {nodes: "0", reasons: [Drifted], schedule: "0 9 * * 1-5", duration: 8h}]
  template:
    metadata: {labels: {team: web}}
    spec:
      nodeClassRef: {group: example.com, kind: Class, name: c}
      expireAfter: 168h
      terminationGracePeriod: 1h
      taints: [{key: dedicated, value: web, effect: NoSchedule}]
      requirements:
        - {key: kubernetes.io/os, operator: In, values: [linux], minValues: 1}
        - {key: example.com/size, operator: Gt, values: ["1"]}
        - {key: example.com/chosen, operator: Exists}
"""


@pytest.fixture(name="written_pool")
def _written_pool():
    loaded = load_text(POOL, name="pool.yaml")
    assert loaded.pools, [str(finding) for finding in loaded.findings]
    return loaded.pools[0]


def test_what_compile_prints(written_pool, golden):
    golden("policy/compiled-pool.yaml", render(compile_pool(written_pool, keys_of(MADE_UP))))


def test_what_compile_prints_loads_again_and_says_the_same(written_pool):
    policy = compile_pool(written_pool, keys_of(MADE_UP))
    again = load_text(render(policy), name="compiled.yaml")
    assert not again.findings, [str(finding) for finding in again.findings]
    assert Policies.compile(again.policies).digest == Policies.compile([policy]).digest
    assert again.policies[0].meta.annotations[COMPILED_FROM] == "NodePool/default"
    assert render(again.policies[0]).count("# from compiled.yaml:") == render(policy).count(
        "# from pool.yaml:"
    )
