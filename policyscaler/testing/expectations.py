"""What a plan should say, with messages that show the plan where it does not."""

from __future__ import annotations

from collections.abc import Iterable

from policyscaler.model import resources as res
from policyscaler.model.money import decimal_price
from policyscaler.model.plan import Plan, PlannedNode, PoolRefusal


def named(plan: Plan) -> dict[str, str]:
    """Returns where each pod of a plan goes: the node's name in the plan, or `-` for nowhere."""
    places = [(node.name, node.pods) for node in plan.launches]
    places += [(placement.node, placement.pods) for placement in plan.existing]
    places += [("-", entry.pods) for entry in plan.unschedulable]
    return {name: place for place, pods in places for _, name in pods}


def machines(plan: Plan) -> list[str]:
    """Returns `pool type capacity-type` of every launch, sorted."""
    return sorted(
        f"{node.pool} {node.chosen.instance_type} {node.chosen.capacity_type}"
        for node in plan.launches
    )


def types(plan: Plan) -> list[str]:
    """Returns the chosen type of every launch, sorted."""
    return sorted(node.chosen.instance_type for node in plan.launches)


def price(plan: Plan) -> str:
    """Returns what the launches cost, in dollars per hour."""
    return decimal_price(plan.price_micros_per_hour)


def node_of(plan: Plan, pod: str) -> PlannedNode:
    """Returns the launch that a pod is planned on.

    Raises:
        AssertionError: it is on none.
    """
    for node in plan.launches:
        if any(name == pod for _, name in node.pods):
            return node
    raise AssertionError(f"no launch for {pod}: {describe(plan)}")


def refusals_of(plan: Plan, pod: str) -> tuple[PoolRefusal, ...]:
    """Returns why a pod has no place.

    Raises:
        AssertionError: it has one.
    """
    for entry in plan.unschedulable:
        if any(name == pod for _, name in entry.pods):
            return entry.refusals
    raise AssertionError(f"{pod} is not unschedulable: {describe(plan)}")


def expect_scheduled(plan: Plan, *pods: str, on: str = "") -> None:
    """Checks that pods have a place: the node or launch of this name, or one of this type or pool.

    Raises:
        AssertionError: they have not.
    """
    launched = {n.name: (n.name, n.pool, n.chosen.instance_type) for n in plan.launches}
    places = named(plan)
    for pod in pods:
        place = places.get(pod, "-")
        if place == "-" or (on and on not in launched.get(place, (place,))):
            raise AssertionError(f"{pod} is not on {on or 'a node'}: {describe(plan)}")


def expect_unschedulable(
    plan: Plan, *pods: str, constraint: str = "", mentions: Iterable[str] = ()
) -> None:
    """Checks that pods have no place, for a reason that says certain things.

    Raises:
        AssertionError: they have one, or the reason is another.
    """
    for pod in pods:
        refusals = refusals_of(plan, pod)
        if constraint and all(refusal.constraint != constraint for refusal in refusals):
            raise AssertionError(f"{pod} is not refused for {constraint}: {describe(plan)}")
        told = " ".join(f"{r.pool} {r.message} {r.nearest_miss}" for r in refusals)
        missing = [text for text in mentions if text not in told]
        if missing:
            raise AssertionError(f"the reason does not mention {missing}: {told}")


def describe(plan: Plan) -> str:
    """Returns a plan in a few lines."""
    lines = [
        f"  {n.name}: {n.chosen.instance_type}/{n.chosen.zone}/{n.chosen.capacity_type}, "
        f"{res.describe(n.requests)}, pods {', '.join(name for _, name in n.pods)}"
        for n in plan.launches
    ]
    lines += [f"  {p.node}: pods {', '.join(name for _, name in p.pods)}" for p in plan.existing]
    for entry in plan.unschedulable:
        lines.append(f"  nowhere: {', '.join(name for _, name in entry.pods)}")
        lines += [f"    {r.pool}: {r.constraint}: {r.message}" for r in entry.refusals]
    return "\n".join(["", *lines]) if lines else "an empty plan"
