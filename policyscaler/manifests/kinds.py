"""What a kind of object is to the loader, and how providers add theirs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

import msgspec

from policyscaler.manifests.checking import check_tree, report_slips
from policyscaler.manifests.findings import Code, Path
from policyscaler.manifests.reporting import Reporter
from policyscaler.manifests.trees import Tree, text_at
from policyscaler.manifests.wire import Strict, Wire
from policyscaler.model.meta import SourcePosition
from policyscaler.model.pools import NodeClass
from policyscaler.ports.provider import Provider

_W = TypeVar("_W", bound=Wire)


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that a translation did.

    Attributes:
        before: the old field, empty for what was added.
        after: the new field, empty for what was dropped.
        value: what it says now, written for people.
        old_value: what it said before, if that differs.
        position: where the old field stands, or the object.
        reason: why, for what was added or dropped.
    """

    before: str = ""
    after: str = ""
    value: str = ""
    old_value: str = ""
    position: SourcePosition | None = None
    reason: str = ""

    def __str__(self) -> str:
        """Returns one line, such as `spec.disruption.expireAfter 168h → spec.template…`."""
        why = f" ({self.reason})" if self.reason else ""
        if not self.before:
            return f"added {self.after}: {self.value}{why}"
        if not self.after:
            return f"dropped {self.before} {self.old_value or self.value}{why}"
        new = f": {self.value}" if self.old_value else ""
        return f"{self.before} {self.old_value or self.value} → {self.after}{new}{why}"


@dataclass(frozen=True, slots=True)
class Conversion:
    """A tree in the served version of its kind, and everything that differs from what was written.

    Attributes:
        tree: the new object; parts taken over keep their positions.
        changes: in the order of the old object's fields, additions last.
        warnings: what the translation could not carry over, each with the old field's path.
    """

    tree: Tree
    changes: tuple[Change, ...] = ()
    warnings: tuple[tuple[Path, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of object that can be loaded; make one with `define_kind`.

    Attributes:
        api_version: `group/version`, or just the version of the core group.
        kind: its name.
        wire: the table of its fields.
        build: makes the value of a tree that has passed the table's checks; None if it reports
            errors.
        convert: for versions that are no longer served: translates a checked tree into the served
            version, which is then decoded by that version's kind.
        note: said once per object that loads, such as that it has no effect yet.
    """

    api_version: str
    kind: str
    wire: type[Wire]
    build: Callable[[Tree, Reporter], object | None]
    convert: Callable[[Tree, Reporter], Conversion] | None = None
    note: str = ""

    @property
    def group(self) -> str:
        """The API group, empty for the core group."""
        return self.api_version.rpartition("/")[0]

    @property
    def version(self) -> str:
        """The version within the group."""
        return self.api_version.rpartition("/")[2]

    def decode(self, tree: Tree, reporter: Reporter) -> object | None:
        """Returns the value of an object, or None after reporting what is wrong with it."""
        strict = issubclass(self.wire, Strict)
        if strict and not check_tree(tree, self.wire, reporter=reporter):
            return None
        # Thousands of pods come from a cluster and are in order: looking for what is wrong with
        # a tree costs ten times what building its value does, so it waits for a failure.
        try:
            value = self.build(tree, reporter)
        except msgspec.ValidationError as error:
            if strict or check_tree(tree, self.wire, reporter=reporter):
                reporter.error(Code.WRONG_TYPE, str(error), at=())
            return None
        # What an API server has stored has no misspelt fields left: it prunes them.
        if not strict and not text_at(tree, "metadata", "uid"):
            report_slips(tree, self.wire, reporter=reporter)
        return None if reporter.failed else value

    def translate(self, tree: Tree, reporter: Reporter) -> Conversion | None:
        """Returns the object in the served version, or None after reporting what is wrong."""
        if self.convert is None or not check_tree(tree, self.wire, reporter=reporter):
            return None
        conversion = self.convert(tree, reporter)
        return None if reporter.failed else conversion


def define_kind(
    api_version: str,
    kind: str,
    *,
    wire: type[_W],
    decode: Callable[[_W, Reporter], object | None],
    convert: Callable[[Tree, Reporter], Conversion] | None = None,
    note: str = "",
) -> Kind:
    """Returns a kind whose objects are read as `wire` and turned into values by `decode`.

    Args:
        api_version: `group/version`.
        kind: its name.
        wire: the table of fields: a `Strict` (or tolerant `Wire`) Struct with `api_version`,
            `kind`, `metadata` and what else the object has.
        decode: makes the value; reports rules that tables cannot say and then returns anything.
        convert: see `Kind`.
        note: see `Kind`.
    """

    def build(tree: Tree, reporter: Reporter) -> object | None:
        return decode(msgspec.convert(tree, wire), reporter)

    return Kind(
        api_version=api_version, kind=kind, wire=wire, build=build, convert=convert, note=note
    )


class ProviderPlugin(Provider, Protocol):
    """What an entry point of the group `policyscaler.providers` yields.

    Attributes:
        kinds: every version of its NodeClass kinds; `build` returns `model.pools.NodeClass`.
        well_known_labels: labels that its nodes come to have without a NodePool naming them.
        restricted_domains: label domains that users may not set or require.
    """

    kinds: tuple[Kind, ...]
    well_known_labels: frozenset[str]
    restricted_domains: frozenset[str]

    def default_node_class(self) -> NodeClass:
        """Returns a class to look at the catalogue with when there is no manifest of one."""
        ...
