"""What all API objects share: names, owners, positions in files."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec


class Value(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The base of all values: immutable, keyword-only, unseen by the garbage collector.

    They hold no reference cycles, so nothing leaks by that. (`kw_only` is not inherited by
    msgspec Structs: every class repeats it.)
    """


class SourcePosition(Value, frozen=True, kw_only=True, order=True):
    """Where a person wrote something: lines and columns start at 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        """Returns `file:line:column`, which editors and CI systems turn into a link."""
        return f"{self.file}:{self.line}:{self.column}"


class OwnerReference(Value, frozen=True, kw_only=True):
    """Who made an object and takes it along when it goes."""

    kind: str
    name: str
    uid: str = ""
    api_version: str = ""
    controller: bool = False


class ObjectMeta(Value, frozen=True, kw_only=True):
    """The metadata of an API object; `namespace` is empty for cluster-scoped ones."""

    name: str
    namespace: str = ""
    uid: str = ""
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    owners: tuple[OwnerReference, ...] = ()
    created: datetime | None = None
    deleted: datetime | None = None
    generation: int = 0
    finalizers: tuple[str, ...] = ()

    @property
    def controller(self) -> OwnerReference | None:
        """The owner that manages this object, if it has one."""
        return next((owner for owner in self.owners if owner.controller), None)

    @property
    def key(self) -> tuple[str, str]:
        """(namespace, name), which is unique per kind."""
        return (self.namespace, self.name)

    @property
    def full_name(self) -> str:
        """`namespace/name`, or just the name of a cluster-scoped object."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class Condition(Value, frozen=True, kw_only=True):
    """One status condition: `status` is True, False or Unknown."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    since: datetime | None = None


class LabelSelectorRequirement(Value, frozen=True, kw_only=True):
    """One expression of a label selector; operators In, NotIn, Exists, DoesNotExist."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


class LabelSelector(Value, frozen=True, kw_only=True):
    """A label selector: all labels and all expressions must hold; empty selects everything."""

    match_labels: Mapping[str, str] = {}
    expressions: tuple[LabelSelectorRequirement, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Returns whether an object with these labels is selected."""
        if any(labels.get(key) != value for key, value in self.match_labels.items()):
            return False
        return all(_expression_holds(expression, labels) for expression in self.expressions)


def _expression_holds(expression: LabelSelectorRequirement, labels: Mapping[str, str]) -> bool:
    present = expression.key in labels
    match expression.operator:
        case "In":
            return present and labels[expression.key] in expression.values
        case "NotIn":
            return not present or labels[expression.key] not in expression.values
        case "Exists":
            return present
        case _:
            return not present
