"""JSON to trees, fast: kubectl writes lists of many thousand objects.

The trees are plain dicts and lists. When somebody asks where a value stands, the text is walked
again along the path, skipping what lies beside it at the speed of the C scanner.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from policyscaler.manifests.bounds import MAX_DEPTH, MAX_DIGITS, ReadError
from policyscaler.manifests.findings import Code, Path, shorten
from policyscaler.manifests.trees import Place

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_WALKED: Final = 2**20
_LONG_NUMBER: Final = re.compile(rf"(?<![\w.\"])-?[0-9]{{{MAX_DIGITS},}}")


class JsonSource:
    """A JSON file; places are found when they are asked for."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the file."""
        return self.text.split("\n")

    def locate(self, tree: object, path: Path, *, key: bool) -> Place | None:  # noqa: ARG002 - as the reader of YAML, which needs the tree
        """Returns where the value at a path, or its key, stands in the text."""
        scanner = json.JSONDecoder()
        position = _skip(self.text, 0)
        for index, step in enumerate(path):
            found = _enter(self.text, position, scanner=scanner, step=step)
            if found is None:
                break
            at_key, at_value = found
            position = at_key if key and index == len(path) - 1 else at_value
        return _place(self.text, position)


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _enter(
    text: str, position: int, *, scanner: json.JSONDecoder, step: str | int
) -> tuple[int, int] | None:
    """Returns where an entry's key and value start; the value's twice in a list."""
    opening = text[position]
    if opening not in "{[" or (opening == "{") != isinstance(step, str):
        return None
    position = _skip(text, position + 1)
    count = 0
    while text[position] not in "]}":
        at_key, name = position, None
        if opening == "{":
            name, position = scanner.raw_decode(text, position)
            position = _skip(text, _skip(text, position) + 1)
        if step == (count if name is None else name):
            return (at_key, position)
        _, position = scanner.raw_decode(text, position)
        position = _skip(text, position)
        position = _skip(text, position + 1) if text[position] == "," else position
        count += 1
    return None


def _place(text: str, position: int) -> Place:
    start = text.rfind("\n", 0, position)
    return (text.count("\n", 0, position) + 1, position - start)


class _DuplicateKey(Exception):
    def __init__(self, key: str) -> None:
        self.key = key


class _NotANumber(Exception):
    pass


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _DuplicateKey(key)
            seen.add(key)
    if None in made.values():
        return {key: value for key, value in pairs if value is not None}
    return made


def _refuse(constant: str) -> object:
    raise _NotANumber(constant)


def read_json(text: str) -> Iterator[tuple[object, Place] | ReadError]:
    """Yields the root with its place, or what keeps it from being read."""
    start = _place(text, _skip(text, 0))
    try:
        root: object = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        yield ReadError(Code.SYNTAX, f"not JSON: {error.msg}", place=(error.lineno, error.colno))
    except _DuplicateKey as error:
        position = text.rfind(json.dumps(error.key))
        place = _place(text, position) if position >= 0 else start
        yield ReadError(
            Code.DUPLICATE_KEY, f'the key "{shorten(error.key)}" is there twice', place=place
        )
    except _NotANumber as error:
        place = _place(text, max(0, text.find(str(error))))
        yield ReadError(Code.SYNTAX, f"not JSON: {error} is not a number", place=place)
    except RecursionError:
        yield ReadError(Code.TOO_BIG, f"is nested deeper than {MAX_DEPTH} levels", place=start)
    except ValueError:
        match = _LONG_NUMBER.search(text)
        place = _place(text, match.start()) if match else start
        yield ReadError(Code.TOO_BIG, "holds a number that is too large", place=place)
    else:
        # The scanner itself refuses a depth of about 1,000, so large files can do without the walk.
        if len(text) <= _WALKED and _is_deeper(root, MAX_DEPTH):
            yield ReadError(Code.TOO_BIG, f"is nested deeper than {MAX_DEPTH} levels", place=start)
        else:
            yield (root, start)


def _is_deeper(value: object, levels: int) -> bool:
    level = [value]
    for _ in range(levels + 1):
        entries: list[object] = []
        for container in level:
            if isinstance(container, dict):
                entries += [e for e in container.values() if type(e) in _CONTAINERS]
            elif isinstance(container, list):
                entries += [e for e in container if type(e) in _CONTAINERS]
        if not entries:
            return False
        level = entries
    return True


_CONTAINERS: Final = (dict, list)
