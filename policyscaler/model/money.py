"""Money: whole micro-dollars per hour, printed as exact decimals, never a float."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Final

from policyscaler.model.errors import ConfigError

MICROS: Final = 1_000_000


def parse_price(value: str | int | float) -> int:
    """Returns a price in micro-dollars, rounded half even.

    Raises:
        ConfigError: the value is no decimal number that is zero or more.
    """
    text = repr(value) if isinstance(value, float) else str(value)
    try:
        micros = Decimal(text) * MICROS
    except InvalidOperation:
        raise ConfigError(
            f'"{text}" is not a price; write dollars per hour, such as 0.096'
        ) from None
    if isinstance(value, bool) or not micros.is_finite() or micros < 0 or micros > 10**15:
        raise ConfigError(f'"{text}" is not a price; write dollars per hour, zero or more')
    return int(micros.to_integral_value())


def format_price(micros: int) -> str:
    """Returns the exact decimal text in dollars, with at least four places.

    Example:
        >>> format_price(96000), format_price(1234567)
        ('0.0960', '1.234567')
    """
    sign = "-" if micros < 0 else ""
    whole, rest = divmod(abs(micros), MICROS)
    places = f"{rest:06d}"
    return f"{sign}{whole}.{places[:4]}{places[4:].rstrip('0')}"


def decimal_price(micros: int) -> str:
    """Returns the exact decimal text in dollars without trailing zeros, for machine reading."""
    sign = "-" if micros < 0 else ""
    whole, rest = divmod(abs(micros), MICROS)
    places = f"{rest:06d}".rstrip("0")
    return f"{sign}{whole}.{places}" if places else f"{sign}{whole}"
