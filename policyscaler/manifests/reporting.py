"""Where checks and decoders of one object put their findings, and ask for positions."""

from __future__ import annotations

from typing import Final

from policyscaler.manifests.expressions import expression_at
from policyscaler.manifests.findings import ERROR, NOTE, WARNING, Code, Finding, Path, format_path
from policyscaler.manifests.trees import Document, text_at
from policyscaler.manifests.vocabulary import Vocabulary
from policyscaler.model.meta import SourcePosition
from policyscaler.model.policies import Expression

_CORE: Final = Vocabulary()


class Reporter:
    """Collects the findings about one object; knows its file, kind and name.

    Args:
        document: the object.
        sink: where findings go.
        vocabulary: the labels that there are.
    """

    def __init__(
        self, document: Document, sink: list[Finding], *, vocabulary: Vocabulary = _CORE
    ) -> None:
        self.vocabulary = vocabulary
        self._document = document
        self._sink = sink
        self.failed = False

    @property
    def subject(self) -> str:
        """`Kind/name` of the object, `Kind/namespace/name` where a namespace is written."""
        tree = self._document.tree
        kind, name = text_at(tree, "kind"), text_at(tree, "metadata", "name")
        namespace = text_at(tree, "metadata", "namespace")
        return "/".join(part for part in (kind, namespace, name) if part)

    def error(
        self, code: Code, message: str, *, at: Path, suggestion: str = "", key: bool = False
    ) -> None:
        """Reports a fault at a field: the object will not be used.

        Args:
            code: the stable code.
            message: a sentence that names the value.
            at: the field.
            suggestion: the way out.
            key: point at the field's name instead of its value.
        """
        self.failed = True
        self._add(ERROR, code, message=message, at=at, suggestion=suggestion, key=key)

    def lint(self, code: Code, message: str, *, at: Path, suggestion: str = "") -> None:
        """Reports a fault that keeps nothing from loading, but does not do what was meant."""
        self._add(ERROR, code, message=message, at=at, suggestion=suggestion, key=False)

    def warning(
        self, code: Code, message: str, *, at: Path, suggestion: str = "", key: bool = False
    ) -> None:
        """Reports a doubt: the object is used as it is."""
        self._add(WARNING, code, message=message, at=at, suggestion=suggestion, key=key)

    def note(self, code: Code, message: str, *, at: Path) -> None:
        """Reports something worth knowing."""
        self._add(NOTE, code, message=message, at=at, suggestion="", key=False)

    def position(self, at: Path = (), *, key: bool = False) -> SourcePosition:
        """Returns where a field stands; the nearest enclosing one's place if it is not written."""
        document = self._document
        root = document.tree if document.root is None else document.root
        place = document.source.locate(root, document.prefix + at, key=key) if at else None
        line, column = place or document.start
        return SourcePosition(file=document.source.file, line=line, column=column)

    def expression(self, text: str, *, at: Path) -> Expression:
        """Returns the text of a field as an expression that knows where each character stands."""
        position = self.position(at)
        return expression_at(text, position=position, lines=self._document.source.lines)

    def word(self, at: Path) -> str:
        """Returns the bare word that a field's value is written with in the file."""
        position = self.position(at)
        lines = self._document.source.lines
        line = lines[position.line - 1] if position.line <= len(lines) else ""
        rest = line[position.column - 1 :]
        for end in (" #", ",", "}", "]"):
            rest = rest.split(end, 1)[0]
        return rest.strip()

    def _add(
        self, severity: str, code: Code, *, message: str, at: Path, suggestion: str, key: bool
    ) -> None:
        self._sink.append(
            Finding(
                severity=severity, code=code.value, message=message,
                position=self.position(at, key=key), subject=self.subject,
                path=format_path(at), suggestion=suggestion,
            )
        )  # fmt: skip


class _Nowhere:
    """The source of what no file holds."""

    file = ""
    text = ""
    lines: list[str] = []

    def locate(self, tree: object, path: Path, *, key: bool) -> None:
        """Returns None: there are no places here."""


def silent_reporter() -> Reporter:
    """Returns a reporter whose findings nobody reads; it still knows whether there were any."""
    return Reporter(Document(source=_Nowhere(), tree={}, start=(1, 1)), [])
