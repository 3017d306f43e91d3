"""Sets of label requirements: merging, compatibility, and what to say when there is none.

Three comparisons, from lax to strict: `intersects` ignores labels that only one side names;
`compatible` with well-known labels undefined is for machines that do not exist yet; `compatible`
without them is for real nodes, whose labels are known.

Source: reference behaviour of Karpenter's scheduling package, v1.14.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

import msgspec

from policyscaler.model import labels as well
from policyscaler.model.meta import Value
from policyscaler.model.nodes import NodeClassRef
from policyscaler.model.pods import NodeSelectorTerm, PodSpec
from policyscaler.model.pools import NodePool
from policyscaler.model.requirements import (
    NodeSelectorRequirement,
    Requirement,
    from_labels,
    from_manifest,
    requirement,
)

Requirements: TypeAlias = Mapping[str, Requirement]
"""Requirements by key. A key that is absent may have any value."""

LIFECYCLE_KEYS: Final = (well.REGISTERED, well.INITIALIZED)
"""Labels that every node comes to have; assumed while planning, never written to a claim."""


class Conflict(Value, frozen=True, kw_only=True):
    """Why two sets of requirements cannot both hold.

    Attributes:
        key: the label.
        undefined: nobody defines the label, so no value of it can be promised.
        have: what is offered, None when undefined.
        want: what is asked for.
        hint: the key that was probably meant, or empty.
    """

    key: str
    undefined: bool
    want: Requirement
    have: Requirement | None = None
    hint: str = ""

    def __str__(self) -> str:
        """Returns one clause for people."""
        if self.undefined:
            meant = f', did you mean "{self.hint}"?' if self.hint else ""
            return f'label "{self.key}" is set by neither the pool nor its machines{meant}'
        return f"{self.want} does not go with {self.have}"


def merge(first: Requirements, second: Requirements) -> dict[str, Requirement]:
    """Returns both sets as one; requirements on the same key are intersected."""
    merged = dict(first)
    for key, wanted in second.items():
        have = merged.get(key)
        merged[key] = wanted if have is None else have.intersect(wanted)
    return merged


def merge_all(requirements: Iterable[Requirement]) -> dict[str, Requirement]:
    """Returns requirements, any number per key, as one set."""
    merged: dict[str, Requirement] = {}
    for wanted in requirements:
        have = merged.get(wanted.key)
        merged[wanted.key] = wanted if have is None else have.intersect(wanted)
    return merged


def find_conflict(
    have: Requirements, want: Requirements, *, undefined: frozenset[str] | None
) -> Conflict | None:
    """Returns the first conflict by key, or None when both can hold.

    Args:
        have: what the template, claim or node offers.
        want: what is asked of it.
        undefined: keys that may be missing from `have` (well-known labels); None for a real
            node, where a missing label is a fact.
    """
    for key in sorted(want):
        asked, offered = want[key], have.get(key)
        if offered is None:
            if not asked.excludes_nothing_positive and key not in (undefined or ()):
                known = (undefined or frozenset()) | have.keys()
                return Conflict(key=key, undefined=True, want=asked, hint=nearest_key(key, known))
        elif not _meet(offered, asked):
            return Conflict(key=key, undefined=False, want=asked, have=offered)
    return None


def compatible(have: Requirements, want: Requirements, *, undefined: frozenset[str] | None) -> bool:
    """Returns whether `find_conflict` finds none."""
    return find_conflict(have, want, undefined=undefined) is None


def intersects(have: Requirements, want: Requirements) -> bool:
    """Returns whether both can hold, looking only at labels that both name."""
    return all(_meet(have[key], want[key]) for key in want if key in have)


def _meet(have: Requirement, want: Requirement) -> bool:
    # NotIn and DoesNotExist on both sides are both met by a node without the label, even where
    # no value would satisfy them.
    if want.excludes_nothing_positive and have.excludes_nothing_positive:
        return True
    return have.intersects(want)


def nearest_key(key: str, known: Iterable[str]) -> str:
    """Returns the label that was probably meant: it shares the key's last part or contains the key."""
    suffix = key.rpartition("/")[2]
    candidates = sorted(known)
    for candidate in candidates:
        if candidate.rpartition("/")[2] == suffix:
            return candidate
    for candidate in candidates:
        if key in candidate:
            return candidate
    squeezed = suffix.replace("-", "").replace("_", "")
    for candidate in candidates:
        if candidate.rpartition("/")[2].replace("-", "") == squeezed:
            return candidate
    return ""


def of_term(term: NodeSelectorTerm) -> dict[str, Requirement]:
    """Returns the requirements of one node affinity term."""
    return merge_all(from_manifest(expression) for expression in term.expressions)


def pod_alternatives(spec: PodSpec) -> tuple[dict[str, Requirement], ...]:
    """Returns the requirement sets of a pod: one per OR-ed affinity term, in their order.

    Each holds the node selector too; never empty. A term without expressions matches nothing
    in Kubernetes and is left out, unless it is the only one.
    """
    selector = from_labels(spec.node_selector)
    terms = [term for term in spec.required_terms if term.expressions]
    if not terms:
        return (selector,)
    return tuple(merge(selector, of_term(term)) for term in terms)


def alternatives_on_real_nodes(spec: PodSpec) -> tuple[dict[str, Requirement], ...] | None:
    """Returns the requirement sets with keys as written, or None if no deprecated alias is among them.

    A new node comes to have the stable label and its aliases; on a real one an alias counts only
    if it is there, because the scheduler compares keys as they are.
    """
    terms = [term for term in spec.required_terms if term.expressions]
    keys = {*spec.node_selector, *(e.key for term in terms for e in term.expressions)}
    if not keys & well.ALIASES.keys():
        return None
    selector = of_node(spec.node_selector)
    if not terms:
        return (selector,)
    return tuple(
        merge(selector, merge_all(_as_written(e) for e in term.expressions)) for term in terms
    )


def _as_written(entry: NodeSelectorRequirement) -> Requirement:
    return msgspec.structs.replace(from_manifest(entry), key=entry.key)


def with_aliases(labels: Mapping[str, str]) -> dict[str, str]:
    """Returns labels of a node that is still to come, with the aliases that it will have too."""
    aliases = {a: labels[stable] for a, stable in sorted(well.ALIASES.items()) if stable in labels}
    return {**aliases, **labels}


def of_pool(pool: NodePool) -> dict[str, Requirement]:
    """Returns what every node of a pool will satisfy: requirements, labels, pool and class name."""
    written = merge_all(from_manifest(entry) for entry in pool.requirements)
    named = {
        well.NODEPOOL: requirement(well.NODEPOOL, "In", (pool.name,)),
        **_class_label(pool.node_class),
    }
    return merge(merge(written, from_labels(pool.labels)), named)


def _class_label(ref: NodeClassRef) -> dict[str, Requirement]:
    key = well.node_class_label(ref.group, ref.kind)
    return {key: requirement(key, "In", (ref.name,))}


def lifecycle_assumed() -> dict[str, Requirement]:
    """Returns the labels that a node gets when it registers and initializes."""
    return {key: requirement(key, "In", ("true",)) for key in LIFECYCLE_KEYS}


def of_node(node_labels: Mapping[str, str]) -> dict[str, Requirement]:
    """Returns the labels of a real node as requirements; aliases count only if really present."""
    return {key: requirement(key, "In", (value,)) for key, value in sorted(node_labels.items())}


def describe(requirements: Requirements) -> str:
    """Returns all requirements, sorted by key, separated by commas."""
    return ", ".join(str(requirements[key]) for key in sorted(requirements))
