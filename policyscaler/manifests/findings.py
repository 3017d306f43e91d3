"""What loading has to tell people: a stable code, a place, a sentence and the way out."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from policyscaler.model.meta import SourcePosition, Value

ERROR: Final = "error"
WARNING: Final = "warning"
NOTE: Final = "note"
_QUOTED: Final = 60

Path = tuple[str | int, ...]
"""The way from the root of an object to a field: names and list indexes."""


class Code(StrEnum):
    """Stable codes of findings about manifests; the policy language has PS1xx."""

    SYNTAX = "PS001"
    DUPLICATE_KEY = "PS002"
    ALIAS = "PS003"
    TOO_BIG = "PS004"
    NOT_AN_OBJECT = "PS005"
    UNKNOWN_KIND = "PS006"
    UNREADABLE = "PS007"
    WRONG_TYPE = "PS010"
    UNKNOWN_FIELD = "PS011"
    MISSING_FIELD = "PS012"
    BAD_VALUE = "PS013"
    BAD_QUANTITY = "PS014"
    BAD_DURATION = "PS015"
    BAD_LABEL = "PS016"
    BAD_REQUIREMENT = "PS017"
    BROKEN_RULE = "PS018"
    BAD_SCHEDULE = "PS019"
    UNKNOWN_VALUE = "PS020"
    DUPLICATE_OBJECT = "PS021"
    IMMUTABLE = "PS022"
    NOT_YET = "PS023"
    NO_EFFECT = "PS024"
    NEAR_MISS = "PS025"
    TRANSLATED = "PS026"
    MISSING_OBJECT = "PS027"


class Finding(Value, frozen=True, kw_only=True):
    """One fault, doubt or remark about what was loaded.

    Attributes:
        severity: error (the object is left out), warning or note.
        code: see `Code`.
        message: a sentence that names the value.
        position: where in the files; None for what was made, not read.
        subject: `Kind/name` of the object, or empty.
        path: the field, such as `spec.limits.cpu`, or empty.
        suggestion: the way out, such as `did you mean "cpu"?`, or empty.
    """

    severity: str
    code: str
    message: str
    position: SourcePosition | None = None
    subject: str = ""
    path: str = ""
    suggestion: str = ""

    def __str__(self) -> str:
        """Returns `file:line:column: severity code: Kind/name path: message; suggestion`."""
        where = f"{self.position}: " if self.position else ""
        what = " ".join(part for part in (self.subject, self.path) if part)
        lead = f"{what}: " if what else ""
        way_out = f"; {self.suggestion}" if self.suggestion else ""
        return f"{where}{self.severity} {self.code}: {lead}{self.message}{way_out}"


def format_path(path: Path) -> str:
    """Returns `spec.requirements[2].values`; keys that are no plain names stand in brackets."""
    text = ""
    for step in path:
        if isinstance(step, int) or not step.replace("-", "").replace("_", "").isalnum():
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


def did_you_mean(word: str, known: Iterable[str], *, cutoff: float = 0.6) -> str:
    """Returns `did you mean "..."?` for the nearest known word, or an empty text."""
    found = nearest(word, known, cutoff=cutoff)
    return f'did you mean "{found}"?' if found else ""


def nearest(word: str, known: Iterable[str], *, cutoff: float = 0.6) -> str:
    """Returns the nearest known word, or an empty text; ties go to the first by name."""
    names = sorted(known)
    folded = {name.lower(): name for name in reversed(names)}
    if word.lower() in folded:
        return folded[word.lower()]
    close = difflib.get_close_matches(word[:100], names, n=1, cutoff=cutoff)
    return close[0] if close else ""


def shorten(text: str) -> str:
    """Returns a text as a message may quote it: at most 60 characters."""
    return text if len(text) <= _QUOTED else f"{text[: _QUOTED - 3]}..."
