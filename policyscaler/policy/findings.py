"""What the checker reports: a code, a sentence, a place and the way out."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """`error` keeps a policy from loading, `warning` does not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A piece of an expression: offsets in characters, `end` exclusive."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """Return the span from the start of this one to the end of `other`."""
        return Span(min(self.start, other.start), max(self.end, other.end))


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault or doubt about an expression.

    Attributes:
        code: Stable, `PS1xx`: 10x syntax, 12x types, 14x meaning, 19x cost.
        message: What is wrong, naming the thing and its value.
        span: Where, as offsets into the expression.
        suggestion: The fix, or "".
        severity: Whether it keeps the policy from loading.
        limit: For PS110 and PS190, what is allowed and what the expression asks for.
        location: `file:line:column` of the span, once a caller that knows the file attached it.
    """

    code: str
    message: str
    span: Span
    suggestion: str = ""
    severity: Severity = Severity.ERROR
    limit: tuple[int, int] | None = None
    location: str = ""


def render_finding(finding: Finding, text: str) -> str:
    """Return the finding with the line of the expression it is on and a caret under the span."""
    start = min(finding.span.start, len(text))
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    line = text[line_start : len(text) if line_end < 0 else line_end]
    column = start - line_start
    width = max(1, min(finding.span.end, line_start + len(line)) - start)
    lead = "".join("\t" if character == "\t" else " " for character in line[:column])
    number = text.count("\n", 0, start) + 1
    where = finding.location or f"{number}:{column + 1}"
    parts = [f"{where}: {finding.severity} {finding.code}: {finding.message}"]
    parts += [f"  {line}", f"  {lead}{'^' * width}"]
    if finding.suggestion:
        parts.append(f"  {finding.suggestion}")
    return "\n".join(parts)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `did you mean '...'?` for the known word nearest to `word`, or ""."""
    names = sorted(known)
    folded = {name.lower(): name for name in reversed(names)}
    if word.lower() in folded:
        return f"did you mean '{folded[word.lower()]}'?"
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    return f"did you mean '{close[0]}'?" if close else ""
