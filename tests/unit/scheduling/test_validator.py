"""The validator finds every way in which a packing can be wrong."""

from dataclasses import replace

import numpy as np
import pytest

from policyscaler.model.nodes import Taint
from policyscaler.model.pods import Toleration
from policyscaler.model.requirements import requirement
from policyscaler.scheduling.packing.greedy import pack_greedy
from policyscaler.scheduling.packing.problem import Packing
from policyscaler.scheduling.packing.signatures import Signatures
from policyscaler.scheduling.requirements import merge
from policyscaler.scheduling.validator import violations
from policyscaler.testing.builders import a_pod, a_pool, a_type
from tests.unit.scheduling.problems import a_problem

TYPES = (a_type("a2", "2", spot="0.01", unavailable=("spot",)), a_type("a4"), a_type("b16", "16"))
GOES = Toleration(key="t", operator="Exists")


@pytest.fixture
def packed():
    """A right packing of two pods on one node, with what it is checked against."""
    pool = a_pool("p", "type In a2 a4", taints=(Taint(key="t"),))
    pods = [
        a_pod("one", cpu="1500m", tolerations=(GOES,), must=("zone In z1 z2",)),
        a_pod("two", cpu="500m", tolerations=(GOES,), must=("zone In z2 z3",)),
    ]
    problem, templates, shapes = a_problem([pool], TYPES, pods)
    packing = pack_greedy(problem, Signatures(problem))
    assert violations(packing, templates, shapes, {0: 1, 1: 1}) == []
    return packing, templates, shapes


def told(packed, *, wanted=None, shapes=None, templates=None, **fields):
    packing, right_templates, right_shapes = packed
    nodes = tuple(replace(node, **fields) for node in packing.nodes)
    found = violations(
        Packing(name="broken", nodes=nodes), templates or right_templates, shapes or right_shapes,
        wanted or {0: 1, 1: 1},
    )  # fmt: skip
    return "; ".join(found)


def test_a_pod_too_many(packed):
    assert "2 of 1 pods of two were placed" in told(packed, content=((0, 1), (1, 2)))


def test_a_pod_too_few(packed):
    assert "0 of 1 pods of two were placed" in told(packed, content=((0, 1),))


def test_a_type_that_is_too_small(packed):
    assert "a2 is too small for cpu 3500m" in told(
        packed, content=((0, 2), (1, 1)), wanted={0: 2, 1: 1}
    )


def test_no_offering_left(packed):
    types = np.zeros_like(packed[0].nodes[0].types)
    assert "no offering is left" in told(packed, types=types)


@pytest.mark.parametrize("row", ["a2/z2/spot", "b16/z2/on-demand", "a4/z1/on-demand"])
def test_an_offering_that_is_not_to_be_had(packed, row):
    table = packed[1][0].table
    base = packed[0].nodes[0].base.copy()
    base[[r.name for r in table.rows].index(row)] = True
    assert "an offering is unavailable, or outside the pool" in told(packed, base=base)


def test_requirements_that_leave_the_pool(packed):
    key = "node.kubernetes.io/instance-type"
    outside = {**packed[0].nodes[0].requirements, key: requirement(key, "In", ("b16",))}
    assert "requirements left those of p" in told(packed, requirements=outside)


def test_a_taint_that_is_not_tolerated(packed):
    shapes = [replace(shape, spec=a_pod().spec) for shape in packed[2]]
    assert "one does not tolerate p" in told(packed, shapes=shapes)


@pytest.mark.parametrize("zone", ["z3", "z1 z2"])
def test_a_node_that_is_wider_than_what_a_pod_asks_for(packed, zone):
    key = "topology.kubernetes.io/zone"
    node = packed[0].nodes[0]
    wider = {**merge(node.requirements, {}), key: requirement(key, "In", tuple(zone.split()))}
    assert "cannot be on a node with" in told(packed, requirements=wider)


def test_daemons_count(packed):
    (template,) = packed[1]
    burdened = replace(template, overhead={"cpu": np.array([3000, 3000, 3000])})
    assert "too small" in told(packed, templates=[burdened])
