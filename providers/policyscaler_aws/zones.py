"""Which availability zones each region has.

Source: AWS's list of regions and zones. Which letters an account sees differs in the older
regions, and local and wavelength zones are left out; a class whose status names its subnets
overrules this table.
"""

from __future__ import annotations

from typing import Final

from policyscaler.model.errors import ConfigError

DEFAULT_REGION: Final = "us-east-1"

_LETTERS: Final = {
    "af-south-1": "abc",
    "ap-east-1": "abc",
    "ap-east-2": "abc",
    "ap-northeast-1": "acd",
    "ap-northeast-2": "abcd",
    "ap-northeast-3": "abc",
    "ap-south-1": "abc",
    "ap-south-2": "abc",
    "ap-southeast-1": "abc",
    "ap-southeast-2": "abc",
    "ap-southeast-3": "abc",
    "ap-southeast-4": "abc",
    "ap-southeast-5": "abc",
    "ap-southeast-6": "abc",
    "ap-southeast-7": "abc",
    "ca-central-1": "abd",
    "ca-west-1": "abc",
    "cn-north-1": "abd",
    "cn-northwest-1": "abc",
    "eu-central-1": "abc",
    "eu-central-2": "abc",
    "eu-north-1": "abc",
    "eu-south-1": "abc",
    "eu-south-2": "abc",
    "eu-west-1": "abc",
    "eu-west-2": "abc",
    "eu-west-3": "abc",
    "il-central-1": "abc",
    "me-central-1": "abc",
    "me-south-1": "abc",
    "mx-central-1": "abc",
    "sa-east-1": "abc",
    "us-east-1": "abcdef",
    "us-east-2": "abc",
    "us-gov-east-1": "abc",
    "us-gov-west-1": "abc",
    "us-west-1": "ac",
    "us-west-2": "abcd",
}


def zones_of_region(region: str) -> tuple[str, ...]:
    """Returns the names of a region's zones, sorted.

    Raises:
        ConfigError: the region is not in the table.
    """
    if region not in _LETTERS:
        known = ", ".join(sorted(_LETTERS))
        raise ConfigError(f'no zones are known for the AWS region "{region}"; known are {known}')
    return tuple(region + letter for letter in _LETTERS[region])
