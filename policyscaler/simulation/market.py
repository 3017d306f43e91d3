"""Prices and capacity of offerings as they are at an instant, and catalogues that show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from hashlib import blake2b

import msgspec

from policyscaler.model.meta import Value
from policyscaler.model.nodes import NodeClassRef
from policyscaler.model.offerings import Catalogue, InstanceType, Offering, as_offered

Triple = tuple[str, str, str]
"""(instance type, zone, capacity type)."""


class Selection(Value, frozen=True, kw_only=True):
    """Offerings by their parts; an empty part stands for any."""

    instance_type: str = ""
    zone: str = ""
    capacity_type: str = ""

    def covers(self, row: Triple) -> bool:
        """Returns whether an offering is among them."""
        wanted = (self.instance_type, self.zone, self.capacity_type)
        return all(not part or part == have for part, have in zip(wanted, row, strict=True))

    def __str__(self) -> str:
        """Returns `type/zone/capacity type` with `*` for any."""
        return "/".join(p or "*" for p in (self.instance_type, self.zone, self.capacity_type))


class Market:
    """What offerings cost and which of them have run out.

    Args:
        catalogues: what each NodeClass can launch, at its initial prices.
    """

    def __init__(self, catalogues: Mapping[NodeClassRef, Catalogue]) -> None:
        self.on_prices: list[Callable[[], None]] = []
        self.version = 0
        self._base = dict(catalogues)
        self._pinned: set[NodeClassRef] = set()
        self._types: dict[NodeClassRef, dict[str, InstanceType]] = {}
        self._prices: dict[Triple, int] = {}
        self._shortages: list[tuple[Selection, datetime]] = []
        self._seen: dict[NodeClassRef, tuple[int, frozenset[Triple], Catalogue]] = {}

    @property
    def catalogues(self) -> Mapping[NodeClassRef, Catalogue]:
        """The catalogues at their initial prices."""
        return self._base

    def serve(self, ref: NodeClassRef, catalogue: Catalogue, *, pinned: bool = False) -> None:
        """Adds or replaces the catalogue of a NodeClass.

        Args:
            ref: the NodeClass.
            catalogue: what it can launch.
            pinned: a person's own catalogue, which no provider's replaces.
        """
        if ref in self._pinned and not pinned:
            return
        if pinned:
            self._pinned.add(ref)
        self._base[ref] = catalogue
        self._types.pop(ref, None)
        self._seen.pop(ref, None)
        self.version += 1

    def find(self, ref: NodeClassRef, row: Triple) -> tuple[InstanceType, Offering] | None:
        """Returns an offering that a NodeClass can launch, or None."""
        if ref not in self._types:
            catalogue = self._base.get(ref, Catalogue(name=""))
            self._types[ref] = {t.name: t for t in catalogue.types}
        instance_type = self._types[ref].get(row[0])
        if instance_type is None:
            return None
        for offering in instance_type.offerings:
            if (offering.zone, offering.capacity_type) == row[1:] and offering.available:
                return (as_offered(instance_type, offering), offering)
        return None

    def price(self, row: Triple, initial: int) -> int:
        """Returns the present price in micro-dollars per hour."""
        return self._prices.get(row, initial)

    def set_prices(self, selection: Selection, change: Callable[[int], int]) -> int:
        """Changes the prices of offerings; returns of how many."""
        touched: dict[Triple, int] = {}
        for catalogue in self._base.values():
            for row, offering in _rows(catalogue.types):
                if selection.covers(row):
                    touched[row] = change(self.price(row, offering.price_micros_per_hour))
        self._prices.update(touched)
        self.version += 1
        for callback in self.on_prices:
            callback()
        return len(touched)

    def run_out(self, selection: Selection, until: datetime) -> None:
        """Leaves offerings without capacity until an instant."""
        self._shortages.append((selection, until))

    def has_capacity(self, row: Triple, now: datetime) -> bool:
        """Returns whether a launch on an offering would succeed."""
        self._shortages = [(s, until) for s, until in self._shortages if until > now]
        return not any(selection.covers(row) for selection, _ in self._shortages)

    def catalogue(self, ref: NodeClassRef, unavailable: frozenset[Triple]) -> Catalogue | None:
        """Returns the catalogue at present prices, without the offerings known to be unavailable.

        The same object as long as nothing changes, so that caches by digest hold.
        """
        base = self._base.get(ref)
        if base is None or not (self._prices or unavailable):
            return base
        seen = self._seen.get(ref)
        if seen is not None and seen[:2] == (self.version, unavailable):
            return seen[2]
        changed = self._changed(base, unavailable)
        self._seen[ref] = (self.version, unavailable, changed)
        return changed

    def _changed(self, base: Catalogue, unavailable: frozenset[Triple]) -> Catalogue:
        digest = blake2b(base.digest.encode(), digest_size=16)
        digest.update(repr((sorted(self._prices.items()), sorted(unavailable))).encode())
        names = {row[0] for row in (*self._prices, *unavailable)}
        types = tuple(self._with_news(t, unavailable) if t.name in names else t for t in base.types)
        return msgspec.structs.replace(base, types=types, digest=digest.hexdigest())

    def _with_news(
        self, instance_type: InstanceType, unavailable: frozenset[Triple]
    ) -> InstanceType:
        offerings = []
        for row, offering in _rows((instance_type,)):
            price = self.price(row, offering.price_micros_per_hour)
            available = offering.available and row not in unavailable
            offerings.append(
                msgspec.structs.replace(offering, price_micros_per_hour=price, available=available)
            )
        return msgspec.structs.replace(instance_type, offerings=tuple(offerings))


def _rows(types: Iterable[InstanceType]) -> list[tuple[Triple, Offering]]:
    return [((t.name, o.zone, o.capacity_type), o) for t in types for o in t.offerings]
