"""Small clusters in few words: every builder has safe defaults, and every field can be overridden.

Amounts are texts as in manifests (`cpu="500m"`), prices are dollars per hour as text, requirements
one line each (`needs("zone In z1 z2")` with the usual labels by their short names).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final, TypeVar

import msgspec

from policyscaler.model import labels as well
from policyscaler.model.meta import Condition, ObjectMeta, OwnerReference, Value
from policyscaler.model.money import parse_price
from policyscaler.model.nodes import INITIALIZED, Node, NodeClaim, NodeClassRef
from policyscaler.model.offerings import Catalogue, InstanceType, Offering, instance_type
from policyscaler.model.pods import Container, NodeSelectorTerm, Pod, PodSpec
from policyscaler.model.pools import NodeClass, NodePool
from policyscaler.model.quantities import resource_amount
from policyscaler.model.requirements import NodeSelectorRequirement
from policyscaler.model.snapshot import Snapshot
from policyscaler.model.workloads import DaemonSet, PodTemplate

NOW: Final = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)
REF: Final = NodeClassRef(group="machines.example", kind="MachineClass", name="default")
ZONES: Final = ("z1", "z2", "z3")

SHORT: Final = {
    "zone": well.ZONE,
    "type": well.INSTANCE_TYPE,
    "arch": well.ARCH,
    "os": well.OS,
    "ct": well.CAPACITY_TYPE,
    "pool": well.NODEPOOL,
    "host": well.HOSTNAME,
}
"""Short names of labels in `needs`, `a_type` and the like."""

_V = TypeVar("_V", bound=Value)


def amounts(resources: Mapping[str, str]) -> dict[str, int]:
    """Returns amounts of resources from texts as in manifests."""
    return {name: resource_amount(name, text) for name, text in resources.items()}


def label(name: str) -> str:
    """Returns the key that a short name stands for, or the name itself."""
    return SHORT.get(name, name)


def needs(text: str, *, min_values: int | None = None) -> NodeSelectorRequirement:
    """Returns a requirement from `key operator values…`."""
    key, operator, *values = text.split()
    return NodeSelectorRequirement(
        key=label(key), operator=operator, values=tuple(values), min_values=min_values
    )


def a_term(*texts: str) -> NodeSelectorTerm:
    """Returns one term of node affinity."""
    return NodeSelectorTerm(expressions=tuple(needs(text) for text in texts))


def owned_by(kind: str, name: str) -> tuple[OwnerReference, ...]:
    """Returns the references of an object that a workload manages."""
    return (OwnerReference(kind=kind, name=name, controller=True),)


def a_container(
    cpu: str = "0", memory: str = "0", *, name: str = "main", **fields: object
) -> Container:
    """Returns a container; `requests` and `limits` may be given as texts."""
    texts = {"cpu": cpu, "memory": memory}
    container = Container(name=name, requests=amounts({k: v for k, v in texts.items() if v != "0"}))
    return msgspec.structs.replace(container, **_with_amounts(fields))


def a_pod(
    name: str = "pod",
    *,
    cpu: str = "100m",
    memory: str = "0",
    must: tuple[str, ...] = (),
    **fields: object,
) -> Pod:
    """Returns a pod that the scheduler has found no node for.

    Args:
        name: of the pod.
        cpu: request of its one container, unless `containers` are given.
        memory: likewise.
        must: the one term of its required node affinity.
        fields: of its metadata, its spec or itself, told apart by their names.
    """
    spec = PodSpec(
        containers=(a_container(cpu, memory),), required_terms=(a_term(*must),) if must else ()
    )
    meta = ObjectMeta(name=name, namespace="default", created=NOW)
    pod = Pod(meta=meta, spec=spec, unschedulable=True)
    return _override(pod, {"meta": meta, "spec": spec}, fields)


def replicas(name: str, count: int, **fields: object) -> list[Pod]:
    """Returns the pods `name-0`, `name-1`… of one ReplicaSet."""
    first = a_pod(name, **{"owners": owned_by("ReplicaSet", name), **fields})  # type: ignore[arg-type]
    return [
        msgspec.structs.replace(
            first, meta=msgspec.structs.replace(first.meta, name=f"{name}-{number}")
        )
        for number in range(count)
    ]


def a_pool(name: str = "default", *requirements: str, **fields: object) -> NodePool:
    """Returns a pool without limits; requirements as in `needs`, `limits` may be texts."""
    pool = NodePool(
        meta=ObjectMeta(name=name),
        node_class=REF,
        requirements=tuple(needs(text) for text in requirements),
    )
    return _override(pool, {"meta": pool.meta}, _with_amounts(fields))


def a_type(
    name: str, cpu: str = "4", *, memory: str = "16Gi", price: str = "", spot: str = "", **fields: object
) -> InstanceType:  # fmt: skip
    """Returns a type whose whole capacity is allocatable.

    Args:
        name: of the type.
        cpu: capacity.
        memory: capacity.
        price: on demand, in dollars; 0.05 for each CPU unless given.
        spot: likewise, none unless given.
        fields: `zones`, `labels`, `capacity`, `overhead` (as texts) and `unavailable`, a tuple of
            capacity types.
    """
    known = {"zones": ZONES, "labels": {}, "capacity": {}, "overhead": {}, "unavailable": ()}
    unknown = fields.keys() - known.keys()
    if unknown:
        raise TypeError(f"a type has no {', '.join(sorted(unknown))}")
    given = msgspec.convert({**known, **fields}, _TypeFields, strict=False)
    capacity = amounts({"cpu": cpu, "memory": memory, "pods": "110", **given.capacity})
    standard = -(-capacity["cpu"] * 50_000 // 1000)
    prices = {well.ON_DEMAND: parse_price(price) if price else standard}
    if spot:
        prices[well.SPOT] = parse_price(spot)
    own = {well.INSTANCE_TYPE: name, well.ARCH: "amd64", well.OS: "linux"}
    labels = {**own, **{label(key): value for key, value in given.labels.items()}}
    return instance_type(
        name,
        labels={key: tuple(text.split(",")) for key, text in labels.items()},
        capacity=capacity,
        overhead=amounts(given.overhead),
        offerings=_offerings(prices, given),
    )


class _TypeFields(msgspec.Struct):
    zones: tuple[str, ...]
    labels: dict[str, str]
    capacity: dict[str, str]
    overhead: dict[str, str]
    unavailable: tuple[str, ...]


def _offerings(prices: Mapping[str, int], fields: _TypeFields) -> tuple[Offering, ...]:
    return tuple(
        Offering(
            zone=zone, capacity_type=kind, price_micros_per_hour=micros,
            available=kind not in fields.unavailable,
        )
        for zone in fields.zones
        for kind, micros in prices.items()
    )  # fmt: skip


def a_catalogue(types: Iterable[InstanceType]) -> Catalogue:
    """Returns a catalogue; equal content has equal digests."""
    ordered = tuple(sorted(types, key=lambda kind: kind.name))
    content = msgspec.json.encode(ordered, order="deterministic")
    return Catalogue(name="built", types=ordered, digest=hashlib.sha256(content).hexdigest())


def a_node(
    name: str, kind: InstanceType | None = None, *, pool: str = "default", **fields: object
) -> Node:
    """Returns a ready, initialized node on the first offering of a type.

    Args:
        name: of the node.
        kind: what it is; without it the node has only what `fields` say.
        pool: its NodePool, or empty for a node of no pool.
        fields: of its metadata or itself; `labels` add to those of the type.
    """
    labels: dict[str, str] = {well.HOSTNAME: name}
    if pool:
        class_key = well.node_class_label(REF.group, REF.kind)
        labels |= {well.NODEPOOL: pool, class_key: REF.name}
        labels |= {well.REGISTERED: "true", well.INITIALIZED: "true"}
    if kind is not None:
        first = kind.offerings[0]
        labels |= {key: values[0] for key, values in kind.labels.items() if values}
        labels |= {well.ZONE: first.zone, well.CAPACITY_TYPE: first.capacity_type, **first.labels}
    more = fields.pop("labels", {})
    labels |= {label(key): text for key, text in more.items()} if isinstance(more, Mapping) else {}
    node = Node(
        meta=ObjectMeta(name=name, labels=labels, created=NOW),
        provider_id=f"built://{name}" if pool else "",
        capacity=kind.capacity if kind else {},
        allocatable=kind.allocatable if kind else {},
    )
    return _override(node, {"meta": node.meta}, _with_amounts(fields))


def a_claim(node: Node, /, **fields: object) -> NodeClaim:
    """Returns the initialized claim behind a node."""
    meta = ObjectMeta(name=node.meta.name, labels=node.meta.labels, created=node.meta.created)
    since = Condition(type=INITIALIZED, status="True", since=node.meta.created)
    claim = NodeClaim(
        meta=meta, pool=node.meta.labels.get(well.NODEPOOL, ""), node_class=REF,
        node=node.meta.name, provider_id=node.provider_id, capacity=node.capacity,
        allocatable=node.allocatable, conditions={INITIALIZED: since},
    )  # fmt: skip
    return _override(claim, {"meta": meta}, _with_amounts(fields))


def a_daemon_set(name: str, **fields: object) -> DaemonSet:
    """Returns a DaemonSet; fields are those of `a_pod`."""
    pod = a_pod(name, **fields)  # type: ignore[arg-type]
    return DaemonSet(meta=pod.meta, template=PodTemplate(spec=pod.spec, labels=pod.meta.labels))


_PLACES: Final = {
    NodePool: "pools",
    Node: "nodes",
    NodeClaim: "claims",
    Pod: "pods",
    DaemonSet: "daemon_sets",
}


def a_snapshot(*objects: object, **fields: object) -> Snapshot:
    """Returns a snapshot of pools, instance types, nodes, claims, pods and DaemonSets.

    Args:
        objects: any of these, or collections of them; the types make up the one catalogue.
        fields: of the snapshot itself.
    """
    found: dict[str, dict[object, object]] = {place: {} for place in _PLACES.values()}
    types: list[InstanceType] = []
    for thing in _flat(objects):
        if isinstance(thing, InstanceType):
            types.append(thing)
            continue
        if not isinstance(thing, NodePool | Node | NodeClaim | Pod | DaemonSet):
            raise TypeError(f"a snapshot has no place for {thing!r}")
        spaced = isinstance(thing, Pod | DaemonSet)
        found[_PLACES[type(thing)]][thing.meta.key if spaced else thing.meta.name] = thing
    node_class = NodeClass(meta=ObjectMeta(name=REF.name), ref=REF)
    given: dict[str, object] = {
        "catalogues": {REF: a_catalogue(types)} if types else {},
        "node_classes": {REF: node_class},
        **found,
        **fields,
    }
    return msgspec.structs.replace(Snapshot(), **given)


def _flat(things: Iterable[object]) -> Iterable[object]:
    for thing in things:
        if isinstance(thing, list | tuple):
            yield from _flat(thing)
        else:
            yield thing


def _with_amounts(fields: Mapping[str, object]) -> dict[str, object]:
    """Returns fields with lists of resources that are written as texts turned into amounts."""
    lists = ("requests", "limits", "overhead", "capacity", "allocatable")
    return {
        key: amounts(msgspec.convert(value, dict[str, str])) if key in lists else value
        for key, value in fields.items()
    }


def _override(value: _V, parts: Mapping[str, Value], fields: Mapping[str, object]) -> _V:
    """Returns a value with fields replaced: its own, and else those of its parts."""
    changed: dict[str, object] = {k: v for k, v in fields.items() if k in value.__struct_fields__}
    rest = {key: text for key, text in fields.items() if key not in changed}
    for name, part in parts.items():
        own = {key: rest.pop(key) for key in tuple(rest) if key in part.__struct_fields__}
        changed[name] = msgspec.structs.replace(part, **own)
    return msgspec.structs.replace(value, **{**changed, **rest})
