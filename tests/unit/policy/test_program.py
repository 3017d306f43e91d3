"""Programs: which engine, what they read, what they may cost, why they gave what they gave."""

import sys
import types

import numpy as np
import pytest

from policyscaler.model.errors import PolicyError, PolicyLimitExceeded
from policyscaler.policy.columns import build_table, table_from_rows
from policyscaler.policy.expression import compile_expression
from policyscaler.policy.faults import EvalError
from policyscaler.policy.offering_types import OFFERING
from policyscaler.policy.trace import render_trace
from policyscaler.policy.types import DOUBLE
from policyscaler.policy.unparse import to_source
from policyscaler.policy.vocabulary import SITES, VARIABLES, object_types

REQUIRE = SITES["offerings.require"]
ROWS = [
    {
        "name": "m5.large",
        "zone": "a",
        "cpu": 2.0,
        "price": 0.1,
        "features": (),
        "labels": {"team": "x"},
    },
    {
        "name": "g5.xlarge",
        "zone": "b",
        "cpu": 4.0,
        "price": 1.0,
        "features": ("nvme",),
        "labels": {},
        "gpu": {"count": 1},
    },
    {
        "name": "m5.large",
        "zone": "b",
        "cpu": 2.0,
        "price": None,
        "features": ("flex",),
        "labels": {"team": "y"},
    },
]


def test_offering_rules_run_on_columns():
    program = compile_expression("offering.cpu > 2.0 || offering.price < 0.5", REQUIRE)
    values, failed = program.evaluate_rows(table_from_rows(OFFERING, ROWS), {})
    assert program.engine == "columns"
    assert values.tolist() == [True, True, False]
    assert failed.tolist() == [False, False, True]


def test_columns_follow_a_change_of_price():
    table = table_from_rows(OFFERING, ROWS)
    cheaper = table.replace(("price",), [2.0, 2.0, 0.01])
    program = compile_expression("offering.price < 0.5", REQUIRE)
    assert program.evaluate_rows(cheaper, {})[0].tolist() == [False, False, True]
    assert program.evaluate_rows(table, {})[0].tolist() == [True, False, False]


def test_what_is_known_about_words_does_not_leak_from_one_question_to_the_next():
    table = table_from_rows(OFFERING, ROWS)
    for text, kept in [
        (
            "offering.name.startsWith(shape.namespace)",
            {"m5": [True, False, True], "g5": [False, True, False]},
        ),
        (
            "shape.namespace.startsWith(offering.zone)",
            {"a1": [True, False, False], "b1": [False, True, True]},
        ),
        (
            "offering.zone in [shape.namespace]",
            {"a": [True, False, False], "b": [False, True, True]},
        ),
    ]:
        program = compile_expression(text, REQUIRE)
        for namespace, expected in kept.items():
            values, _ = program.evaluate_rows(table, {"shape": {"namespace": namespace}})
            assert values.tolist() == expected, (text, namespace)


def test_columns_can_be_cut_to_some_rows():
    table = table_from_rows(OFFERING, ROWS).take(np.array([2, 1]))
    program = compile_expression("orElse(offering.labels.team, 'none') == 'y'", REQUIRE)
    assert program.evaluate_rows(table, {})[0].tolist() == [True, False]


def test_a_table_without_rows_gives_no_values():
    table = build_table(OFFERING, {}, size=0)
    for text in [
        "offering.cpu > 1.0",
        "offering.zone == 'a'",
        "offering.name + 'x' == offering.zone",
        "true",
    ]:
        values, failed = compile_expression(text, REQUIRE).evaluate_rows(table, {})
        assert (len(values), failed) == (0, None)


def test_text_comes_back_as_text():
    site = SITES["limits.by"]
    program = compile_expression("shape.namespace + '!'", site)
    assert program.evaluate({"shape": {"namespace": "a"}}) == "a!"
    with pytest.raises(PolicyError, match="runs as closure"):
        program.evaluate_rows(table_from_rows(OFFERING, ROWS), {})


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("offering.cpu >= shape.cpu", {"offering.cpu", "shape.cpu"}),
        ("has(offering.gpu) && offering.gpu.count > 0", {"offering.gpu", "offering.gpu.count"}),
        ("orElse(shape.labels.tier, 'a') == 'b'", {"shape.labels"}),
        (
            "offering.features.exists(f, f == shape.namespace)",
            {"offering.features", "shape.namespace"},
        ),
        ("shape.owner.kind == 'Job'", {"shape.owner.kind"}),
        ("inWindow(now, '08:00-18:00')", {"now"}),
        ("params.risk > 1.0", {"params.risk"}),
        ("true", set()),
    ],
)
def test_reads(text, reads):
    assert compile_expression(text, REQUIRE, params={"risk": DOUBLE}).reads == reads


@pytest.mark.parametrize(
    ("site", "text", "engine"),
    [
        ("offerings.require", "offering.cpu > 1.0", "columns"),
        ("offerings.require", "offering.features.exists(f, f == 'nvme')", "columns"),
        ("offerings.require", "{'a': 0.5, 'b': 1.0}[offering.zone] > 0.6", "columns"),
        ("offerings.require", "offering.features.all(f, f != offering.zone)", "closure"),
        ("disruption.deny", "node.pods.exists(p, p.priority > 0)", "closure"),
        ("disruption.deny", "node.empty && node.age > duration('1h')", "columns"),
        ("match.pods", "shape.namespace == 'a'", "closure"),
        ("match.pods", "{'a': shape.priority, 'b': 1}[shape.namespace] > 0", "interpreter"),
    ],
)
def test_the_engine_chosen_is_visible(site, text, engine):
    assert compile_expression(text, SITES[site]).engine == engine


def test_the_interpreter_gives_the_value():
    program = compile_expression(
        "{'a': shape.priority, 'b': 1}[shape.namespace] > 0", SITES["match.pods"]
    )
    assert program.evaluate({"shape": {"namespace": "a", "priority": 5}}) is True
    assert isinstance(program.evaluate({"shape": {"namespace": "z", "priority": 5}}), EvalError)


def test_the_interpreter_is_refused_where_it_would_run_too_often():
    with pytest.raises(PolicyLimitExceeded, match="PS190: a map built from values") as caught:
        compile_expression("{'a': offering.cpu}[offering.zone] > 1.0", REQUIRE)
    assert (caught.value.budget, caught.value.used) == (200, 20_000)
    assert caught.value.findings[0].span.start == 0


def test_work_over_budget_is_refused_at_load():
    pods = "node.pods.exists(p, node.pods.exists(q, q.name == p.name && q.priority > p.priority))"
    with pytest.raises(PolicyLimitExceeded, match="one evaluation could take"):
        compile_expression(pods, SITES["disruption.deny"])
    many = "offering.features.all(f, f != offering.zone) && offering.features.all(f, f != offering.name + f + f + f + f)"
    with pytest.raises(PolicyLimitExceeded, match="20,000 evaluations"):
        compile_expression(
            f"{many} && {many.replace('zone', 'os')} && {many.replace('zone', 'arch')}", REQUIRE
        )


def test_limits_carry_what_is_allowed_and_what_was_asked():
    for text, budget, used in [
        ("x" * 5_000, 4_096, 5_000),
        ("(" * 40, 32, 33),
        ("!" * 200 + "true", 100, 101),
    ]:
        with pytest.raises(PolicyLimitExceeded) as caught:
            compile_expression(text, REQUIRE)
        assert (caught.value.budget, caught.value.used) == (budget, used)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("offering.cpu>4&&offering.available", "((offering.cpu > 4.0) && offering.available)"),
        ("offering.pods > 1.5", "(double(offering.pods) > 1.5)"),
        (
            "orElse(offering.labels.a, 'é') == 'b'",
            "((('a' in offering.labels) ? offering.labels['a'] : '\\u00e9') == 'b')",
        ),
        (
            "offering.features.exists(f, f in ['a', \"it's\"])",
            "offering.features.exists(f, (f in ['a', 'it\\u0027s']))",
        ),
        ("shape.pendingFor > duration('1m')", "(shape.pendingFor > duration('60000000us'))"),
        (
            "now > timestamp('2026-12-01T00:00:00Z')",
            "(now > timestamp('2026-12-01T00:00:00+00:00'))",
        ),
        (
            "-offering.cpu < -3 || has(offering.gpu)",
            "((-(offering.cpu) < (-3.0)) || has(offering.gpu))",
        ),
    ],
)
def test_the_canonical_form_makes_conversions_visible_and_means_the_same(text, canonical):
    program = compile_expression(text, REQUIRE)
    assert to_source(program.node) == canonical
    assert to_source(compile_expression(canonical, REQUIRE).node) == canonical


def test_cost_grows_with_the_bounds_of_lists():
    flat = compile_expression("node.empty", SITES["disruption.deny"]).cost
    looped = compile_expression(
        "node.pods.exists(p, p.priority > 0)", SITES["disruption.deny"]
    ).cost
    assert flat < 10
    assert 250 * 4 <= looped < 250 * 10


def test_a_trace_shows_every_part_as_it_was_written():
    text = "offering.cpu > 16 || (has(offering.gpu) && offering.gpu.count > 1)"
    traced = compile_expression(text, REQUIRE).explain({"offering": ROWS[0]})
    assert render_trace(traced).splitlines() == [
        f"{text}  =>  false",
        "   offering.cpu > 16  =>  false",
        "      offering.cpu  =>  2.0",
        "   has(offering.gpu) && offering.gpu.count > 1  =>  false",
        "      has(offering.gpu)  =>  false",
        "      offering.gpu.count > 1  =>  error: 'gpu' is absent",
        "         offering.gpu.count  =>  error: 'gpu' is absent",
    ]


def test_objects_with_attributes_work_like_mappings():
    program = compile_expression(
        "node.age > duration('1h') || node.empty", SITES["disruption.deny"]
    )
    node = types.SimpleNamespace(age=None, empty=True)
    assert program.evaluate({"node": node}) is True


def test_a_variable_that_was_not_given_is_an_error_and_no_crash():
    outcome = compile_expression("cluster.nodes > 3", REQUIRE).evaluate({})
    assert "'cluster' was not given" in str(outcome)


def test_compiling_leaves_the_recursion_limit_alone():
    before = sys.getrecursionlimit()
    compile_expression("{'a': shape.priority}[shape.namespace] > 0", SITES["match.pods"]).evaluate(
        {"shape": {}}
    )
    assert sys.getrecursionlimit() == before


def test_every_site_sees_declared_variables_only():
    for site in SITES.values():
        assert set(site.variables) <= {*VARIABLES, "params", "vars"}, site.name
        assert not site.row or site.row in site.variables


def test_every_field_is_described():
    for kind in object_types().values():
        for name, field in kind.fields.items():
            assert field.description.endswith("."), f"{kind.name}.{name}"
