import pytest

from policyscaler.model import labels
from policyscaler_aws.labels import WELL_KNOWN, labels_of
from tests.unit.aws.classes import a_catalogue, a_family, facts_of, types_of

PREFIX = "karpenter.k8s.aws/instance-"


def labels_for(name, windows_build=""):
    return labels_of(facts_of(name), region="us-east-1", windows_build=windows_build)


M5_LARGE = {
    "category": "m", "generation": "5", "family": "m5", "size": "large", "capability-flex": "false",
    "cpu": "2", "memory": "8192", "cpu-manufacturer": "intel",
    "cpu-sustained-clock-speed-mhz": "3100", "ebs-bandwidth": "4750", "network-bandwidth": "750",
    "hypervisor": "nitro", "encryption-in-transit-supported": "false",
}  # fmt: skip


def test_m5_large_has_exactly_these_labels():
    expected = {PREFIX + part: (value,) for part, value in M5_LARGE.items()} | {
        labels.INSTANCE_TYPE: ("m5.large",),
        labels.REGION: ("us-east-1",),
        labels.ARCH: ("amd64",),
        labels.OS: ("linux",),
        f"{PREFIX}tenancy": ("dedicated", "default"),
    }
    assert labels_for("m5.large") == expected


@pytest.mark.parametrize(
    ("name", "part", "value"),
    [
        pytest.param("u-6tb1.112xlarge", "category", "u", id="the size in a name is no category"),
        pytest.param("u-6tb1.112xlarge", "generation", "1", id="nor a generation"),
        pytest.param("m7i-flex.large", "capability-flex", "true", id="flex types say so"),
        pytest.param("m5.metal", "hypervisor", "", id="bare metal has an empty hypervisor"),
        pytest.param("p4d.24xlarge", "gpu-name", "a100", id="a GPU has a name"),
        pytest.param("p4d.24xlarge", "gpu-count", "8", id="and a count"),
        pytest.param("g6f.large", "gpu-count", "0", id="a fraction of a GPU counts as none"),
        pytest.param("p4d.24xlarge", "local-nvme", "8000", id="instance store in gigabytes"),
        pytest.param("trn1.32xlarge", "accelerator-name", "trainium", id="an accelerator"),
        pytest.param("t4g.small", "cpu-manufacturer", "aws", id="Graviton is made by aws"),
    ],
)
def test_a_label_is_derived(name, part, value):
    assert labels_for(name)[PREFIX + part] == (value,)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        pytest.param("m5.large", "local-nvme", id="no instance store"),
        pytest.param("m5.large", "gpu-name", id="no GPU"),
        pytest.param("c3.2xlarge", "network-bandwidth", id="a bandwidth published in words"),
    ],
)
def test_a_label_without_a_value_is_absent(name, part):
    assert PREFIX + part not in labels_for(name)


def test_windows_labels_amd64_nodes_and_has_no_images_for_arm64():
    found = types_of(a_catalogue(a_family("Windows2022")))
    assert found["m5.large"].labels[labels.OS] == ("windows",)
    assert found["m5.large"].labels[labels.WINDOWS_BUILD] == ("10.0.20348",)
    assert labels.OS not in found["t4g.small"].labels
    assert not any(offering.available for offering in found["t4g.small"].offerings)


def test_every_label_of_the_providers_group_is_well_known():
    keys = {key for kind in a_catalogue().types for key in kind.labels}
    own = {key for key in keys if key.startswith("karpenter.k8s.aws/")}
    assert len(own) == 22
    assert own <= WELL_KNOWN
