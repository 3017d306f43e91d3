"""Tables as kubectl prints them: aligned columns, no rules, nothing cut off."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_GAP = "   "


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, indent: str = "") -> list[str]:
    """Returns the lines of a table; an empty header leaves its line out.

    Args:
        header: the names of the columns.
        rows: as many cells each as the widest row; shorter rows end early.
        indent: what every line starts with.
    """
    lines = [list(row) for row in rows]
    if header:
        lines.insert(0, list(header))
    columns = max((len(line) for line in lines), default=0)
    widths = [
        max((len(line[column]) for line in lines if column < len(line)), default=0)
        for column in range(columns)
    ]
    return [
        (
            indent + _GAP.join(cell.ljust(width) for cell, width in zip(line, widths, strict=False))
        ).rstrip()
        for line in lines
    ]


def count(number: int, noun: str, plural: str = "") -> str:
    """Returns `1 pod`, `2 pods`, `1,000 pods`."""
    word = noun if number == 1 else (plural or noun + "s")
    return f"{number:,} {word}"
