"""Which instance types a NodeClass cannot launch; they stay listed, with nothing available."""

from __future__ import annotations

from policyscaler_aws.facts import TypeFacts
from policyscaler_aws.families import AL2023
from policyscaler_aws.spec import EC2NodeClassSpec, NetworkInterface


def is_compatible(facts: TypeFacts, spec: EC2NodeClassSpec) -> bool:
    """Returns whether nodes of a type can be launched with a class.

    Source: the compatibility checks of Karpenter's AWS provider, as far as the shipped facts
    decide them: nested virtualisation and placement groups are not among them.
    """
    family = spec.family
    if family.name == AL2023 and facts.name.startswith("a1."):
        return False
    if family.windows_build and facts.arch != "amd64":
        return False
    if spec.connection_tracking is not None and facts.hypervisor != "nitro":
        return False
    return _takes_interfaces(facts, spec.network_interfaces)


def _takes_interfaces(facts: TypeFacts, interfaces: tuple[NetworkInterface, ...]) -> bool:
    efa_only = sum(i.interface_type == "efa-only" for i in interfaces)
    return efa_only <= facts.efa_interfaces and all(
        i.network_card_index < len(facts.cards)
        and i.device_index < facts.cards[i.network_card_index]
        for i in interfaces
    )
