"""Kubernetes quantities as exact integers.

A quantity is kept as a whole number of nano-units, the finest step that the Kubernetes grammar
knows, so every legal text has exactly one value and "1", "1000m" and "1e0" are equal. Amounts of
a resource are then cut to the unit that fits are tested in: milli-units for cpu, whole units
for everything else, both rounded up, as Kubernetes does.

Source: the grammar of k8s.io/apimachinery resource.Quantity.
"""

from __future__ import annotations

import re
from typing import Final

from policyscaler.model.errors import QuantityError

NANO: Final = 1_000_000_000
_MAX_NANOS: Final = (2**63 - 1) * NANO
_MAX_LENGTH: Final = 64

_DECIMAL: Final = {
    "n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18,
}  # fmt: skip
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_NUMBER: Final = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>[0-9]*)(?:\.(?P<fraction>[0-9]*))?"
    r"(?P<suffix>[eE][+-]?[0-9]+|[A-Za-z]*)",
    re.ASCII,
)
_NEAR: Final = {
    "K": "k or Ki", "kb": "k or Ki", "KB": "k or Ki", "KiB": "Ki", "mb": "M or Mi",
    "MB": "M or Mi", "MiB": "Mi", "gb": "G or Gi", "GB": "G or Gi", "GiB": "Gi", "g": "G or Gi",
    "tb": "T or Ti", "TB": "T or Ti", "TiB": "Ti", "t": "T or Ti", "mi": "Mi", "gi": "Gi",
    "ki": "Ki", "ti": "Ti", "p": "P or Pi", "b": "",
}  # fmt: skip


def parse_quantity(value: str | int | float) -> int:
    """Returns the exact number of nano-units that a quantity stands for.

    Args:
        value: the text, or the bare number that YAML made of it.

    Raises:
        QuantityError: the text is no quantity; the message suggests a near form.

    Example:
        >>> parse_quantity("1.5Gi") == 1610612736 * NANO
        True
    """
    if isinstance(value, bool):
        raise QuantityError(f"{str(value).lower()} is not a quantity; write a number such as 500m")
    if isinstance(value, int):
        nanos = value * NANO
        if abs(nanos) > _MAX_NANOS:
            raise QuantityError(f"{str(value)[:40]} is larger than a quantity can be (2^63-1)")
        return nanos
    text = repr(value) if isinstance(value, float) else value
    return _parse_text(text)


def _parse_text(text: str) -> int:
    if len(text) > _MAX_LENGTH:
        raise QuantityError(f'"{text[:20]}…" has {len(text)} characters; a quantity has at most 64')
    match = _NUMBER.fullmatch(text)
    if match is None or not (match["whole"] or match["fraction"]):
        raise QuantityError(f'"{text}" is not a quantity{_hint(text)}')
    power = _power(text, match["suffix"])
    digits, fraction = match["whole"] or "", match["fraction"] or ""
    number = int(digits + fraction or "0")
    numerator, denominator = number * power[0] * NANO, power[1] * 10 ** len(fraction)
    # Kubernetes rounds what is finer than a nano-unit away from zero, so that a tiny request
    # never becomes none.
    nanos = -(-numerator // denominator)
    if nanos > _MAX_NANOS:
        raise QuantityError(f'"{text}" is larger than a quantity can be (2^63-1)')
    return -nanos if match["sign"] == "-" else int(nanos)


def _power(text: str, suffix: str) -> tuple[int, int]:
    if suffix in _BINARY:
        return 1 << _BINARY[suffix], 1
    if suffix in _DECIMAL:
        exponent = _DECIMAL[suffix]
    elif suffix[:1] in ("e", "E") and suffix[1:].lstrip("+-").isdigit():
        exponent = int(suffix[1:])
    else:
        raise QuantityError(f'"{text}" is not a quantity{_hint(text)}')
    if abs(exponent) > 30:
        raise QuantityError(f'"{text}" has an exponent beyond what a quantity can hold')
    return (10**exponent, 1) if exponent >= 0 else (1, 10**-exponent)


def _hint(text: str) -> str:
    compact = text.replace(" ", "").replace("_", "").replace(",", ".")
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([A-Za-z]*)", compact)
    if match is None:
        return "; write a number with a suffix, such as 500m, 2, 1.5Gi or 100M"
    number, suffix = match.groups()
    if suffix in _DECIMAL or suffix in _BINARY:
        return f'; did you mean "{number}{suffix}"?'
    if suffix in _NEAR:
        forms = [f'"{number}{form}"' for form in _NEAR[suffix].split(" or ")]
        return f"; did you mean {' or '.join(forms)}?"
    return "; the suffixes are m, k, M, G, T, P, E and Ki, Mi, Gi, Ti, Pi, Ei"


def whole_units(nanos: int) -> int:
    """Returns a quantity in whole units, rounded up."""
    return -(-nanos // NANO)


def milli_units(nanos: int) -> int:
    """Returns a quantity in thousandths, rounded up."""
    return -(-nanos // (NANO // 1000))


def resource_amount(resource: str, value: str | int | float) -> int:
    """Returns an amount of a resource in the unit that fits are tested in.

    Args:
        resource: its name; `cpu` is counted in milli-CPU, all others in whole units.
        value: the quantity.

    Raises:
        QuantityError: the value is no quantity.
    """
    nanos = parse_quantity(value)
    return milli_units(nanos) if resource == "cpu" else whole_units(nanos)


def format_resource(resource: str, amount: int) -> str:
    """Returns the shortest exact text of an amount in the unit of `resource_amount`.

    Example:
        >>> format_resource("cpu", 1930), format_resource("memory", 7 * 2**30)
        ('1930m', '7Gi')
    """
    if resource == "cpu":
        return str(amount // 1000) if amount % 1000 == 0 else f"{amount}m"
    if resource not in ("memory", "ephemeral-storage") and not resource.startswith("hugepages-"):
        return str(amount)
    for suffix, shift in reversed(_BINARY.items()):
        if amount and amount % (1 << shift) == 0:
            return f"{amount >> shift}{suffix}"
    return str(amount)
