"""A label requirement as an expression with the same meaning on every offering.

The algebra of `model.requirements` is the definition; `scheduling` narrows with it while it packs,
and what is written here is what a person reads. A test holds the two equal.
"""

from __future__ import annotations

from typing import Final

from policyscaler.model import labels as well
from policyscaler.model.requirements import Requirement

_FIELDS: Final = {well.ZONE: "offering.zone", well.CAPACITY_TYPE: "offering.capacityType"}
"""Labels that every offering has, under a shorter name."""

_ITEM: Final = "value"
_CONSTANT: Final = ("true", "false")


def requirement_text(
    requirement: Requirement, *, several: bool = False, lists: tuple[str, ...] = ()
) -> str:
    """Returns the expression that is true on the offerings on which a requirement can hold.

    Args:
        requirement: of one label; minValues is no part of it.
        several: whether some instance type of the catalogue leaves the label open between
            several values; the requirement holds there if one of them satisfies it.
        lists: names of variables that hold the values between them; without, they are written out.
    """
    key = quote(requirement.key)
    short = _FIELDS.get(requirement.key)
    if short is not None:
        direct = _value_text(requirement, short, lists)
        if direct not in _CONSTANT:
            return direct
    single = _single_text(requirement, key, lists)
    if not several:
        return single
    chosen = _value_text(requirement, _ITEM, lists)
    if chosen not in _CONSTANT:
        chosen = f"offering.choices[{key}].exists({_ITEM}, {chosen})"
    return f"{key} in offering.choices ? {chosen} : {single}"


def quote(text: str) -> str:
    """Returns a text as a literal of the language."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _single_text(requirement: Requirement, key: str, lists: tuple[str, ...]) -> str:
    """The expression for offerings on which the label has one value or none."""
    present = f"{key} in offering.labels"
    allowed = _value_text(requirement, f"offering.labels[{key}]", lists)
    if requirement.excludes_nothing_positive:
        return f"!({present})" if allowed == "false" else f"!({present}) || {allowed}"
    return present if allowed == "true" else f"{present} && {allowed}"


def _value_text(requirement: Requirement, value: str, lists: tuple[str, ...]) -> str:
    """What `Requirement.allows` says of one value; a text that is no integer is an error there."""
    parts = []
    if requirement.values:
        listed = lists or (f"[{', '.join(quote(item) for item in sorted(requirement.values))}]",)
        within = " || ".join(f"{value} in {names}" for names in listed)
        if requirement.complement:
            parts.append(f"!({within})")
        else:
            parts.append(f"({within})" if len(listed) > 1 else within)
    elif not requirement.complement:
        return "false"
    if requirement.lower is not None:
        parts.append(f"int({value}) >= {requirement.lower}")
    if requirement.upper is not None:
        parts.append(f"int({value}) <= {requirement.upper}")
    return " && ".join(parts) or "true"
