"""Acceptance: capacity numbers of nodes. The numbers are those of Karpenter's AWS cases."""

import pytest

from policyscaler_aws.capacity import EFA, NEURON_CORE, POD_ENI, WINDOWS_ADDRESS, eni_pods
from policyscaler_aws.settings import AwsSettings
from tests.unit.aws.classes import a_family, a_spec, facts_of, size

MIB, GIB = 2**20, 2**30
NODE = {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"}
EVICTED = 100 * MIB
DISK = 20 * GIB


def reserved_memory_mib(name, spec, settings=None):
    """Memory that the kubelet reserves, in MiB: overhead less the default eviction threshold."""
    return (size(name, spec, settings).overhead["memory"] - EVICTED) // MIB


def disks(*mappings, **fields):
    return {
        "blockDeviceMappings": [
            {"deviceName": device, "ebs": {"volumeSize": volume}} for device, volume in mappings
        ],
        **fields,
    }


def test_the_worked_example_m5_large_on_al2023():
    capacity, overhead, allocatable = size("m5.large")
    assert capacity == {
        "cpu": 2000, "memory": 7577 * MIB, "ephemeral-storage": DISK, "pods": 29, POD_ENI: 9,
    }  # fmt: skip
    assert overhead == {"cpu": 70, "memory": 674 * MIB, "ephemeral-storage": 3 * GIB}
    assert allocatable == {
        "cpu": 1930, "memory": 6903 * MIB, "ephemeral-storage": 17 * GIB, "pods": 29, POD_ENI: 9,
    }  # fmt: skip


def test_aws_136_pods_follow_the_interfaces():
    assert eni_pods(facts_of("t3.large")) == 35
    assert eni_pods(facts_of("m6idn.32xlarge")) == 394


@pytest.mark.parametrize(("reserved", "pods"), [(0, 35), (1, 24), (3, 0), (1000, 0)])
def test_aws_137_reserved_interfaces_cost_pods_and_never_go_below_none(reserved, pods):
    settings = AwsSettings(reserved_enis=reserved)
    assert size("t3.large", settings=settings).capacity["pods"] == pods


def test_aws_138_windows_takes_110_pods():
    assert size("t3.large", a_family("Windows2022")).capacity["pods"] == 110


@pytest.mark.parametrize(
    ("family", "kubelet", "pods"),
    [
        ("AL2023", {"podsPerCore": 1}, 2),
        ("AL2023", {"podsPerCore": 4, "maxPods": 20}, 8),
        ("AL2023", {"podsPerCore": 4, "maxPods": 5}, 5),
        ("AL2023", {"podsPerCore": 0}, 35),
        ("AL2023", {"podsPerCore": 100}, 35),
        ("AL2023", {"maxPods": 0}, 0),
        ("Custom", {"podsPerCore": 1}, 2),
        ("Windows2022", {"podsPerCore": 1}, 2),
    ],
)
def test_aws_139_pods_per_core_bounds_pods(family, kubelet, pods):
    assert size("t3.large", a_family(family, kubelet=kubelet)).capacity["pods"] == pods


@pytest.mark.parametrize(
    ("family", "memory"),
    [("AL2", 640), ("AL2023", 640), ("Custom", 640), ("Bottlerocket", 365), ("Windows2022", 365)],
)
def test_aws_140_max_pods_and_the_memory_reserved(family, memory):
    spec = a_family(family, kubelet={"maxPods": 10})
    assert reserved_memory_mib("t3.large", spec) == memory


@pytest.mark.parametrize(
    ("family", "memory"), [("AL2", 640), ("Bottlerocket", 519), ("Windows2022", 1465)]
)
def test_aws_141_reserved_interfaces_and_the_memory_reserved(family, memory):
    settings = AwsSettings(reserved_enis=1)
    assert reserved_memory_mib("t3.large", a_family(family), settings) == memory


def test_aws_142_what_a_class_reserves_replaces_key_by_key_and_the_system_adds():
    kubelet = {
        "kubeReserved": {"cpu": "500m", "pid": "1000"},
        "systemReserved": {"cpu": "100m", "memory": "1Gi", "ephemeral-storage": "2Gi"},
    }
    overhead = size("m5.large", a_spec(kubelet=kubelet)).overhead
    assert overhead == {
        "cpu": 600,
        "memory": (574 + 1024 + 100) * MIB,
        "ephemeral-storage": (1 + 2 + 2) * GIB,
    }


@pytest.mark.parametrize(
    ("kubelet", "memory", "storage"),
    [
        pytest.param({}, EVICTED, 2 * GIB, id="defaults"),
        pytest.param(
            {"evictionHard": {"memory.available": "500Mi", "nodefs.available": "1Gi"}},
            500 * MIB, GIB, id="amounts as they are",
        ),
        pytest.param(
            {"evictionHard": {"memory.available": "10%", "nodefs.available": "7.5%"}},
            -(-7577 * MIB // 10), -(-DISK * 75 // 1000), id="percentages rounded up",
        ),
        pytest.param(
            {"evictionHard": {"memory.available": "100%", "nodefs.available": "100%"}},
            0, 0, id="a hundred percent is off",
        ),
        pytest.param(
            {"evictionSoft": {"memory.available": "50%"},
             "evictionSoftGracePeriod": {"memory.available": "1m"}},
            EVICTED, 2 * GIB, id="soft thresholds do not count",
        ),
    ],
)  # fmt: skip
def test_aws_143_eviction_thresholds(kubelet, memory, storage):
    overhead = size("m5.large", a_spec(kubelet=kubelet)).overhead
    assert overhead["memory"] - 574 * MIB == memory
    assert overhead["ephemeral-storage"] - GIB == storage


@pytest.mark.parametrize(("card", "pods"), [(0, 51), (1, 100)])
def test_aws_144_efa_only_on_the_first_card_costs_an_interface(card, pods):
    efa = {"networkCardIndex": card, "deviceIndex": 1, "interfaceType": "efa-only"}
    capacity = size("p5.48xlarge", a_spec(networkInterfaces=[NODE, efa])).capacity
    assert (capacity["pods"], capacity[EFA]) == (pods, 1)


def test_aws_171_efa_is_what_the_class_attaches_or_else_what_the_type_has():
    assert size("p4d.24xlarge").capacity[EFA] == 4
    assert EFA not in size("p4d.24xlarge", a_spec(networkInterfaces=[NODE])).capacity


@pytest.mark.parametrize(
    ("fields", "storage"),
    [
        pytest.param(
            {"blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {"snapshotID": "snap-0a"}}]},
            DISK, id="AWS-145 a mapping without a size",
        ),
        pytest.param(disks(("/dev/xvda", "70Gi")), 70 * GIB, id="the family's device"),
        pytest.param(disks(("/dev/xvdb", "70Gi")), DISK, id="another device"),
        pytest.param(disks(("/dev/xvda", "20G")), 20 * 10**9, id="decimal gigabytes"),
        pytest.param(
            {"blockDeviceMappings": [
                {"deviceName": "/dev/xvda", "ebs": {"volumeSize": "30Gi"}},
                {"deviceName": "/dev/xvdz", "rootVolume": True, "ebs": {"volumeSize": "40Gi"}},
            ]},
            40 * GIB, id="AWS-146 the root volume comes before the device's name",
        ),
        pytest.param({"instanceStorePolicy": "RAID0"}, DISK, id="AWS-147 no instance store"),
    ],
)  # fmt: skip
def test_storage_of_m5_large(fields, storage):
    assert size("m5.large", a_spec(**fields)).capacity["ephemeral-storage"] == storage


def test_aws_147_instance_stores_take_the_volumes_place():
    capacity = size("p4d.24xlarge", a_spec(instanceStorePolicy="RAID0")).capacity
    assert capacity["ephemeral-storage"] == 8000 * 10**9


@pytest.mark.parametrize(
    ("family", "fields", "storage"),
    [
        pytest.param("Bottlerocket", {}, 20, id="Bottlerocket keeps pods on its second disk"),
        pytest.param("Bottlerocket", disks(("/dev/xvdb", "80Gi")), 80, id="which can be larger"),
        pytest.param("Windows2022", {}, 50, id="Windows has 50Gi"),
        pytest.param("Custom", {}, 20, id="AWS-145 Custom without mappings"),
        pytest.param(
            "Custom", disks(("a", "30Gi"), ("b", "60Gi")), 60, id="Custom counts the last"
        ),
    ],
)
def test_storage_by_family(family, fields, storage):
    found = size("m5.large", a_family(family, **fields)).capacity["ephemeral-storage"]
    assert found == storage * GIB


def test_aws_148_a_pod_larger_than_the_volume_fits_only_with_instance_stores():
    wanted = 100 * GIB
    raid = a_spec(instanceStorePolicy="RAID0")
    assert size("p4d.24xlarge").allocatable["ephemeral-storage"] < wanted
    assert size("p4d.24xlarge", raid).allocatable["ephemeral-storage"] > wanted


def test_aws_150_pods_with_their_own_interface_fit_on_m5_and_not_on_t3():
    assert size("m5.large").allocatable[POD_ENI] == 9
    assert POD_ENI not in size("t3.large").allocatable


def test_aws_151_windows_pods_have_addresses_where_limits_are_known():
    windows = a_family("Windows2022")
    assert size("m5.large", windows).capacity[WINDOWS_ADDRESS] == 9
    assert WINDOWS_ADDRESS not in size("hpc7a.12xlarge", windows).capacity
    assert WINDOWS_ADDRESS not in size("m5.large").capacity


@pytest.mark.parametrize(
    ("name", "cores"), [("inf2.xlarge", 2), ("trn1.2xlarge", 2), ("m5.large", 0)]
)
def test_aws_152_neuron_cores(name, cores):
    assert size(name).capacity.get(NEURON_CORE, 0) == cores


def test_memory_overhead_is_a_setting_and_rounds_up():
    memory = size("m5.large", settings=AwsSettings(memory_overhead_ppm=0)).capacity["memory"]
    assert memory == 8192 * MIB
    assert size("t4g.small").capacity["memory"] == (2048 - 64 - 149) * MIB


def test_allocatable_is_never_negative():
    tiny = a_spec(kubelet={"systemReserved": {"cpu": "100", "memory": "1Ti"}})
    allocatable = size("t3.nano", tiny).allocatable
    assert (allocatable["cpu"], allocatable["memory"]) == (0, 0)
