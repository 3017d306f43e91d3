"""Annotations that people write by hand, and that nobody complains about when misspelt."""

from __future__ import annotations

from collections.abc import Mapping

from policyscaler.manifests.findings import Code, Path
from policyscaler.manifests.reporting import Reporter
from policyscaler.model import labels
from policyscaler.model.durations import parse_duration
from policyscaler.model.errors import DurationError


def check_do_not_disrupt(annotations: Mapping[str, str], *, at: Path, reporter: Reporter) -> None:
    """Reports a do-not-disrupt annotation that protects nothing.

    Karpenter ignores what it cannot read, so the pod would be disrupted although its author
    asked for the opposite: an error for whoever validates, and for nobody else; the pod loads.
    """
    written = annotations.get(labels.DO_NOT_DISRUPT)
    if written is None or written in ("true", "false"):
        return
    try:
        parse_duration(written)
    except DurationError:
        message = f'"{written}" protects nothing: it is neither true nor a duration'
        number = f'write "true", or "{written}m"' if written.isdigit() else 'write "true" or "30m"'
        reporter.lint(Code.BAD_VALUE, message, at=(*at, labels.DO_NOT_DISRUPT), suggestion=number)
