"""Findings about files: for people with the line and a caret, for GitHub, and as JUnit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from policyscaler.cli.documents.values import sentence
from policyscaler.cli.text.tables import count
from policyscaler.manifests.findings import ERROR, NOTE, WARNING, Finding
from policyscaler.model.meta import SourcePosition

_LONGEST_LINE: Final = 160
_GITHUB: Final = {ERROR: "error", WARNING: "warning", NOTE: "notice"}


def finding_lines(findings: Iterable[Finding]) -> list[str]:
    """Returns findings as text; errors and warnings show their line with a caret under the place."""
    lines: list[str] = []
    for finding in findings:
        lines.append(str(finding))
        if finding.severity != NOTE and finding.position is not None:
            lines.extend(_excerpt(finding.position))
    return lines


def summary_line(findings: Sequence[Finding], *, objects: int) -> str:
    """Returns `12 objects: 1 error, no warnings`."""
    errors = sum(finding.severity == ERROR for finding in findings)
    warnings = sum(finding.severity == WARNING for finding in findings)
    parts = [
        count(errors, "error") if errors else "no errors",
        count(warnings, "warning") if warnings else "no warnings",
    ]
    return f"{count(objects, 'object')} can be used: {', '.join(parts)}"


def github_lines(findings: Iterable[Finding]) -> list[str]:
    """Returns workflow commands, which GitHub turns into annotations of the lines."""
    lines = []
    for finding in findings:
        place = finding.position
        where = (
            f" file={_property(place.file)},line={place.line},col={place.column}," if place else " "
        )
        title = f"title={_property(finding.code)}"
        text = _data(sentence(finding))
        lines.append(f"::{_GITHUB[finding.severity]}{where}{title}::{text}")
    return lines


def junit_lines(findings: Sequence[Finding], *, files: Sequence[str]) -> list[str]:
    """Returns JUnit XML: one test case a file, failed by its errors.

    Args:
        findings: only errors fail a file.
        files: all files that were looked at; those without errors pass.
    """
    named = sorted({*files, *(f.position.file for f in findings if f.position)})
    failures = [f for f in findings if f.severity == ERROR]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name="policyscaler validate" tests="{len(named)}" failures="{len(failures)}">',
    ]
    for file in named:
        lines.append(f"  <testcase classname={quoteattr('policyscaler')} name={quoteattr(file)}>")
        lines.extend(
            f"    <failure message={quoteattr(finding.code)}>{escape(str(finding))}</failure>"
            for finding in failures
            if finding.position is not None and finding.position.file == file
        )
        lines.append("  </testcase>")
    return [*lines, "</testsuite>"]


def _excerpt(position: SourcePosition) -> list[str]:
    source = _lines_of(position.file)
    if position.line > len(source):
        return []
    line = source[position.line - 1]
    start = max(0, position.column - _LONGEST_LINE // 2)
    shown = line[start : start + _LONGEST_LINE]
    before = shown[: position.column - 1 - start]
    lead = "".join("\t" if character == "\t" else " " for character in before)
    return [f"    {shown}", f"    {lead}^"]


@lru_cache(maxsize=8)
def _lines_of(file: str) -> list[str]:
    try:
        return Path(file).read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError):
        return []  # standard input, or what could not be read in the first place


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
