"""The algebra of one label requirement, and the form in which people write it.

A requirement is the set of values that a label may take: some listed values, or all but some,
within integer bounds. Intersecting two of them is what narrowing a NodeClaim means.

Source: reference behaviour of Karpenter's scheduling package, v1.14.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from policyscaler.model.labels import stable_key
from policyscaler.model.meta import SourcePosition, Value

OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte")
NUMERIC_OPERATORS: Final = ("Gt", "Lt", "Gte", "Lte")
_MAX_INT: Final = 2**63 - 1
_MIN_INT: Final = -(2**63)
_PRINTED_VALUES: Final = 5


class NodeSelectorRequirement(Value, frozen=True, kw_only=True):
    """One requirement as written in a manifest: key, operator, values, minValues."""

    key: str
    operator: str
    values: tuple[str, ...] = ()
    min_values: int | None = None
    source: SourcePosition | None = None


class Requirement(Value, frozen=True, kw_only=True):
    """The values that one label may take.

    Attributes:
        key: the label's stable key.
        complement: whether `values` are the forbidden ones instead of the allowed ones.
        values: the listed values.
        lower: inclusive lower bound of the value as an integer, or None.
        upper: inclusive upper bound, or None.
        min_values: how many distinct values the instance types of a claim must keep.
        required: the label must be there although the operator does not say so: what is left of
            Exists or In after an intersection with NotIn or DoesNotExist.
    """

    key: str
    complement: bool
    values: frozenset[str] = frozenset()
    lower: int | None = None
    upper: int | None = None
    min_values: int | None = None
    required: bool = False

    @property
    def operator(self) -> str:
        """In, NotIn, Exists or DoesNotExist: bounds read back as Exists."""
        if self.complement:
            return "NotIn" if self.values else "Exists"
        return "In" if self.values else "DoesNotExist"

    @property
    def excludes_nothing_positive(self) -> bool:
        """Whether a node without the label satisfies it (NotIn or DoesNotExist)."""
        return self.operator in ("NotIn", "DoesNotExist") and not self.required

    @property
    def is_impossible(self) -> bool:
        """Whether neither a value nor the label's absence satisfies it."""
        return self.required and not self.complement and not self.values

    def allows(self, value: str) -> bool:
        """Returns whether the label may have this value."""
        return (value in self.values) != self.complement and self._in_bounds(value)

    def intersect(self, other: Requirement) -> Requirement:
        """Returns the requirement that both together make; the larger minValues stays."""
        lower = _tighter(self.lower, other.lower, largest=True)
        upper = _tighter(self.upper, other.upper, largest=False)
        minimum = _tighter(self.min_values, other.min_values, largest=True)
        demanded = not (self.excludes_nothing_positive and other.excludes_nothing_positive)
        if lower is not None and upper is not None and lower > upper:
            return Requirement(
                key=self.key, complement=False, min_values=minimum, required=demanded
            )
        if self.complement and other.complement:
            values = self.values | other.values
            return Requirement(
                key=self.key, complement=True, values=values, lower=lower, upper=upper,
                min_values=minimum, required=demanded and bool(values),
            )  # fmt: skip
        concrete, screen = (other, self) if self.complement else (self, other)
        kept = frozenset(v for v in concrete.values if concrete.allows(v) and screen.allows(v))
        return Requirement(
            key=self.key, complement=False, values=kept, min_values=minimum,
            required=demanded and not kept,
        )  # fmt: skip

    def intersects(self, other: Requirement) -> bool:
        """Returns whether some value may satisfy both; two complements always do unless bounds cross.

        Cheaper than `intersect`, and like Karpenter's test it does not look into a narrow window
        of integers that NotIn has emptied.
        """
        lower = _tighter(self.lower, other.lower, largest=True)
        upper = _tighter(self.upper, other.upper, largest=False)
        if lower is not None and upper is not None and lower > upper:
            return False
        if self.complement and other.complement:
            return True
        concrete, screen = (other, self) if self.complement else (self, other)
        return any(concrete.allows(v) and screen.allows(v) for v in concrete.values)

    def to_manifest(self) -> tuple[NodeSelectorRequirement, ...]:
        """Returns the entries that say the same in a manifest; two for a two-sided bound.

        A NotIn beside bounds or Exists keeps its own entry, so nothing is lost.
        """
        entries: list[tuple[str, tuple[str, ...]]] = []
        if self.lower is not None:
            entries.append(("Gte", (str(self.lower),)))
        if self.upper is not None:
            entries.append(("Lte", (str(self.upper),)))
        if self.required and self.complement and not entries:
            entries.append(("Exists", ()))
        if not entries or (self.complement and self.values):
            entries.append((self.operator, tuple(sorted(self.values))))
        return tuple(
            NodeSelectorRequirement(
                key=self.key, operator=operator, values=values, min_values=self.min_values
            )
            for operator, values in entries
        )

    def __str__(self) -> str:
        """Returns `key Op [values] >=a <=b minValues n`, at most five values written out."""
        parts = [self.key, self.operator]
        if self.values:
            listed = sorted(self.values)
            more = len(listed) - _PRINTED_VALUES
            text = " ".join(listed[:_PRINTED_VALUES])
            parts.append(f"[{text} and {more} others]" if more > 0 else f"[{text}]")
        if self.lower is not None:
            parts.append(f">={self.lower}")
        if self.upper is not None:
            parts.append(f"<={self.upper}")
        if self.min_values is not None:
            parts.append(f"minValues {self.min_values}")
        return " ".join(parts)

    def _in_bounds(self, value: str) -> bool:
        if self.lower is None and self.upper is None:
            return True
        number = as_integer(value)
        if number is None:
            return False
        return (self.lower is None or number >= self.lower) and (
            self.upper is None or number <= self.upper
        )


def as_integer(text: str) -> int | None:
    """Returns the integer that a label value spells, or None; signs are allowed, spaces are not."""
    body = text[1:] if text[:1] in ("+", "-") else text
    if not (body.isascii() and body.isdigit()):
        return None
    number = int(text) if len(body) < 20 else _MAX_INT + 1
    return number if _MIN_INT <= number <= _MAX_INT else None


def requirement(
    key: str, operator: str, values: tuple[str, ...] = (), *, min_values: int | None = None
) -> Requirement:
    """Returns the algebra's form of a written requirement; aliases of keys become stable.

    Args:
        key: the label.
        operator: one of OPERATORS, validated before.
        values: as the operator asks; exactly one integer for the numeric ones.
        min_values: how many distinct values must stay.
    """
    name = stable_key(key)
    match operator:
        case "In":
            return Requirement(
                key=name, complement=False, values=frozenset(values), min_values=min_values
            )
        case "NotIn":
            return Requirement(
                key=name, complement=True, values=frozenset(values), min_values=min_values
            )
        case "DoesNotExist":
            return Requirement(key=name, complement=False, min_values=min_values)
        case "Exists":
            return Requirement(key=name, complement=True, min_values=min_values)
        case _:
            return _numeric(name, operator, int(values[0]), min_values=min_values)


def _numeric(key: str, operator: str, bound: int, *, min_values: int | None) -> Requirement:
    if operator == "Gt" and bound >= _MAX_INT:
        return Requirement(key=key, complement=False, required=True)
    lower = {"Gt": bound + 1, "Gte": bound}.get(operator)
    upper = {"Lt": bound - 1, "Lte": bound}.get(operator)
    return Requirement(key=key, complement=True, lower=lower, upper=upper, min_values=min_values)


def from_manifest(written: NodeSelectorRequirement) -> Requirement:
    """Returns the algebra's form of a requirement in a manifest."""
    return requirement(written.key, written.operator, written.values, min_values=written.min_values)


def from_labels(labels: Mapping[str, str]) -> dict[str, Requirement]:
    """Returns one In requirement for each label, by stable key."""
    return {stable_key(key): requirement(key, "In", (value,)) for key, value in labels.items()}


def _tighter(a: int | None, b: int | None, *, largest: bool) -> int | None:
    if a is None or b is None:
        return b if a is None else a
    return max(a, b) if largest else min(a, b)
