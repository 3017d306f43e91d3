"""What an evaluation gives instead of a value when it fails."""

from __future__ import annotations

from policyscaler.model.errors import PolicyRuntimeError
from policyscaler.policy.findings import Span


class EvalError(PolicyRuntimeError):
    """A value that could not be computed, and the part of the expression that failed.

    It is raised inside the engines and returned by `Program.evaluate`: to the caller a failed
    expression is a result to handle, not an exception to forget.
    """

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.span = span
