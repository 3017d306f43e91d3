"""What is known about each EC2 instance type without asking EC2."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

DATA: Final = Path(__file__).resolve().parent / "data"


class TypeFacts(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """One instance type: a row of `data/types.json`, in the order of its columns.

    Attributes:
        hypervisor: `nitro`, `xen`, or empty for bare metal.
        cards: how many interfaces each network card takes, the default card first.
        branch_interfaces: how many pods can have an interface of their own.
        windows_addresses: addresses that Windows pods can have; 0 where unknown.
        gpu_name: empty unless the type has exactly one kind of GPU; `gpu_count` can still be 0,
            for a fraction of a GPU.
        neuron_devices: AWS's own accelerators, and `neuron_cores` their cores.
    """

    name: str
    vcpus: int
    memory_mib: int
    arch: str
    cpu_manufacturer: str
    clock_mhz: int
    hypervisor: str
    encryption_in_transit: bool
    ebs_mbps: int | None
    network_mbps: int | None
    nvme_gb: int | None
    cards: tuple[int, ...]
    addresses_per_interface: int
    branch_interfaces: int
    windows_addresses: int
    efa_interfaces: int
    gpu_name: str
    gpu_manufacturer: str
    gpu_count: int
    gpu_memory_mib: int
    accelerator_name: str
    accelerator_manufacturer: str
    accelerator_count: int
    neuron_devices: int
    neuron_cores: int


class FactSheet(msgspec.Struct, frozen=True, gc=False):
    """All instance types, sorted by name, and the digest of the file that they came from."""

    types: tuple[TypeFacts, ...]
    digest: str


@cache
def load_facts() -> FactSheet:
    """Returns the shipped facts; reads the file once per process."""
    raw = (DATA / "types.json").read_bytes()
    types = msgspec.json.decode(raw, type=tuple[TypeFacts, ...])
    return FactSheet(types=types, digest=hashlib.blake2b(raw, digest_size=8).hexdigest())
