"""The parts that the tables of fields are made of.

A kind's fields are declared once, as a Struct whose members carry their types, defaults, patterns
and descriptions. Checking, unknown-field detection, defaults, decoding and JSON Schema all come
from that one declaration. Field names are written in snake case and read in camel case.

`Wire` records tolerate fields that are not declared (Kubernetes' own kinds, of which only a part
is modelled); `Strict` records do not (Karpenter's kinds and ours).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec import Meta

from policyscaler.model import durations
from policyscaler.model.meta import ObjectMeta, OwnerReference


class Wire(msgspec.Struct, frozen=True, kw_only=True, gc=False, rename="camel"):
    """A record of which only the declared fields matter; others are ignored."""


class Strict(Wire, frozen=True, kw_only=True):
    """A record in which a field that is not declared is an error."""


def checked(check: Callable[[str], object], *, pattern: str = "", description: str = "") -> Meta:
    """Returns the declaration of a text that `check` must accept.

    Args:
        check: raises ConfigError with a sentence for people.
        pattern: what JSON Schema says about it.
        description: for the schema.
    """
    extra = {"pattern": pattern} if pattern else None
    return Meta(extra={"check": check}, extra_json_schema=extra, description=description or None)


_QUANTITY: Final = (
    r"^[+-]?([0-9]+|[0-9]+\.[0-9]*|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$"
)

Amount: TypeAlias = Annotated[
    str | int | float,
    Meta(
        extra={"expects": "a quantity"},
        extra_json_schema={
            "pattern": r"^[+-]?([0-9]+|[0-9]+\.[0-9]*|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$"
        },
    ),
]
"""A Kubernetes quantity as written."""

Amounts: TypeAlias = dict[str, Amount]
"""Quantities by resource."""

CountOrPercent: TypeAlias = Annotated[
    int | str, Meta(extra={"expects": "a number or a percentage"})
]

Duration: TypeAlias = Annotated[
    str, checked(durations.parse_duration, pattern=r"^([0-9]+(s|m|h))+$")
]
NillableDuration: TypeAlias = Annotated[
    str, checked(durations.parse_nillable_duration, pattern=r"^(([0-9]+(s|m|h))+|Never)$")
]


class OwnerWire(Wire, frozen=True, kw_only=True):
    """An owner of an object."""

    kind: str
    name: str
    uid: str = ""
    api_version: str = ""
    controller: bool = False


class Metadata(Wire, frozen=True, kw_only=True):
    """What every object has: its name, labels, annotations and owners."""

    name: Annotated[str, Meta(min_length=1, max_length=253, description="Unique per kind.")]
    namespace: str = ""
    uid: str = ""
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    owner_references: tuple[OwnerWire, ...] = ()
    creation_timestamp: datetime | None = None
    deletion_timestamp: datetime | None = None
    generation: int = 0
    finalizers: tuple[str, ...] = ()

    def decode(self, *, namespaced: bool) -> ObjectMeta:
        """Returns the model's form; objects of namespaced kinds are in `default` by default."""
        return ObjectMeta(
            name=self.name, namespace=(self.namespace or "default") if namespaced else "",
            uid=self.uid, labels=self.labels, annotations=self.annotations,
            owners=tuple(owner_of(owner) for owner in self.owner_references),
            created=self.creation_timestamp, deleted=self.deletion_timestamp,
            generation=self.generation, finalizers=self.finalizers,
        )  # fmt: skip


def owner_of(wire: OwnerWire) -> OwnerReference:
    """Returns the model's form of an owner."""
    return OwnerReference(
        kind=wire.kind, name=wire.name, uid=wire.uid, api_version=wire.api_version,
        controller=wire.controller,
    )  # fmt: skip


class ObjectWire(Strict, frozen=True, kw_only=True):
    """The root of an object of a strict kind; its kind adds `spec` (and `status` if it has one)."""

    api_version: str
    kind: str
    metadata: Metadata


class OpenObjectWire(Wire, frozen=True, kw_only=True):
    """The root of an object of a tolerant kind."""

    api_version: str
    kind: str
    metadata: Metadata
