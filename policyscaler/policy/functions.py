"""The one table of functions and operators; checker, engines and reference are made from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from policyscaler.policy.list_functions import LIST_FUNCTIONS
from policyscaler.policy.number_functions import NUMBER_FUNCTIONS
from policyscaler.policy.operators import OPERATORS
from policyscaler.policy.signatures import Function
from policyscaler.policy.text_functions import TEXT_FUNCTIONS
from policyscaler.policy.time_functions import TIME_FUNCTIONS
from policyscaler.policy.types import LANGUAGE_VERSION


@dataclass(frozen=True, slots=True)
class Macro:
    """A form whose arguments are not evaluated first.

    Attributes:
        arguments: How many, a receiver not counted.
        method: Whether it follows a list or map, as in `list.all(x, ...)`.
    """

    name: str
    arguments: int
    method: bool
    description: str
    example: str
    since: str = LANGUAGE_VERSION


def _table(*groups: tuple[Function, ...]) -> Mapping[str, Function]:
    table = {declared.name: declared for group in groups for declared in group}
    return MappingProxyType(table)


FUNCTIONS: Mapping[str, Function] = _table(
    OPERATORS, NUMBER_FUNCTIONS, TEXT_FUNCTIONS, LIST_FUNCTIONS, TIME_FUNCTIONS
)

MACROS: Mapping[str, Macro] = MappingProxyType({
    macro.name: macro
    for macro in (
        Macro("has", 1, method=False, description="Whether a field or an entry is present.", example="has(offering.gpu)"),
        Macro("orElse", 2, method=False, description="A field or an entry, or a default if it is absent.", example="orElse(shape.labels.tier, 'none')"),
        Macro("all", 2, method=True, description="Whether the condition holds for every item.", example="node.pods.all(p, p.priority < 0)"),
        Macro("exists", 2, method=True, description="Whether it holds for one item at least.", example="node.pods.exists(p, p.doNotDisrupt)"),
        Macro("exists_one", 2, method=True, description="Whether it holds for exactly one item.", example="shape.archs.exists_one(a, a == 'arm64')"),
        Macro("map", 2, method=True, description="A list of the values for each item.", example="node.pods.map(p, p.priority)"),
        Macro("filter", 2, method=True, description="A list of the items for which it holds.", example="node.pods.filter(p, p.priority > 0)"),
    )
})  # fmt: skip
