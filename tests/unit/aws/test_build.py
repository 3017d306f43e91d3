"""The script that makes the data files, on a source of two types."""

import csv
import gzip
import io
import json

import pytest

from policyscaler_aws.facts import DATA
from scripts.build_aws_data import build

PUBLISHED = {
    "instance-cpu": "2", "instance-memory": "8192", "kubernetes.io/arch": "amd64",
    "instance-cpu-manufacturer": "intel", "instance-cpu-sustained-clock-speed-mhz": "3100",
    "instance-hypervisor": "nitro", "instance-encryption-in-transit-supported": "false",
    "instance-ebs-bandwidth": "4750", "instance-network-bandwidth": "", "instance-local-nvme": "",
    "instance-category": "m", "instance-family": "m5", "instance-generation": "5",
    "instance-size": "large", "instance-capability-flex": "false", "instance-gpu-name": "",
    "instance-gpu-manufacturer": "", "instance-gpu-count": "", "instance-gpu-memory": "",
    "instance-accelerator-name": "", "instance-accelerator-manufacturer": "",
    "instance-accelerator-count": "", "alloc:cpu": "1930m", "alloc:memory": "6903Mi",
    "alloc:pods": "100", "alloc:ephemeral-storage": "17Gi", "alloc:vpc.amazonaws.com/efa": "",
    "alloc:nvidia.com/gpu": "", "alloc:amd.com/gpu": "", "alloc:aws.amazon.com/neuron": "",
    "alloc:aws.amazon.com/neuroncore": "",
}  # fmt: skip
LIMITS = {
    "instance_type": "m5.large", "ipv4_per_interface": "10", "default_network_card_index": "0",
    "network_cards": '[{"index":0,"max_interfaces":3}]', "trunking_compatible": "true",
    "branch_interfaces": "9", "private_ipv4_windows": "9",
}  # fmt: skip
PRICE = {
    "region": "us-east-1", "instance_type": "m5.large", "price_per_hour": "0.096000",
    "currency": "USD", "generated_at": "2026-07-20T13:44:30Z",
}  # fmt: skip


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    types = [{"instance_type": name, **PUBLISHED} for name in ("hpc9a.large", "m5.large")]
    write(folder / "instance_types.csv", types)
    write(folder / "vpc_limits.csv", [LIMITS])
    write(folder / "ondemand_pricing.csv.gz", [PRICE])
    counts = {"instance_types.csv": 2, "vpc_limits.csv": 1, "ondemand_pricing.csv.gz": 1}
    (folder / "COUNTS.json").write_text(json.dumps(counts), encoding="utf-8")
    return folder


def write(path, rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    content = text.getvalue().encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


def test_rows_become_lines_and_are_counted(source, tmp_path):
    counts = build(source, data=tmp_path, expected=tmp_path / "expected" / "e.json")
    assert counts == {"types.json": 2, "e.json": 2, "prices-us-east-1.json": 1}
    types = json.loads((tmp_path / "types.json").read_text(encoding="utf-8"))
    shipped = json.loads((DATA / "types.json").read_text(encoding="utf-8"))
    assert len(types[1]) == len(shipped[0])
    assert types[1][11:15] == [[3], 10, 9, 9]
    prices = json.loads((tmp_path / "prices-us-east-1.json").read_text(encoding="utf-8"))
    assert prices["microsPerHour"] == [["m5.large", 96_000]]


def test_a_type_without_limits_gets_the_interfaces_that_its_pods_need(source, tmp_path):
    build(source, data=tmp_path, expected=tmp_path / "expected" / "e.json")
    types = json.loads((tmp_path / "types.json").read_text(encoding="utf-8"))
    assert types[0][11:15] == [[2], 50, 0, 0]
    expected = json.loads((tmp_path / "expected" / "e.json").read_text(encoding="utf-8"))
    assert [row[2:4] for row in expected] == [[None, None], [6903, 100]]


def test_a_source_that_lost_rows_is_refused(source, tmp_path):
    counts = {"instance_types.csv": 3, "vpc_limits.csv": 1, "ondemand_pricing.csv.gz": 1}
    (source / "COUNTS.json").write_text(json.dumps(counts), encoding="utf-8")
    with pytest.raises(SystemExit, match="has 2 rows; COUNTS"):
        build(source, data=tmp_path)
