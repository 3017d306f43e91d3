"""Trees as read from files: plain dicts, lists and scalars that know where they stand.

A YAML file becomes `YamlMap` and `YamlList`, whose marks hold the place of every entry. JSON
becomes plain dicts and lists; their places are looked up in the text only when one is asked for.
Nulls are left out while reading, as Kubernetes treats them as absent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

from policyscaler.manifests.findings import Path

Tree: TypeAlias = dict[str, object]
"""The root of one object."""

Place: TypeAlias = tuple[int, int]
"""Line and column, both from 1."""


class YamlMap(dict[str, object]):
    """A mapping with the places of its keys and values."""

    __slots__ = ("keys_at", "values_at")

    keys_at: dict[str, Place]
    values_at: dict[str, Place]

    def __init__(self) -> None:
        super().__init__()
        self.keys_at = {}
        self.values_at = {}

    def put(self, key: str, value: object, *, key_at: Place, value_at: Place) -> None:
        """Adds an entry with its places."""
        if value is not None:
            self[key] = value
        self.keys_at[key] = key_at
        self.values_at[key] = value_at


class YamlList(list[object]):
    """A list with the places of its items."""

    __slots__ = ("items_at",)

    items_at: list[Place]

    def __init__(self) -> None:
        super().__init__()
        self.items_at = []


class Source(Protocol):
    """One file that was read."""

    file: str
    text: str

    @property
    def lines(self) -> list[str]:
        """The lines of the file."""
        ...

    def locate(self, tree: object, path: Path, *, key: bool) -> Place | None:
        """Returns where the value at a path of a tree, or its key, stands.

        A path that leads nowhere gives the place of the nearest ancestor.
        """
        ...


@dataclass(frozen=True, slots=True)
class Document:
    """One object of a file.

    Attributes:
        source: the file.
        tree: the object.
        start: where it begins.
        prefix: the path from the root of the file's document to the object (items of a List).
        root: the whole document that the object is part of.
    """

    source: Source
    tree: Tree
    start: Place
    prefix: Path = ()
    root: object = None


def child(container: object, step: str | int) -> object:
    """Returns the entry of a container, or None if there is none."""
    if isinstance(container, dict):
        return container.get(step)
    if isinstance(container, list) and isinstance(step, int) and step < len(container):
        return container[step]
    return None


def text_at(tree: object, *path: str | int) -> str:
    """Returns the text at a path, or an empty one if there is none."""
    for step in path:
        tree = child(tree, step)
    return tree if isinstance(tree, str) else ""


def map_at(tree: object, *path: str | int) -> Tree:
    """Returns the mapping at a path, or a new empty one if there is none."""
    for step in path:
        tree = child(tree, step)
    return tree if isinstance(tree, dict) else {}


def clone(tree: Tree) -> Tree:
    """Returns a shallow copy that keeps the places of its entries."""
    if not isinstance(tree, YamlMap):
        return dict(tree)
    copied = YamlMap()
    copied.update(tree)
    copied.keys_at.update(tree.keys_at)
    copied.values_at.update(tree.values_at)
    return copied


def clone_child(tree: Tree, key: str) -> Tree:
    """Replaces the mapping under a key by a copy, or puts an empty one there, and returns it."""
    entry = tree.get(key)
    copied = clone(entry) if isinstance(entry, dict) else {}
    tree[key] = copied
    return copied


def move(old: Tree, key: str, *, new: Tree, new_key: str) -> None:
    """Moves an entry, with its places, to another mapping."""
    new[new_key] = old.pop(key)
    if isinstance(old, YamlMap) and isinstance(new, YamlMap) and key in old.keys_at:
        new.keys_at[new_key] = old.keys_at[key]
        new.values_at[new_key] = old.values_at[key]
