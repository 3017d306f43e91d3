"""Kinds that are validated and do nothing yet: NodeOverlay and CapacityBuffer.

Source: Karpenter's karpenter.sh/v1alpha1 and cluster-autoscaler's autoscaling.x-k8s.io.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Final

from msgspec import Meta

from policyscaler.manifests.amounts import decode_amounts
from policyscaler.manifests.findings import Code
from policyscaler.manifests.kinds import Kind, define_kind
from policyscaler.manifests.pool_wire import Filled, RequirementWire
from policyscaler.manifests.reporting import Reporter
from policyscaler.manifests.requirement_rules import decode_requirements
from policyscaler.manifests.wire import Amounts, ObjectWire, Strict
from policyscaler.model import resources as res
from policyscaler.model.meta import ObjectMeta

_PRICE: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_ADJUSTMENT: Final = re.compile(r"[+-][0-9]+(?:\.[0-9]+)?%?")
_NODE_RESOURCES: Final = (res.CPU, res.MEMORY, res.EPHEMERAL_STORAGE, res.PODS)
_NOTE: Final = "is valid and has no effect yet: its kind comes in a later version"


@dataclass(frozen=True, slots=True)
class Announced:
    """An object that was only validated."""

    kind: str
    meta: ObjectMeta


class OverlaySpecWire(Strict, frozen=True, kw_only=True):
    """The spec of a NodeOverlay."""

    requirements: Annotated[tuple[RequirementWire, ...], Meta(max_length=100)] = ()
    price: str | None = None
    price_adjustment: str | None = None
    capacity: Amounts = {}
    weight: Annotated[int, Meta(ge=1, le=10_000)] | None = None


class OverlayWire(ObjectWire, frozen=True, kw_only=True):
    """A NodeOverlay: prices and resources that differ from what a provider says."""

    spec: OverlaySpecWire
    status: dict[str, object] = {}


def _overlay(overlay: OverlayWire, reporter: Reporter) -> Announced:
    spec = overlay.spec
    at = ("spec", "requirements")
    decode_requirements(spec.requirements, at=at, reporter=reporter)
    for index, entry in enumerate(spec.requirements):
        if entry.operator == "NotIn" and not entry.values:
            reporter.error(Code.BAD_REQUIREMENT, "NotIn needs at least one value", at=(*at, index))
    _check_price(spec, reporter)
    decode_amounts(spec.capacity, at=("spec", "capacity"), reporter=reporter)
    for resource in spec.capacity:
        if resource in _NODE_RESOURCES:
            message = f"{resource} comes from the machine and cannot be overlaid"
            reporter.error(Code.BROKEN_RULE, message, at=("spec", "capacity", resource), key=True)
    return Announced("NodeOverlay", overlay.metadata.decode(namespaced=False))


def _check_price(spec: OverlaySpecWire, reporter: Reporter) -> None:
    if spec.price is not None and spec.price_adjustment is not None:
        message = "price and priceAdjustment exclude each other"
        reporter.error(Code.BROKEN_RULE, message, at=("spec", "priceAdjustment"))
    if spec.price is not None and _PRICE.fullmatch(spec.price) is None:
        message = f'"{spec.price}" is not a price; write a decimal such as 3.14'
        reporter.error(Code.BAD_VALUE, message, at=("spec", "price"))
    adjustment = spec.price_adjustment
    if adjustment is None:
        return
    if _ADJUSTMENT.fullmatch(adjustment) is None:
        message = f'"{adjustment}" is not an adjustment; write +1.5, -1.5, +10% or -10%'
        reporter.error(Code.BAD_VALUE, message, at=("spec", "priceAdjustment"))
    elif adjustment.endswith("%") and Decimal(adjustment[:-1]) < -100:
        message = f"{adjustment} is below -100%"
        reporter.error(Code.BAD_VALUE, message, at=("spec", "priceAdjustment"))


class TemplateRefWire(Strict, frozen=True, kw_only=True):
    """The PodTemplate that a buffer is made of."""

    name: Filled


class ScalableRefWire(Strict, frozen=True, kw_only=True):
    """The workload that a buffer is made like."""

    api_group: str = ""
    kind: Filled
    name: Filled


class BufferSpecWire(Strict, frozen=True, kw_only=True):
    """The spec of a CapacityBuffer."""

    provisioning_strategy: str = ""
    pod_template_ref: TemplateRefWire | None = None
    scalable_ref: ScalableRefWire | None = None
    replicas: Annotated[int, Meta(ge=0)] | None = None
    percentage: Annotated[int, Meta(ge=0)] | None = None
    limits: Amounts | None = None


class BufferWire(ObjectWire, frozen=True, kw_only=True):
    """A CapacityBuffer: room that is kept free."""

    spec: BufferSpecWire
    status: dict[str, object] = {}


def _buffer(buffer: BufferWire, reporter: Reporter) -> Announced:
    spec = buffer.spec
    if (spec.pod_template_ref is None) == (spec.scalable_ref is None):
        message = "exactly one of podTemplateRef and scalableRef is needed"
        reporter.error(Code.BROKEN_RULE, message, at=("spec",))
    elif spec.pod_template_ref is not None and spec.replicas is None and spec.limits is None:
        message = "podTemplateRef needs replicas or limits"
        reporter.error(Code.BROKEN_RULE, message, at=("spec", "podTemplateRef"))
    decode_amounts(spec.limits or {}, at=("spec", "limits"), reporter=reporter)
    return Announced("CapacityBuffer", buffer.metadata.decode(namespaced=True))


KINDS: tuple[Kind, ...] = (
    define_kind("karpenter.sh/v1alpha1", "NodeOverlay", wire=OverlayWire, decode=_overlay, note=_NOTE),
    *(
        define_kind(
            f"autoscaling.x-k8s.io/{version}", "CapacityBuffer", wire=BufferWire, decode=_buffer,
            note=_NOTE,
        )
        for version in ("v1beta1", "v1alpha1")
    ),
)  # fmt: skip
