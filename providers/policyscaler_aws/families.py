"""AMI families: what each means for capacity, volumes and the kubelet.

Source: Karpenter's AWS provider, the feature flags of its AMI families.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from policyscaler.model.meta import Value

GIB: Final = 1 << 30

AL2: Final = "AL2"
AL2023: Final = "AL2023"
BOTTLEROCKET: Final = "Bottlerocket"
CUSTOM: Final = "Custom"

WINDOWS_BUILDS: Final = {
    "Windows2019": "10.0.17763",
    "Windows2022": "10.0.20348",
    "Windows2025": "10.0.26100",
}
"""Source: the values that the kubelet gives the label node.kubernetes.io/windows-build."""


class Family(Value, frozen=True, kw_only=True):
    """One AMI family.

    Attributes:
        volumes: default size in bytes of each device, in the order of its mappings.
        storage_device: whose size pods can use; empty where the image decides.
        eni_pods: network interfaces limit how many pods run.
        eni_memory: the kubelet's memory is reserved for as many pods as interfaces allow,
            whatever `maxPods` says.
        pods_per_core: the kubelet's `podsPerCore` is honoured.
        any_kubelet_field: fields that the provider does not know reach the node.
        windows_build: empty for Linux.
    """

    name: str
    volumes: Mapping[str, int]
    storage_device: str = ""
    eni_pods: bool = True
    eni_memory: bool = True
    pods_per_core: bool = True
    any_kubelet_field: bool = False
    windows_build: str = ""


def _windows(name: str) -> Family:
    return Family(
        name=name,
        volumes={"/dev/sda1": 50 * GIB},
        storage_device="/dev/sda1",
        eni_pods=False,
        eni_memory=False,
        windows_build=WINDOWS_BUILDS[name],
    )


FAMILIES: Final[Mapping[str, Family]] = {
    AL2: Family(name=AL2, volumes={"/dev/xvda": 20 * GIB}, storage_device="/dev/xvda"),
    AL2023: Family(
        name=AL2023,
        volumes={"/dev/xvda": 20 * GIB},
        storage_device="/dev/xvda",
        any_kubelet_field=True,
    ),
    BOTTLEROCKET: Family(
        name=BOTTLEROCKET,
        volumes={"/dev/xvda": 4 * GIB, "/dev/xvdb": 20 * GIB},
        storage_device="/dev/xvdb",
        eni_memory=False,
        pods_per_core=False,
    ),
    CUSTOM: Family(name=CUSTOM, volumes={}),
    **{name: _windows(name) for name in WINDOWS_BUILDS},
}
