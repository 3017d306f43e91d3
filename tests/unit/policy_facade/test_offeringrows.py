"""An offering as a mapping and as columns: two forms, one meaning."""

from dataclasses import replace

import pytest

from policyscaler.model.labels import CAPACITY_TYPE, ZONE
from policyscaler.policy.expression import compile_expression
from policyscaler.policy.offering_types import OFFERING
from policyscaler.policy.offeringrows import offering_facts, offering_rows
from policyscaler.policy.types import STRING, MapType, ObjectType
from policyscaler.policy.vocabulary import SITES
from tests.acceptance.test_compiled_pools import MADE_UP
from tests.unit.policy_facade.building import GIB, a_catalogue

SITE = replace(SITES["offerings.require"], result=STRING)
ZEROS = {"int": "0", "double": "0.0", "string": "''"}


def questions(table):
    """One expression for every field, key and nested field of an offering."""
    for name, field in OFFERING.fields.items():
        path = f"offering.{name}"
        if isinstance(field.type, MapType):
            yield from (f"{key!r} in {path}" for key in table.entries[name,])
        elif isinstance(field.type, ObjectType) and field.optional:
            inner = field.type.fields.items()
            yield from (f"string(orElse({path}.{n}, {ZEROS[str(f.type)]}))" for n, f in inner)
        elif isinstance(field.type, ObjectType):
            yield from (f"string({path}.{n})" for n in field.type.fields)
        elif str(field.type) == "list<string>":
            yield f"{path}.join(' ')"
        elif field.optional:
            yield f"string(orElse({path}, {ZEROS[str(field.type)]}))"
        else:
            yield f"string({path})"


@pytest.mark.parametrize("catalogue", [a_catalogue(), MADE_UP], ids=["plain", "open labels"])
def test_every_field_is_the_same_in_a_column_and_in_a_mapping(catalogue):
    rows = offering_rows(catalogue)
    facts = [offering_facts(row) for row in rows.rows]
    asked = list(questions(rows.table))
    assert len(asked) > len(OFFERING.fields)
    for text in asked:
        program = compile_expression(f"string({text})", SITE)
        by_row = [program.evaluate({"offering": fact}) for fact in facts]
        values, errors = program.evaluate_rows(rows.table, {})
        assert errors is None, text
        assert values.tolist() == by_row, text


def read(facts, name):
    """A part of the facts that is a mapping."""
    found = facts[name]
    assert isinstance(found, dict)
    return found


def test_units_and_absent_fields():
    (gpu, large) = (offering_facts(offering_rows(a_catalogue()).rows[i]) for i in (0, 3))
    assert (large["cpu"], large["memory"], large["pods"]) == (2.0, 8.0 * GIB, 110)
    assert large["allocatable"] == {"cpu": 1.92, "memory": 7.5 * GIB, "pods": 110}
    assert (large["price"], large["zone"], large["capacityType"]) == (0.035, "a", "spot")
    assert (large["family"], large["size"], large["arch"], large["os"]) == (
        "m5",
        "large",
        "amd64",
        "linux",
    )
    assert "gpu" not in large
    assert gpu["gpu"] == {"count": 1, "model": "a10g"}
    assert read(large, "labels")[ZONE] == "a"
    assert read(large, "labels")[CAPACITY_TYPE] == "spot"


def test_labels_that_are_open_are_choices_and_no_labels():
    row = offering_rows(MADE_UP).rows[0]
    facts = offering_facts(row)
    assert row.name == "a/z1/on-demand"
    assert read(facts, "choices")["kubernetes.io/os"] == ("linux", "windows")
    assert "kubernetes.io/os" not in read(facts, "labels")
    assert facts["os"] == "linux"
