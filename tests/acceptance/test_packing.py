"""What pods need and how they are packed: cases D64 to D81."""

import msgspec
import pytest

from policyscaler.model.offerings import instance_type
from policyscaler.model.requests import pod_requests
from policyscaler.testing.builders import (
    a_container,
    a_pod,
    a_pool,
    a_type,
    amounts,
    replicas,
)
from policyscaler.testing.expectations import (
    expect_scheduled,
    expect_unschedulable,
    node_of,
    price,
    types,
)
from policyscaler.testing.karpenter_fixture import VENDOR_A, VENDOR_B, fake_type, fixture_f
from tests.acceptance.deciding import decided

STEPS = (
    fake_type("ten", "10", memory="4Gi"),
    fake_type("eleven", "11", memory="5Gi"),
    fake_type("twelve", "12", memory="6Gi"),
)
SIDECAR = a_container("4900m", "2900Mi", name="sidecar", sidecar=True)


def only(kind):
    """The texts that send a pod to one type."""
    return {"node_selector": {"node.kubernetes.io/instance-type": kind}}


@pytest.mark.parametrize(
    ("init", "main", "kind"),
    [
        ((a_container("10", "4Gi", name="init"), SIDECAR), a_container("6", "2Gi"), "eleven"),
        ((SIDECAR, a_container("5", "1Gi", name="init")), a_container("6", "2Gi"), "eleven"),
        ((SIDECAR, a_container("6", "2Gi", name="init")), a_container("5", "1Gi"), "eleven"),
    ],
    ids=["D64 init, then sidecar", "D65 sidecar, small init", "D66 sidecar, large init"],
)
def test_sidecars_and_init_containers_overlap_as_they_run(init, main, kind):
    pod = a_pod("web", containers=(main,), init_containers=init)
    assert pod_requests(pod)["cpu"] == 10_900
    assert types(decided(a_pool(), STEPS, pod)) == [kind]


@pytest.mark.case("D67")
def test_pod_level_requests_win_over_the_sum_of_containers():
    pod = a_pod(
        "web", cpu="20", memory="8Gi", requests=amounts({"cpu": "9900m", "memory": "3.9Gi"})
    )
    assert types(decided(a_pool(), STEPS, pod)) == ["ten"]


@pytest.mark.case("D68")
def test_pod_level_limits_stand_in_for_requests():
    pod = a_pod("web", cpu="1", limits=amounts({"cpu": "10900m", "memory": "4Gi"}))
    assert types(decided(a_pool(), STEPS, pod)) == ["eleven"]


@pytest.mark.case("D69")
@pytest.mark.parametrize(
    ("spec", "allocated", "infeasible", "counted"),
    [("2", "4", False, 4000), ("4", "2", False, 4000), ("4", "2", True, 2000)],
    ids=["shrinking", "growing", "refused"],
)
def test_a_resize_counts_what_may_still_be_used(spec, allocated, infeasible, counted):
    pod = a_pod(
        cpu=spec, allocated={"main": amounts({"cpu": allocated})}, resize_infeasible=infeasible
    )
    assert decided(a_pool(), fixture_f(), pod).launches[0].requests["cpu"] == counted


@pytest.mark.case("D70")
def test_the_runtimes_overhead_is_added():
    plan = decided(a_pool(), fixture_f(), a_pod(cpu="1500m", overhead=amounts({"cpu": "500m"})))
    assert types(plan) == ["default-instance-type"]
    assert plan.launches[0].requests["cpu"] == 2000


@pytest.mark.case("D71")
def test_a_limit_on_an_accelerator_is_its_request():
    pod = a_pod("web", containers=(a_container(limits={VENDOR_A: "1"}),))
    assert types(decided(a_pool(), fixture_f(), pod)) == ["gpu-vendor-instance-type"]


@pytest.mark.case("D72")
def test_a_request_of_zero_asks_for_nothing():
    pod = a_pod("web", containers=(a_container("1", requests={"foo.com/unknown": "0"}),))
    expect_scheduled(decided(a_pool(), fixture_f(), pod), "web")


@pytest.mark.case("D73")
def test_a_pod_larger_than_every_type_stays_pending():
    plan = decided(a_pool(), fixture_f(), a_pod("web", cpu="50"))
    assert plan.launches == ()
    expect_unschedulable(
        plan,
        "web",
        constraint="resources",
        mentions=["needs cpu 50", "15900m", "arm-instance-type"],
    )


@pytest.mark.case("D74")
def test_an_init_container_larger_than_every_type_keeps_its_pod_pending():
    init = (a_container("1k", name="init"),)
    plan = decided(a_pool(), fixture_f(), a_pod("web", cpu="1", init_containers=init))
    expect_unschedulable(plan, "web", constraint="resources", mentions=["needs cpu 1000"])


@pytest.mark.case("D75")
def test_two_accelerators_that_no_type_has_together():
    both = a_pod("both", containers=(a_container(requests={VENDOR_A: "1", VENDOR_B: "1"}),))
    expect_unschedulable(decided(a_pool(), fixture_f(), both), "both", constraint="resources")
    one = a_pod("one", containers=(a_container(requests={VENDOR_A: "1"}),))
    other = a_pod("other", containers=(a_container(requests={VENDOR_B: "1"}),))
    plan = decided(a_pool(), fixture_f(), one, other)
    assert types(plan) == ["gpu-vendor-b-instance-type", "gpu-vendor-instance-type"]


@pytest.mark.case("D76")
def test_a_type_with_one_slot_takes_one_pod():
    plan = decided(a_pool(), fixture_f(), replicas("web", 3, **only("single-pod-instance-type")))
    assert types(plan) == ["single-pod-instance-type"] * 3


@pytest.mark.case("D77")
def test_large_and_small_pods_share_few_nodes():
    large = replicas("large", 40, cpu="1800m", memory="1800M")
    small = replicas("small", 20, cpu="300m", memory="300M")
    plan = decided(a_pool(), fixture_f(), large, small)
    assert types(plan) == ["default-instance-type"] * 20
    assert all(len(node.pods) == 3 for node in plan.launches)


@pytest.mark.case("D77")
def test_small_pods_go_on_the_cheapest_type_that_holds_them_all():
    plan = decided(a_pool(), fixture_f(), replicas("web", 5, cpu="300m", memory="100M"))
    assert types(plan) == ["small-instance-type"]
    assert price(plan) == "0.414748"
    accepted = {offering.instance_type for offering in plan.launches[0].offerings}
    assert accepted == {kind.name for kind in fixture_f()} - {"single-pod-instance-type"}


@pytest.mark.case("D78")
def test_a_node_can_be_full_by_its_number_of_pods():
    plan = decided(a_pool(), fixture_f(), replicas("web", 25, cpu="1m", memory="1M"))
    assert len(plan.launches) == 5
    assert all(len(node.pods) == 5 for node in plan.launches)


@pytest.mark.case("D79")
def test_capacity_is_not_allocatable():
    pod = a_pod("web", cpu="4", node_selector={"kubernetes.io/arch": "amd64"})
    plan = decided(a_pool(), fixture_f(), pod)
    expect_unschedulable(plan, "web", constraint="resources", mentions=["3900m"])


@pytest.mark.case("D80")
@pytest.mark.parametrize(
    ("pages", "left"), [("2Gi", "4Gi"), ("6Gi", "0"), ("8Gi", "0")], ids=["some", "all", "too many"]
)
def test_huge_pages_come_out_of_memory(pages, left):
    capacity = amounts({"cpu": "4", "memory": "6Gi", "hugepages-2Mi": pages})
    kind = instance_type("t", labels={}, capacity=capacity, overhead={}, offerings=())
    assert kind.allocatable["memory"] == amounts({"memory": left})["memory"]
    assert kind.allocatable["hugepages-2Mi"] == capacity["hugepages-2Mi"]


@pytest.mark.case("D80")
def test_a_pod_that_wants_huge_pages_gets_a_type_that_has_them():
    pages = fake_type("pages", memory="6Gi", more={"hugepages-2Mi": "2Gi"})
    pod = a_pod("web", memory="3Gi", containers=(a_container("1", "3Gi", requests={
        "cpu": "1", "memory": "3Gi", "hugepages-2Mi": "1Gi"}),))  # fmt: skip
    plan = decided(a_pool(), fixture_f(), pages, pod)
    assert node_of(plan, "web").chosen.instance_type == "pages"


def with_device(*, available):
    """A type of which one offering alone has a device."""
    kind = a_type("m4", "4", price="0.20")
    capacity = {"example.com/device": 1}
    special = msgspec.structs.replace(
        kind.offerings[0], zone="z2", capacity=capacity, available=available
    )
    return instance_type(
        "m4", labels=kind.labels, capacity=kind.capacity, overhead={},
        offerings=(*kind.offerings, special),
    )  # fmt: skip


DEVICE = a_container(requests={"cpu": "1", "example.com/device": "1"})


@pytest.mark.case("D81")
def test_an_offering_that_alone_has_a_resource_is_the_only_candidate():
    kind = with_device(available=True)
    plan = decided(a_pool(), kind, a_type("m8", "8"), a_pod("web", containers=(DEVICE,)))
    (node,) = plan.launches
    assert [(o.instance_type, o.zone) for o in node.offerings] == [("m4", "z2")]
    plain = decided(a_pool(), kind, a_pod("web", cpu="1"))
    assert len(plain.launches[0].offerings) == len(kind.offerings)


@pytest.mark.case("D81")
def test_without_that_offering_the_pod_stays_pending():
    plan = decided(a_pool(), with_device(available=False), a_pod("web", containers=(DEVICE,)))
    expect_unschedulable(plan, "web", constraint="offering", mentions=["unavailable"])
