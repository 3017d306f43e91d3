"""What a NodeClass says about the size of its nodes, in numbers.

Two classes of equal sizing have equal capacity on every type, whatever else they say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from policyscaler.model import resources as res
from policyscaler.model.meta import Value
from policyscaler.model.quantities import resource_amount
from policyscaler.model.resources import Resources
from policyscaler_aws.families import CUSTOM, GIB, Family
from policyscaler_aws.settings import AwsSettings
from policyscaler_aws.spec import EC2NodeClassSpec
from policyscaler_aws.thresholds import Threshold, parse_threshold

_RESERVABLE: Final = (res.CPU, res.MEMORY, res.EPHEMERAL_STORAGE)
_DEFAULT_STORAGE: Final = 20 * GIB


class Sizing(Value, frozen=True, kw_only=True):
    """Everything in a class and the settings that capacity and overhead depend on.

    Attributes:
        max_pods: None where the class leaves it to the family.
        pods_per_core: 0 for no such bound.
        storage: bytes of the volume that pods can use.
        raid: instance stores, where a type has them, take the place of that volume.
        efa_only: how many EFA-only interfaces the class attaches; None where it lists none and
            a type offers all that it has.
        efa_only_on_first_card: those of them that cost the pods an interface.
    """

    family: Family
    max_pods: int | None = None
    pods_per_core: int = 0
    kube_reserved: Resources = {}
    system_reserved: Resources = {}
    memory_threshold: Threshold = Threshold(amount=100 << 20)
    storage_threshold: Threshold = Threshold(ppm=100_000)
    storage: int = _DEFAULT_STORAGE
    raid: bool = False
    efa_only: int | None = None
    efa_only_on_first_card: int = 0
    reserved_enis: int = 0
    memory_overhead_ppm: int = 75_000


def sizing_of(spec: EC2NodeClassSpec, settings: AwsSettings) -> Sizing:
    """Returns the sizing of a class.

    Raises:
        ConfigError: a quantity or threshold is none; manifests that loaded have no such thing.
    """
    kubelet, default = spec.kubelet, Sizing(family=spec.family)
    evict = kubelet.eviction_hard or {}
    memory, storage = evict.get("memory.available"), evict.get("nodefs.available")
    efa_only = [n for n in spec.network_interfaces if n.interface_type == "efa-only"]
    return Sizing(
        family=spec.family,
        max_pods=kubelet.max_pods,
        pods_per_core=kubelet.pods_per_core or 0,
        kube_reserved=_reserved(kubelet.kube_reserved),
        system_reserved=_reserved(kubelet.system_reserved),
        memory_threshold=parse_threshold(memory) if memory else default.memory_threshold,
        storage_threshold=parse_threshold(storage) if storage else default.storage_threshold,
        storage=storage_bytes(spec),
        raid=spec.instance_store_policy == "RAID0",
        efa_only=len(efa_only) if spec.network_interfaces else None,
        efa_only_on_first_card=sum(n.network_card_index == 0 for n in efa_only),
        reserved_enis=settings.reserved_enis,
        memory_overhead_ppm=settings.memory_overhead_ppm,
    )


def storage_bytes(spec: EC2NodeClassSpec) -> int:
    """Returns the size of the volume that pods write to.

    Source: Karpenter's AWS provider: the root volume if one is marked, then the family's own
    device, then the family's default. An image of one's own counts its last mapping.
    """
    sized = [m for m in spec.block_device_mappings if m.volume_size]
    root = next((m for m in sized if m.root_volume), None)
    if root is not None:
        return _volume_bytes(root.volume_size)
    family = spec.family
    if family.name == CUSTOM:
        last = spec.block_device_mappings[-1:]
        return _volume_bytes(last[0].volume_size) if last and last[0] in sized else _DEFAULT_STORAGE
    device = next((m for m in sized if m.device_name == family.storage_device), None)
    if device is not None:
        return _volume_bytes(device.volume_size)
    return family.volumes.get(family.storage_device, _DEFAULT_STORAGE)


def _volume_bytes(text: str) -> int:
    return resource_amount(res.EPHEMERAL_STORAGE, text)


def _reserved(written: Mapping[str, str] | None) -> dict[str, int]:
    amounts = (written or {}).items()
    return {name: resource_amount(name, text) for name, text in amounts if name in _RESERVABLE}
