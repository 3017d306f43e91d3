"""What Karpenter publishes for each type, against what the formulas give."""

import json
from pathlib import Path

import pytest

from policyscaler.model.labels import INSTANCE_TYPE
from tests.unit.aws.classes import a_catalogue, types_of

PUBLISHED = {
    row[0]: row[1:]
    for row in json.loads(Path(__file__).with_name("published_allocatable.json").read_text())
}
UNDERIVABLE = {  # no limits are known for these: their memory and pods do not count as reproduced
    "hpc6a.48xlarge", "hpc6id.32xlarge", "hpc7a.12xlarge", "hpc7a.24xlarge", "hpc7a.48xlarge",
    "hpc7a.96xlarge", "hpc8a.96xlarge", "trn2.48xlarge",
}  # fmt: skip
MIB, GIB = 2**20, 2**30


@pytest.fixture(scope="module")
def found():
    return types_of(a_catalogue())


@pytest.mark.parametrize(
    ("resource", "column", "unit", "count"),
    [
        pytest.param("cpu", 0, 1, 1363, id="cpu of all 1363 types"),
        pytest.param("memory", 1, MIB, 1355, id="memory of 1355 types"),
        pytest.param("pods", 2, 1, 1355, id="pods of 1355 types"),
        pytest.param("ephemeral-storage", 3, GIB, 1363, id="ephemeral storage of all 1363 types"),
    ],
)
def test_published_allocatable_is_reproduced(found, resource, column, unit, count):
    wanted = {n: row[column] * unit for n, row in PUBLISHED.items() if row[column] is not None}
    assert {name: found[name].allocatable[resource] for name in wanted} == wanted
    assert len(wanted) == count


def test_the_types_without_derivable_memory_and_pods_are_these_eight():
    assert {name for name, row in PUBLISHED.items() if row[1] is None} == UNDERIVABLE
    assert {name for name, row in PUBLISHED.items() if row[2] is None} == UNDERIVABLE


def test_published_gpu_counts_are_reproduced(found):
    gpus = {
        name: sum(kind.capacity.get(f"{maker}.com/gpu", 0) for maker in ("nvidia", "amd"))
        for name, kind in found.items()
    }
    assert gpus == {name: row[4] for name, row in PUBLISHED.items()}


def test_labels_derived_from_the_name_are_the_published_ones(found):
    parts = ("category", "family", "generation", "size", "capability-flex")
    derived = {
        name: [kind.labels[f"karpenter.k8s.aws/instance-{part}"][0] for part in parts]
        for name, kind in found.items()
    }
    assert derived == {name: row[5:10] for name, row in PUBLISHED.items()}


def test_every_type_is_labelled_with_its_own_name(found):
    assert all(kind.labels[INSTANCE_TYPE] == (name,) for name, kind in found.items())
