"""Classes of equal pods."""

from datetime import timedelta

import pytest

from policyscaler.model.pods import HostPort, PodAffinityTerm, PreferredTerm, TopologySpread
from policyscaler.scheduling.requirements import pod_alternatives
from policyscaler.scheduling.shapes import intern_shapes
from policyscaler.scheduling.unsupported import hard_constraints, soft_constraints
from policyscaler.testing.builders import NOW, a_container, a_pod, a_term, owned_by, replicas


def names(shapes):
    return [shape.name for shape in shapes]


def test_pods_of_one_workload_are_one_shape_oldest_first():
    pods = replicas("web", 3)
    young = a_pod("web-0a", owners=owned_by("ReplicaSet", "web"), created=NOW + timedelta(1))
    old = a_pod("web-z", owners=owned_by("ReplicaSet", "web"), created=NOW - timedelta(1))
    (shape,) = intern_shapes([young, *pods, old])
    assert [name for _, name in shape.pods] == ["web-z", "web-0", "web-1", "web-2", "web-0a"]
    assert (shape.name, shape.owner_kind, shape.count) == ("web", "ReplicaSet", 5)


@pytest.mark.parametrize(
    "fields",
    [
        {"cpu": "200m"}, {"labels": {"app": "b"}}, {"namespace": "other"}, {"priority": 5},
        {"owners": owned_by("Job", "x")}, {"must": ("zone In z1",)},
        {"allocated": {"main": {"cpu": 200}}},
    ],
    ids=str,
)  # fmt: skip
def test_what_policy_or_scheduling_can_tell_apart_is_not_one_shape(fields):
    assert (
        len(
            intern_shapes(
                [a_pod("a", labels={"app": "a"}), a_pod("b", **{"labels": {"app": "a"}, **fields})]
            )
        )
        == 2
    )


@pytest.mark.parametrize(
    "key", ["pod-template-hash", "apps.kubernetes.io/pod-index", "controller-uid"]
)
def test_labels_of_single_pods_are_left_aside(key):
    (shape,) = intern_shapes(
        [a_pod("a", labels={key: "1", "app": "a"}), a_pod("b", labels={key: "2", "app": "a"})]
    )
    assert shape.labels == {"app": "a"}


def test_the_largest_come_first_and_priority_does_not_count():
    pods = [
        a_pod("small", cpu="1"), a_pod("important", cpu="1", memory="1Gi", priority=100),
        a_pod("large", cpu="2"), a_pod("roomy", cpu="1", memory="2Gi"),
        a_pod("early", cpu="1", created=NOW - timedelta(1), labels={"app": "x"}),
    ]  # fmt: skip
    assert names(intern_shapes(pods)) == ["large", "roomy", "important", "early", "small"]
    assert names(intern_shapes(pods[::-1])) == ["large", "roomy", "important", "early", "small"]


def test_alternatives_are_the_or_ed_terms_with_the_selector():
    pod = a_pod(
        node_selector={"tier": "x"},
        required_terms=(a_term("zone In z1"), a_term(), a_term("zone In z2")),
    )
    found = pod_alternatives(pod.spec)
    assert [sorted(option) for option in found] == [["tier", "topology.kubernetes.io/zone"]] * 2


@pytest.mark.parametrize(
    ("fields", "hard", "soft"),
    [
        ({"spread": (TopologySpread(topology_key="z"),)}, ["topology spread (DoNotSchedule)"], []),
        ({"spread": (TopologySpread(topology_key="z", hard=False),)}, [], ["topology spread (ScheduleAnyway)"]),
        ({"pod_affinity": (PodAffinityTerm(topology_key="z"),)}, ["required pod affinity"], []),
        ({"pod_affinity": (PodAffinityTerm(topology_key="z", anti=True),)}, ["required pod anti-affinity"], []),
        ({"pod_affinity": (PodAffinityTerm(topology_key="z", weight=1),)}, [], ["preferred pod affinity"]),
        ({"preferred_terms": (PreferredTerm(weight=1, term=a_term("zone In z1")),)}, [], ["preferred node affinity"]),
        ({"containers": (a_container(host_ports=(HostPort(port=80),)),)}, ["host ports"], []),
        ({"init_containers": (a_container(host_ports=(HostPort(port=80),), sidecar=True),)}, ["host ports"], []),
        ({"resource_claims": ("gpu",)}, ["resource claims (DRA)"], []),
        ({}, [], []),
    ],
    ids=["spread", "soft spread", "affinity", "anti-affinity", "soft affinity", "preference", "port", "sidecar's port",
         "claim", "nothing"],
)  # fmt: skip
def test_constraints_that_are_not_supported_are_named(fields, hard, soft):
    spec = a_pod(**fields).spec
    assert list(hard_constraints(spec)) == hard
    assert list(soft_constraints(spec)) == soft
