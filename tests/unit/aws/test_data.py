import hashlib
import json

import pytest

from policyscaler_aws.facts import DATA, load_facts
from policyscaler_aws.prices import on_demand_prices

MANIFEST = json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(MANIFEST))
def test_a_data_file_is_the_one_that_was_recorded(name):
    content = (DATA / name).read_bytes()
    assert hashlib.sha256(content).hexdigest() == MANIFEST[name]["sha256"]
    assert content.count(b"\n[") == MANIFEST[name]["rows"]


def test_every_data_file_is_recorded():
    assert sorted(path.name for path in DATA.glob("*.json")) == sorted([*MANIFEST, "manifest.json"])


def test_1363_types_are_known_sorted_and_unique():
    names = [facts.name for facts in load_facts().types]
    assert len(names) == 1363
    assert names == sorted(set(names))


@pytest.mark.parametrize(
    ("region", "count", "currency"),
    [
        ("us-east-1", 1367, "USD"),
        ("us-gov-east-1", 549, "USD"),
        ("us-gov-west-1", 770, "USD"),
        ("cn-north-1", 316, "CNY"),
    ],
)
def test_a_region_has_its_published_prices(region, count, currency):
    table = on_demand_prices(region)
    assert (len(table.micros_per_hour), table.currency) == (count, currency)
    assert all(micros > 0 for micros in table.micros_per_hour.values())


def test_prices_of_a_region_without_a_table_are_those_of_us_east_1():
    assert on_demand_prices("eu-west-1") is on_demand_prices("us-east-1")
    assert on_demand_prices("eu-west-1").micros_per_hour["m5.large"] == 96_000


def test_the_source_and_the_date_of_the_facts_are_told():
    assert "Amazon Web" in (DATA / "SOURCES.md").read_text(encoding="utf-8")
    assert on_demand_prices("us-east-1").date == "2026-07-20"
