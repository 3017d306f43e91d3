"""The labels that nodes come to have by themselves, and those that nobody else may set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from policyscaler.model import labels


class _LabelSource(Protocol):
    @property
    def well_known_labels(self) -> frozenset[str]: ...

    @property
    def restricted_domains(self) -> frozenset[str]: ...


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the product and its providers say about labels.

    Attributes:
        well_known: labels that nodes have without a NodePool naming them.
        restricted_domains: domains in which only well-known labels may be set or required.
    """

    well_known: frozenset[str] = labels.WELL_KNOWN
    restricted_domains: frozenset[str] = frozenset()

    def restriction(self, key: str, *, nodepool_allowed: bool = False) -> str:
        """Returns why users may not set or require a label, or an empty text.

        Args:
            key: the key as written; deprecated aliases count as what they stand for.
            nodepool_allowed: NodeClaims may name the pool that they belong to.
        """
        stable = labels.stable_key(key)
        if stable == labels.NODEPOOL:
            return "" if nodepool_allowed else "it is set by the pool itself"
        if stable == labels.HOSTNAME:
            return "it is unique to each node"
        if labels.is_restricted(stable):
            return f"the domain {labels.RESTRICTED_DOMAIN} is reserved"
        domain = stable.rpartition("/")[0]
        for reserved in sorted(self.restricted_domains):
            inside = domain == reserved or domain.endswith("." + reserved)
            if inside and stable not in self.well_known:
                return f"the domain {reserved} is reserved and has no such label"
        return ""


def vocabulary_of(providers: Sequence[_LabelSource]) -> Vocabulary:
    """Returns the labels of the product and of these providers."""
    return Vocabulary(
        well_known=labels.WELL_KNOWN.union(*(p.well_known_labels for p in providers)),
        restricted_domains=frozenset().union(*(p.restricted_domains for p in providers)),
    )
