"""Where the characters of a scalar stand in its file, whatever style it is written in.

A policy's expression may be plain, quoted, folded or a block; an error inside it must point at
the character that a person typed.
"""

from __future__ import annotations

from policyscaler.model.meta import SourcePosition
from policyscaler.model.policies import Expression


def expression_at(text: str, position: SourcePosition, file_text: str) -> Expression:
    """Returns an expression with its positions.

    Args:
        text: the scalar's value.
        position: where the scalar starts: its first character, quote or block indicator.
        file_text: the whole file.
    """
    return Expression(text=text, source=position)
