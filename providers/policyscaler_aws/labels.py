"""The labels that a node gets from its instance type.

Source: the label table of Karpenter's AWS provider. One of its labels,
`karpenter.k8s.aws/nitro-sandbox`, is left out: the facts that ship with the product do not say
which types support Nitro Enclaves.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from policyscaler.model import labels
from policyscaler_aws.facts import TypeFacts

GROUP: Final = "karpenter.k8s.aws"
_PREFIX: Final = f"{GROUP}/instance-"
ZONE_ID: Final = "topology.k8s.aws/zone-id"
TENANCY: Final = f"{_PREFIX}tenancy"
HYPERVISOR: Final = f"{_PREFIX}hypervisor"

WELL_KNOWN: Final = frozenset(
    {ZONE_ID, f"{GROUP}/nitro-sandbox"}
    | {f"{GROUP}/capacity-reservation-{part}" for part in ("id", "type", "interruptible")}
    | {f"{GROUP}/placement-group-{part}" for part in ("id", "partition")}
    | {
        _PREFIX + part
        for part in (
            "category", "generation", "family", "size", "capability-flex", "cpu", "memory",
            "cpu-manufacturer", "cpu-sustained-clock-speed-mhz", "ebs-bandwidth",
            "network-bandwidth", "local-nvme", "hypervisor", "encryption-in-transit-supported",
            "gpu-name", "gpu-manufacturer", "gpu-count", "gpu-memory", "accelerator-name",
            "accelerator-manufacturer", "accelerator-count", "tenancy",
        )
    }
)  # fmt: skip
"""The keys that a NodePool may require although the group is reserved."""

_CATEGORY: Final = re.compile(r"(^[a-z]+)(-[0-9]+tb)?([0-9]+).*\.")


def labels_of(facts: TypeFacts, *, region: str, windows_build: str) -> dict[str, tuple[str, ...]]:
    """Returns the values that each label can have on nodes of a type.

    Zone and capacity type belong to the offering. A label that the type cannot have is absent;
    so is the operating system where the image family has no image for the processor.
    """
    values = {
        labels.INSTANCE_TYPE: one(facts.name),
        labels.REGION: one(region),
        labels.ARCH: one(facts.arch),
        TENANCY: ("dedicated", "default"),
        HYPERVISOR: one(facts.hypervisor),
        f"{_PREFIX}cpu": one(str(facts.vcpus)),
        f"{_PREFIX}memory": one(str(facts.memory_mib)),
        f"{_PREFIX}cpu-manufacturer": one(facts.cpu_manufacturer),
        f"{_PREFIX}cpu-sustained-clock-speed-mhz": one(str(facts.clock_mhz)),
        f"{_PREFIX}encryption-in-transit-supported": _flag(facts.encryption_in_transit),
    }
    _add_name_labels(values, facts.name)
    _add_os(values, arch=facts.arch, windows_build=windows_build)
    for part, number in (
        ("ebs-bandwidth", facts.ebs_mbps),
        ("network-bandwidth", facts.network_mbps),
        ("local-nvme", facts.nvme_gb),
    ):
        if number is not None:
            values[_PREFIX + part] = one(str(number))
    if facts.gpu_name or facts.accelerator_name:
        _add_accelerators(values, facts)
    return values


def _add_name_labels(values: dict[str, tuple[str, ...]], name: str) -> None:
    match = _CATEGORY.match(name)
    if match is not None:
        values[f"{_PREFIX}category"] = one(match[1])
        values[f"{_PREFIX}generation"] = one(match[3])
    family, dot, size = name.partition(".")
    values[f"{_PREFIX}capability-flex"] = _flag("-flex" in family)
    if dot and "." not in size:
        values[f"{_PREFIX}family"] = one(family)
        values[f"{_PREFIX}size"] = one(size)


def _add_os(values: dict[str, tuple[str, ...]], *, arch: str, windows_build: str) -> None:
    if not windows_build:
        values[labels.OS] = one("linux")
    elif arch == "amd64":
        values[labels.OS] = one("windows")
        values[labels.WINDOWS_BUILD] = one(windows_build)


def _add_accelerators(values: dict[str, tuple[str, ...]], facts: TypeFacts) -> None:
    if facts.gpu_name:
        values[f"{_PREFIX}gpu-name"] = one(facts.gpu_name)
        values[f"{_PREFIX}gpu-manufacturer"] = one(facts.gpu_manufacturer)
        values[f"{_PREFIX}gpu-count"] = one(str(facts.gpu_count))
        values[f"{_PREFIX}gpu-memory"] = one(str(facts.gpu_memory_mib))
    if facts.accelerator_name:
        values[f"{_PREFIX}accelerator-name"] = one(facts.accelerator_name)
        values[f"{_PREFIX}accelerator-manufacturer"] = one(facts.accelerator_manufacturer)
        values[f"{_PREFIX}accelerator-count"] = one(str(facts.accelerator_count))


@cache
def one(value: str) -> tuple[str]:
    """Returns the value as a tuple that all types with it share: there are far fewer values."""
    return (value,)


def _flag(value: bool) -> tuple[str]:  # noqa: FBT001 - the only argument
    return one("true" if value else "false")
