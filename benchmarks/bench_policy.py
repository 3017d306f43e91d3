"""Times of the policy engine: checking, columns over 20,000 offerings, closures.

Run as `python benchmarks/bench_policy.py`; prints one line per expression.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from functools import partial

from policyscaler.policy.columns import table_from_rows
from policyscaler.policy.expression import compile_expression
from policyscaler.policy.offering_types import OFFERING
from policyscaler.policy.vocabulary import SITES

ROWS = 20_000
REPEATS = 50
SHAPE = {"gpu": 0, "archs": ("arm64", "amd64"), "namespace": "web", "labels": {}, "priority": 0}
RULES = {
    "compare": "offering.cpu >= 4",
    "typical filter": "offering.cpu >= 2 && offering.memory >= quantity('4Gi') && offering.price <= 1.0 && "
    "offering.arch in shape.archs && offering.capacityType != 'spot' && offering.zone in ['a', 'b']",
    "optional fields": "shape.gpu == 0 || (has(offering.gpu) && offering.gpu.count >= shape.gpu)",
    "labels": "orElse(offering.labels.team, 'none') == 'x'",
    "regular expression": "offering.name.matches('^[cm]') && !('burstable' in offering.features)",
    "macro": "offering.features.exists(f, f.startsWith('n'))",
    "two columns of text": "(offering.zone + '/' + offering.family).startsWith('a/m5')",
    "arithmetic": "offering.price / max(1.0, offering.cpu * 0.9 - 0.1) < 0.05",
}


def make_row(pick: random.Random) -> dict[str, object]:
    """Return an invented offering."""
    family = pick.choice(["m5", "m5a", "c6a", "c7a", "r5", "g5", "m7i-flex"])
    size = pick.choice(["large", "xlarge", "2xlarge", "8xlarge"])
    return {
        "name": f"{family}.{size}",
        "family": family,
        "zone": pick.choice("abc"),
        "arch": pick.choice(["amd64", "arm64"]),
        "os": "linux",
        "capacityType": pick.choice(["spot", "on-demand"]),
        "cpu": float(pick.choice([2, 4, 8, 16, 32])),
        "memory": float(pick.choice([4, 8, 16]) << 30),
        "price": round(pick.random() * 3, 5),
        "features": tuple(pick.sample(["burstable", "nvme", "flex"], pick.randint(0, 2))),
        "labels": {key: pick.choice("xyz") for key in ("team", "tier") if pick.random() < 0.6},
        "gpu": {"count": pick.choice([1, 4, 8])} if pick.random() < 0.4 else None,
    }


def best_and_median(run: Callable[[], object]) -> tuple[float, float]:
    """Return the best and the median of several runs, in microseconds."""
    times: list[float] = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        run()
        times.append((time.perf_counter() - started) * 1e6)
    return min(times), statistics.median(times)


def main() -> None:
    """Measure and print."""
    pick = random.Random(7)  # noqa: S311 - not for secrets
    rows = [make_row(pick) for _ in range(ROWS)]
    started = time.perf_counter()
    table = table_from_rows(OFFERING, rows)
    print(f"columns of {ROWS:,} rows built in {(time.perf_counter() - started) * 1e3:.0f} ms")
    site = SITES["offerings.require"]
    bindings = {"shape": SHAPE}
    print(
        f"{'rule':22}{'load ms':>9}{'first us':>10}{'best us':>9}{'median us':>11}{'closure us/row':>16}"
    )
    for name, text in RULES.items():
        _, load = best_and_median(partial(compile_expression, text, site))
        program = compile_expression(text, site)
        started = time.perf_counter()
        program.evaluate_rows(table, bindings)
        first = (time.perf_counter() - started) * 1e6
        best, median = best_and_median(partial(program.evaluate_rows, table, bindings))
        started = time.perf_counter()
        for row in rows[:2_000]:
            program.evaluate({**bindings, "offering": row})
        closure = (time.perf_counter() - started) * 1e6 / 2_000
        print(f"{name:22}{load / 1e3:9.2f}{first:10.0f}{best:9.0f}{median:11.0f}{closure:16.1f}")


if __name__ == "__main__":
    main()
