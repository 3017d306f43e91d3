"""JSON Schema and loading come from one table, so they agree."""

import jsonschema
import pytest

from policyscaler.manifests.decoding import kinds_by_name, surroundings_of
from policyscaler.manifests.schemas import json_schema
from policyscaler.model.errors import ConfigError
from tests.unit.manifests.trees import a_pool_tree, a_requirement, loaded, requiring

KINDS = sorted(kinds_by_name((), surroundings_of(())))


@pytest.mark.parametrize(("api_version", "kind"), KINDS)
def test_every_kind_has_a_valid_schema(api_version, kind):
    schema = json_schema(kind, api_version=api_version)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["title"] == f"{kind} {api_version}"


@pytest.mark.parametrize(
    "tree",
    [
        pytest.param(a_pool_tree(), id="smallest"),
        pytest.param(a_pool_tree(weight=101), id="weight"),
        pytest.param(a_pool_tree(colour="red"), id="unknown field"),
        pytest.param(a_pool_tree(limits={"cpu": "10gb"}), id="quantity"),
        pytest.param(a_pool_tree(disruption__consolidateAfter="1hr"), id="duration"),
        pytest.param(requiring(a_requirement("a", "Within", "x")), id="operator"),
        pytest.param(requiring(a_requirement("a", "In", "x", minValues=1)), id="requirement"),
    ],
)
def test_schema_and_loading_agree(tree):
    validator = jsonschema.Draft202012Validator(json_schema("NodePool"))
    assert validator.is_valid(tree) == (not loaded(tree).errors)


def test_served_version_is_the_default_and_unknown_kinds_are_refused():
    assert json_schema("NodePool")["title"] == "NodePool karpenter.sh/v1"
    with pytest.raises(ConfigError, match='did you mean "NodePool"'):
        json_schema("NodePol")
