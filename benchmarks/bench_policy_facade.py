"""What asking a whole set of policies costs: 60 rules, 50 kinds of pods, 20,000 offerings.

Half of the rules read only the offering, so they are computed once; the others once a kind.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import numpy as np

from policyscaler.model.meta import ObjectMeta
from policyscaler.model.offerings import Catalogue, InstanceType, Offering
from policyscaler.model.policies import Expression, Rule, ScalingPolicy
from policyscaler.policy.evaluation import Policies
from policyscaler.policy.verdicts import Context

TYPES, ZONES, KINDS, RULES = 3_334, 3, 50, 60
STATIC = (
    "offering.cpu >= {n}.0 / 100.0",
    "!has(offering.gpu) || offering.gpu.count < 9 + {n}",
    "offering.name.startsWith('t') || offering.price < 1000.0 + {n}.0",
)
BY_SHAPE = (
    "offering.allocatable.cpu >= shape.cpu * {n}.0 / 1000.0",
    "offering.arch in shape.archs || shape.priority > {n}",
    "offering.memory / offering.cpu >= shape.memPerCpu * {n}.0",
)


def catalogue() -> Catalogue:
    """Returns 20,000 offerings of invented types."""
    kinds = []
    for index in range(TYPES):
        cpu = 2 ** (index % 7)
        kinds.append(
            InstanceType(
                name=f"t{index:04}.x{cpu}",
                labels={"kubernetes.io/arch": ("arm64" if index % 3 else "amd64",)},
                capacity={"cpu": cpu * 1000, "memory": cpu * 2**32, "pods": 110},
                allocatable={"cpu": cpu * 990, "memory": cpu * 2**31, "pods": 110},
                offerings=tuple(
                    Offering(
                        zone=f"z{zone}", capacity_type=kind, price_micros_per_hour=cpu * 40_000
                    )
                    for zone in range(ZONES)
                    for kind in ("on-demand", "spot")
                ),
            )
        )
    return Catalogue(name="bench", types=tuple(kinds), digest="bench")


def policies() -> Policies:
    """Returns one policy of sixty rules, half of which read the shape."""
    rules = []
    for n in range(RULES):
        texts = STATIC if n % 2 else BY_SHAPE
        expr = Expression(text=texts[n // 2 % len(texts)].format(n=n + 1))
        rules.append(Rule(name=f"rule-{n}", expr=expr))
    return Policies.compile([ScalingPolicy(meta=ObjectMeta(name="bench"), require=tuple(rules))])


def shape(index: int) -> dict[str, object]:
    """Returns one of fifty kinds of pods."""
    return {
        "namespace": f"n{index}", "cpu": 0.1 * index, "memory": 2.0**30, "gpu": 0,
        "archs": ["amd64", "arm64"][: 1 + index % 2], "priority": index, "count": 10, "labels": {},
        "requests": {}, "memPerCpu": float(index), "owner": {"kind": "ReplicaSet"},
        "restartable": True, "pendingFor": timedelta(0),
    }  # fmt: skip


def main() -> None:
    """Prints the times."""
    offered = catalogue()
    start = time.perf_counter()
    asked = policies()
    compiled = time.perf_counter()
    rows = np.ones(sum(len(t.offerings) for t in offered.types), dtype=bool)
    now = datetime(2026, 12, 1, tzinfo=UTC)
    context = Context(cluster={}, spend={}, team={}, now=now)
    pool: dict[str, object] = {"name": "default"}
    asked.offerings(offered, pool, shape(KINDS), rows, context)
    warm = time.perf_counter()
    for index in range(KINDS):
        asked.offerings(offered, pool, shape(index), rows, context)
    done = time.perf_counter()
    for index in range(KINDS):
        asked.offerings(offered, pool, shape(index), rows, context)
    again = time.perf_counter()
    print(f"{RULES} rules compiled                         {1000 * (compiled - start):7.1f} ms")
    print(f"{len(rows):,} offerings in columns, first kind  {1000 * (warm - compiled):7.1f} ms")
    print(f"{KINDS} kinds of pods, {RULES} rules each            {1000 * (done - warm):7.1f} ms")
    print(f"the same again                            {1000 * (again - done):7.1f} ms")


if __name__ == "__main__":
    main()
