"""A linear scan of an expression, before any parser sees it.

celpy's own lexer backtracks: forty characters can cost it a minute. This one reads every character
once, knows the exact place of every token, and refuses what CEL refuses and celpy's grammar lets
through. It also decodes strings, because celpy decodes some escapes wrongly.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from policyscaler.policy.findings import Finding, Span

MAX_LENGTH = 4_096
MAX_TOKENS = 2_000


class TokenKind(StrEnum):
    """What a token is."""

    NAME = "name"
    INT = "int"
    DOUBLE = "double"
    STRING = "string"
    SIGN = "sign"


@dataclass(frozen=True, slots=True)
class Token:
    """A token with its span; `value` is the decoded text of a string, else the source text."""

    kind: TokenKind
    text: str
    span: Span
    value: str = ""


class LexicalError(Exception):
    """Carries the one finding that stopped the scan."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def fail(message: str, span: Span, *, code: str = "PS101", suggestion: str = "") -> LexicalError:
    """Return the error to raise for a fault at `span`."""
    return LexicalError(Finding(code, message, span, suggestion))


def too_large(message: str, span: Span, *, allowed: int, asked: int) -> LexicalError:
    """Return the error to raise for an expression beyond a limit of the language."""
    hint = "move parts into variables"
    return LexicalError(Finding("PS110", message, span, hint, limit=(allowed, asked)))


# Every alternative is linear: no nested repetition, no overlap between branches.
_BLANK = re.compile(r"[ \t\n\f\r]+|//[^\n]*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(
    r"0x[0-9A-Fa-f]+|(?:[0-9]+\.[0-9]+|\.[0-9]+|[0-9]+)(?:[eE][+-]?[0-9]+)?",
)
_SIGN = re.compile(r"&&|\|\||==|!=|<=|>=|[-+*/%<>!?:.,()\[\]{}]")
_STRING = re.compile(r"([rRbB]{0,2})('''|\"\"\"|'|\")")

_SIMPLE_ESCAPES = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "?": "?", '"': '"', "'": "'", "`": "`",
}  # fmt: skip
_NUMERIC_ESCAPES = {"x": 2, "X": 2, "u": 4, "U": 8}
_HINTS = {
    "=": "compare with ==; there is no assignment",
    "&": "write && for 'and'",
    "|": "write || for 'or'",
    ";": "an expression ends by itself; remove the ;",
    "`": "write m['key'] for a key that is not a name",
    "“": 'use straight quotes: "',
    "”": 'use straight quotes: "',
    "‘": "use straight quotes: '",  # noqa: RUF001 - the sign that is refused
    "’": "use straight quotes: '",
    "^": "there is no power or xor operator",
    "~": "there are no bit operators",
    "@": "",
    "$": "variables are written without $",
}


def scan(text: str) -> tuple[Token, ...]:
    """Split an expression into tokens.

    Raises:
        LexicalError: With the first fault: too long, too many tokens, an open string, a bad escape,
            a character or a literal that the language does not have.
    """
    if len(text) > MAX_LENGTH:
        message = f"the expression has {len(text)} characters; at most {MAX_LENGTH} are allowed"
        beyond = Span(MAX_LENGTH, len(text))
        raise too_large(message, beyond, allowed=MAX_LENGTH, asked=len(text))
    tokens: list[Token] = []
    position = 0
    while True:
        blank = _BLANK.match(text, position)
        while blank:
            position = blank.end()
            blank = _BLANK.match(text, position)
        if position >= len(text):
            return tuple(tokens)
        token = _token_at(text, position)
        position = token.span.end
        tokens.append(token)
        if len(tokens) > MAX_TOKENS:
            message = f"the expression has more than {MAX_TOKENS:,} words and signs"
            raise too_large(message, token.span, allowed=MAX_TOKENS, asked=len(tokens))


def _token_at(text: str, start: int) -> Token:
    string = _STRING.match(text, start)
    if string:
        return _string_at(text, start, prefix=string[1], quote=string[2])
    name = _NAME.match(text, start)
    if name:
        return Token(TokenKind.NAME, name[0], Span(start, name.end()), name[0])
    number = _NUMBER.match(text, start)
    if number:
        return _number(text, number)
    sign = _SIGN.match(text, start)
    if sign:
        return Token(TokenKind.SIGN, sign[0], Span(start, sign.end()), sign[0])
    character = text[start]
    message = f"'{character}' is not part of the language"
    raise fail(message, Span(start, start + 1), suggestion=_HINTS.get(character, ""))


def _number(text: str, match: re.Match[str]) -> Token:
    span = Span(match.start(), match.end())
    following = text[match.end() : match.end() + 1]
    if following in {"u", "U"}:
        message = f"unsigned literal '{match[0]}{following}' is not part of the language"
        raise fail(
            message, Span(span.start, span.end + 1), code="PS105", suggestion="write it without u"
        )
    if following.isalnum() or following == "_":
        message = f"a number cannot be followed by '{following}'"
        hint = "write quantity('4Gi') for memory and duration('30m') for time"
        raise fail(message, Span(span.start, span.end + 1), suggestion=hint)
    if following == "." and not text[match.end() + 1 : match.end() + 2].isalpha():
        raise fail(
            "a number cannot end with '.'",
            Span(span.start, span.end + 1),
            suggestion=f"write {match[0]}.0",
        )
    is_double = not match[0].startswith("0x") and any(sign in match[0] for sign in ".eE")
    kind = TokenKind.DOUBLE if is_double else TokenKind.INT
    return Token(kind, match[0], span, match[0])


def _string_at(text: str, start: int, *, prefix: str, quote: str) -> Token:
    body = start + len(prefix) + len(quote)
    if prefix.lower() not in {"", "r"}:
        message = "bytes literals are not part of the language"
        raise fail(message, Span(start, body), code="PS105", suggestion="write a string without b")
    raw = prefix != ""
    decoded: list[str] = []
    position = body
    while position < len(text):
        if text.startswith(quote, position):
            end = position + len(quote)
            return Token(TokenKind.STRING, text[start:end], Span(start, end), "".join(decoded))
        character = text[position]
        if character == "\\" and not raw:
            piece, position = _escape_at(text, position)
        elif character in "\r\n" and len(quote) == 1:
            break
        else:
            piece, position = character, position + 1
        decoded.append(piece)
    message = f"this string is not closed: no {quote} before the end of the {'line' if len(quote) == 1 else 'text'}"
    raise fail(
        message, Span(start, min(position, len(text))), code="PS102", suggestion=f"add {quote}"
    )


def _escape_at(text: str, start: int) -> tuple[str, int]:
    """Decode the escape at `start`; return the character and the offset after it."""
    letter = text[start + 1 : start + 2]
    if letter in _SIMPLE_ESCAPES:
        return _SIMPLE_ESCAPES[letter], start + 2
    if letter in _NUMERIC_ESCAPES:
        first, length, base = start + 2, _NUMERIC_ESCAPES[letter], 16
    else:
        first, length, base = start + 1, 3, 8
    digits = text[first : first + length]
    pattern = r"[0-9A-Fa-f]+" if base == 16 else r"[0-3][0-7]{2}"
    code = int(digits, base) if len(digits) == length and re.fullmatch(pattern, digits) else -1
    if code < 0 or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        shown = text[start : start + 2]
        message = f"'{shown}' is not an escape that CEL knows"
        hint = r"write \\ for a backslash, or a raw string: r'...'"
        raise fail(message, Span(start, min(start + 2, len(text))), code="PS103", suggestion=hint)
    return chr(code), first + length
