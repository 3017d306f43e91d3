"""What a NodeClass says about the size of its nodes, in numbers.

Two classes of equal sizing have equal capacity on every type, whatever else they say.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Final

from policyscaler.model import resources as res
from policyscaler.model.errors import ConfigError
from policyscaler.model.meta import Value
from policyscaler.model.quantities import resource_amount
from policyscaler.model.resources import Resources
from policyscaler_aws.families import CUSTOM, GIB, Family
from policyscaler_aws.settings import MILLION, AwsSettings
from policyscaler_aws.spec import EC2NodeClassSpec

RESERVABLE: Final = (res.CPU, res.MEMORY, res.EPHEMERAL_STORAGE)
_DEFAULT_STORAGE: Final = 20 * GIB


class Threshold(Value, frozen=True, kw_only=True):
    """When the kubelet evicts: an amount, or millionths of the capacity where `ppm` is set."""

    amount: int = 0
    ppm: int | None = None

    def of(self, capacity: int) -> int:
        """Returns what is kept free of a capacity; 100 % switches the threshold off."""
        if self.ppm is None:
            return self.amount
        return 0 if self.ppm == MILLION else -(-capacity * self.ppm // MILLION)


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
        ConfigError: the class's kubelet map or volumes hold what has no meaning as a number.
    """
    kubelet = spec.kubelet
    default = Sizing(family=spec.family)
    evict = _mapping(kubelet, "evictionHard")
    efa_only = [n for n in spec.network_interfaces if n.interface_type == "efa-only"]
    return Sizing(
        family=spec.family,
        max_pods=_count(kubelet, "maxPods"),
        pods_per_core=_count(kubelet, "podsPerCore") or 0,
        kube_reserved=_reserved(kubelet, "kubeReserved"),
        system_reserved=_reserved(kubelet, "systemReserved"),
        memory_threshold=_threshold(evict, "memory.available", default=default.memory_threshold),
        storage_threshold=_threshold(evict, "nodefs.available", default=default.storage_threshold),
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
    sized = [m for m in spec.block_device_mappings if m.ebs.volume_size]
    root = next((m for m in sized if m.root_volume), None)
    if root is not None:
        return _volume_bytes(root.ebs.volume_size)
    family = spec.family
    if family.name == CUSTOM:
        last = spec.block_device_mappings[-1:]
        return (
            _volume_bytes(last[0].ebs.volume_size)
            if last and last[0] in sized
            else _DEFAULT_STORAGE
        )
    device = next((m for m in sized if m.device_name == family.storage_device), None)
    if device is not None:
        return _volume_bytes(device.ebs.volume_size)
    return family.volumes.get(family.storage_device, _DEFAULT_STORAGE)


def _volume_bytes(text: str) -> int:
    return resource_amount(res.EPHEMERAL_STORAGE, text)


def _mapping(kubelet: Mapping[str, object], field: str) -> Mapping[object, object]:
    value = kubelet.get(field)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ConfigError(f"spec.kubelet.{field} is {value!r}; write a mapping")
    return value


def _count(kubelet: Mapping[str, object], field: str) -> int | None:
    value = kubelet.get(field)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ConfigError(f"spec.kubelet.{field} is {value!r}; write a whole number, zero or more")
    return value


def _reserved(kubelet: Mapping[str, object], field: str) -> dict[str, int]:
    return {
        name: resource_amount(name, str(value))
        for name, value in _mapping(kubelet, field).items()
        if isinstance(name, str) and name in RESERVABLE
    }


def _threshold(evict: Mapping[object, object], signal: str, *, default: Threshold) -> Threshold:
    value = evict.get(signal)
    if value is None:
        return default
    return parse_threshold(str(value))


def parse_threshold(text: str) -> Threshold:
    """Returns an eviction threshold: a percentage such as `10%`, or a quantity such as `500Mi`.

    Raises:
        ConfigError: the text is neither, or out of range.
    """
    if not text.endswith("%"):
        amount = resource_amount(res.MEMORY, text)
        if amount < 0:
            raise ConfigError(f'"{text}" is negative; a threshold is zero or more')
        return Threshold(amount=amount)
    try:
        ppm = Decimal(text[:-1]) * (MILLION // 100)
    except InvalidOperation:
        ppm = Decimal("NaN")
    if not ppm.is_finite() or not 0 <= ppm <= MILLION:
        raise ConfigError(f'"{text}" is not a percentage from 0% to 100%')
    return Threshold(ppm=int(ppm.to_integral_value()))
