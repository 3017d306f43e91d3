"""What to remove now, for which reason, and what must be launched before.

Reasons are taken in order: expired, empty, drifted, under-used. Emptiness removes all that
budgets allow; the others move pods and go one at a time, because each changes what the next one
would find. Source: Karpenter's disruption methods, v1.14.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from policyscaler.model.plan import DisruptionCommand, Gate, NodeTrace
from policyscaler.model.pools import DRIFTED, EMPTY, EXPIRED, UNDERUTILIZED
from policyscaler.planning.budgets import BudgetBook
from policyscaler.planning.candidates import Candidate, find_candidates
from policyscaler.planning.facts import is_empty, quiet_for
from policyscaler.planning.provision import Provision, provision
from policyscaler.planning.replacement import worthwhile
from policyscaler.planning.workbench import Workbench


class DisruptionPlanner:
    """One round of planning what goes."""

    def __init__(self, bench: Workbench, placed: Provision, now: datetime) -> None:
        self.bench, self.placed, self.now = bench, placed, now
        self.candidates = find_candidates(bench, now)
        self.budgets = BudgetBook(bench.view.nodes, now)
        self.wanted = {placement.node for placement in placed.existing}
        self.going: set[str] = set()
        self.commands: list[DisruptionCommand] = []
        self.gates: dict[str, list[Gate]] = {c.node.name: list(c.gates) for c in self.candidates}
        self.outcome: dict[str, str] = {}

    def plan(self) -> tuple[DisruptionCommand, ...]:
        """Returns the commands in the order to carry them out."""
        self._expire_forcefully()
        self._remove_empty()
        self._replace_one(self._by_age(DRIFTED), DRIFTED)
        self._replace_one(self._by_age(EXPIRED), EXPIRED)
        self._consolidate_one()
        return tuple(self.commands)

    def traces(self) -> tuple[NodeTrace, ...]:
        """Returns why each managed node stays or goes."""
        return tuple(
            NodeTrace(
                node=c.node.name,
                reason=self.outcome.get(c.node.name, ""),
                gates=tuple(self.gates[c.node.name]),
            )
            for c in self.candidates
        )

    def _eligible(self, reason: str, *, forceful: bool = False) -> list[Candidate]:
        return [
            c
            for c in self.candidates
            if c.node.name not in self.going
            and c.may_go(reason)
            and c.is_forceful(reason) == forceful
            and (forceful or c.node.name not in self.wanted)
        ]

    def _expire_forcefully(self) -> None:
        for candidate in self._eligible(EXPIRED, forceful=True):
            self._go(candidate, self._command((candidate,), EXPIRED, forceful=True))

    def _remove_empty(self) -> None:
        chosen: dict[str, list[Candidate]] = {}
        for candidate in sorted(self._eligible(EMPTY), key=_dearest_first):
            if is_empty(candidate.node) and self._within_budget(candidate, EMPTY):
                self.budgets.take(candidate.pool.name)
                chosen.setdefault(candidate.pool.name, []).append(candidate)
        for _, members in sorted(chosen.items()):
            command = self._command(tuple(members), EMPTY)
            for candidate in members:
                self._go(candidate, command if candidate is members[0] else None, EMPTY)

    def _replace_one(self, candidates: Iterable[Candidate], reason: str) -> None:
        """Plans the first of the candidates whose pods all find a place; what it costs is no matter."""
        for candidate in candidates:
            if not self._within_budget(candidate, reason):
                continue
            found = self._simulate(candidate)
            if found.homeless:
                self._stays(
                    candidate, "placement", f"{len(found.homeless)} pods would find no place"
                )
                continue
            self.budgets.take(candidate.pool.name)
            self._go(candidate, self._command((candidate,), reason, found=found))
            return

    def _consolidate_one(self) -> None:
        if self.placed.launches or self.commands:
            # Not settled: what looks under-used now may be needed in a moment.
            return
        ordered = [
            candidate
            for candidate in sorted(self._eligible(UNDERUTILIZED), key=_dearest_first)
            if not is_empty(candidate.node) and self._within_budget(candidate, UNDERUTILIZED)
        ]
        for candidate in ordered[: self.bench.effort.replacements]:
            found = self._simulate(candidate, settled_only=True)
            command, reason = self._judge(candidate, found)
            if command is not None:
                self.budgets.take(candidate.pool.name)
                self._go(candidate, command)
                return
            self._stays(candidate, "replacement", reason)

    def _judge(
        self, candidate: Candidate, found: Provision
    ) -> tuple[DisruptionCommand | None, str]:
        if found.homeless:
            return None, f"{len(found.homeless)} pods would find no place"
        if len(found.launches) > 1:
            return None, f"it would take {len(found.launches)} nodes to replace it"
        if not found.launches:
            return self._command((candidate,), UNDERUTILIZED, found=found), ""
        node, why = worthwhile(self.bench, candidate, found.launches[0], UNDERUTILIZED)
        if node is None:
            return None, why
        saved = candidate.price - node.chosen.price_micros_per_hour
        return (
            DisruptionCommand(
                reason=UNDERUTILIZED, nodes=(candidate.node.name,), replacements=(node,),
                moves=_moves(candidate), savings_micros_per_hour=saved,
                rules=candidate.reasons[UNDERUTILIZED],
            ),
            "",
        )  # fmt: skip

    def _simulate(self, candidate: Candidate, *, settled_only: bool = False) -> Provision:
        """Where the candidate's pods would go without it.

        Only to nodes that are fully there and stay; when consolidating, not to nodes that are
        inside their own quiet period either.
        """
        closed = {n.name for n in self.bench.view.nodes if not n.initialized} | self.going
        if settled_only:
            closed |= {c.node.name for c in self.candidates if self._unsettled(c)}
        return provision(
            self.bench,
            candidate.node.reschedulable,
            closed=frozenset(closed | {candidate.node.name}),
            # One node is replaced by at most one, so the packing with the fewest is the one to see.
            few=settled_only,
        )

    def _unsettled(self, candidate: Candidate) -> bool:
        after = candidate.pool.disruption.consolidate_after
        return after is not None and timedelta(0) < after > quiet_for(candidate.node, self.now)

    def _by_age(self, reason: str) -> list[Candidate]:
        """Nodes with nothing to move first, then the oldest."""
        return sorted(
            self._eligible(reason),
            key=lambda c: (bool(c.node.reschedulable), c.node.created or self.now, c.node.name),
        )

    def _within_budget(self, candidate: Candidate, reason: str) -> bool:
        if self.budgets.left(candidate.pool, reason) > 0:
            return True
        text = f"the budgets of pool {candidate.pool.name} leave none for {reason} now"
        self._stays(candidate, "budget", text)
        return False

    def _command(
        self,
        members: tuple[Candidate, ...],
        reason: str,
        *,
        found: Provision | None = None,
        forceful: bool = False,
    ) -> DisruptionCommand:
        launches = found.launches if found else ()
        spent = sum(node.chosen.price_micros_per_hour for node in launches)
        rules = {rule: None for c in members for rule in c.reasons[reason]}
        return DisruptionCommand(
            reason=reason,
            nodes=tuple(sorted(c.node.name for c in members)),
            replacements=launches,
            moves=tuple(sorted(key for c in members for key in _moves(c))),
            savings_micros_per_hour=sum(c.price for c in members) - spent,
            rules=tuple(rules),
            forceful=forceful,
        )

    def _go(
        self, candidate: Candidate, command: DisruptionCommand | None, reason: str = ""
    ) -> None:
        self.going.add(candidate.node.name)
        if command is not None:
            self.commands.append(command)
        self.outcome[candidate.node.name] = command.reason if command else reason

    def _stays(self, candidate: Candidate, gate: str, message: str) -> None:
        self.gates[candidate.node.name].append(Gate(name=gate, passed=False, message=message))


def _moves(candidate: Candidate) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(pod.meta.key for pod in candidate.node.reschedulable))


def _dearest_first(candidate: Candidate) -> tuple[float, str]:
    return (-candidate.savings_ratio, candidate.node.name)
