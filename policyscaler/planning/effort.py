"""How much work a decision may do, in counts, and what it may remember.

Counts instead of seconds keep a decision repeatable: the same effort gives the same plan on any
machine. What is remembered changes speed only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from policyscaler.model.offerings import Catalogue
from policyscaler.scheduling.offeringtable import OfferingTable
from policyscaler.scheduling.packing.problem import Assortments


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """Bounds on the work of one decision.

    Attributes:
        incremental: how many packings may be tried beside the baseline, 0 to 2.
        limit_rounds: how often what limits refused is packed again.
        replacements: how many nodes may be examined for a cheaper replacement.
        validate: whether every packing is checked again by the independent validator.
    """

    incremental: int = 2
    limit_rounds: int = 8
    replacements: int = 100
    validate: bool = True


DEFAULT_EFFORT: Final = Effort()


@dataclass(slots=True)
class Memo:
    """Caches carried from one decision to the next."""

    tables: dict[str, OfferingTable] = field(default_factory=dict)
    assortments: Assortments = field(default_factory=Assortments)

    def table(self, catalogue: Catalogue) -> OfferingTable:
        """Returns the columns of a catalogue; equal digests share them."""
        if not catalogue.digest:
            return OfferingTable(catalogue)
        table = self.tables.get(catalogue.digest)
        if table is None:
            if len(self.tables) >= _MOST_TABLES:
                self.tables.clear()
            table = self.tables[catalogue.digest] = OfferingTable(catalogue)
        return table


_MOST_TABLES: Final = 16
"""A few NodeClasses at two or three versions of prices; more would only hold memory."""
