"""What `-l` means: label requirements as kubectl writes them, with comparisons beside."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from policyscaler.manifests.findings import did_you_mean
from policyscaler.model import labels as well
from policyscaler.model.errors import ConfigError
from policyscaler.model.offerings import OfferingRow
from policyscaler.model.requirements import Requirement, as_integer, requirement

_KEY: Final = r"[A-Za-z0-9][A-Za-z0-9._/-]*"
_TERM: Final = re.compile(
    rf"\s*(?:(?P<absent>!)\s*(?P<absent_key>{_KEY})"
    rf"|(?P<key>{_KEY})\s*(?:(?P<set>in|notin)\s*\((?P<values>[^()]*)\)"
    r"|(?P<operator>==|=|!=|>=|<=|>|<)\s*(?P<value>[^,\s()]*))?)\s*"
)
_OPERATORS: Final = {
    "=": "In", "==": "In", "in": "In", "!=": "NotIn", "notin": "NotIn",
    ">": "Gt", "<": "Lt", ">=": "Gte", "<=": "Lte",
}  # fmt: skip


def parse_selector(text: str, known: Collection[str]) -> tuple[Requirement, ...]:
    """Returns the requirements that a text such as `zone=a,cpu>=4,arch in (amd64,arm64)` states.

    Args:
        text: terms with commas between them.
        known: the labels that there are; a key may leave out its prefix where that is unique.

    Raises:
        ConfigError: the text is no list of terms, or nothing has such a label.
    """
    found = []
    position = 0
    while position < len(text):
        match = _TERM.match(text, position)
        if match is None or match.end() == position:
            raise ConfigError(_not_a_term(text[position:]))
        found.append(_requirement(match, known))
        position = match.end()
        if position < len(text) and text[position] != ",":
            raise ConfigError(_not_a_term(text[position:]))
        position += 1
    return tuple(found)


def matches(wanted: Requirement, row: OfferingRow) -> bool:
    """Returns whether nodes on an offering may have the label as wanted."""
    values = label_values(wanted.key, row)
    if not values:
        return wanted.excludes_nothing_positive
    return any(wanted.allows(value) for value in values)


def label_values(key: str, row: OfferingRow) -> tuple[str, ...]:
    """Returns the values that a label may have on nodes on an offering; none where it has none."""
    own = {
        **row.offering.labels,
        well.ZONE: row.offering.zone,
        well.CAPACITY_TYPE: row.offering.capacity_type,
    }
    if key in own:
        return (own[key],)
    return tuple(value for value in row.type.labels.get(key, ()) if value)


def _requirement(match: re.Match[str], known: Collection[str]) -> Requirement:
    if match["absent"]:
        return requirement(_full_key(match["absent_key"], known), "DoesNotExist")
    key = _full_key(match["key"], known)
    if match["set"]:
        values = tuple(value.strip() for value in match["values"].split(",") if value.strip())
        if not values:
            raise ConfigError(f'"{match[0].strip()}" lists no value')
        return requirement(key, _OPERATORS[match["set"]], values)
    if not match["operator"]:
        return requirement(key, "Exists")
    operator = _OPERATORS[match["operator"]]
    value = match["value"]
    if operator not in ("In", "NotIn") and as_integer(value) is None:
        raise ConfigError(f'"{match[0].strip()}" compares with "{value}", which is no integer')
    return requirement(key, operator, (value,))


def _full_key(key: str, known: Collection[str]) -> str:
    if key in known or well.stable_key(key) in known:
        return key
    ending = sorted(name for name in known if name.endswith(("/" + key, "/instance-" + key)))
    if len(ending) == 1:
        return ending[0]
    if ending:
        raise ConfigError(f'"{key}" may be {" or ".join(ending)}; write the whole key')
    hint = did_you_mean(key, {*known, *(name.rpartition("/")[2] for name in known)})
    raise ConfigError(f'no offering has a label "{key}"' + (f"; {hint}" if hint else ""))


def _not_a_term(text: str) -> str:
    return (
        f'"{text[:40]}" is no requirement; write key=value, key!=value, key in (a,b), '
        "key notin (a,b), key, !key, key>1, key>=1, key<1 or key<=1, with commas between them"
    )
