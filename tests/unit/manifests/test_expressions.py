"""An error inside an expression points at the character that a person typed."""

import pytest

from policyscaler.manifests.loading import load_text

HEAD = """\
apiVersion: policyscaler.dev/v1alpha1
kind: ScalingPolicy
metadata:
  name: p
spec:
  variables:
"""


def expression_of(body):
    result = load_text(HEAD + body)
    assert not result.errors, [str(error) for error in result.errors]
    ((_, expression),) = result.policies[0].variables
    return expression


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("    v: aa + bb * cc\n", id="plain"),
        pytest.param("    v: 'aa + bb * cc'\n", id="single quotes"),
        pytest.param('    v: "aa + bb * cc"\n', id="double quotes"),
        pytest.param(
            "    v: 'x == ''q'' && aa + bb * cc'\n", id="quotes doubled inside single ones"
        ),
        pytest.param('    v: "x == \\"q\\" && aa + bb * cc"\n', id="escapes inside double quotes"),
        pytest.param("    v: |\n      aa +\n        bb *\n\n      cc\n", id="literal block"),
        pytest.param("    v: >-\n      aa +\n      bb *\n      cc\n", id="folded block"),
        pytest.param(
            "    v: >-\n        aa + bb\n          * cc\n", id="folded block with more indent"
        ),
        pytest.param("    v: aa +\n      bb *\n      cc\n", id="plain over lines"),
        pytest.param("    v: 'aa +\n      bb *\n      cc'\n", id="quoted over lines"),
        pytest.param("    {v: aa + bb * cc}\n", id="in a flow mapping"),
    ],
)
def test_position_of_each_word(body):
    expression = expression_of(body)
    lines = (HEAD + body).split("\n")
    for word in ("aa", "bb", "cc"):
        position = expression.position(expression.text.index(word))
        assert lines[position.line - 1][position.column - 1 :].startswith(word)


@pytest.mark.parametrize(("body", "text"), [("    v: true\n", "true"), ("    v: 12\n", "12")])
def test_bare_value_is_an_expression(body, text):
    assert expression_of(body).text == text
