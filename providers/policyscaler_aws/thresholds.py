"""When the kubelet starts to evict pods."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from policyscaler.model import resources as res
from policyscaler.model.errors import ConfigError
from policyscaler.model.meta import Value
from policyscaler.model.quantities import resource_amount
from policyscaler_aws.settings import MILLION


class Threshold(Value, frozen=True, kw_only=True):
    """When the kubelet evicts: an amount, or millionths of the capacity where `ppm` is set."""

    amount: int = 0
    ppm: int | None = None

    def of(self, capacity: int) -> int:
        """Returns what is kept free of a capacity; 100 % switches the threshold off."""
        if self.ppm is None:
            return self.amount
        return 0 if self.ppm == MILLION else -(-capacity * self.ppm // MILLION)


def parse_threshold(text: str) -> Threshold:
    """Returns an eviction threshold: a percentage such as `10%`, or a quantity such as `500Mi`.

    Raises:
        ConfigError: the text is neither, or out of range.
    """
    if not text.endswith("%"):
        amount = resource_amount(res.MEMORY, text)
        if amount < 0:
            raise ConfigError(f'"{text}" is negative; a threshold is zero or more')
        return Threshold(amount=amount)
    try:
        ppm = Decimal(text[:-1]) * (MILLION // 100)
    except InvalidOperation:
        ppm = Decimal("NaN")
    if not ppm.is_finite() or not 0 <= ppm <= MILLION:
        raise ConfigError(f'"{text}" is not a percentage from 0% to 100%')
    return Threshold(ppm=int(ppm.to_integral_value()))
