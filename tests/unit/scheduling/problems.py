"""Packing problems straight from pools, types and pods, and a plain packer to compare with."""

from policyscaler.scheduling.daemons import daemons_of
from policyscaler.scheduling.feasibility import Feasible, Question, examine, no_policy
from policyscaler.scheduling.offeringtable import OfferingTable
from policyscaler.scheduling.packing.problem import (
    Item,
    Option,
    PackPool,
    Problem,
    available_columns,
    resource_axes,
)
from policyscaler.scheduling.shapes import intern_shapes
from policyscaler.scheduling.templates import make_template, preference_order
from policyscaler.testing.builders import a_catalogue


def a_template(pool, types, daemons=()):
    """The template of one pool."""
    return make_template(pool, OfferingTable(a_catalogue(types)), daemons_of(daemons, ()), tier=0)


def asked(template, shape, *, remaining=None, sized=True):
    """What a pool says to a shape."""
    return examine(
        Question(
            shape=shape, template=template, remaining=remaining or {}, screen=no_policy, sized=sized
        )
    )


def a_problem(pools, types, pods, daemons=()):
    """The problem of packing pods that all have a place, with its templates and shapes."""
    table = OfferingTable(a_catalogue(types))
    templates = [
        make_template(pool, table, daemons_of(daemons, ()), tier=tier)
        for tier, pool in preference_order(pools)
    ]
    shapes = intern_shapes(pods)
    resources = resource_axes([shape.requests for shape in shapes])
    items = []
    for index, shape in enumerate(shapes):
        answers = [(i, asked(template, shape)) for i, template in enumerate(templates)]
        options = tuple(
            Option(pool=i, requirements=a.requirements, rows=a.rows, prices=a.screened.prices)
            for i, a in answers
            if isinstance(a, Feasible)
        )
        assert options, shape.name
        need = tuple(shape.requests.get(name, 0) for name in resources)
        items.append(Item(shape=index, need=need, count=shape.count, options=options))
    packed = tuple(
        PackPool(
            tier=t.tier, table=t.table, resources=resources,
            available=available_columns(t.table, t.overhead, resources), min_values=t.min_values,
        )
        for t in templates
    )  # fmt: skip
    return Problem(resources=resources, pools=packed, items=tuple(items)), templates, shapes


def plain_greedy(pools, types, pods):
    """Karpenter's packing, one pod at a time, from the values as written.

    Pods may select zones, architectures and sizes; pools have no requirements and no daemons.
    Returns (pool, cheapest price, names of pods) of every node, sorted.
    """
    order = sorted(pools, key=lambda p: p.name, reverse=True)
    order.sort(key=lambda pool: -pool.weight)
    nodes: list[tuple[str, list]] = []
    ordered = [key for shape in intern_shapes(pods) for key in shape.pods]
    by_key = {pod.meta.key: pod for pod in pods}
    for pod in (by_key[key] for key in ordered):
        ranked = sorted(range(len(nodes)), key=lambda i: (len(nodes[i][1]), i))
        home = next((i for i in ranked if _cheapest(types, [*nodes[i][1], pod])), None)
        if home is None:
            nodes.append((order[0].name, [pod]))
        else:
            nodes[home][1].append(pod)
    return sorted(
        (pool, _cheapest(types, held), sorted(pod.meta.name for pod in held))
        for pool, held in nodes
    )


def _cheapest(types, pods):
    """The price of the cheapest offering that holds these pods, or None."""
    prices = [
        offering.price_micros_per_hour
        for kind in types
        for offering in kind.offerings
        if offering.available and _holds(kind, offering, pods)
    ]
    return min(prices, default=None)


def _holds(kind, offering, pods):
    labels = {key: values[0] for key, values in kind.labels.items()}
    labels["topology.kubernetes.io/zone"] = offering.zone
    labels["karpenter.sh/capacity-type"] = offering.capacity_type
    for pod in pods:
        if any(labels.get(key) != value for key, value in pod.spec.node_selector.items()):
            return False
    if len(pods) > kind.allocatable["pods"]:
        return False
    names = ("cpu", "memory")
    used = {n: sum(c.requests.get(n, 0) for p in pods for c in p.spec.containers) for n in names}
    return all(used[name] <= kind.allocatable[name] for name in names)
