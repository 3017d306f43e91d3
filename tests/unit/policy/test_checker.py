"""What the checker says, with carets; the texts are kept in tests/golden/policy."""

import pytest

from policyscaler.model.errors import (
    PolicyError,
    PolicyLimitExceeded,
    PolicySyntaxError,
    PolicyTypeError,
)
from policyscaler.policy.expression import compile_expression, infer_type
from policyscaler.policy.findings import Severity, render_finding
from policyscaler.policy.types import BOOL, DOUBLE, DURATION, INT, STRING, ListType
from policyscaler.policy.vocabulary import SITES

REQUIRE = SITES["offerings.require"]
PARAMS = {"maxRisk": DOUBLE, "grace": DURATION}

FAULTY = {
    "offerings.require": [
        "offering.cpus > 1",
        "offerin.cpu > 1",
        "offering.interuptionRate <= 0.1",
        "offering.CapacityType == 'spot'",
        "node.age > duration('1h')",
        "offering.cpu > '4'",
        "offering.memory > '4Gi'",
        "shape.pendingFor > 20",
        "now > '2026-12-01'",
        "offering.memory >= 40",
        "offering.generation >= 6",
        "offering.gpu.count > 1",
        "has(offering.gpu.model)",
        "offering.labels.tier == 'a'",
        "offering.labels['topology/zone'] == 'a'",
        "offering.price",
        "offering.cpu && true",
        "offering.gpu",
        "offering.features == 'nvme'",
        "offering.features.nvme",
        "offering.arch in 'amd64'",
        "offering == offering",
        "offering.name.length() > 3",
        "len(offering.name) > 3",
        "contains(offering.name, 'a')",
        "offering.name.startsWith(1)",
        "max('a', 2) == 2",
        "[1, 'a'].size() > 0",
        "true ? 1 : 'a'",
        "offering.features.filter(f)",
        "offering.features.exists(1, true)",
        "offering.features.exists(shape, true)",
        "has(offering)",
        "has(offering.cpu)",
        "orElse(offering.cpu + 1.0, 2.0) > 1.0",
        "orElse(offering.cpu, 2.0) > 1.0",
        "offering.family.matches('(')",
        "inWindow(now, 'Mon-Fry 08:00-18:00', 'Europe/Rome')",
        "inWindow(now, 'Mon-Fri 08:00-18:00', 'Europe/Roma')",
        "shape.pendingFor > duration('1hr')",
        "now > timestamp('2026-13-01T00:00:00Z')",
        "offering.memory > quantity('4GB')",
        "offering.pods / 0 == 1",
        "1 / 0 == 1",
        "1 == 2 && offering.available",
        "offering.available && offering.available",
        "offering.cpuu > 1.0 && offering.available && offering.zon == 'a'",
        "params.maxrisk > 0.5",
        "offering.features.all(a, offering.features.all(b, offering.features.all(c, a == b && b == c)))",
    ]
}


def findings_of(text, site=REQUIRE):
    try:
        return compile_expression(text, site, params=PARAMS).warnings
    except PolicyError as error:
        return error.findings


def test_messages_have_carets_and_suggestions(golden):
    blocks = [
        "\n".join(render_finding(finding, text) for finding in findings_of(text, SITES[site]))
        or f"{text}\n  no finding"
        for site, texts in FAULTY.items()
        for text in texts
    ]
    golden("policy/checker.txt", "\n\n".join(blocks) + "\n")


@pytest.mark.parametrize(
    "text",
    [
        "has(offering.gpu) && offering.gpu.count > 1",
        "!has(offering.gpu) || offering.gpu.count > 1",
        "has(offering.gpu) ? offering.gpu.count > 1 : false",
        "!(has(offering.gpu)) ? true : offering.gpu.count > 1",
        "has(offering.gpu) && has(offering.gpu.model) && offering.gpu.model == 'a10g'",
        "shape.gpu == 0 || (has(offering.gpu) && offering.gpu.count >= shape.gpu)",
        "'tier' in offering.labels && offering.labels.tier == 'a'",
        "has(offering.labels.tier) && offering.labels['tier'] == 'a'",
        "(has(offering.generation) && offering.available) && offering.generation > 5",
        "!(!has(offering.generation) || !offering.available) && offering.generation > 5",
        "orElse(offering.labels['topology/zone'], 'x') == 'a'",
        "orElse(offering.gpu.memory, 0) >= quantity('40Gi')",
        "has(shape.team) && shape.team in offering.labels && offering.labels[shape.team] == 'a'",
    ],
)
def test_accepts_optional_fields_that_something_asked_about(text):
    assert not [f for f in findings_of(text) if f.severity is Severity.ERROR]


@pytest.mark.parametrize(
    "text",
    [
        "has(offering.gpu) || offering.gpu.count > 1",
        "!has(offering.gpu) && offering.gpu.count > 1",
        "offering.gpu.count > 1 && has(offering.gpu)",
        "(has(offering.gpu) || offering.available) && offering.gpu.count > 1",
        "has(offering.gpu) ? true : offering.gpu.count > 1",
        "has(offering.generation) && has(offering.gpu.model)",
        "has(offering.gpu) && offering.gpu.model == 'x'",
    ],
)
def test_refuses_optional_fields_that_nothing_asked_about(text):
    assert {f.code for f in findings_of(text) if f.severity is Severity.ERROR} == {"PS141"}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1 + 2", INT),
        ("1 + 2.0", DOUBLE),
        ("offering.cpu * 2", DOUBLE),
        ("[1, 2.5]", ListType(DOUBLE)),
        ("true ? 1 : 2.5", DOUBLE),
        ("3.0 in [1, 2, 3]", BOOL),
        ("1 == 1.0", BOOL),
        ("10 < 4.0", BOOL),
        ("now - now", DURATION),
        ("offering.features.map(f, f.size())", ListType(INT)),
        ("offering.labels.filter(k, k != 'a')", ListType(STRING)),
        ("orElse(offering.generation, 0.5)", DOUBLE),
        ("min(1, 2, 2.5)", DOUBLE),
        ("[] + [1]", ListType(INT)),
        ("{'a': 1, 'b': 2.5}[offering.zone]", DOUBLE),
    ],
)
def test_types(text, kind):
    assert infer_type(text, REQUIRE, params=PARAMS) == kind


def test_kind_of_error_says_what_kind_of_fault():
    for text, kind in [
        ("a and", PolicySyntaxError),
        ("offering.x", PolicyTypeError),
        ("(" * 40, PolicyLimitExceeded),
        ("(" * 40 + "1" + ")" * 40, PolicyLimitExceeded),
    ]:
        with pytest.raises(kind):
            compile_expression(text, REQUIRE)


def test_all_faults_of_a_conjunction_are_reported_at_once():
    assert len(findings_of("offering.cpuu > 1 && offering.zon == 'a' && offering.price > 'x'")) == 3


def test_an_unguarded_field_is_accepted_where_the_caller_says_so():
    assert (
        compile_expression("offering.gpu.count > 1", REQUIRE, allow_absent=True).result_type == BOOL
    )
