"""Text to syntax tree, through celpy's parser.

Strings are replaced by harmless ones of the same length before celpy sees the text, and taken from
our own tokens afterwards: its lexer then cannot backtrack, its wrong decoding of escapes does not
matter, and every offset stays what it was.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Protocol

import celpy
import lark
from celpy.celparser import CELParseError

from policyscaler.policy.findings import Span
from policyscaler.policy.guard import check_tokens
from policyscaler.policy.lexer import Token, TokenKind, fail, scan, too_large
from policyscaler.policy.syntax import (
    Apply,
    Chain,
    Entries,
    Index,
    Items,
    Literal,
    Name,
    Node,
    Operation,
    Select,
    Ternary,
)

MAX_DEPTH = 100
"""Levels of a syntax tree; keeps every walk far from Python's recursion limit."""

_MIN_INT, _MAX_INT = -(2**63), 2**63 - 1
_BOOLS = frozenset({"true", "false"})
_TRANSPARENT = frozenset({
    "expr", "conditionalor", "conditionaland", "relation", "addition", "multiplication", "unary",
    "member", "primary", "exprlist",
})  # fmt: skip
_BINARY = {
    "relation_lt": "<", "relation_le": "<=", "relation_gt": ">", "relation_ge": ">=",
    "relation_eq": "==", "relation_ne": "!=", "relation_in": "in",
    "addition_add": "+", "addition_sub": "-",
    "multiplication_mul": "*", "multiplication_div": "/", "multiplication_mod": "%",
}  # fmt: skip


def new_environment() -> celpy.Environment:
    """Return a celpy environment for the interpreter, leaving the recursion limit as it was."""
    limit = sys.getrecursionlimit()
    try:
        return celpy.Environment(runner_class=celpy.InterpretedRunner)
    finally:
        sys.setrecursionlimit(limit)


_ENVIRONMENT: list[celpy.Environment] = []


def environment() -> celpy.Environment:
    """Return the shared environment; building the grammar costs 0.1 s, so only on first use."""
    if not _ENVIRONMENT:
        _ENVIRONMENT.append(new_environment())
    return _ENVIRONMENT[0]


def parse(text: str) -> Node:
    """Parse an expression.

    Raises:
        LexicalError: With a finding PS10x or PS110 for the first fault.
    """
    tokens = scan(text)
    check_tokens(tokens, len(text))
    try:
        tree = environment().compile(_harmless(tokens))
    except CELParseError as error:
        raise _unexpected(text, tokens, offset=(error.column or 1) - 1) from None
    _place_bools(tree, tokens)
    reader = _Reader({token.span.start: token for token in tokens})
    return reader.read(tree)


def _harmless(tokens: tuple[Token, ...]) -> str:
    """Return the text with strings and comments blanked, every offset kept."""
    pieces: list[str] = []
    position = 0
    for token in tokens:
        pieces.append(" " * (token.span.start - position))
        is_string = token.kind is TokenKind.STRING
        pieces.append("'" + "s" * (len(token.text) - 2) + "'" if is_string else token.text)
        position = token.span.end
    return "".join(pieces)


def _unexpected(text: str, tokens: tuple[Token, ...], *, offset: int) -> Exception:
    """Return the error for what celpy did not expect; the blanked text has one line."""
    token = next((token for token in tokens if token.span.end > offset), tokens[-1])
    opens = sum(token.text == "?" for token in tokens)
    closes = sum(token.text == ":" for token in tokens)
    hint = "write condition ? a : b" if opens != closes else ""
    if token.span.end == len(text.rstrip()) and opens > closes:
        return fail("the expression ends too early", token.span, suggestion=hint)
    return fail(f"'{token.text}' is not expected here", token.span, suggestion=hint)


class _Read(Protocol):
    def __call__(self, tree: lark.Tree[lark.Token], /) -> Node: ...


class _Reader:
    """Converts lark's tree, in which every precedence level is a node, to ours."""

    def __init__(self, tokens: Mapping[int, Token]) -> None:
        self._tokens = tokens
        self._depth = 0
        self._readers: Mapping[str, _Read] = {
            "expr": self._ternary,
            "conditionalor": self._chain,
            "conditionaland": self._chain,
            "relation": self._binary,
            "addition": self._binary,
            "multiplication": self._binary,
            "unary": self._unary,
            "literal": self._literal,
            "ident": self._name,
            "ident_arg": self._call,
            "member_dot": self._select,
            "member_dot_arg": self._method,
            "member_index": self._index,
            "list_lit": self._items,
            "map_lit": self._entries,
        }

    def read(self, tree: lark.Tree[lark.Token] | lark.Token) -> Node:
        node = _unwrap(tree)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            message = f"the expression is more than {MAX_DEPTH} levels deep"
            raise too_large(message, _span(node), allowed=MAX_DEPTH, asked=self._depth)
        reader = self._readers.get(node.data)
        if reader is None:
            what = "messages are" if node.data == "member_object" else "a leading dot is"
            raise fail(f"{what} not part of the language", _span(node))
        result = reader(node)
        self._depth -= 1
        return result

    def _ternary(self, tree: lark.Tree[lark.Token]) -> Node:
        condition, yes, no = (self.read(child) for child in tree.children)
        return Ternary(condition, yes, no, _span(tree))

    def _chain(self, tree: lark.Tree[lark.Token]) -> Node:
        operands: list[Node] = []
        node = tree
        while node.data == tree.data and len(node.children) > 1:
            operands.append(self.read(node.children[1]))
            node = _unwrap(node.children[0])
        operands.append(self.read(node))
        operator = "||" if tree.data == "conditionalor" else "&&"
        return Chain(operator, tuple(reversed(operands)), _span(tree))

    def _binary(self, tree: lark.Tree[lark.Token]) -> Node:
        head, right = _tree(tree.children[0]), tree.children[1]
        left = _unwrap(head.children[0], keep_parentheses=True)
        if tree.data == "relation" and left.data == "relation":
            hint = "write a < b && b < c"
            raise fail("comparisons cannot be chained", _span(tree), code="PS107", suggestion=hint)
        operands = (self.read(left), self.read(right))
        return Operation(_BINARY[head.data], operands, _span(tree))

    def _unary(self, tree: lark.Tree[lark.Token]) -> Node:
        operator = "!" if _tree(tree.children[0]).data == "unary_not" else "-"
        return Operation(operator, (self.read(tree.children[1]),), _span(tree))

    def _literal(self, tree: lark.Tree[lark.Token]) -> Node:
        token = _token(tree.children[0])
        span = _span(tree)
        if token.type in {"STRING_LIT", "MLSTRING_LIT"}:
            return Literal(self._tokens[span.start].value, span)
        if token.type == "BOOL_LIT":
            return Literal(str(token) == "true", span)
        if token.type == "FLOAT_LIT":
            return Literal(float(token), span)
        value = int(token, 16 if "x" in token else 10)
        if not _MIN_INT <= value <= _MAX_INT:
            raise fail(
                f"{token} does not fit in 64 bits",
                span,
                code="PS105",
                suggestion="write it as a double",
            )
        return Literal(value, span)

    def _name(self, tree: lark.Tree[lark.Token]) -> Node:
        return Name(str(tree.children[0]), _span(tree))

    def _call(self, tree: lark.Tree[lark.Token]) -> Node:
        name = _token(tree.children[0])
        return Apply(
            str(name), None, self._arguments(tree.children[1:]), _span(tree), _token_span(name)
        )

    def _method(self, tree: lark.Tree[lark.Token]) -> Node:
        receiver, name = self.read(tree.children[0]), _token(tree.children[1])
        arguments = self._arguments(tree.children[2:])
        return Apply(str(name), receiver, arguments, _span(tree), _token_span(name))

    def _select(self, tree: lark.Tree[lark.Token]) -> Node:
        name = _token(tree.children[1])
        return Select(self.read(tree.children[0]), str(name), _span(tree), _token_span(name))

    def _index(self, tree: lark.Tree[lark.Token]) -> Node:
        return Index(self.read(tree.children[0]), self.read(tree.children[1]), _span(tree))

    def _items(self, tree: lark.Tree[lark.Token]) -> Node:
        return Items(self._arguments(tree.children), _span(tree))

    def _entries(self, tree: lark.Tree[lark.Token]) -> Node:
        flat = self._arguments(tree.children)
        return Entries(tuple(zip(flat[::2], flat[1::2], strict=True)), _span(tree))

    def _arguments(self, children: list[lark.Tree[lark.Token] | lark.Token]) -> tuple[Node, ...]:
        return tuple(self.read(child) for tree in children for child in _tree(tree).children)


def _tree(node: lark.Tree[lark.Token] | lark.Token) -> lark.Tree[lark.Token]:
    assert isinstance(node, lark.Tree)  # noqa: S101 - the grammar has no token in these places
    return node


def _token(node: lark.Tree[lark.Token] | lark.Token) -> lark.Token:
    assert isinstance(node, lark.Token)  # noqa: S101 - the grammar has no tree in these places
    return node


def _unwrap(
    node: lark.Tree[lark.Token] | lark.Token, *, keep_parentheses: bool = False
) -> lark.Tree[lark.Token]:
    """Skip the levels of the grammar at which nothing was written, and parentheses."""
    tree = _tree(node)
    while len(tree.children) == 1 and (
        tree.data in _TRANSPARENT or (tree.data == "paren_expr" and not keep_parentheses)
    ):
        tree = _tree(tree.children[0])
    return tree


def _place_bools(tree: lark.Tree[lark.Token], tokens: tuple[Token, ...]) -> None:
    """Give `true` and `false` the places that celpy's lexer loses."""
    ours = (token for token in tokens if token.kind is TokenKind.NAME and token.text in _BOOLS)
    theirs = (leaf for leaf in _leaves(tree) if leaf.type == "BOOL_LIT")
    for token, leaf in zip(ours, theirs, strict=True):
        leaf.start_pos, leaf.end_pos = token.span.start, token.span.end


def _leaves(tree: lark.Tree[lark.Token]) -> Iterator[lark.Token]:
    """Yield the tokens in the order they are written, however deep the tree is."""
    pending: list[lark.Tree[lark.Token] | lark.Token] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, lark.Token):
            yield node
        else:
            pending += reversed(node.children)


def _span(tree: lark.Tree[lark.Token]) -> Span:
    """Return the span of a tree: brackets from lark, and the leaves at both ends from the tokens."""
    first, last = _leaf(tree, 0), _leaf(tree, -1)
    starts = [place for place in (tree.meta.start_pos, first) if place is not None]
    ends = [place for place in (tree.meta.end_pos, last) if place is not None]
    return Span(min(starts), max(ends))


def _leaf(tree: lark.Tree[lark.Token], side: int) -> int | None:
    node: lark.Tree[lark.Token] | lark.Token = tree
    while isinstance(node, lark.Tree):
        if not node.children:
            return None
        node = node.children[side]
    return node.start_pos if side == 0 else node.end_pos


def _token_span(token: lark.Token) -> Span:
    start = token.start_pos or 0
    return Span(start, start + len(token))
