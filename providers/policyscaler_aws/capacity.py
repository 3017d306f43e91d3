"""Capacity and overhead of an instance type under a NodeClass.

Source: the formulas of Karpenter's AWS provider and of EKS's bootstrap; they reproduce the
allocatable that Karpenter publishes for every type. All arithmetic is on integers.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from policyscaler.model import resources as res
from policyscaler.model.resources import Resources
from policyscaler_aws.facts import TypeFacts
from policyscaler_aws.families import GIB
from policyscaler_aws.settings import MILLION
from policyscaler_aws.sizing import Sizing

MIB: Final = 1 << 20
_GIGABYTE: Final = 10**9
_DEFAULT_PODS: Final = 110

POD_ENI: Final = "vpc.amazonaws.com/pod-eni"
EFA: Final = "vpc.amazonaws.com/efa"
WINDOWS_ADDRESS: Final = "vpc.amazonaws.com/PrivateIPv4Address"
NEURON: Final = "aws.amazon.com/neuron"
NEURON_CORE: Final = "aws.amazon.com/neuroncore"
_GPU_RESOURCES: Final = {
    "nvidia": "nvidia.com/gpu",
    "amd": "amd.com/gpu",
    "habana": "habana.ai/gaudi",
}

# EC2 takes this much from a Graviton machine before the operating system sees it.
_ARM_RESERVED_MIB: Final = 64

_CPU_RANGES: Final = ((0, 1000, 600), (1000, 2000, 100), (2000, 4000, 50), (4000, 1 << 31, 25))
"""From, to (milli-CPU) and how many ten-thousandths of what lies between the kubelet reserves."""


class Size(NamedTuple):
    """What a node of a type has, and what is left of it for pods."""

    capacity: Resources
    overhead: Resources
    allocatable: Resources


def size_of(facts: TypeFacts, sizing: Sizing) -> Size:
    """Returns the capacity, overhead and allocatable of a type under a class."""
    capacity = capacity_of(facts, sizing)
    overhead = overhead_of(facts, sizing, capacity=capacity)
    allocatable = dict(capacity)
    for name, amount in overhead.items():
        allocatable[name] = max(0, allocatable[name] - amount)
    return Size(capacity, overhead, allocatable)


def capacity_of(facts: TypeFacts, sizing: Sizing) -> dict[str, int]:
    """Returns what a node has; resources of which it has none are left out."""
    capacity = {
        res.CPU: facts.vcpus * 1000,
        res.MEMORY: memory_mib(facts, sizing.memory_overhead_ppm) * MIB,
        res.EPHEMERAL_STORAGE: _storage(facts, sizing),
        res.PODS: pods(facts, sizing),
    }
    efa = facts.efa_interfaces if sizing.efa_only is None else sizing.efa_only
    others = (
        (POD_ENI, facts.branch_interfaces),
        (_GPU_RESOURCES.get(facts.gpu_manufacturer, ""), facts.gpu_count),
        (NEURON, facts.neuron_devices),
        (NEURON_CORE, facts.neuron_cores),
        (EFA, efa),
        (WINDOWS_ADDRESS, facts.windows_addresses if sizing.family.windows_build else 0),
    )
    capacity.update((name, amount) for name, amount in others if amount)
    return capacity


def overhead_of(facts: TypeFacts, sizing: Sizing, *, capacity: Resources) -> dict[str, int]:
    """Returns what the kubelet, the system and the eviction thresholds keep from pods."""
    crowd = eni_pods(facts) if sizing.family.eni_memory else capacity[res.PODS]
    kube = {
        res.CPU: reserved_cpu(facts.vcpus),
        res.MEMORY: (11 * crowd + 255) * MIB,
        res.EPHEMERAL_STORAGE: GIB,
        **sizing.kube_reserved,
    }
    system = sizing.system_reserved
    storage = sizing.storage_threshold.of(capacity[res.EPHEMERAL_STORAGE])
    return {
        res.CPU: kube[res.CPU] + system.get(res.CPU, 0),
        res.MEMORY: kube[res.MEMORY]
        + system.get(res.MEMORY, 0)
        + sizing.memory_threshold.of(capacity[res.MEMORY]),
        res.EPHEMERAL_STORAGE: kube[res.EPHEMERAL_STORAGE]
        + system.get(res.EPHEMERAL_STORAGE, 0)
        + storage,
    }


def memory_mib(facts: TypeFacts, overhead_ppm: int) -> int:
    """Returns the memory that the operating system is expected to see."""
    size = facts.memory_mib - (_ARM_RESERVED_MIB if facts.arch == "arm64" else 0)
    return size + (-size * overhead_ppm // MILLION)


def reserved_cpu(vcpus: int) -> int:
    """Returns the milli-CPU that the kubelet reserves; each range is cut to a whole number."""
    total = 0
    for low, high, share in _CPU_RANGES:
        if vcpus * 1000 >= low:
            total += (min(vcpus * 1000, high) - low) * share // 10_000
    return total


def eni_pods(facts: TypeFacts, *, taken: int = 0) -> int:
    """Returns how many pods the first card's interfaces, less those taken, have addresses for."""
    interfaces = facts.cards[0] - taken
    return interfaces * (facts.addresses_per_interface - 1) + 2 if interfaces > 0 else 0


def pods(facts: TypeFacts, sizing: Sizing) -> int:
    """Returns how many pods a node takes."""
    family = sizing.family
    if sizing.max_pods is not None:
        count = sizing.max_pods
    elif family.eni_pods:
        taken = sizing.reserved_enis + sizing.efa_only_on_first_card
        count = eni_pods(facts, taken=taken)
    else:
        count = _DEFAULT_PODS
    if sizing.pods_per_core and family.pods_per_core:
        return min(count, sizing.pods_per_core * facts.vcpus)
    return count


def _storage(facts: TypeFacts, sizing: Sizing) -> int:
    if sizing.raid and facts.nvme_gb:
        return facts.nvme_gb * _GIGABYTE
    return sizing.storage
