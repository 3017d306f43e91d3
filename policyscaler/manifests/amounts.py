"""Quantities by resource: from what is written to integers, with a complaint per bad entry."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from policyscaler.manifests.findings import Code, Path
from policyscaler.manifests.reporting import Reporter
from policyscaler.model.errors import QuantityError
from policyscaler.model.quantities import resource_amount


@lru_cache(maxsize=4096)
def _amount(resource: str, value: str) -> int:
    return resource_amount(resource, value)


def decode_amounts(
    written: Mapping[str, str | int | float], *, at: Path, reporter: Reporter
) -> dict[str, int]:
    """Returns the amounts in the units of `model.quantities.resource_amount`.

    A quantity that is none, or is negative, is reported and left out.
    """
    amounts: dict[str, int] = {}
    for resource, value in written.items():
        try:
            amount = (
                _amount(resource, value)
                if isinstance(value, str)
                else resource_amount(resource, value)
            )
        except QuantityError as error:
            reporter.error(Code.BAD_QUANTITY, str(error), at=(*at, resource))
            continue
        if amount < 0:
            message = f"{value} is negative; an amount of {resource} is zero or more"
            reporter.error(Code.BAD_QUANTITY, message, at=(*at, resource))
        amounts[resource] = amount
    return amounts
