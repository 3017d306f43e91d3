"""YAML to trees: the events of libyaml, scalars as Kubernetes reads them, hard bounds.

Anchors, aliases, merge keys and tags are refused: Kubernetes objects never need them, and they
are how a kilobyte becomes a gigabyte. Each document of a stream is parsed by itself, so that a
slip in one leaves the others readable.

Source: YAML 1.1 scalars as in kubectl's parser: `yes`, `no`, `on`, `off` are booleans.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import Final

import yaml
from yaml import events

from policyscaler.manifests.bounds import MAX_DEPTH, MAX_DIGITS, MAX_NODES, MAX_SCALAR, ReadError
from policyscaler.manifests.findings import Code, Path, shorten
from policyscaler.manifests.trees import Place, YamlList, YamlMap

_LOADER: Final = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_MARKER: Final = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_HOLLOW: Final = re.compile(r"(?:\s*(?:[#%].*|\.\.\.)?\s*(?:\n|$))*")
_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **{form(word): True for word in ("y", "yes", "on", "true") for form in (str.lower, str.upper, str.title)},
    **{form(word): False for word in ("n", "no", "off", "false") for form in (str.lower, str.upper, str.title)},
}  # fmt: skip
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INTEGER: Final = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|[0-9]+)")
_BASES: Final = {"x": 16, "b": 2, "o": 8}


class YamlSource:
    """A YAML file; places are kept in the trees."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the file."""
        return self.text.split("\n")

    def locate(self, tree: object, path: Path, *, key: bool) -> Place | None:
        """Returns where the value at a path of a tree, or its key, stands."""
        place: Place | None = None
        for index, step in enumerate(path):
            found = None
            if isinstance(tree, YamlMap) and isinstance(step, str):
                wants_key = key and index == len(path) - 1
                found = (tree.keys_at if wants_key else tree.values_at).get(step)
            elif isinstance(tree, YamlList) and isinstance(step, int) and step < len(tree.items_at):
                found = tree.items_at[step]
            if found is None:
                return place
            place = found
            tree = _entry(tree, step)
        return place


def _entry(tree: object, step: str | int) -> object:
    if isinstance(tree, dict):
        return tree.get(step)
    return tree[step] if isinstance(tree, list) and isinstance(step, int) else None


def read_yaml(text: str) -> Iterator[tuple[object, Place] | ReadError]:
    """Yields the root of each document with its place, or what keeps it from being read."""
    starts = [match.start() for match in _MARKER.finditer(text)]
    bounds = [0, *starts, len(text)]
    line = 0
    for begin, end in pairwise(bounds):
        chunk = text[begin:end]
        body = chunk.removeprefix("---")
        if _HOLLOW.fullmatch(body) is None:
            try:
                yield _Builder(chunk, line).build()
            except ReadError as error:
                yield error
        line += chunk.count("\n")


class _Builder:
    """Builds one document's tree from its events."""

    def __init__(self, text: str, line: int) -> None:
        self._text = text
        self._line = line
        self._stack: list[YamlMap | YamlList] = []
        self._keys: list[tuple[str, Place] | None] = []
        self._nodes = 0
        self._root: tuple[object, Place] | None = None

    def build(self) -> tuple[object, Place]:
        """Returns the root and its place."""
        try:
            for event in yaml.parse(self._text, Loader=_LOADER):
                self._take(event)
        except yaml.MarkedYAMLError as error:
            raise self._explained(error) from None
        except yaml.YAMLError as error:
            raise ReadError(
                Code.SYNTAX, str(error).split("\n")[0], place=(self._line + 1, 1)
            ) from None
        if self._root is None:
            return (None, (self._line + 1, 1))
        return self._root

    def _take(self, event: events.Event) -> None:
        if isinstance(event, events.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, events.MappingStartEvent | events.SequenceStartEvent):
            self._open(event)
        elif isinstance(event, events.MappingEndEvent | events.SequenceEndEvent):
            self._stack.pop()
            self._keys.pop()
        elif isinstance(event, events.AliasEvent):
            name = shorten(event.anchor or "")
            message = f'the alias "*{name}" is refused; write the value out'
            raise ReadError(Code.ALIAS, message, place=self._place(event))
        elif isinstance(event, events.DocumentStartEvent) and self._root is not None:
            raise ReadError(
                Code.SYNTAX, "a second document begins without ---", place=self._place(event)
            )

    def _place(self, event: events.Event) -> Place:
        mark = event.start_mark
        line, column = (mark.line, mark.column) if mark else (0, 0)
        return (self._line + line + 1, column + 1)

    def _check_plainness(self, event: events.NodeEvent, tag: str | None) -> Place:
        place = self._place(event)
        if event.anchor:
            message = f'the anchor "&{shorten(event.anchor)}" is refused; write values out'
            raise ReadError(Code.ALIAS, message, place=place)
        if tag is not None:
            message = f'the tag "{shorten(tag)}" is refused; quote text and leave the tag out'
            raise ReadError(Code.ALIAS, message, place=place)
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise ReadError(Code.TOO_BIG, f"has more than {MAX_NODES} values", place=place)
        return place

    def _open(self, event: events.CollectionStartEvent) -> None:
        place = self._check_plainness(event, event.tag)
        if len(self._stack) >= MAX_DEPTH:
            raise ReadError(Code.TOO_BIG, f"is nested deeper than {MAX_DEPTH} levels", place=place)
        container = YamlMap() if isinstance(event, events.MappingStartEvent) else YamlList()
        self._add(container, place)
        self._stack.append(container)
        self._keys.append(None)

    def _scalar(self, event: events.ScalarEvent) -> None:
        place = self._check_plainness(event, event.tag)
        text = event.value
        if len(text) > MAX_SCALAR:
            raise ReadError(
                Code.TOO_BIG, f"text of {len(text)} characters is too long", place=place
            )
        if self._stack and isinstance(self._stack[-1], YamlMap) and self._keys[-1] is None:
            self._key(self._stack[-1], text, place=place, plain=event.implicit[0])
        else:
            self._add(_resolve(text, place) if event.implicit[0] else text, place)

    def _key(self, container: YamlMap, key: str, *, place: Place, plain: bool) -> None:
        if plain and key == "<<":
            raise ReadError(Code.ALIAS, "merge keys are refused; write the fields out", place=place)
        first = container.keys_at.get(key)
        if first is not None:
            message = f'the key "{shorten(key)}" is there twice, first in line {first[0]}'
            raise ReadError(Code.DUPLICATE_KEY, message, place=place)
        self._keys[-1] = (key, place)

    def _add(self, value: object, place: Place) -> None:
        if not self._stack:
            self._root = (value, place)
            return
        container = self._stack[-1]
        if isinstance(container, YamlList):
            container.append(value)
            container.items_at.append(place)
            return
        pending = self._keys[-1]
        if pending is None:
            raise ReadError(Code.SYNTAX, "a key must be text, not a list or a mapping", place=place)
        container.put(pending[0], value, key_at=pending[1], value_at=place)
        self._keys[-1] = None

    def _explained(self, error: yaml.MarkedYAMLError) -> ReadError:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line, mark.column) if mark else (0, 0)
        lines = self._text.split("\n")
        written = lines[line] if line < len(lines) else ""
        indent = written[: len(written) - len(written.lstrip())]
        problem = error.problem or "cannot be read"
        if "\t" in indent:
            column = indent.index("\t")
            problem = "a tab is used for indentation; YAML wants spaces"
        elif line >= len(lines) - 1 and not written.strip():
            problem = f"the file ends too early: {problem}"
        context = f" {error.context}" if error.context and "tab is" not in problem else ""
        place = (self._line + line + 1, column + 1)
        return ReadError(Code.SYNTAX, f"not YAML: {problem}{context}", place=place)


def reads_as_text(text: str) -> bool:
    """Returns whether a bare word of YAML is text, and no number, boolean or null."""
    try:
        return isinstance(_resolve(text, (1, 1)), str)
    except ReadError:
        return False


def _resolve(text: str, place: Place) -> object:
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if len(text) > MAX_DIGITS:
        if text.lstrip("+-.").isdigit():
            raise ReadError(Code.TOO_BIG, f"the number {shorten(text)} is too large", place=place)
        return text
    bare = text.replace("_", "") if text[0] != "." else text
    if _INTEGER.fullmatch(bare):
        return _integer(bare)
    if _FLOAT.fullmatch(text):
        return float(text)
    return float(text.replace(".", "")) if text.lower().lstrip("+-") in (".inf", ".nan") else text


def _integer(text: str) -> int:
    sign = -1 if text[0] == "-" else 1
    digits = text.lstrip("+-")
    if len(digits) > 1 and digits[0] == "0":
        base = _BASES.get(digits[1].lower(), 8)
        body = digits[2:] if digits[1].lower() in _BASES else digits[1:]
        if base != 8 or not set(body) & {"8", "9"}:
            return sign * int(body, base)
    return sign * int(digits)
