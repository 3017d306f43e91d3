"""Rules about what an instance is launched with: identity, tags, volumes, interfaces.

Source: the admission rules of Karpenter's EC2NodeClass.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from policyscaler.manifests.findings import Code, Path
from policyscaler.manifests.reporting import Reporter
from policyscaler_aws.spec import (
    BlockDevice,
    ConnectionTracking,
    NetworkInterface,
    SpecWire,
)

_SPEC: Final[Path] = ("spec",)
_RESERVED_TAGS: Final = frozenset(
    {
        "eks:eks-cluster-name",
        "karpenter.sh/nodepool",
        "karpenter.sh/nodeclaim",
        "karpenter.k8s.aws/ec2nodeclass",
    }
)
_RESERVED_TAG_START: Final = "kubernetes.io/cluster"


def check_launch(spec: SpecWire, reporter: Reporter) -> None:
    """Reports every field that no instance could be launched with."""
    _check_identity(spec, reporter)
    _check_tags(spec, reporter)
    _check_volumes(spec, reporter)
    _check_interfaces(spec.network_interfaces, reporter)
    group = spec.placement_group_selector
    if group is not None and bool(group.name) == bool(group.id):
        message = "a placement group is named by exactly one of name and id"
        reporter.error(Code.BROKEN_RULE, message, at=(*_SPEC, "placementGroupSelector"))
    if spec.connection_tracking == ConnectionTracking():
        fields = ", ".join(ConnectionTracking.__struct_encode_fields__)
        message = f"no time-out is set; set one of {fields}, or leave it out"
        reporter.error(Code.BROKEN_RULE, message, at=(*_SPEC, "connectionTracking"))


def _check_identity(spec: SpecWire, reporter: Reporter) -> None:
    if bool(spec.role) == bool(spec.instance_profile):
        found = "both are set" if spec.role else "neither is set"
        message = f"nodes need exactly one of role and instanceProfile; {found}"
        reporter.error(Code.BROKEN_RULE, message, at=_SPEC)


def _check_tags(spec: SpecWire, reporter: Reporter) -> None:
    for key in spec.tags:
        at = (*_SPEC, "tags", key)
        if not key:
            reporter.error(Code.BROKEN_RULE, "a tag has an empty key", at=at)
        elif key in _RESERVED_TAGS or key.startswith(_RESERVED_TAG_START):
            message = f'the tag "{key}" is set by the provider and cannot be given'
            reporter.error(Code.BROKEN_RULE, message, at=at, key=True)


def _check_volumes(spec: SpecWire, reporter: Reporter) -> None:
    at: Path = (*_SPEC, "blockDeviceMappings")
    roots = [n for n, mapping in enumerate(spec.block_device_mappings) if mapping.root_volume]
    for index in roots[1:]:
        message = f"a node has one root volume, and blockDeviceMappings[{roots[0]}] is it already"
        reporter.error(Code.BROKEN_RULE, message, at=(*at, index, "rootVolume"))
    for index, mapping in enumerate(spec.block_device_mappings):
        if mapping.ebs is not None:
            _check_volume(mapping.ebs, at=(*at, index, "ebs"), reporter=reporter)


def _check_volume(volume: BlockDevice, *, at: Path, reporter: Reporter) -> None:
    if not volume.snapshot_id and not volume.volume_size:
        message = "a volume needs a volumeSize or a snapshotID"
        reporter.error(Code.BROKEN_RULE, message, at=at, suggestion="write volumeSize: 20Gi")
    if volume.volume_initialization_rate and not volume.snapshot_id:
        message = "volumeInitializationRate is the pace of filling from a snapshot; none is named"
        place = (*at, "volumeInitializationRate")
        reporter.error(Code.BROKEN_RULE, message, at=place, suggestion="add snapshotID")


def _check_interfaces(interfaces: tuple[NetworkInterface, ...], reporter: Reporter) -> None:
    at: Path = (*_SPEC, "networkInterfaces")
    slots = Counter((i.network_card_index, i.device_index) for i in interfaces)
    efa_only = Counter(i.network_card_index for i in interfaces if i.interface_type == "efa-only")
    first = [i for i in interfaces if i.network_card_index == 0 == i.device_index]
    if interfaces and not any(i.interface_type == "interface" for i in first):
        message = "the node's own interface is missing: card 0, device 0, interfaceType interface"
        reporter.error(Code.BROKEN_RULE, message, at=at)
    for (card, device), count in sorted(slots.items()):
        if count > 1:
            message = f"card {card}, device {device} is taken {count} times"
            reporter.error(Code.BROKEN_RULE, message, at=at)
    for card, count in sorted(efa_only.items()):
        if count > 1:
            message = f"card {card} has {count} efa-only interfaces; a card takes one"
            reporter.error(Code.BROKEN_RULE, message, at=at)
