"""What the provider needs to know beyond the manifests."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Final

from policyscaler.model.errors import ConfigError
from policyscaler.model.meta import Value

MILLION: Final = 1_000_000
_LARGEST: Final = 2**31 - 1


class AwsSettings(Value, frozen=True, kw_only=True):
    """The provider's settings; each names the environment variable that it is read from.

    Attributes:
        region: POLICYSCALER_AWS_REGION; empty means the region of the class's subnets, or else
            us-east-1. The shell's AWS_REGION is not read: a plan must not depend on it unseen.
        spot_seed: POLICYSCALER_AWS_SPOT_SEED: other seeds invent other spot prices.
        memory_overhead_ppm: VM_MEMORY_OVERHEAD_PERCENT, a fraction such as 0.075, kept in
            millionths: the part of a type's memory that its pods never see. Default: Karpenter's.
        reserved_enis: RESERVED_ENIS: interfaces that pods do not get.
    """

    region: str = ""
    spot_seed: int = 0
    memory_overhead_ppm: int = 75_000
    reserved_enis: int = 0


def settings_from(environment: Mapping[str, str]) -> AwsSettings:
    """Returns the settings that an environment asks for.

    Raises:
        ConfigError: a variable holds what it cannot hold; all of them are named at once.
    """
    problems: list[str] = []
    settings = AwsSettings(
        region=environment.get("POLICYSCALER_AWS_REGION", "").strip(),
        spot_seed=_whole(environment, "POLICYSCALER_AWS_SPOT_SEED", problems=problems),
        reserved_enis=_whole(environment, "RESERVED_ENIS", problems=problems),
        memory_overhead_ppm=_fraction(environment, "VM_MEMORY_OVERHEAD_PERCENT", problems=problems),
    )
    if problems:
        raise ConfigError("; ".join(problems))
    return settings


def _whole(environment: Mapping[str, str], name: str, *, problems: list[str]) -> int:
    text = environment.get(name, "").strip() or "0"
    if text.isascii() and text.isdigit() and int(text) <= _LARGEST:
        return int(text)
    problems.append(f'{name} is "{text}"; write a whole number from 0 to {_LARGEST}')
    return 0


def _fraction(environment: Mapping[str, str], name: str, *, problems: list[str]) -> int:
    text = environment.get(name, "").strip() or "0.075"
    try:
        value = Decimal(text) * MILLION
    except InvalidOperation:
        value = Decimal("NaN")
    if value.is_finite() and 0 <= value <= MILLION:
        return int(value.to_integral_value())
    problems.append(f'{name} is "{text}"; write a fraction from 0 to 1, such as 0.075')
    return 0
