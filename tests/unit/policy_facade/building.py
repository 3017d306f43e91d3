"""A small invented catalogue, facts, and policies from a few lines of YAML."""

from datetime import UTC, datetime, timedelta

import numpy as np

from policyscaler.manifests.loading import load_text
from policyscaler.model.offerings import Catalogue, Offering, instance_type
from policyscaler.model.policies import ScalingPolicy
from policyscaler.policy.evaluation import Policies
from policyscaler.policy.verdicts import Context

NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)
GIB = 2**30

CONTEXT = Context(
    cluster={"nodes": 3, "pendingPods": 5, "cpu": 12.0, "memory": 48.0 * GIB, "pricePerHour": 0.6},
    spend={"perHour": 0.6, "total": 12.5},
    team={"name": "web", "labels": {}, "annotations": {}, "pricePerHour": 0.0},
    now=NOW,
)


def a_type(name, *, cpu, price, spot_price=None, labels=None, zones=("a", "b")):
    """A type that is on offer on demand, and as spot if that has a price, in each zone."""
    family, _, size = name.partition(".")
    own = {
        "node.kubernetes.io/instance-type": (name,),
        "kubernetes.io/arch": ("amd64",),
        "kubernetes.io/os": ("linux",),
        "machines.example/instance-family": (family,),
        "machines.example/instance-size": (size,),
        "machines.example/instance-cpu": (str(cpu),),
    }
    prices = {"on-demand": price, **({"spot": spot_price} if spot_price is not None else {})}
    return instance_type(
        name,
        labels={**own, **(labels or {})},
        capacity={"cpu": cpu * 1000, "memory": cpu * 4 * GIB, "pods": 110},
        overhead={"cpu": 80, "memory": GIB // 2},
        offerings=tuple(
            Offering(zone=zone, capacity_type=kind, price_micros_per_hour=micros)
            for zone in zones
            for kind, micros in prices.items()
        ),
    )


def a_catalogue(digest="small"):
    """Rows 0-3 are m5.large, 4-7 m5.xlarge, 8-9 g5.xlarge; spot is odd for m5."""
    return Catalogue(
        name="invented",
        types=(
            a_type("g5.xlarge", cpu=4, price=1_000_000, labels={
                "machines.example/instance-gpu-count": ("1",),
                "machines.example/instance-gpu-name": ("a10g",),
            }),
            a_type("m5.large", cpu=2, price=96_000, spot_price=35_000),
            a_type("m5.xlarge", cpu=4, price=192_000, spot_price=70_000),
        ),
        digest=digest,
    )  # fmt: skip


def names(catalogue, mask):
    """The rows of a mask by name."""
    from policyscaler.model.offerings import rows_of

    return [row.name for row, inside in zip(rows_of(catalogue), mask, strict=True) if inside]


def all_rows(catalogue):
    return np.ones(sum(len(t.offerings) for t in catalogue.types), dtype=bool)


def a_shape(**fields):
    return {
        "namespace": "shop", "cpu": 1.0, "memory": 2.0 * GIB, "gpu": 0, "archs": ["amd64"],
        "priority": 0, "count": 3, "labels": {}, "requests": {"cpu": 1.0}, "memPerCpu": 2.0,
        "owner": {"kind": "ReplicaSet"}, "restartable": True, "pendingFor": timedelta(seconds=20),
    } | fields  # fmt: skip


def a_pool(**fields):
    return {
        "name": "default", "weight": 0, "labels": {}, "limits": {},
        "disruption": {"consolidateAfter": timedelta(seconds=30), "consolidationPolicy": "WhenEmptyOrUnderutilized"},
        "gracefulExpiry": False, "expireAfter": timedelta(hours=720), "nodes": 3,
    } | fields  # fmt: skip


def a_pod(**fields):
    return {
        "namespace": "shop", "name": "p", "owner": {"kind": "ReplicaSet", "name": "p"}, "priority": 0,
        "runtime": timedelta(hours=1), "doNotDisrupt": False, "labels": {}, "pdbBlocked": False,
    } | fields  # fmt: skip


def a_node(**fields):
    """A ready node with one pod, quiet for an hour, a day old."""
    return {
        "name": "n1", "pool": "default", "type": "m5.large", "zone": "a", "capacityType": "on-demand",
        "family": "m5", "cpu": 2.0, "memory": 8.0 * GIB, "price": 0.096, "age": timedelta(days=1),
        "lifetime": timedelta(hours=720), "empty": False, "quietFor": timedelta(hours=1),
        "drifted": False, "ready": True, "initialized": True, "doNotDisrupt": False,
        "requested": {"cpu": 0.5, "memory": 0.5}, "labels": {}, "pods": [a_pod()],
    } | fields  # fmt: skip


def written(*specs: str) -> list[ScalingPolicy]:
    """Policies from the YAML of their specs; the first is called p0, its rules stand in p0.yaml."""
    policies: list[ScalingPolicy] = []
    for index, spec in enumerate(specs):
        body = "\n".join(f"  {line}" for line in spec.strip("\n").splitlines())
        head = f"apiVersion: policyscaler.dev/v1alpha1\nkind: ScalingPolicy\nmetadata: {{name: p{index}}}\n"
        loaded = load_text(f"{head}spec:\n{body}\n", name=f"p{index}.yaml")
        assert not loaded.errors, [str(finding) for finding in loaded.errors]
        policies += loaded.policies
    return policies


def policies(*specs: str, **params) -> Policies:
    return Policies.compile(written(*specs), params=params)


def offerings(of: Policies, *, catalogue=None, rows=None, context=CONTEXT, pool=None, **shape):
    """The verdict of policies on a catalogue for a class of pods."""
    catalogue = catalogue or a_catalogue()
    asked = all_rows(catalogue) if rows is None else rows
    return of.offerings(catalogue, pool or a_pool(), a_shape(**shape), asked, context)
