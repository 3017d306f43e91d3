"""The digest of an EC2NodeClass whose change makes its nodes drift.

Source: Karpenter's AWS provider hashes what an instance is launched with. What only selects other
objects (images, subnets, security groups, reservations) is compared with the instance itself, and
the number of address prefixes never causes drift. Lists count as sets, and spelling out a default
changes nothing.
"""

from __future__ import annotations

import hashlib
from typing import Final

import msgspec

from policyscaler_aws.spec import EC2NodeClassSpec

_WITHOUT_DRIFT: Final = frozenset(
    {
        "amiFamily",  # the family that it comes to is compared instead
        "amiSelectorTerms",
        "subnetSelectorTerms",
        "securityGroupSelectorTerms",
        "capacityReservationSelectorTerms",
        "ipPrefixCount",
        "resolvedSubnets",
        "kubelet",  # compared as written: zero means something there
    }
)


def drift_hash(spec: EC2NodeClassSpec) -> str:
    """Returns 16 hexadecimal digits, equal for specs whose nodes need not be replaced."""
    fields: dict[str, object] = msgspec.to_builtins(spec)
    drifting = {name: value for name, value in fields.items() if name not in _WITHOUT_DRIFT}
    content = (spec.family.name, _canonical(drifting), msgspec.to_builtins(spec.kubelet))
    encoded = msgspec.json.encode(content, order="deterministic")
    return hashlib.blake2b(encoded, digest_size=8).hexdigest()


def _canonical(value: object) -> object:
    """Returns a value without its empty parts and with its lists in one order.

    Fields at their defaults are left out by the records themselves. False where nothing is the
    default stays: an address that is refused is not an address that the subnet decides about.
    """
    if isinstance(value, dict):
        parts = {name: _canonical(part) for name, part in value.items()}
        return {name: part for name, part in parts.items() if part not in ({}, [], "")}
    if isinstance(value, list | tuple):
        items = [_canonical(item) for item in value]
        return sorted(items, key=lambda i: msgspec.json.encode(i, order="deterministic"))
    return value
