"""A NodePool as a policy: what it asks for, written as rules that a person can read.

The generated policy is in force beside the bundles and no bundle replaces it: whatever a bundle
calls eligible, a pool with `consolidationPolicy: WhenEmpty` keeps its nodes. `require` says what
the requirements say, on every offering; limits, budgets and launch are shown and are carried out
by the solver and the budgets, which count nodes that no expression sees.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from policyscaler.model import labels as well
from policyscaler.model import resources as res
from policyscaler.model.durations import format_duration
from policyscaler.model.meta import ObjectMeta, SourcePosition
from policyscaler.model.offerings import Catalogue
from policyscaler.model.policies import COMPILED_FROM, Expression, LimitRule, Rule, ScalingPolicy
from policyscaler.model.pools import WHEN_EMPTY, Budget, NodePool
from policyscaler.model.requirements import Requirement, from_labels, from_manifest
from policyscaler.policy.requirementtext import quote, requirement_text

NAME_PREFIX: Final = "nodepool."
_NAME_LENGTH: Final = 63
_LONGEST: Final = 3_500
"""Expressions may have 4,096 characters; longer lists of values become variables."""
_VALUES_PER_LIST: Final = 60  # a label's value has at most 63 characters


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueKeys:
    """The labels that the instance types of a catalogue have.

    Attributes:
        known: every label that some type or offering has; the others are for pods to choose.
        several: those that some type leaves open between several values.
    """

    known: frozenset[str]
    several: frozenset[str]


def keys_of(*catalogues: Catalogue) -> CatalogueKeys:
    """Returns the labels of all instance types that have offerings, zone and capacity type too."""
    types = [t for catalogue in catalogues for t in catalogue.types if t.offerings]
    known = {key for t in types for key in t.labels}
    known.update(key for t in types for offering in t.offerings for key in offering.labels)
    several = {key for t in types for key, values in t.labels.items() if len(values) > 1}
    own = {well.ZONE, well.CAPACITY_TYPE}
    return CatalogueKeys(known=frozenset(known | own), several=frozenset(several - own))


def compile_pool(pool: NodePool, keys: CatalogueKeys) -> ScalingPolicy:
    """Returns the policy that says what a NodePool says, named `nodepool.<its name>`.

    Args:
        pool: the NodePool.
        keys: of the catalogue of its NodeClass: a requirement on any other label restricts no
            offering, its value is the pods' choice.
    """
    wanted = _merged(pool)
    sources = {well.stable_key(r.key): r.source for r in reversed(pool.requirements)}
    rules, variables = [], []
    for key, name in _rule_names(key for key in wanted if key in keys.known):
        text, lists = _text_of(wanted[key], several=key in keys.several, name=name)
        variables += lists
        rules.append(_require(name, text, wanted[key], source=sources.get(key, pool.source)))
    annotations = {COMPILED_FROM: f"NodePool/{pool.name}"}
    if pool.graceful_expiry:
        annotations[well.GRACEFUL_EXPIRY] = "true"
    return ScalingPolicy(
        meta=ObjectMeta(name=f"{NAME_PREFIX}{pool.name}", annotations=annotations),
        match_pools=Expression(text=_match_text(pool.name)),
        variables=tuple(variables),
        require=tuple(rules),
        limits=tuple(_limit(name, amount, pool) for name, amount in sorted(pool.limits.items())),
        deny=tuple(_denials(pool)),
        launch=_launch(pool, {k: r for k, r in wanted.items() if k not in keys.known}, wanted),
        budgets=tuple(_budget(budget) for budget in pool.disruption.budgets),
        source=pool.source,
    )


def is_compiled(policy: ScalingPolicy) -> bool:
    """Returns whether a policy was generated from a NodePool."""
    return COMPILED_FROM in policy.meta.annotations


def pool_of(policy: ScalingPolicy) -> str:
    """Returns the pool that a generated policy is about; empty if its `match` says otherwise."""
    name = policy.meta.annotations.get(COMPILED_FROM, "").partition("/")[2]
    match = policy.match_pools
    return name if match is not None and match.text == _match_text(name) else ""


def _match_text(pool: str) -> str:
    return f"pool.name == {quote(pool)}"


def _merged(pool: NodePool) -> dict[str, Requirement]:
    """The pool's requirements and labels by stable key, sorted, those on one key intersected."""
    merged: dict[str, Requirement] = {}
    written = [from_manifest(entry) for entry in pool.requirements]
    for wanted in (*written, *from_labels(pool.labels).values()):
        have = merged.get(wanted.key)
        merged[wanted.key] = wanted if have is None else have.intersect(wanted)
    return dict(sorted(merged.items()))


def _rule_names(keys: Iterable[str]) -> list[tuple[str, str]]:
    """Returns each key with a name: its last part, or all of it where two share that."""
    listed = list(keys)
    short = [key.rpartition("/")[2] for key in listed]
    return [
        (key, name if short.count(name) == 1 else key.replace("/", ".")[-_NAME_LENGTH:])
        for key, name in zip(listed, short, strict=True)
    ]


def _text_of(
    wanted: Requirement, *, several: bool, name: str
) -> tuple[str, list[tuple[str, Expression]]]:
    text = requirement_text(wanted, several=several)
    if len(text) <= _LONGEST:
        return text, []
    stem = "".join(part.capitalize() if i else part for i, part in enumerate(_words(name)))
    values = sorted(wanted.values)
    lists: list[tuple[str, Expression]] = []
    for start in range(0, len(values), _VALUES_PER_LIST):
        chunk = ", ".join(quote(value) for value in values[start : start + _VALUES_PER_LIST])
        lists.append((f"{stem}{len(lists) + 1}", Expression(text=f"[{chunk}]")))
    names = tuple(f"vars.{variable}" for variable, _ in lists)
    return requirement_text(wanted, several=several, lists=names), lists


def _words(name: str) -> list[str]:
    spaced = "".join(c if c.isascii() and c.isalnum() else " " for c in name)
    return ["values", *spaced.split()]


def _require(name: str, text: str, wanted: Requirement, *, source: SourcePosition | None) -> Rule:
    bare = msgspec.structs.replace(wanted, min_values=None)
    return Rule(
        name=name, expr=Expression(text=text, source=source), final=True, source=source,
        message=f"the pool asks for {bare}",
    )  # fmt: skip


def _limit(resource: str, amount: int, pool: NodePool) -> LimitRule:
    counts = (
        "1.0" if resource == res.NODES else f"orElse(offering.resources[{quote(resource)}], 0.0)"
    )
    maximum = amount / 1000 if resource == res.CPU else float(amount)
    return LimitRule(
        name=resource.replace("/", "."),
        by=Expression(text="pool.name"),
        amount=Expression(text=counts),
        max=Expression(text=f"{maximum!r}"),
        source=pool.source,
    )


def _denials(pool: NodePool) -> Iterable[Rule]:
    """The pool's own reasons to keep a node; they never keep a drifted or expired one."""
    settings, source = pool.disruption, pool.disruption.source or pool.source
    consolidation = "disruption.reason in ['Empty', 'Underutilized']"

    def deny(name: str, text: str, message: str) -> Rule:
        expr = Expression(text=text, source=source)
        return Rule(name=name, expr=expr, message=message, final=True, source=source)

    if pool.replicas is not None:
        yield deny(
            "static", consolidation, f"the pool keeps {pool.replicas} nodes whatever they run"
        )
    if settings.policy == WHEN_EMPTY:
        text = "disruption.reason == 'Underutilized' && !node.empty"
        yield deny("when-empty", text, "policy WhenEmpty: only empty nodes")
    after = settings.consolidate_after
    if after is None:
        yield deny("never", consolidation, "consolidateAfter Never: the pool is not consolidated")
    elif after:
        length = format_duration(after)
        text = f"{consolidation} && node.quietFor < duration({quote(length)})"
        yield deny("consolidate-after", text, f"pods came or went less than {length} ago")


def _launch(
    pool: NodePool, chosen: Mapping[str, Requirement], wanted: Mapping[str, Requirement]
) -> dict[str, object]:
    """What nodes of the pool are launched with, as plain data without empty parts."""
    ref = pool.node_class
    minimum = {key: r.min_values for key, r in wanted.items() if r.min_values is not None}
    free = {key: str(r) for key, r in chosen.items() if key not in pool.labels}
    grace = pool.termination_grace
    parts: dict[str, object] = {
        "nodeClassRef": {"group": ref.group, "kind": ref.kind, "name": ref.name},
        "labels": dict(sorted(pool.labels.items())),
        "podsChoose": free,
        "annotations": dict(sorted(pool.annotations.items())),
        "taints": [str(taint) for taint in pool.taints],
        "startupTaints": [str(taint) for taint in pool.startup_taints],
        "expireAfter": format_duration(pool.expire_after),
        "terminationGracePeriod": format_duration(grace) if grace is not None else "",
        "minValues": minimum,
        "weight": pool.weight,
    }
    if pool.replicas is not None:
        parts["replicas"] = pool.replicas
    return {name: part for name, part in parts.items() if part or name == "replicas"}


def _budget(budget: Budget) -> dict[str, object]:
    parts: dict[str, object] = {
        "nodes": budget.nodes,
        "reasons": list(budget.reasons),
        "schedule": budget.schedule,
        "duration": format_duration(budget.duration) if budget.duration is not None else "",
    }
    return {name: part for name, part in parts.items() if part}
