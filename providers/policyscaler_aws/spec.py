"""EC2NodeClass as typed values.

Field names in manifests are camelCase with a few capital abbreviations, which are spelt out here.
Values are as written: nothing is resolved against AWS, and volume sizes stay text because drift
compares them as text.

Source: the EC2NodeClass API, karpenter.k8s.aws/v1.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from policyscaler.model.meta import Value
from policyscaler_aws.families import CUSTOM, FAMILIES, Family


class SelectorTerm(Value, frozen=True, kw_only=True, rename="camel"):
    """One way to find AWS objects: all its fields must match; terms are alternatives.

    Which fields may be set depends on what is sought.
    """

    alias: str = ""
    id: str = ""
    name: str = ""
    owner: str = ""
    ssm_parameter: str = ""
    tags: Mapping[str, str] = {}
    instance_match_criteria: str = ""
    owner_id: str = msgspec.field(default="", name="ownerID")


class PlacementGroupSelector(Value, frozen=True, kw_only=True):
    """The placement group of all nodes: by name or by ID."""

    name: str = ""
    id: str = ""


class BlockDevice(Value, frozen=True, kw_only=True, rename="camel"):
    """An EBS volume; iops and throughput 0 mean unset, `volume_size` carries its unit."""

    delete_on_termination: bool | None = None
    encrypted: bool | None = None
    iops: int = 0
    kms_key_id: str = msgspec.field(default="", name="kmsKeyID")
    snapshot_id: str = msgspec.field(default="", name="snapshotID")
    throughput: int = 0
    volume_initialization_rate: int = 0
    volume_size: str = ""
    volume_type: str = ""


class BlockDeviceMapping(Value, frozen=True, kw_only=True, rename="camel"):
    """A device name and what lies behind it."""

    device_name: str = ""
    root_volume: bool = False
    ebs: BlockDevice = BlockDevice()


class NetworkInterface(Value, frozen=True, kw_only=True, rename="camel"):
    """One interface to attach: `interface` or `efa-only`."""

    network_card_index: int
    device_index: int
    interface_type: str


class MetadataOptions(Value, frozen=True, kw_only=True, rename="camel"):
    """How instances reach their metadata service."""

    http_endpoint: str = "enabled"
    http_protocol_ipv6: str = msgspec.field(default="disabled", name="httpProtocolIPv6")
    http_put_response_hop_limit: int = 1
    http_tokens: str = "required"


class ConnectionTracking(Value, frozen=True, kw_only=True, rename="camel"):
    """Idle time-outs of tracked connections in seconds; 0 means unset."""

    tcp_established_timeout: int = 0
    udp_stream_timeout: int = 0
    udp_timeout: int = 0


class CpuOptions(Value, frozen=True, kw_only=True, rename="camel"):
    """Processor features to switch on."""

    nested_virtualization: str = ""


class ResolvedSubnet(Value, frozen=True, kw_only=True):
    """A subnet that the class's status names."""

    id: str = ""
    zone: str = ""
    zone_id: str = msgspec.field(default="", name="zoneID")


class EC2NodeClassSpec(Value, frozen=True, kw_only=True, rename="camel"):
    """The fields of an EC2NodeClass.

    Attributes:
        ami_family: as written; `family` is what it comes to.
        kubelet: an open map of the kubelet's own configuration fields.
        resolved_subnets: from the object's status; empty for a class that nobody reconciled.
    """

    ami_selector_terms: tuple[SelectorTerm, ...] = ()
    ami_family: str = ""
    subnet_selector_terms: tuple[SelectorTerm, ...] = ()
    security_group_selector_terms: tuple[SelectorTerm, ...] = ()
    capacity_reservation_selector_terms: tuple[SelectorTerm, ...] = ()
    placement_group_selector: PlacementGroupSelector | None = None
    role: str = ""
    instance_profile: str = ""
    user_data: str = ""
    tags: Mapping[str, str] = {}
    block_device_mappings: tuple[BlockDeviceMapping, ...] = ()
    instance_store_policy: str = ""
    network_interfaces: tuple[NetworkInterface, ...] = ()
    associate_public_ip_address: bool | None = msgspec.field(
        default=None, name="associatePublicIPAddress"
    )
    ip_prefix_count: int = 0
    metadata_options: MetadataOptions = MetadataOptions()
    connection_tracking: ConnectionTracking | None = None
    cpu_options: CpuOptions | None = None
    detailed_monitoring: bool = False
    context: str = ""
    kubelet: Mapping[str, object] = {}
    resolved_subnets: tuple[ResolvedSubnet, ...] = ()

    @property
    def family(self) -> Family:
        """The AMI family: as written, else the alias's, else Custom."""
        return FAMILIES.get(self.ami_family) or self.alias_family or FAMILIES[CUSTOM]

    @property
    def alias_family(self) -> Family | None:
        """The family that the first alias among the image terms names."""
        alias = next((term.alias for term in self.ami_selector_terms if term.alias), "")
        return family_of_alias(alias)


def family_of_alias(alias: str) -> Family | None:
    """Returns the family that an alias such as `al2023@latest` names, or None."""
    wanted = alias.partition("@")[0]
    return next((f for f in FAMILIES.values() if wanted == f.name.lower() != "custom"), None)
