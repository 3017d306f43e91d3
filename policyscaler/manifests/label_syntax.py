"""The syntax of label keys and values. Source: Kubernetes' validation of names and labels."""

from __future__ import annotations

import re
from typing import Final

_NAME: Final = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?")
_DOMAIN: Final = re.compile(
    r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*"
)
_MAX_NAME: Final = 63
_MAX_DOMAIN: Final = 253


def key_fault(key: str) -> str:
    """Returns what is wrong with the syntax of a label key, or an empty text."""
    domain, slash, name = key.rpartition("/")
    if not name:
        return "a key needs a name"
    if len(name) > _MAX_NAME:
        return f"its name has {len(name)} characters, at most {_MAX_NAME} are allowed"
    if _NAME.fullmatch(name) is None:
        return "a name has letters, digits, -, _ and . and begins and ends with a letter or digit"
    if slash and (len(domain) > _MAX_DOMAIN or _DOMAIN.fullmatch(domain) is None):
        return "the part before / is not a domain name"
    return ""


def value_fault(value: str) -> str:
    """Returns what is wrong with the syntax of a label value, or an empty text."""
    if len(value) > _MAX_NAME:
        return f"it has {len(value)} characters, at most {_MAX_NAME} are allowed"
    if value and _NAME.fullmatch(value) is None:
        return "a value has letters, digits, -, _ and . and begins and ends with a letter or digit"
    return ""
