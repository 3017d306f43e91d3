"""The fields of a Catalogue: machines and prices as a file."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta

from policyscaler.manifests.pool_wire import Filled, NodeClassRefWire
from policyscaler.manifests.wire import Amounts, ObjectWire, Strict

Price: TypeAlias = Annotated[
    str | int | float,
    Meta(extra={"expects": "a price"}, description="US dollars per hour; a text keeps it exact."),
]


class OfferingWire(Strict, frozen=True, kw_only=True):
    """An instance type in one zone and capacity type."""

    zone: Filled
    price: Price
    capacity_type: Annotated[
        str, Meta(min_length=1, description="on-demand, spot or reserved.")
    ] = "on-demand"
    available: bool = True
    labels: Annotated[dict[str, str], Meta(description="Labels of nodes launched here only.")] = {}
    capacity: Annotated[
        Amounts, Meta(description="Amounts that nodes launched here have instead of the type's.")
    ] = {}


class InstanceTypeWire(Strict, frozen=True, kw_only=True):
    """A shape of machine."""

    name: Filled
    labels: Annotated[dict[str, str], Meta(description="Labels of nodes of this type.")] = {}
    capacity: Annotated[Amounts, Meta(description="The whole machine: cpu, memory, pods and more.")]
    overhead: Annotated[Amounts, Meta(description="What the system keeps for itself.")] = {}
    offerings: Annotated[tuple[OfferingWire, ...], Meta(min_length=1)]


class CatalogueSpecWire(Strict, frozen=True, kw_only=True):
    """The spec of a Catalogue."""

    instance_types: Annotated[tuple[InstanceTypeWire, ...], Meta(min_length=1)]
    node_class_refs: Annotated[
        tuple[NodeClassRefWire, ...],
        Meta(description="NodeClasses that this catalogue serves instead of their provider's own."),
    ] = ()


class CatalogueWire(ObjectWire, frozen=True, kw_only=True):
    """A Catalogue: instance types and what they cost where."""

    spec: CatalogueSpecWire
