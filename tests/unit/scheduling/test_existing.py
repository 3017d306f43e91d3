"""Filling nodes that exist, against one pod at a time."""

from hypothesis import given
from hypothesis import strategies as st

from policyscaler.model.nodes import Taint
from policyscaler.scheduling.existing import NodeRoom, fill_existing
from policyscaler.scheduling.requirements import of_node
from policyscaler.scheduling.shapes import intern_shapes
from policyscaler.testing.builders import a_pod, amounts, replicas


def a_room(name, cpu="4", *, pods="10", initialized=True, **fields):
    free = amounts({"cpu": cpu, "memory": "8Gi", "pods": pods})
    given_fields = {"labels": of_node({}), "taints": (), "free": free, **fields}
    return NodeRoom(name=name, initialized=initialized, **given_fields)


@st.composite
def rooms(draw):
    return [
        a_room(
            f"n{number}", draw(st.sampled_from(["500m", "2", "4"])), pods=draw(st.sampled_from(["1", "9"])),
            initialized=draw(st.booleans()), labels=of_node(draw(st.sampled_from([{}, {"tier": "x"}]))),
            taints=draw(st.sampled_from([(), (Taint(key="t"),)])),
        )
        for number in draw(st.permutations(range(draw(st.integers(0, 5)))))
    ]  # fmt: skip


@st.composite
def pods(draw):
    return [
        pod
        for number in range(draw(st.integers(1, 4)))
        for pod in replicas(
            f"w{number}", draw(st.integers(1, 6)), cpu=draw(st.sampled_from(["100m", "900m", "2"])),
            must=draw(st.sampled_from([(), ("tier In x",), ("tier DoesNotExist",)])),
        )
    ]  # fmt: skip


def one_at_a_time(shapes, nodes):
    ordered = sorted(nodes, key=lambda node: (not node.initialized, node.name))
    free = {node.name: dict(node.free) for node in ordered}
    placed, left = {}, []
    for index, shape in enumerate(shapes):
        missing = 0
        for _ in range(shape.count):
            home = next((n for n in ordered if _takes(n, free[n.name], shape)), None)
            if home is None:
                missing += 1
                continue
            for name, amount in shape.requests.items():
                free[home.name][name] -= amount
            counts = placed.setdefault(home.name, {})
            counts[index] = counts.get(index, 0) + 1
        left.append(missing)
    return {name: tuple(counts.items()) for name, counts in placed.items()}, tuple(left)


def _takes(node, free, shape):
    (want,) = shape.alternatives
    tier = node.labels.get("tier")
    if "tier" in want and (tier is None) != (want["tier"].operator == "DoesNotExist"):
        return False
    return not node.taints and all(
        amount <= free.get(name, 0) for name, amount in shape.requests.items()
    )


@given(pods(), rooms())
def test_nodes_are_filled_as_if_one_pod_came_after_the_other(some_pods, nodes):
    shapes = intern_shapes(some_pods)
    filled = fill_existing(shapes, nodes)
    assert (filled.placed, filled.left) == one_at_a_time(shapes, nodes)


def test_a_node_with_a_negative_amount_takes_nothing():
    broken = a_room("n", free={"cpu": 4000, "pods": 5, "memory": -1})
    assert fill_existing(intern_shapes([a_pod()]), [broken]).placed == {}


def test_a_resource_that_a_node_lacks_is_zero():
    gpu = intern_shapes([a_pod("gpu", requests={}, overhead=amounts({"example.com/gpu": "1"}))])
    assert fill_existing(gpu, [a_room("n")]).left == (1,)
