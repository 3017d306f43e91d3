"""Files and folders to documents, with every way a file can be unreadable turned into a finding."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path as FilePath
from typing import BinaryIO, Final

from policyscaler.manifests.bounds import MAX_FILE, MAX_JSON, ReadError
from policyscaler.manifests.findings import ERROR, NOTE, Code, Finding
from policyscaler.manifests.json_reader import JsonSource, read_json
from policyscaler.manifests.trees import Document, Place, Source, Tree
from policyscaler.manifests.yaml_reader import YamlSource, read_yaml
from policyscaler.model.meta import SourcePosition

SUFFIXES: Final = (".yaml", ".yml", ".json", ".csv")
STDIN: Final = "-"
_CONTROL_BYTES: Final = bytes({*range(0x20), 0x7F} - {0x09, 0x0A, 0x0D})
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def files_of(paths: Sequence[str | FilePath], *, sink: list[Finding]) -> list[str]:
    """Returns the files that paths stand for: folders are searched, in sorted order.

    A path that does not exist is reported.
    """
    files: list[str] = []
    for path in paths:
        text = str(path)
        if text == STDIN or FilePath(text).is_file():
            files.append(text)
        elif FilePath(text).is_dir():
            found = [
                str(p) for p in FilePath(text).rglob("*") if p.suffix in SUFFIXES and p.is_file()
            ]
            files += sorted(found)
        else:
            sink.append(_finding(text, Code.UNREADABLE, message="no such file or folder"))
    return list(dict.fromkeys(files))


def read_text(file: str, *, stdin: BinaryIO | None, sink: list[Finding]) -> str | None:
    """Returns the text of a file, or None after reporting why there is none."""
    name = display_name(file)
    try:
        data = _bytes_of(file, stdin)
    except OSError as error:
        sink.append(_finding(name, Code.UNREADABLE, message=f"cannot be read: {error.strerror}"))
        return None
    limit = _limit(file)
    if len(data) > limit:
        message = f"is larger than {limit // 2**20} MiB; split it"
        sink.append(_finding(name, Code.TOO_BIG, message=message))
        return None
    try:
        return _decoded(data)
    except ReadError as error:
        sink.append(_finding(name, error.code, message=str(error), place=error.place))
        return None


def display_name(file: str) -> str:
    """Returns what positions call a file."""
    return "<stdin>" if file == STDIN else file


def _bytes_of(file: str, stdin: BinaryIO | None) -> bytes:
    if file == STDIN:
        return stdin.read(MAX_JSON + 1) if stdin is not None else b""
    with FilePath(file).open("rb") as stream:
        return stream.read(_limit(file) + 1)


def _limit(file: str) -> int:
    return MAX_JSON if file.endswith(".json") or file == STDIN else MAX_FILE


def _decoded(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ReadError(Code.SYNTAX, "is UTF-16; save it as UTF-8", place=(1, 1))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = _place_in(data[: error.start].decode("utf-8", "replace"))
        message = f"is not UTF-8: byte 0x{data[error.start]:02x}; save it as UTF-8"
        raise ReadError(Code.SYNTAX, message, place=place) from None
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    # Deleting from bytes is ten times faster than searching text, and finds the same ones.
    has_control = len(data.translate(None, _CONTROL_BYTES)) != len(data)
    control = _CONTROL.search(text) if has_control else None
    if control is not None:
        message = f"holds the control character U+{ord(control[0]):04X}"
        raise ReadError(Code.SYNTAX, message, place=_place_in(text[: control.start()]))
    return text


def _place_in(before: str) -> Place:
    return (before.count("\n") + 1, len(before) - before.rfind("\n"))


def read_documents(file: str, text: str, *, sink: list[Finding]) -> Iterator[Document]:
    """Yields the objects of a YAML or JSON file; lists of objects are taken apart."""
    name = display_name(file)
    as_json = file.endswith(".json") or (file == STDIN and text.lstrip()[:1] in ("{", "["))
    source: Source = JsonSource(name, text) if as_json else YamlSource(name, text)
    count = 0
    for item in read_json(text) if as_json else read_yaml(text):
        count += 1
        if isinstance(item, ReadError):
            sink.append(_finding(name, item.code, message=str(item), place=item.place))
            continue
        yield from _objects(source, item[0], place=item[1], sink=sink)
    if not count:
        sink.append(_finding(name, Code.NOT_AN_OBJECT, message="holds no object", severity=NOTE))


def _objects(
    source: Source, root: object, *, place: Place, sink: list[Finding]
) -> Iterator[Document]:
    if not isinstance(root, dict):
        message = "is not an object; it needs apiVersion, kind and metadata"
        sink.append(_finding(source.file, Code.NOT_AN_OBJECT, message=message, place=place))
        return
    items = root.get("items")
    kind = root.get("kind")
    if not (isinstance(kind, str) and kind.endswith("List") and isinstance(items, list)):
        yield Document(source=source, tree=root, start=place)
        return
    for index, item in enumerate(items):
        at = source.locate(root, ("items", index), key=False) if source_is_cheap(source) else place
        if not isinstance(item, dict):
            at = source.locate(root, ("items", index), key=False)
            message = f"items[{index}] is not an object"
            sink.append(
                _finding(source.file, Code.NOT_AN_OBJECT, message=message, place=at or place)
            )
            continue
        tree = _with_kind(item, root, kind=kind)
        yield Document(
            source=source, tree=tree, start=at or place, prefix=("items", index), root=root
        )


def source_is_cheap(source: Source) -> bool:
    """Returns whether asking for places costs nothing; in JSON it means walking the text."""
    return isinstance(source, YamlSource)


def _with_kind(item: Tree, parent: Tree, *, kind: str) -> Tree:
    if "kind" in item or kind == "List":
        return item
    return {"apiVersion": parent.get("apiVersion", ""), "kind": kind.removesuffix("List"), **item}


def _finding(
    file: str, code: Code, *, message: str, place: Place = (1, 1), severity: str = ERROR
) -> Finding:
    position = SourcePosition(file=file, line=place[0], column=place[1])
    return Finding(severity=severity, code=code.value, message=message, position=position)
