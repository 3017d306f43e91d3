"""How planning asks policy: the facts at hand, and the answers as scheduling wants them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

import msgspec

from policyscaler.model.nodes import NodeClaim
from policyscaler.model.pods import Pod
from policyscaler.model.snapshot import ObjectKey
from policyscaler.planning.cluster import ClusterView
from policyscaler.planning.facts import cluster_facts, pool_facts, shape_facts, team_facts
from policyscaler.policy.evaluation import Policies
from policyscaler.policy.verdicts import Context, LimitCharge
from policyscaler.scheduling.feasibility import Screened, no_policy
from policyscaler.scheduling.offeringtable import Mask
from policyscaler.scheduling.shapes import Shape
from policyscaler.scheduling.templates import Template

CHARGES = "policyscaler.dev/charge."
"""Prefix of the claim annotations that say what a launch was charged to policy limits."""


@dataclass(frozen=True, kw_only=True)
class Rulebook:
    """The policies in force, beside the cluster that they are asked about."""

    policies: Policies
    view: ClusterView
    now: datetime

    @cached_property
    def context(self) -> Context:
        """The facts that every expression may read."""
        cluster = cluster_facts(self.view)
        return Context(
            cluster=cluster,
            spend={"perHour": cluster["pricePerHour"]},
            team={"name": "", "labels": {}, "annotations": {}},
            now=self.now,
        )

    @cached_property
    def pool_sizes(self) -> Mapping[str, int]:
        """How many nodes each pool has."""
        sizes: dict[str, int] = {}
        for node in self.view.nodes:
            sizes[node.pool] = sizes.get(node.pool, 0) + 1
        return sizes

    @cached_property
    def pods(self) -> Mapping[ObjectKey, Pod]:
        """All pods by key."""
        return self.view.snapshot.pods

    def pool(self, name: str) -> Mapping[str, object]:
        """Returns the facts of a pool."""
        return pool_facts(self.view.snapshot.pools[name], self.pool_sizes.get(name, 0))

    def shape(self, shape: Shape) -> dict[str, object]:
        """Returns the facts of a class of pods, its team included when its namespace says so."""
        made = [p.meta.created for key in shape.pods if (p := self.pods.get(key)) is not None]
        oldest = min((instant for instant in made if instant is not None), default=None)
        facts = shape_facts(shape, oldest, self.now)
        team = str(team_facts(self.view, shape.namespace)["name"])
        return {**facts, "team": team} if team else facts

    def for_team(self, shape: Shape) -> Context:
        """Returns the context with the team of a class of pods."""
        return replace(self.context, team=team_facts(self.view, shape.namespace))

    def screen(self, shape: Shape, template: Template, rows: Mask) -> Screened:
        """Returns what policy says to rows that are otherwise feasible for a shape."""
        if not self.policies.rules_offerings:
            return no_policy(shape, template, rows)
        verdict = self.policies.offerings(
            template.table.catalogue,
            self.pool(template.pool.name),
            self.shape(shape),
            rows,
            self.for_team(shape),
        )
        return Screened(
            rows=verdict.rows, prices=verdict.prices, funnel=verdict.funnel,
            blocking=verdict.blocking, message=verdict.message, notes=verdict.notes,
        )  # fmt: skip

    def policy_key(self, shape: Shape) -> object:
        """Returns what policy can tell shapes apart by: equal keys get equal answers."""
        reads = self.policies.launch_reads
        if not reads:
            return None
        subjects = {"shape": self.shape(shape), "team": team_facts(self.view, shape.namespace)}
        values = [_read(subjects, path) for path in reads]
        return msgspec.json.encode(values, order="deterministic")

    def limits(self, shape: Shape, template: Template) -> tuple[LimitCharge, ...]:
        """Returns the policy limits that a launch for this shape would be charged to."""
        if not self.policies.rules_limits:
            return ()
        return self.policies.limits(
            template.table.catalogue,
            self.shape(shape),
            self.for_team(shape),
            pool=self.pool(template.pool.name),
        )

    @cached_property
    def charged(self) -> Mapping[str, Mapping[str, int]]:
        """What the claims that exist are charged to each limit, by pool, in millionths."""
        total: dict[str, dict[str, int]] = {}
        for _, claim in sorted(self.view.snapshot.claims.items()):
            for key, amount in charges_of(claim).items():
                pools = total.setdefault(key, {})
                pools[claim.pool] = pools.get(claim.pool, 0) + amount
        return total


def _read(subjects: Mapping[str, object], path: str) -> object:
    value: object = subjects
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def charges_of(claim: NodeClaim) -> dict[str, int]:
    """Returns what a claim was charged to policy limits, by key, in millionths."""
    found: dict[str, int] = {}
    for key, text in claim.meta.annotations.items():
        if key.startswith(CHARGES) and "=" in text:
            name, _, amount = text.rpartition("=")
            if amount.lstrip("-").isdigit():
                found[name] = found.get(name, 0) + int(amount)
    return found
