"""Catalogues as manifests: instance types, offerings and prices that a person wrote."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from policyscaler.manifests import catalogue_wire as wire
from policyscaler.manifests.amounts import decode_amounts
from policyscaler.manifests.findings import Code, Path, did_you_mean
from policyscaler.manifests.kinds import Kind, define_kind
from policyscaler.manifests.label_syntax import key_fault, value_fault
from policyscaler.manifests.reporting import Reporter
from policyscaler.model import labels
from policyscaler.model import resources as res
from policyscaler.model.errors import ConfigError
from policyscaler.model.meta import ObjectMeta, SourcePosition
from policyscaler.model.money import parse_price
from policyscaler.model.nodes import NodeClassRef
from policyscaler.model.offerings import Catalogue, InstanceType, Offering, instance_type

API_VERSION = "policyscaler.dev/v1alpha1"
KIND = "Catalogue"


@dataclass(frozen=True, slots=True)
class CatalogueManifest:
    """A catalogue and the NodeClasses that it serves.

    Attributes:
        meta: its metadata.
        catalogue: what it offers.
        serves: NodeClasses that launch from it instead of their provider's catalogue.
        source: where it stands.
    """

    meta: ObjectMeta
    catalogue: Catalogue
    serves: tuple[NodeClassRef, ...] = ()
    source: SourcePosition | None = None

    @property
    def ref(self) -> NodeClassRef:
        """How a NodePool names it in nodeClassRef."""
        return NodeClassRef(group=API_VERSION.partition("/")[0], kind=KIND, name=self.meta.name)


def _catalogue(manifest: wire.CatalogueWire, reporter: Reporter) -> CatalogueManifest:
    types: dict[str, InstanceType] = {}
    for index, written in enumerate(manifest.spec.instance_types):
        at: Path = ("spec", "instanceTypes", index)
        if written.name in types:
            message = f'the instance type "{written.name}" is there twice'
            reporter.error(Code.DUPLICATE_OBJECT, message, at=(*at, "name"))
        types[written.name] = _instance_type(written, at=at, reporter=reporter)
    refs = manifest.spec.node_class_refs
    return CatalogueManifest(
        meta=manifest.metadata.decode(namespaced=False),
        catalogue=make_catalogue(manifest.metadata.name, types),
        serves=tuple(NodeClassRef(group=r.group, kind=r.kind, name=r.name) for r in refs),
        source=reporter.position(),
    )


def make_catalogue(name: str, types: Mapping[str, InstanceType]) -> Catalogue:
    """Returns the catalogue of these types, sorted, with the digest of its content."""
    ordered = tuple(types[type_name] for type_name in sorted(types))
    content = msgspec.json.encode(ordered, order="deterministic")
    return Catalogue(name=name, types=ordered, digest=hashlib.sha256(content).hexdigest())


def _instance_type(written: wire.InstanceTypeWire, *, at: Path, reporter: Reporter) -> InstanceType:
    _check_labels(written.labels, at=(*at, "labels"), reporter=reporter)
    capacity = decode_amounts(written.capacity, at=(*at, "capacity"), reporter=reporter)
    for resource in (res.CPU, res.MEMORY):
        if resource not in capacity and resource not in written.capacity:
            message = f"{resource} is missing: a machine without it takes no pod"
            reporter.error(Code.MISSING_FIELD, message, at=(*at, "capacity"))
    seen: set[tuple[str, str, tuple[tuple[str, str], ...]]] = set()
    offerings = []
    for index, offering in enumerate(written.offerings):
        here = (*at, "offerings", index)
        key = (offering.zone, offering.capacity_type, tuple(sorted(offering.labels.items())))
        if key in seen:
            message = f"{offering.zone}/{offering.capacity_type} is offered twice"
            reporter.error(Code.DUPLICATE_OBJECT, message, at=here)
        seen.add(key)
        offerings.append(_offering(offering, at=here, reporter=reporter))
    return with_defaults(
        written.name,
        type_labels=written.labels,
        capacity=capacity,
        overhead=decode_amounts(written.overhead, at=(*at, "overhead"), reporter=reporter),
        offerings=tuple(offerings),
    )


def with_defaults(
    name: str,
    *,
    type_labels: Mapping[str, str],
    capacity: Mapping[str, int],
    overhead: Mapping[str, int],
    offerings: tuple[Offering, ...],
) -> InstanceType:
    """Returns an instance type with the labels every node has: type, arch and os, zones, prices.

    amd64 and linux unless the labels say otherwise; 110 pods, the kubelet's default.
    """
    own = {labels.stable_key(key): value for key, value in type_labels.items()}
    single = {labels.ARCH: "amd64", labels.OS: "linux", **own, labels.INSTANCE_TYPE: name}
    values: dict[str, tuple[str, ...]] = {key: (value,) for key, value in single.items()}
    values[labels.ZONE] = tuple(sorted({offering.zone for offering in offerings}))
    values[labels.CAPACITY_TYPE] = tuple(sorted({o.capacity_type for o in offerings}))
    return instance_type(
        name,
        labels={key: values[key] for key in sorted(values)},
        capacity={res.PODS: _DEFAULT_PODS, **capacity},
        overhead=overhead,
        offerings=offerings,
    )


_DEFAULT_PODS = 110


def _offering(written: wire.OfferingWire, *, at: Path, reporter: Reporter) -> Offering:
    if written.capacity_type not in labels.CAPACITY_TYPES:
        message = f'"{written.capacity_type}" is not one of {", ".join(labels.CAPACITY_TYPES)}'
        hint = did_you_mean(written.capacity_type, labels.CAPACITY_TYPES)
        reporter.error(Code.BAD_VALUE, message, at=(*at, "capacityType"), suggestion=hint)
    _check_labels(written.labels, at=(*at, "labels"), reporter=reporter)
    try:
        price = parse_price(written.price)
    except ConfigError as error:
        reporter.error(Code.BAD_VALUE, str(error), at=(*at, "price"))
        price = 0
    return Offering(
        zone=written.zone,
        capacity_type=written.capacity_type,
        price_micros_per_hour=price,
        available=written.available,
        labels=written.labels,
        capacity=decode_amounts(written.capacity, at=(*at, "capacity"), reporter=reporter),
    )


def _check_labels(written: Mapping[str, str], *, at: Path, reporter: Reporter) -> None:
    for key, value in written.items():
        if fault := key_fault(key):
            message = f'"{key}" is not a label key: {fault}'
            reporter.error(Code.BAD_LABEL, message, at=(*at, key), key=True)
        if fault := value_fault(value):
            message = f'"{value}" is not a label value: {fault}'
            reporter.error(Code.BAD_LABEL, message, at=(*at, key))


KINDS: tuple[Kind, ...] = (
    define_kind(API_VERSION, KIND, wire=wire.CatalogueWire, decode=_catalogue),
)
