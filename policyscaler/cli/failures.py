"""What a person reads when a command cannot go on: a sentence, never a traceback."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Final

from policyscaler import __version__
from policyscaler.model.errors import InvariantViolation, PolicyError, PolicyScalerError

_FINDINGS: Final = 1
_BUG: Final = 70


def explain_failure(error: Exception) -> tuple[list[str], int]:
    """Returns the lines to print and the exit code for an error that ended a command."""
    if isinstance(error, PolicyError) and error.findings:
        return _policy_lines(error), _FINDINGS
    if isinstance(error, PolicyScalerError) and not isinstance(error, InvariantViolation):
        return [f"error: {line}" for line in str(error).splitlines()], _FINDINGS
    if isinstance(error, OSError):
        name = f"{error.filename}: " if error.filename else ""
        return [f"error: {name}{error.strerror or error}"], _FINDINGS
    return [_bug_report(error)], _BUG


def _policy_lines(error: PolicyError) -> list[str]:
    from policyscaler.cli.text.findings import finding_lines
    from policyscaler.manifests.findings import Finding

    placed = [finding for finding in error.findings if isinstance(finding, Finding)]
    if placed:
        return finding_lines(placed)
    # An expression of the command line comes rendered, with its own place and caret.
    lines = str(error).splitlines()
    return lines if len(lines) > 1 else [f"error: {error}"]


def _bug_report(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return (
        f"policyscaler: this is a bug, please report it: {type(error).__name__}: {error}{where}, "
        f"version {__version__} (POLICYSCALER_TRACEBACK=1 shows where it came from)"
    )
