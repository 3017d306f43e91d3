"""Where the characters of a scalar stand in its file, whatever style it is written in.

A policy's expression may be plain, quoted, folded or a block; an error inside it must point at
the character that a person typed.
"""

from __future__ import annotations

import re
from typing import Final

from policyscaler.model.meta import SourcePosition
from policyscaler.model.policies import Expression

_ESCAPE: Final = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)")


def expression_at(text: str, *, position: SourcePosition, lines: list[str]) -> Expression:
    """Returns an expression with its positions.

    Args:
        text: the scalar's value.
        position: where the scalar starts: its first character, quote or block indicator.
        lines: the lines of the whole file.
    """
    first = lines[position.line - 1] if position.line <= len(lines) else ""
    mark = first[position.column - 1 : position.column]
    if mark in ("|", ">"):
        starts = _align(text, lines, line=position.line + 1, skip=0)
    elif mark in {'"', "'"}:
        starts = _align_quoted(text, lines, position=position, quote=mark)
    else:
        starts = _align(text, lines, line=position.line, skip=position.column - 1)
    if not starts:
        return Expression(text=text, source=position)
    _, line, column = starts[0]
    source = SourcePosition(file=position.file, line=line, column=column)
    return Expression(text=text, source=source, lines=tuple(starts[1:]))


def _align(text: str, lines: list[str], *, line: int, skip: int) -> list[tuple[int, int, int]]:
    """Returns (offset, line, column) of the start of each line of a plain or block scalar."""
    starts: list[tuple[int, int, int]] = []
    offset = 0
    while offset < len(text) and line <= len(lines):
        written = lines[line - 1][skip:]
        content = written.strip()
        found = text.find(_first_word(content), offset) if content else -1
        if found >= 0:
            indent = len(written) - len(written.lstrip())
            starts.append((found, line, skip + indent + 1))
            kept = _common(content, text[found:])
            offset = found + max(kept, 1)
        line, skip = line + 1, 0
    if starts and starts[0][0] > 0:
        # A block that is indented deeper on its first line keeps those spaces in its value.
        lead, at_line, column = starts[0]
        starts[0] = (0, at_line, max(1, column - lead))
    return starts


def _first_word(content: str) -> str:
    return content.split(" ", 1)[0]


def _common(written: str, value: str) -> int:
    count = 0
    for left, right in zip(written, value, strict=False):
        if left != right:
            break
        count += 1
    return count


def _align_quoted(
    text: str, lines: list[str], *, position: SourcePosition, quote: str
) -> list[tuple[int, int, int]]:
    """Returns (offset, line, column) of each place where value and file fall out of step."""
    starts = [(0, position.line, position.column + 1)]
    offset, line, column = 0, position.line, position.column  # column: 0-based index of next char
    while offset < len(text) and line <= len(lines):
        written = lines[line - 1]
        while column < len(written) and offset < len(text):
            width, taken = _unit(written, column, quote=quote)
            column += width
            offset += taken
            if width != taken:
                starts.append((offset, line, column + 1))
        line += 1
        following = lines[line - 1] if line <= len(lines) else ""
        column = len(following) - len(following.lstrip())
        if offset < len(text) and text[offset] in " \n" and following.strip():
            offset += 1
        starts.append((offset, line, column + 1))
    return [start for start in starts if start[0] < len(text) or start[0] == 0]


def _unit(written: str, column: int, *, quote: str) -> tuple[int, int]:
    """Returns how many characters are written, and how many they stand for."""
    if quote == "'":
        return (2, 1) if written.startswith("''", column) else (1, 1)
    escape = _ESCAPE.match(written, column)
    if escape is not None:
        return (len(escape[0]), 1)
    return (1, 0) if written[column] == "\\" else (1, 1)
