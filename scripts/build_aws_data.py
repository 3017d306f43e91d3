"""Writes the facts that the AWS provider ships, from a folder of CSV files.

Usage: `python scripts/build_aws_data.py SOURCE`, or `make aws-data SOURCE=dir`.

SOURCE holds four files of facts read off AWS's public pages and API answers:

* `instance_types.csv`: a row per instance type; label values under the label's name without its
  `karpenter.k8s.aws/` prefix, and under `alloc:<resource>` what a node with the AL2023 image and
  default settings can allocate.
* `vpc_limits.csv`: network interfaces and addresses per instance type. `network_cards` is JSON.
* `ondemand_pricing.csv.gz`: Linux on-demand prices per region and type, dated by `generated_at`.
* `COUNTS.json`: how many rows each has; the build stops where they differ.

What comes out is JSON with one line per row, so that a newer set of facts can be read as a diff:
`types.json` and `prices-<region>.json` beside the provider, and the published allocatable beside
its tests. `manifest.json` records the number of rows and the SHA-256 of each file that is shipped.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "providers" / "policyscaler_aws" / "data"
EXPECTED = ROOT / "tests" / "unit" / "aws" / "published_allocatable.json"

Row = dict[str, str]
Cell = str | int | bool | None | list[int]

# EC2's larger types all have this many IPv4 addresses per interface; with it the published pod
# count of the few types that the limits table lacks gives their number of interfaces.
ADDRESSES_OF_UNLISTED = 50


def build(source: Path, *, data: Path = DATA, expected: Path = EXPECTED) -> dict[str, int]:
    """Writes all files and returns the number of rows in each, by file name.

    Args:
        source: the folder of CSV files.
        data: where the shipped files go.
        expected: the file that the tests read.
    """
    types = _read(source / "instance_types.csv")
    limits = {row["instance_type"]: row for row in _read(source / "vpc_limits.csv")}
    prices = _read(source / "ondemand_pricing.csv.gz")
    _check_counts(source, types=len(types), limits=len(limits), prices=len(prices))
    tables = {
        data / "types.json": [_type_row(row, limits.get(row["instance_type"])) for row in types],
        expected: [_expected_row(row, listed=row["instance_type"] in limits) for row in types],
    }
    texts = {path: _lines(rows) for path, rows in tables.items()}
    counts = {path.name: len(rows) for path, rows in tables.items()}
    for region in sorted({row["region"] for row in prices}):
        own = sorted((row for row in prices if row["region"] == region), key=_name)
        texts[data / f"prices-{region}.json"] = _price_table(own)
        counts[f"prices-{region}.json"] = len(own)
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    _write_manifest(sorted(path for path in texts if path.parent == data), data, counts=counts)
    return counts


def _name(row: Row) -> str:
    return row["instance_type"]


def _read(path: Path) -> list[Row]:
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8", newline="") as packed:
            return list(csv.DictReader(packed))
    with path.open(encoding="utf-8", newline="") as plain:
        return list(csv.DictReader(plain))


def _check_counts(source: Path, *, types: int, limits: int, prices: int) -> None:
    counts = json.loads((source / "COUNTS.json").read_text(encoding="utf-8"))
    for name, found in (
        ("instance_types.csv", types),
        ("vpc_limits.csv", limits),
        ("ondemand_pricing.csv.gz", prices),
    ):
        if counts[name] != found:
            raise SystemExit(f"{name} has {found} rows; COUNTS.json says {counts[name]}")


def _type_row(row: Row, limits: Row | None) -> list[Cell]:
    # The order of TypeFacts in policyscaler_aws/facts.py.
    return [
        row["instance_type"],
        int(row["instance-cpu"]),
        int(row["instance-memory"]),
        row["kubernetes.io/arch"],
        row["instance-cpu-manufacturer"],
        int(row["instance-cpu-sustained-clock-speed-mhz"]),
        row["instance-hypervisor"],
        row["instance-encryption-in-transit-supported"] == "true",
        _number(row["instance-ebs-bandwidth"]),
        _number(row["instance-network-bandwidth"]),
        _number(row["instance-local-nvme"]),
        *_network(row, limits),
        int(row["alloc:vpc.amazonaws.com/efa"] or 0),
        row["instance-gpu-name"],
        row["instance-gpu-manufacturer"],
        int(row["instance-gpu-count"] or 0),
        int(row["instance-gpu-memory"] or 0),
        row["instance-accelerator-name"],
        row["instance-accelerator-manufacturer"],
        int(row["instance-accelerator-count"] or 0),
        int(row["alloc:aws.amazon.com/neuron"] or 0),
        int(row["alloc:aws.amazon.com/neuroncore"] or 0),
    ]


def _network(row: Row, limits: Row | None) -> list[Cell]:
    """Returns interfaces per card (the default one first), addresses, branch interfaces, Windows."""
    if limits is None:
        interfaces = (int(row["alloc:pods"]) - 2) // (ADDRESSES_OF_UNLISTED - 1)
        return [[interfaces], ADDRESSES_OF_UNLISTED, 0, 0]
    if limits["default_network_card_index"] != "0":
        raise SystemExit(f"{row['instance_type']}: its default network card is not its first")
    cards = [int(card["max_interfaces"]) for card in json.loads(limits["network_cards"])]
    branches = int(limits["branch_interfaces"]) if limits["trunking_compatible"] == "true" else 0
    return [cards, int(limits["ipv4_per_interface"]), branches, int(limits["private_ipv4_windows"])]


def _number(text: str) -> int | None:
    return int(text) if text else None


def _expected_row(row: Row, *, listed: bool) -> list[Cell]:
    """Returns what is published about a type, which the tests hold the formulas against.

    In order: name; milli-CPU, MiB of memory, pods and GiB of storage that can be allocated, memory
    and pods only where limits are known; GPUs; category, family, generation, size and flex.
    """
    gpus = int(row["alloc:nvidia.com/gpu"] or 0) + int(row["alloc:amd.com/gpu"] or 0)
    return [
        row["instance_type"],
        int(row["alloc:cpu"].removesuffix("m")),
        int(row["alloc:memory"].removesuffix("Mi")) if listed else None,
        int(row["alloc:pods"]) if listed else None,
        int(row["alloc:ephemeral-storage"].removesuffix("Gi")),
        gpus,
        *(row[f"instance-{part}"] for part in ("category", "family", "generation", "size")),
        row["instance-capability-flex"],
    ]


def _price_table(rows: Sequence[Row]) -> str:
    head = json.dumps({"currency": rows[0]["currency"], "generatedAt": rows[0]["generated_at"]})
    priced = _lines([[row["instance_type"], _micros(row["price_per_hour"])] for row in rows])
    return f'{head[:-1]}, "microsPerHour": {priced.rstrip()}}}\n'


def _micros(text: str) -> int:
    whole, _, fraction = text.partition(".")
    if len(fraction) > 6:
        raise SystemExit(f"the price {text} has more than six places")
    return int(whole) * 1_000_000 + int(fraction.ljust(6, "0"))


def _lines(rows: Iterable[list[Cell]]) -> str:
    return "[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]\n"


def _write_manifest(paths: Iterable[Path], data: Path, *, counts: dict[str, int]) -> None:
    files = {
        path.name: {
            "rows": counts[path.name],
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for path in paths
    }
    (data / "manifest.json").write_text(json.dumps(files, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Reads the command line, writes the files and prints how many rows each has."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", type=Path, help="the folder with the CSV files")
    counts = build(parser.parse_args().source)
    for name, rows in sorted(counts.items()):
        print(f"{rows:6d} rows  {name}")


if __name__ == "__main__":
    main()
