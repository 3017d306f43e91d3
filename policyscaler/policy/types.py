"""The static types of the policy language.

A type says what a value means, not how it is stored: `columns` keeps a duration as an integer
column and `closures` keeps it as a `timedelta`, and both obey the same signature. Lists and maps
carry an upper bound on their size, which is what makes the cost of a checked expression finite.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

LANGUAGE_VERSION = "1"
MAX_LIST_ITEMS = 1_000
"""No list may hold more items, at load or at run time."""
MAX_STRING_LENGTH = 4_096
"""No string built by an expression may be longer (characters)."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A type without parts: bool, int, double, string, duration, timestamp, semver."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class TypeParameter:
    """A type that a call fixes, as `T` in `list<T>.indexOf(T)`."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class ListType:
    """A list; `bound` is the most items that it can hold and takes no part in equality."""

    item: Type
    bound: int = field(default=MAX_LIST_ITEMS, compare=False)

    def __str__(self) -> str:
        return f"list<{self.item}>"


@dataclass(frozen=True, slots=True)
class MapType:
    """A map from strings; `bound` is the most entries and takes no part in equality."""

    value: Type
    bound: int = field(default=64, compare=False)

    def __str__(self) -> str:
        return f"map<string, {self.value}>"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of an object type.

    Attributes:
        type: What reading it gives.
        description: One sentence for the reference and for completion.
        unit: Unit of a number ("cores", "bytes", "$/h", "0-1"), or "".
        optional: True if it can be absent; reading it then needs `has()` or `orElse`.
        since: The language version that added it.
    """

    type: Type
    description: str
    unit: str = ""
    optional: bool = False
    since: str = LANGUAGE_VERSION


@dataclass(frozen=True, slots=True)
class ObjectType:
    """An object with known fields. Two object types are equal when their names are."""

    name: str
    fields: Mapping[str, Field] = field(default_factory=dict, compare=False)
    description: str = field(default="", compare=False)

    def __str__(self) -> str:
        return self.name


Type: TypeAlias = Scalar | TypeParameter | ListType | MapType | ObjectType

BOOL = Scalar("bool")
INT = Scalar("int")
DOUBLE = Scalar("double")
STRING = Scalar("string")
DURATION = Scalar("duration")
TIMESTAMP = Scalar("timestamp")
SEMVER = Scalar("semver")
NOTHING = Scalar("nothing")
"""The item type of `[]`, which fits every list."""
T = TypeParameter("T")

SCALARS: Mapping[str, Scalar] = MappingProxyType(
    {scalar.name: scalar for scalar in (BOOL, INT, DOUBLE, STRING, DURATION, TIMESTAMP)}
)
"""The types that a parameter of a policy may have, by the name written in YAML."""


def join_types(left: Type, right: Type) -> Type | None:
    """Return the type that both values can take, or None. An int can become a double."""
    if right in {left, NOTHING}:
        return left
    if left == NOTHING:
        return right
    if {left, right} == {INT, DOUBLE}:
        return DOUBLE
    if isinstance(left, ListType) and isinstance(right, ListType):
        item = join_types(left.item, right.item)
        return None if item is None else ListType(item)
    return None
