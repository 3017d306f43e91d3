"""What an hour of each instance type costs: published on demand, invented on spot."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from typing import Final

import msgspec

from policyscaler_aws.facts import DATA
from policyscaler_aws.zones import DEFAULT_REGION

_LEAST_DISCOUNT: Final = 500
_DISCOUNT_RANGE: Final = 251
"""Thousandths: simulated spot prices lie 50 to 75 % below the on-demand price."""


class _Table(msgspec.Struct, frozen=True, rename="camel"):
    currency: str
    generated_at: str
    micros_per_hour: tuple[tuple[str, int], ...]


class PriceTable(msgspec.Struct, frozen=True, kw_only=True):
    """On-demand prices of one region.

    Attributes:
        region: whose prices these are; not always the region that was asked for.
        currency: USD or CNY.
        date: the day on which they were published.
        micros_per_hour: by instance type, in millionths of the currency.
        digest: of the file that they came from.
    """

    region: str
    currency: str
    date: str
    micros_per_hour: Mapping[str, int]
    digest: str


@cache
def on_demand_prices(region: str) -> PriceTable:
    """Returns the prices of a region, or those of us-east-1 where it has no table of its own."""
    path = DATA / f"prices-{region}.json"
    if not path.is_file():
        return on_demand_prices(DEFAULT_REGION)
    raw = path.read_bytes()
    table = msgspec.json.decode(raw, type=_Table)
    return PriceTable(
        region=region,
        currency=table.currency,
        date=table.generated_at[:10],
        micros_per_hour=dict(table.micros_per_hour),
        digest=hashlib.blake2b(raw, digest_size=8).hexdigest(),
    )


def simulated_spot_price(on_demand: int, *, type_name: str, zone: str, seed: int) -> int:
    """Returns an invented spot price in the unit of the on-demand price.

    It depends on its arguments alone, so a simulation costs the same wherever it runs.
    """
    digest = hashlib.blake2b(f"{seed}/{type_name}/{zone}".encode(), digest_size=4).digest()
    discount = _LEAST_DISCOUNT + int.from_bytes(digest, "big") % _DISCOUNT_RANGE
    return on_demand * (1000 - discount) // 1000
