"""Checks on the token sequence that give syntax errors their exact place and their fix.

celpy reports a syntax error as a bare caret, and accepts several things that CEL refuses (reserved
words, for one). These checks run first, in one pass, so that celpy parses only what has a chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from policyscaler.policy.findings import Span
from policyscaler.policy.lexer import Token, TokenKind, fail, too_large

MAX_NESTING = 32

KEYWORDS = frozenset({"in", "true", "false", "null"})
RESERVED = frozenset({
    "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop",
    "package", "namespace", "return", "var", "void", "while",
})  # fmt: skip
_WORD_HINTS = {
    "and": "write && for 'and'",
    "or": "write || for 'or'",
    "not": "write ! for 'not'",
    "True": "write true",
    "False": "write false",
    "None": "there is no null; ask has(x) whether x is present",
    "null": "there is no null; ask has(x) whether x is present",
    "nil": "there is no null; ask has(x) whether x is present",
}
_RESERVED_HINTS = {
    "if": "write condition ? a : b",
    "for": "write list.all(x, ...), list.exists(x, ...) or list.map(x, ...)",
    "let": "put it under `variables:` and write vars.name",
    "var": "put it under `variables:` and write vars.name",
}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_PREFIX = frozenset({"!", "-"})
_POSTFIX = frozenset({".", "[", "(", ")", "]", "}", ",", "?", ":"})
_BINARY = frozenset({"&&", "||", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%"})
_DOUBLED = {"==": "=", "<": ">", "+": "+", "*": "*"}


@dataclass(slots=True)
class _Position:
    """Where the pass is: open brackets, and whether an operand must come next."""

    end: int
    open: list[Token] = field(default_factory=list)
    after_value: list[bool] = field(default_factory=list)
    previous: Token | None = None
    wants_operand: bool = True


def check_tokens(tokens: Sequence[Token], end: int) -> None:
    """Refuse token sequences that CEL's grammar refuses.

    Args:
        tokens: What `scan` returned.
        end: Length of the expression, the place of "something is missing at the end".

    Raises:
        LexicalError: With the first fault.
    """
    if not tokens:
        raise fail("the expression is empty", Span(0, max(end, 1)))
    _check_words(tokens)
    position = _Position(end)
    for token in tokens:
        _step(token, position)
        position.previous = token
    if position.open:
        opened = position.open[-1]
        message = f"'{opened.text}' is never closed"
        raise fail(message, opened.span, code="PS104", suggestion=f"add '{_CLOSING[opened.text]}'")
    if position.wants_operand:
        after = tokens[-1]
        raise fail(
            f"a value is missing after '{after.text}'", Span(after.span.start, after.span.end)
        )


def _check_words(tokens: Sequence[Token]) -> None:
    previous = ""
    for token in tokens:
        if token.kind is TokenKind.NAME:
            _check_word(token, after_dot=previous == ".")
        previous = token.text
    for left, right in pairwise(tokens):
        touching = left.span.end == right.span.start
        if touching and _DOUBLED.get(left.text) == right.text and left.text != "+":
            raise fail(f"'{left.text}{right.text}' is not an operator", left.span.to(right.span))


def _check_word(token: Token, *, after_dot: bool) -> None:
    word = token.text
    if after_dot:
        # CEL's SELECTOR excludes keywords only: `shape.namespace` is fine, `shape.in` is not.
        if word in KEYWORDS:
            hint = f"write ['{word}'] instead of .{word}"
            raise fail(f"'{word}' is a reserved word", token.span, code="PS106", suggestion=hint)
        return
    if word in _WORD_HINTS:
        raise fail(
            f"'{word}' is not part of the language", token.span, suggestion=_WORD_HINTS[word]
        )
    if word in RESERVED:
        hint = _RESERVED_HINTS.get(word, "choose another name")
        raise fail(f"'{word}' is a reserved word", token.span, code="PS106", suggestion=hint)


def _step(token: Token, position: _Position) -> None:
    if position.wants_operand:
        _operand(token, position)
    else:
        _operator(token, position)


def _operand(token: Token, position: _Position) -> None:
    """Take a token where a value must start."""
    if token.kind is not TokenKind.SIGN:
        if token.text == "in":
            raise fail("a value is missing before 'in'", token.span)
        position.wants_operand = False
    elif token.text in _CLOSING:
        _open(token, position)
    elif token.text in _CLOSING.values():
        _close_without_value(token, position)
    elif token.text not in _PREFIX:
        before = f" between '{position.previous.text}' and" if position.previous else " before"
        raise fail(f"a value is missing{before} '{token.text}'", token.span)


def _operator(token: Token, position: _Position) -> None:
    """Take a token where a value has just ended."""
    text = token.text
    if token.kind is TokenKind.SIGN and (text in _BINARY or text in _POSTFIX):
        if text in _CLOSING:
            _check_call(token, position)
            _open(token, position)
        elif text in _CLOSING.values():
            _close(token, position)
        else:
            position.wants_operand = True
        return
    if token.kind is TokenKind.NAME and text == "in":
        position.wants_operand = True
        return
    if text == "{":
        raise fail("messages are not part of the language", token.span)
    before = position.previous.text if position.previous else ""
    raise fail(f"an operator is missing between '{before}' and '{text}'", token.span)


def _check_call(token: Token, position: _Position) -> None:
    callee = position.previous
    if token.text == "(" and callee is not None and callee.kind is not TokenKind.NAME:
        raise fail(f"'{callee.text}' cannot be called", token.span)


def _open(token: Token, position: _Position) -> None:
    position.open.append(token)
    position.after_value.append(not position.wants_operand)
    position.wants_operand = True
    if len(position.open) > MAX_NESTING:
        message = f"brackets are nested more than {MAX_NESTING} deep"
        raise too_large(message, token.span, allowed=MAX_NESTING, asked=len(position.open))


def _close(token: Token, position: _Position) -> None:
    if not position.open:
        raise fail(f"'{token.text}' closes nothing", token.span, code="PS104")
    opened = position.open.pop()
    position.after_value.pop()
    if _CLOSING[opened.text] != token.text:
        message = f"'{opened.text}' is closed by '{token.text}'"
        raise fail(message, token.span, code="PS104", suggestion=f"write '{_CLOSING[opened.text]}'")
    position.wants_operand = False


def _close_without_value(token: Token, position: _Position) -> None:
    """Close a bracket right after it was opened (`f()`, `[]`, `{}`), or complain."""
    before = position.previous
    if before is not None and before.text == "," and before.kind is TokenKind.SIGN:
        raise fail(
            "a comma must be followed by a value", before.span, suggestion="remove the comma"
        )
    if before is None or before.text not in _CLOSING or before.kind is not TokenKind.SIGN:
        shown = (
            f"between '{before.text}' and '{token.text}'" if before else f"before '{token.text}'"
        )
        raise fail(f"a value is missing {shown}", token.span)
    # `f()` follows a name; `[]` and `{}` are values and follow none: `()` and `a[]` are empty.
    if position.after_value[-1] != (before.text == "("):
        raise fail(f"a value is missing between '{before.text}' and '{token.text}'", token.span)
    _close(token, position)
