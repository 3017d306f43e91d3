"""EC2NodeClass as a table of fields and as typed values.

Values are as written: nothing is resolved against AWS, and volume sizes stay text because drift
compares them as text. What tables cannot say stands in `selector_rules`, `launch_rules` and
`kubelet_rules`.

Source: the EC2NodeClass API, karpenter.k8s.aws/v1.
"""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal

from msgspec import Meta

from policyscaler.manifests.wire import ObjectWire, Strict, Wire, checked
from policyscaler.model.errors import ConfigError
from policyscaler_aws.families import CUSTOM, FAMILIES, Family
from policyscaler_aws.kubelet import Kubelet
from policyscaler_aws.spelling import field_name

Tags = dict[str, str]
SelectorTags = Annotated[Tags, Meta(max_length=20)]
Text = Annotated[str, Meta(min_length=1)]
Switch = Literal["enabled", "disabled"]

# In each unit, the largest volume that EBS has.
_LARGEST_VOLUME: Final = {"Gi": 59000, "G": 64000, "Ti": 58, "T": 64}
_VOLUME_SIZE: Final = re.compile(r"([1-9][0-9]{0,4})(Gi|G|Ti|T)")


def check_volume_size(text: str) -> None:
    """Raises ConfigError unless the text is a volume size with its unit.

    Source: the bounds of Karpenter's AWS provider. Its pattern also refuses some sizes from 18Ti
    to 49Ti and lets a bare unit through; neither is wanted.
    """
    match = _VOLUME_SIZE.fullmatch(text)
    if match is None or int(match[1]) > _LARGEST_VOLUME[match[2]]:
        raise ConfigError(
            f'"{text}" is not a volume size; write a whole number with its unit, such as 100Gi '
            "(at most 59000Gi, 64000G, 58Ti or 64T)"
        )


class Record(Strict, frozen=True, kw_only=True, rename=field_name, omit_defaults=True):
    """A part of an EC2NodeClass; a field that it does not have is an error."""


class ImageTermV1Beta1(Record, frozen=True, kw_only=True):
    """One way to find images, as v1beta1 knows it."""

    id: Annotated[str, Meta(pattern="^ami-[0-9a-z]+$")] = ""
    name: str = ""
    owner: str = ""
    tags: SelectorTags = {}


class ImageTerm(ImageTermV1Beta1, frozen=True, kw_only=True):
    """One way to find images; fields are joined by and, terms by or."""

    alias: Annotated[str, Meta(max_length=30)] = ""
    ssm_parameter: str = ""


class SubnetTerm(Record, frozen=True, kw_only=True):
    """One way to find subnets."""

    id: Annotated[str, Meta(pattern="^subnet-[0-9a-z]+$")] = ""
    tags: SelectorTags = {}


class SecurityGroupTerm(Record, frozen=True, kw_only=True):
    """One way to find security groups."""

    id: Annotated[str, Meta(pattern="^sg-[0-9a-z]+$")] = ""
    name: str = ""
    tags: SelectorTags = {}


class CapacityReservationTerm(Record, frozen=True, kw_only=True):
    """One way to find capacity reservations."""

    id: Annotated[str, Meta(pattern="^cr-[0-9a-z]+$")] = ""
    instance_match_criteria: Literal["", "open", "targeted"] = ""
    owner_id: Annotated[str, Meta(pattern="^[0-9]{12}$")] = ""
    tags: SelectorTags = {}


class PlacementGroupSelector(Record, frozen=True, kw_only=True):
    """The placement group of all nodes: by name or by ID."""

    name: Text = ""
    id: Annotated[str, Meta(pattern="^pg-[0-9a-z]+$")] = ""


class BlockDevice(Record, frozen=True, kw_only=True):
    """An EBS volume; iops and throughput 0 mean unset, `volume_size` carries its unit."""

    delete_on_termination: bool | None = None
    encrypted: bool | None = None
    iops: int = 0
    kms_key_id: str = ""
    snapshot_id: str = ""
    throughput: int = 0
    volume_initialization_rate: Annotated[int, Meta(ge=100, le=300)] = 0
    volume_size: Annotated[str, checked(check_volume_size)] = ""
    volume_type: Literal["", "standard", "io1", "io2", "gp2", "sc1", "st1", "gp3"] = ""


class BlockDeviceMapping(Record, frozen=True, kw_only=True):
    """A device name and what lies behind it."""

    device_name: str = ""
    root_volume: bool = False
    ebs: BlockDevice | None = None

    @property
    def volume_size(self) -> str:
        """The size of the volume, or an empty text."""
        return self.ebs.volume_size if self.ebs else ""


class NetworkInterface(Record, frozen=True, kw_only=True):
    """One interface to attach."""

    network_card_index: Annotated[int, Meta(ge=0)]
    device_index: Annotated[int, Meta(ge=0)]
    interface_type: Literal["interface", "efa-only"]


class MetadataOptions(Record, frozen=True, kw_only=True):
    """How instances reach their metadata service."""

    http_endpoint: Switch = "enabled"
    http_protocol_ipv6: Switch = "disabled"
    http_put_response_hop_limit: Annotated[int, Meta(ge=1, le=64)] = 1
    http_tokens: Literal["required", "optional"] = "required"


class ConnectionTracking(Record, frozen=True, kw_only=True):
    """Idle time-outs of tracked connections in seconds; 0 means unset."""

    tcp_established_timeout: Annotated[int, Meta(ge=60, le=432000)] = 0
    udp_stream_timeout: Annotated[int, Meta(ge=60, le=180)] = 0
    udp_timeout: Annotated[int, Meta(ge=30, le=60)] = 0


class CpuOptions(Record, frozen=True, kw_only=True):
    """Processor features to switch on."""

    nested_virtualization: Literal["", "enabled", "disabled"] = ""


class LaunchSpec(Record, frozen=True, kw_only=True):
    """The fields that v1beta1 and v1 share."""

    subnet_selector_terms: Annotated[tuple[SubnetTerm, ...], Meta(min_length=1, max_length=30)]
    security_group_selector_terms: Annotated[
        tuple[SecurityGroupTerm, ...], Meta(min_length=1, max_length=30)
    ]
    role: Text = ""
    instance_profile: Text = ""
    user_data: str = ""
    tags: Tags = {}
    block_device_mappings: Annotated[tuple[BlockDeviceMapping, ...], Meta(max_length=50)] = ()
    instance_store_policy: Literal["", "RAID0"] = ""
    associate_public_ip_address: bool | None = None
    metadata_options: MetadataOptions = MetadataOptions()
    detailed_monitoring: bool = False
    context: str = ""


class SpecWire(LaunchSpec, frozen=True, kw_only=True):
    """`spec` of karpenter.k8s.aws/v1."""

    ami_selector_terms: Annotated[tuple[ImageTerm, ...], Meta(min_length=1, max_length=30)]
    ami_family: Literal[
        "", "AL2", "AL2023", "Bottlerocket", "Custom", "Windows2019", "Windows2022", "Windows2025"
    ] = ""
    capacity_reservation_selector_terms: Annotated[
        tuple[CapacityReservationTerm, ...], Meta(max_length=30)
    ] = ()
    placement_group_selector: PlacementGroupSelector | None = None
    network_interfaces: Annotated[tuple[NetworkInterface, ...], Meta(max_length=150)] = ()
    ip_prefix_count: Annotated[int, Meta(ge=0)] = 0
    connection_tracking: ConnectionTracking | None = None
    cpu_options: CpuOptions | None = None
    kubelet: Kubelet = Kubelet()

    @property
    def alias(self) -> str:
        """The first alias among the image terms, such as `al2023@latest`, or an empty text."""
        return next((term.alias for term in self.ami_selector_terms if term.alias), "")

    @property
    def family(self) -> Family:
        """The image family: as written, else the alias's, else Custom."""
        return FAMILIES.get(self.ami_family) or family_of_alias(self.alias) or FAMILIES[CUSTOM]


class ResolvedSubnet(Wire, frozen=True, kw_only=True, rename=field_name):
    """A subnet that the class's status names."""

    id: str = ""
    zone: str = ""
    zone_id: str = ""


class StatusWire(Wire, frozen=True, kw_only=True):
    """What of the status is read; empty for a class that nobody reconciled."""

    subnets: tuple[ResolvedSubnet, ...] = ()


class EC2NodeClassSpec(SpecWire, frozen=True, kw_only=True):
    """What a NodeClass of this provider holds: the fields, and the subnets that its status names."""

    subnet_selector_terms: tuple[SubnetTerm, ...] = ()
    security_group_selector_terms: tuple[SecurityGroupTerm, ...] = ()
    ami_selector_terms: tuple[ImageTerm, ...] = ()
    resolved_subnets: tuple[ResolvedSubnet, ...] = ()


class SpecV1Beta1Wire(LaunchSpec, frozen=True, kw_only=True):
    """`spec` of karpenter.k8s.aws/v1beta1."""

    ami_family: Literal[
        "AL2", "AL2023", "Bottlerocket", "Custom", "Ubuntu", "Windows2019", "Windows2022"
    ]
    ami_selector_terms: Annotated[tuple[ImageTermV1Beta1, ...], Meta(max_length=30)] = ()


class NodeClassWire(ObjectWire, frozen=True, kw_only=True):
    """An EC2NodeClass of karpenter.k8s.aws/v1."""

    spec: SpecWire
    status: StatusWire = StatusWire()


class NodeClassV1Beta1Wire(ObjectWire, frozen=True, kw_only=True):
    """An EC2NodeClass of karpenter.k8s.aws/v1beta1."""

    spec: SpecV1Beta1Wire
    status: StatusWire = StatusWire()


def family_of_alias(alias: str) -> Family | None:
    """Returns the family that an alias such as `al2023@latest` names, or None."""
    wanted = alias.partition("@")[0]
    return next((f for f in FAMILIES.values() if wanted == f.name.lower() != "custom"), None)
