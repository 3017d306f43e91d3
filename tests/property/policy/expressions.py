"""Random typed expressions and rows for the differential fuzz; everything comes from one seed."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

from policyscaler.policy.types import DOUBLE, DURATION, INT, STRING, Type

PARAMS: dict[str, Type] = {"share": DOUBLE, "least": INT, "family": STRING, "grace": DURATION}

FAMILIES = ["m5", "m5a", "c6a", "c7a", "r5", "g5", "m7i-flex", "é'\\x"]
BOOLS = [
    "offering.available", "shape.restartable", "has(offering.generation)", "has(offering.gpu)",
    "(has(offering.gpu) && has(offering.gpu.model))", "'team' in offering.labels",
    "has(offering.labels.tier)", "has(offering.labels['no/where'])", "'a' in shape.labels", "true", "false",
]  # fmt: skip
INTS = [
    "offering.pods", "offering.generation", "offering.gpu.count", "shape.gpu", "shape.priority",
    "params.least", "0", "1", "-3", "7", "9223372036854775807", "size(offering.features)", "size(offering.name)",
]  # fmt: skip
DOUBLES = [
    "offering.cpu", "offering.price", "offering.allocatable.memory", "shape.cpu", "params.share", "0.5", "-2.25",
    "4.0", "1e18", "offering.gpu.memory", "offering.resources['ephemeral-storage']", "offering.resources['no']",
]  # fmt: skip
STRINGS = [
    "offering.name", "offering.family", "offering.zone", "offering.labels.team", "offering.labels['tier']",
    "offering.gpu.model", "shape.namespace", "shape.labels.a", "params.family", "'m'", "'a'", "''", r"'é\'\\x'",
]  # fmt: skip
LISTS = ["offering.features", "shape.archs", "['a', 'b', 'm5']", "[offering.zone, shape.namespace]"]
DURATIONS = ["shape.pendingFor", "params.grace", "duration('10m')", "duration('-1h')"]
TIMES = ["now", "timestamp('2026-03-29T00:30:00Z')"]


class Generator:
    """Writes expressions of a given type, at most `depth` levels deep."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - not for secrets
        self._loops = 0

    def bool(self, depth: int) -> str:
        pick = self.random
        if depth <= 0:
            return pick.choice([pick.choice(BOOLS), self.compare(0)])
        forms = [
            lambda: f"({self.bool(depth - 1)} && {self.bool(depth - 1)})",
            lambda: f"({self.bool(depth - 1)} || {self.bool(depth - 1)} || {self.bool(depth - 1)})",
            lambda: f"!({self.bool(depth - 1)})",
            lambda: f"({self.bool(depth - 1)} ? {self.bool(depth - 1)} : {self.bool(depth - 1)})",
            lambda: self.compare(depth - 1),
            lambda: self.compare(depth - 1),
            lambda: self.text_test(depth - 1),
            lambda: f"({self.text(depth - 1)} in {self.list(depth - 1)})",
            lambda: f"({self.int(depth - 1)} in [1, {self.int(0)}, 6])",
            lambda: self.loop(depth - 1),
        ]
        return pick.choice(forms)()

    def compare(self, depth: int) -> str:
        operator = self.random.choice(["==", "!=", "<", "<=", ">", ">="])
        kind = self.random.choice(
            [self.int, self.double, self.text, self.duration, self.number, self.time]
        )
        return f"({kind(depth)} {operator} {kind(depth)})"

    def number(self, depth: int) -> str:
        return self.random.choice([self.int, self.double])(depth)

    def int(self, depth: int) -> str:
        pick = self.random
        if depth <= 0 or pick.random() < 0.3:
            return pick.choice(INTS)
        operator = pick.choice(["+", "-", "*", "/", "%"])
        forms = [
            lambda: f"({self.int(depth - 1)} {operator} {self.int(depth - 1)})",
            lambda: f"({self.bool(depth - 1)} ? {self.int(depth - 1)} : {self.int(depth - 1)})",
            lambda: f"orElse(offering.generation, {self.int(depth - 1)})",
            lambda: f"int({self.double(depth - 1)})",
            lambda: f"-({self.int(depth - 1)})",
            lambda: f"abs({self.int(depth - 1)})",
            lambda: f"max({self.int(depth - 1)}, {self.int(depth - 1)}, 3)",
            lambda: f"{self.text(depth - 1)}.indexOf({self.text(0)})",
            lambda: f"size({self.list(depth - 1)})",
        ]
        return pick.choice(forms)()

    def double(self, depth: int) -> str:
        pick = self.random
        if depth <= 0 or pick.random() < 0.3:
            return pick.choice(DOUBLES)
        operator = pick.choice(["+", "-", "*"])
        forms = [
            lambda: f"({self.double(depth - 1)} {operator} {self.double(depth - 1)})",
            lambda: f"({self.double(depth - 1)} / {pick.choice(['3.0', '0.25', '-7.0'])})",
            lambda: f"({self.double(depth - 1)} {operator} {self.int(depth - 1)})",
            lambda: f"({self.bool(depth - 1)} ? {self.double(depth - 1)} : {self.int(depth - 1)})",
            lambda: f"orElse(offering.gpu.memory, {self.double(depth - 1)})",
            lambda: f"{pick.choice(['ceil', 'floor', 'round', 'abs'])}({self.double(depth - 1)})",
            lambda: f"min({self.double(depth - 1)}, {self.double(depth - 1)})",
            lambda: f"{{'a': 0.5, 'b': 2.0}}[{self.text(depth - 1)}]",
        ]
        return pick.choice(forms)()

    def text(self, depth: int) -> str:
        pick = self.random
        if depth <= 0 or pick.random() < 0.4:
            return pick.choice(STRINGS)
        forms = [
            lambda: f"({self.text(depth - 1)} + {self.text(depth - 1)})",
            lambda: f"({self.bool(depth - 1)} ? {self.text(depth - 1)} : {self.text(depth - 1)})",
            lambda: f"orElse(offering.labels['team'], {self.text(depth - 1)})",
            lambda: f"{self.text(depth - 1)}.{pick.choice(['upperAscii', 'lowerAscii', 'trim'])}()",
            lambda: f"{self.text(depth - 1)}.replace('a', 'bb')",
            lambda: f"{self.text(depth - 1)}.substring(1)",
            lambda: f"{self.list(depth - 1)}.join('-')",
            lambda: f"{self.list(depth - 1)}[{pick.choice(['0', '1', 'shape.gpu'])}]",
            lambda: f"string({self.int(depth - 1)})",
        ]
        return pick.choice(forms)()

    def text_test(self, depth: int) -> str:
        if self.random.random() < 0.3:
            return (
                f"{self.text(depth)}.matches('{self.random.choice(['^m', 'a$', '[0-9]+', 'x|é'])}')"
            )
        function = self.random.choice(["startsWith", "endsWith", "contains"])
        return f"{self.text(depth)}.{function}({self.text(depth)})"

    def list(self, depth: int) -> str:
        pick = self.random
        if depth <= 0 or pick.random() < 0.5:
            return pick.choice(LISTS)
        forms = [
            lambda: f"({self.list(depth - 1)} + {self.list(depth - 1)})",
            lambda: f"{self.text(depth - 1)}.split('.')",
            lambda: f"{self.list(depth - 1)}.distinct()",
        ]
        return pick.choice(forms)()

    def loop(self, depth: int) -> str:
        if self._loops >= 2:
            return self.bool(depth)
        self._loops += 1
        name = f"x{self._loops}"
        if self.random.random() < 0.2:
            # celpy raises an error inside exists_one past an || that CEL lets absorb it: no body may fail.
            self._loops -= 1
            return f"{self.random.choice(LISTS)}.exists_one({name}, {name} == shape.namespace || size({name}) > 5)"
        macro = self.random.choice(["all", "exists"])
        test = self.random.choice([
            f"{name}.startsWith({self.text(0)})", f"{name} == {self.text(0)}", f"size({name}) > {self.int(0)}",
            f"({name} in {self.list(0)} || {self.bool(depth - 1)})",
        ])  # fmt: skip
        self._loops -= 1
        return f"{self.list(0)}.{macro}({name}, {test})"

    def duration(self, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.5:
            return self.random.choice(DURATIONS)
        return self.random.choice(
            [
                f"({self.duration(depth - 1)} + {self.duration(depth - 1)})",
                f"({self.time(depth - 1)} - {self.time(depth - 1)})",
            ]
        )

    def time(self, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.5:
            return self.random.choice(TIMES)
        return f"({self.time(depth - 1)} {self.random.choice('+-')} {self.duration(depth - 1)})"


def make_row(pick: random.Random) -> dict[str, object]:
    """Return an offering in which any optional field may be missing."""
    family = pick.choice(FAMILIES)
    row: dict[str, object] = {
        "name": f"{family}.{pick.choice(['large', 'xlarge', '8xlarge'])}",
        "family": family,
        "zone": pick.choice("abc"),
        "arch": pick.choice(["amd64", "arm64"]),
        "os": "linux",
        "capacityType": pick.choice(["spot", "on-demand"]),
        "cpu": float(pick.choice([1, 2, 4, 8, 16])),
        "memory": float(pick.choice([4, 8, 16]) << 30),
        "pods": pick.choice([0, 4, 29, 58]),
        "allocatable": {"cpu": 1.93, "memory": float(pick.choice([3, 7]) << 30), "pods": 29},
        "price": round(pick.random() * 3, 5),
        "features": tuple(pick.sample(["burstable", "nvme", "flex", "a"], pick.randint(0, 3))),
        "available": pick.random() < 0.8,
        "labels": {
            key: pick.choice(["a", "b", "m5"]) for key in ("team", "tier") if pick.random() < 0.6
        },
        "resources": {"ephemeral-storage": 2.0e10} if pick.random() < 0.7 else {},
    }
    if pick.random() < 0.5:
        row["generation"] = pick.choice([4, 5, 6, 7])
    if pick.random() < 0.4:
        row["gpu"] = {"count": pick.choice([1, 4, 8])}
        if pick.random() < 0.6:
            row["gpu"] |= {"model": pick.choice(["a10g", "h100"]), "memory": 2.4e10}
    return row


def make_bindings(pick: random.Random) -> dict[str, object]:
    """Return the variables that are the same for every row."""
    return {
        "shape": {
            "namespace": pick.choice(["a", "batch"]), "cpu": pick.choice([0.5, 4.0]), "gpu": pick.choice([0, 1, -9]),
            "priority": pick.choice([-10, 0, 1000]), "archs": pick.choice([("arm64", "amd64"), ("amd64",), ()]),
            "labels": pick.choice([{}, {"a": "m5"}]), "restartable": pick.random() < 0.5,
            "pendingFor": timedelta(seconds=pick.choice([0, 90, 7200])),
        },
        "params": {"share": 0.75, "least": 4, "family": "m5", "grace": timedelta(minutes=15)},
        "now": datetime(2026, 3, 29, pick.choice([0, 1, 12]), 30, tzinfo=UTC),
    }  # fmt: skip
