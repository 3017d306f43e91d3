"""Writes manifests of old versions in the served one; everything else stays as it was written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path as FilePath
from typing import BinaryIO, Final

import yaml

from policyscaler.manifests.decoding import kinds_by_name, surroundings_of
from policyscaler.manifests.findings import Code, Finding
from policyscaler.manifests.kinds import Kind
from policyscaler.manifests.loaded import Translation
from policyscaler.manifests.reading import files_of, read_documents, read_text
from policyscaler.manifests.reporting import Reporter
from policyscaler.manifests.trees import Document, Tree, map_at, text_at
from policyscaler.manifests.yaml_reader import reads_as_text

_SPLIT: Final = re.compile(r"^---(?=\s|$)[ \t]*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Converted:
    """Manifests in served versions.

    Attributes:
        text: YAML, one document an object.
        translations: what changed, one entry for each object of an old version.
        findings: what is wrong with them, and what the translation could not carry over.
        notes: sentences about the text as a whole.
    """

    text: str
    translations: tuple[Translation, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()


def convert_documents(
    paths: Sequence[str | FilePath],
    *,
    kinds: Sequence[Kind] = (),
    stdin: BinaryIO | None = None,
    keep_old_defaults: bool = True,
) -> Converted:
    """Returns all documents, those of old versions translated.

    Args:
        paths: files, folders and `-`.
        kinds: what providers add.
        stdin: what `-` reads.
        keep_old_defaults: write out what a v1alpha5 Provisioner meant without saying.
    """
    converting = _Converting(kinds, keep_old_defaults=keep_old_defaults)
    for file in files_of(paths, sink=converting.findings):
        text = read_text(file, stdin=stdin, sink=converting.findings)
        if text is not None and not file.endswith(".csv"):
            converting.add(file, text)
    return converting.result()


class _Converting:
    """Documents as they come in; what they say is put together when all are there."""

    def __init__(self, kinds: Sequence[Kind], *, keep_old_defaults: bool) -> None:
        self.findings: list[Finding] = []
        self._around = surroundings_of(kinds)
        self._around.keep_old_defaults = keep_old_defaults
        self._kinds = kinds_by_name(kinds, self._around)
        self._files: list[tuple[str, list[Document]]] = []

    def add(self, file: str, text: str) -> None:
        """Takes in one file."""
        self._files.append((text, list(read_documents(file, text, sink=self.findings))))

    def result(self) -> Converted:
        """Returns the documents in their order, pools translated before what depends on them."""
        trees: dict[int, Tree] = {}
        translations: dict[int, Translation] = {}
        documents = [document for _, found in self._files for document in found]
        for document in sorted(documents, key=_depends):
            translated = self._translate(document)
            if translated is not None:
                trees[id(document)], translations[id(document)] = translated
        for document in documents:
            self._complete(document, trees)
        parts = [part for text, found in self._files for part in _parts(text, found, trees=trees)]
        note = "comments of translated documents are not carried over"
        return Converted(
            text="---\n".join(parts),
            translations=tuple(
                translations[id(document)] for document in documents if id(document) in translations
            ),
            findings=tuple(self.findings),
            notes=(note,) if translations else (),
        )

    def _translate(self, document: Document) -> tuple[Tree, Translation] | None:
        api_version = text_at(document.tree, "apiVersion")
        kind = self._kinds.get((api_version, text_at(document.tree, "kind")))
        if kind is None or kind.convert is None:
            return None
        reporter = Reporter(document, self.findings)
        conversion = kind.translate(document.tree, reporter)
        if conversion is None:
            return None
        for path, message in conversion.warnings:
            reporter.warning(Code.TRANSLATED, message, at=path)
        return conversion.tree, Translation(
            subject=reporter.subject,
            from_version=api_version,
            to_version=text_at(conversion.tree, "apiVersion"),
            position=reporter.position(),
            changes=conversion.changes,
        )

    def _complete(self, document: Document, trees: dict[int, Tree]) -> None:
        """Puts the kubelet settings of old pools into their NodeClasses."""
        tree = trees.get(id(document), document.tree)
        group = text_at(tree, "apiVersion").rpartition("/")[0]
        key = (group, text_at(tree, "kind"), text_at(tree, "metadata", "name"))
        kubelet = self._around.kubelet.get(key)
        spec = map_at(tree, "spec")
        if kubelet is not None and "kubelet" not in spec:
            trees[id(document)] = {**tree, "spec": {**spec, "kubelet": kubelet}}


def _depends(document: Document) -> bool:
    return text_at(document.tree, "kind") == "NodeClaim"


def _parts(text: str, documents: list[Document], *, trees: dict[int, Tree]) -> Iterable[str]:
    """Yields the text of each document: as written, or of its new tree."""
    if all(id(document) not in trees for document in documents):
        yield from (_ended(part) for part in _SPLIT.split(text) if part.strip())
        return
    chunks = _chunks(text)
    for document in documents:
        tree = trees.get(id(document))
        if (
            tree is None
            and document.root is None
            and document.source.file.endswith((".yaml", ".yml"))
        ):
            line = document.start[0]
            yield _ended(max((c for c in chunks if c[0] <= line), key=lambda c: c[0])[1])
        else:
            yield write_yaml(document.tree if tree is None else tree)


def _chunks(text: str) -> list[tuple[int, str]]:
    """Returns the documents of a stream with the lines that they start in."""
    starts = [0, *(match.start() for match in _SPLIT.finditer(text)), len(text)]
    chunks = []
    for begin, end in pairwise(starts):
        body = _SPLIT.sub("", text[begin:end], count=1).lstrip("\n")
        chunks.append((text.count("\n", 0, begin) + 1, body))
    return chunks


def _ended(text: str) -> str:
    return text.strip("\n") + "\n"


class _Dumper(yaml.SafeDumper):
    """Writes text so that every YAML reader takes it for text."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002 - PyYAML's signature
        """Indents lists below their field, as people do."""
        super().increase_indent(flow, indentless=False)


def _write_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None
    if not reads_as_text(text):
        style = '"'
    elif "\n" in text:
        style = "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _write_text)


def write_yaml(tree: Tree) -> str:
    """Returns a tree as YAML, in the order of its fields."""
    plain = _plain(tree)
    return yaml.dump(plain, Dumper=_Dumper, sort_keys=False, width=120, allow_unicode=True)


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    return value
