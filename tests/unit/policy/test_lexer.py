"""Syntax: every fault has its code, its exact place and its way out."""

import time

import pytest

from policyscaler.policy.engines.celpy_parser import parse
from policyscaler.policy.lexer import LexicalError, scan
from policyscaler.policy.syntax import Chain, Literal, Operation


def fault(text: str):
    with pytest.raises(LexicalError) as caught:
        parse(text)
    finding = caught.value.finding
    return (
        finding.code,
        text[finding.span.start : finding.span.end],
        finding.message,
        finding.suggestion,
    )


@pytest.mark.parametrize(
    ("text", "code", "where", "says"),
    [
        pytest.param("", "PS101", "", "empty", id="an empty expression"),
        pytest.param(
            "a +", "PS101", "+", "a value is missing after '+'", id="an operator at the end"
        ),
        pytest.param(
            "a b",
            "PS101",
            "b",
            "an operator is missing between 'a' and 'b'",
            id="two values in a row",
        ),
        pytest.param("a and b", "PS101", "and", "write && for 'and'", id="the word and"),
        pytest.param("a or b", "PS101", "or", "write || for 'or'", id="the word or"),
        pytest.param("not a", "PS101", "not", "write ! for 'not'", id="the word not"),
        pytest.param("a = b", "PS101", "=", "compare with ==", id="a single equals sign"),
        pytest.param("a === b", "PS101", "=", "compare with ==", id="three equals signs"),
        pytest.param("a <> b", "PS101", "<>", "not an operator", id="unequal as in SQL"),
        pytest.param("a & b", "PS101", "&", "write &&", id="a single ampersand"),
        pytest.param("a == ‘x’", "PS101", "‘", "straight quotes", id="curly quotes"),  # noqa: RUF001
        pytest.param("None == a", "PS101", "None", "has(x)", id="null of Python"),
        pytest.param("a == null", "PS101", "null", "has(x)", id="null"),
        pytest.param("a == 'x", "PS102", "'x", "not closed", id="an open string"),
        pytest.param(
            "a == 'x\ny'",
            "PS102",
            "'x",
            "before the end of the line",
            id="a line break in a string",
        ),
        pytest.param("'''x''", "PS102", "'''x''", "add '''", id="an open triple string"),
        pytest.param(r"'\q'", "PS103", r"\q", r"'\q' is not an escape", id="an unknown escape"),
        pytest.param(r"'\x4'", "PS103", r"\x", "not an escape", id="a short hex escape"),
        pytest.param(r"'\ud800'", "PS103", r"\u", "not an escape", id="half a surrogate pair"),
        pytest.param("(a", "PS104", "(", "never closed", id="an open bracket"),
        pytest.param("a)", "PS104", ")", "closes nothing", id="a closing bracket alone"),
        pytest.param("[a)", "PS104", ")", "'[' is closed by ')'", id="brackets of two kinds"),
        pytest.param("f(a,)", "PS101", ",", "remove the comma", id="a trailing comma in a call"),
        pytest.param("[a,]", "PS101", ",", "remove the comma", id="a trailing comma in a list"),
        pytest.param("()", "PS101", ")", "a value is missing", id="empty brackets"),
        pytest.param("a[]", "PS101", "]", "a value is missing", id="an empty index"),
        pytest.param("1u", "PS105", "1u", "unsigned", id="an unsigned literal"),
        pytest.param("b'x'", "PS105", "b'", "bytes", id="a bytes literal"),
        pytest.param(
            "9223372036854775808", "PS105", "9223372036854775808", "64 bits", id="too large an int"
        ),
        pytest.param("4Gi", "PS101", "4G", "quantity('4Gi')", id="a bare quantity"),
        pytest.param("1.", "PS101", "1.", "write 1.0", id="a number that ends with a dot"),
        pytest.param("if", "PS106", "if", "condition ? a : b", id="a reserved word"),
        pytest.param("a.in", "PS106", "in", "['in']", id="a keyword after a dot"),
        pytest.param(
            "1 < 2 < 3", "PS107", "1 < 2 < 3", "a < b && b < c", id="a chained comparison"
        ),
        pytest.param(
            "a == b == true", "PS107", "a == b == true", "chained", id="a chained equality"
        ),
        pytest.param("a.?b", "PS101", "?", "a value is missing", id="optional selection"),
        pytest.param("m.`a/b`", "PS101", "`", "m['key']", id="a quoted field"),
        pytest.param("T{a: 1}", "PS101", "{", "messages", id="a message"),
        pytest.param(".a", "PS101", ".", "a value is missing", id="a leading dot"),
        pytest.param(
            "a ? b", "PS101", "b", "condition ? a : b", id="a choice without its second half"
        ),
        pytest.param(
            "a ? b :", "PS101", ":", "a value is missing", id="a choice without a last value"
        ),
        pytest.param("a, b", "PS101", ",", "not expected", id="a comma outside of brackets"),
        pytest.param("f(a)(b)", "PS101", "(", "cannot be called", id="a call of a call"),
    ],
)
def test_refuses(text, code, where, says):
    got_code, got_where, message, suggestion = fault(text)
    assert (got_code, got_where) == (code, where)
    assert says in f"{message}; {suggestion}"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            '"' + "\\\\" * 20, id="an open string of escaped backslashes, 53 s in celpy's lexer"
        ),
        pytest.param('"' + "\\\\" * 2000, id="two thousand escaped backslashes"),
        pytest.param("(" * 100 + "1" + ")" * 100, id="a hundred brackets"),
        pytest.param("(" * 2000, id="two thousand open brackets"),
        pytest.param("1" + "+1" * 300, id="a sum of three hundred"),
        pytest.param("-" * 1000 + "1", id="a thousand signs"),
        pytest.param("!" * 1000 + "true", id="a thousand negations"),
        pytest.param("&&".join("a" * 1001), id="a thousand conjuncts"),
        pytest.param("[" + ",".join("1" * 1500) + "]", id="a list of fifteen hundred"),
        pytest.param("a" + ".b" * 300, id="three hundred fields"),
        pytest.param("a ? b : " * 200 + "c", id="two hundred choices"),
        pytest.param("x" * 5000, id="five thousand characters"),
    ],
)
def test_ends_at_once_on_input_made_to_exhaust(text):
    started = time.perf_counter()
    code, *_ = fault(text)
    assert code in {"PS102", "PS104", "PS110"}
    assert time.perf_counter() - started < 0.5


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"'\n\t\\\'\"\?\`\a'", "\n\t\\'\"?`\a"),
        (r"'\X0A\x41\u00e9\U0001F600\101'", "\nAé😀A"),
        (r"r'\n\d'", r"\n\d"),
        ("'''two\nlines'''", "two\nlines"),
        ('"it\'s"', "it's"),
        ("'é'", "é"),
    ],
)
def test_decodes_strings_as_cel_does(text, value):
    assert parse(text) == Literal(value, parse(text).span)


def test_keeps_spans_of_true_and_false_that_celpy_loses():
    tree = parse("true && a || (b ? false : c)")
    assert isinstance(tree, Chain)
    assert [(o.span.start, o.span.end) for o in tree.operands] == [(0, 9), (14, 27)]


def test_ignores_comments_and_line_breaks_and_keeps_offsets():
    tree = parse("a // first\n  == 'b' // second 'x")
    assert isinstance(tree, Operation)
    assert (tree.operands[1].span.start, tree.operands[1].span.end) == (16, 19)


@pytest.mark.parametrize(
    "text", ["shape.namespace", "a.package", "1-1", "- -1", "!(!a)", "a in [1, 2]", "{'a': 1}['a']"]
)
def test_accepts_what_cel_accepts(text):
    assert parse(text).span.start == 0


def test_bears_a_long_conjunction():
    tree = parse(" && ".join(["a"] * 800))
    assert isinstance(tree, Chain)
    assert len(tree.operands) == 800


def test_reads_every_character_once():
    assert len(scan("a" * 4_000)) == 1
