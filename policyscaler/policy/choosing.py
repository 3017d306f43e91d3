"""Which offerings a class of pods may have, and in which order: `offerings` of all policies.

Rules add up: an offering is left when every rule keeps it. A rule that fails on an offering takes
it out. When failures alone leave nothing, the rules that failed and are not final are suspended:
what they plainly refused stays out, what they failed on comes back, and the verdict says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from policyscaler.model.money import MICROS
from policyscaler.model.offerings import Catalogue
from policyscaler.model.plan import RuleCount, RuleRef
from policyscaler.policy.columns import Mask
from policyscaler.policy.compiled import DENY, IGNORE, CompiledRule
from policyscaler.policy.matching import Applied
from policyscaler.policy.rowcache import Answer, RowCache
from policyscaler.policy.verdicts import OfferingVerdict, shorten

WORST: Final = 10**12
"""Rank of an offering whose score failed: dearer than anything real, still summable (micro-$/h)."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A rule in force with its answer, and the rows that it keeps."""

    rule: CompiledRule
    answer: Answer
    keep: Mask

    @property
    def may_be_suspended(self) -> bool:
        """Whether its failures can be set aside."""
        strict = self.rule.final or self.rule.on_error in (DENY, IGNORE)
        return self.answer.any_failed and not strict


def judge_offerings(
    policies: Sequence[Applied], catalogue: Catalogue, rows: Mask, *, cache: RowCache
) -> OfferingVerdict:
    """Returns the verdict of all policies that apply.

    Args:
        policies: those whose match holds, in order.
        catalogue: the rows.
        rows: the rows to judge.
        cache: answers so far.
    """
    asked, audited, notes = _ask(policies, catalogue, cache)
    left = _kept(rows, [item.keep for item in asked])
    suspended = [item for item in asked if item.may_be_suspended]
    relaxed = False
    if suspended and rows.any() and not left.any():
        lenient = [
            item.keep | item.answer.failed if item.may_be_suspended else item.keep for item in asked
        ]
        loose = _kept(rows, lenient)
        if loose.any():
            left, relaxed = loose, True
            notes += [
                _suspension(item, rows) for item in suspended if (rows & item.answer.failed).any()
            ]
    funnel = _funnel(asked, rows)
    blocking, message = _blame(asked, funnel, rows) if rows.any() and not left.any() else (None, "")
    prices, price_notes = effective_prices(policies, catalogue, cache)
    return OfferingVerdict(
        rows=left,
        prices=prices,
        funnel=funnel,
        blocking=blocking,
        message=message,
        notes=(*notes, *_error_notes(asked, rows), *_audit_notes(audited, left), *price_notes),
        suspended=relaxed,
    )


def _ask(
    policies: Sequence[Applied], catalogue: Catalogue, cache: RowCache
) -> tuple[list[_Asked], list[_Asked], list[str]]:
    asked: list[_Asked] = []
    audited: list[_Asked] = []
    notes = []
    for item in policies:
        if item.doubt:
            notes.append(f"{item.policy.name}: match failed, so it is taken to apply: {item.doubt}")
        for rule in item.policy.require:
            answer = cache.ask(rule.program, catalogue, item.bindings)
            keep: Mask = answer.values.astype(np.bool_, copy=False)
            if rule.on_error == IGNORE and answer.any_failed:
                keep = keep | answer.failed
            (audited if item.policy.audit else asked).append(_Asked(rule, answer, keep))
    return asked, audited, notes


def _kept(rows: Mask, keeps: Sequence[Mask]) -> Mask:
    left = rows.copy()
    for keep in keeps:
        left &= keep
    return left


def _funnel(asked: Sequence[_Asked], rows: Mask) -> tuple[RuleCount, ...]:
    # Only bools and no sums: this is most of what a warm question costs.
    refused, twice = np.zeros(len(rows), dtype=bool), np.zeros(len(rows), dtype=bool)
    outs = [~item.keep for item in asked]
    for out in outs:
        twice |= refused & out
        refused |= out
    once, left = rows & ~twice, rows.copy()
    counts, before = [], int(np.count_nonzero(rows))
    for item, out in zip(asked, outs, strict=True):
        failed = int(np.count_nonzero(left & item.answer.failed)) if item.answer.any_failed else 0
        left &= item.keep
        kept, only = int(np.count_nonzero(left)), int(np.count_nonzero(once & out))
        counts.append(
            RuleCount(rule=item.rule.ref, kept=kept, cut=before - kept, errors=failed, only=only)
        )
        before = kept
    return tuple(counts)


def _blame(
    asked: Sequence[_Asked], funnel: Sequence[RuleCount], rows: Mask
) -> tuple[RuleRef | None, str]:
    """Returns the rule to look at when nothing is left, and what to tell people."""
    cutting = [
        (count, item) for count, item in zip(funnel, asked, strict=True) if not item.keep.all()
    ]
    if not cutting:
        return None, ""
    count, item = max(cutting, key=lambda pair: pair[0].only)
    if not count.only:
        count, item = [pair for pair in cutting if pair[0].cut or pair[0].errors][-1]
    total = int(np.count_nonzero(rows))
    failed = int(np.count_nonzero(rows & item.answer.failed))
    said = f": {item.rule.message}" if item.rule.message else ""
    text = f"policy {item.rule.ref} leaves none of {total} offerings{said}"
    if failed:
        final = "; it is final, so the pods wait" if item.rule.final else ""
        text = f"policy {item.rule.ref} failed on {failed} of {total} offerings ({item.answer.error}){final}"
    if count.only:
        text += f"; without it {count.only} would be left"
    return item.rule.ref, shorten(text)


def _suspension(item: _Asked, rows: Mask) -> str:
    count = int(np.count_nonzero(rows & item.answer.failed))
    return shorten(
        f"{item.rule.ref} is suspended: it failed on {count} offerings and nothing else would be "
        f"left: {item.answer.error}"
    )


def _error_notes(asked: Sequence[_Asked], rows: Mask) -> list[str]:
    return [
        shorten(
            f"{item.rule.ref} failed on {int(np.count_nonzero(rows & item.answer.failed))} "
            f"offerings: {item.answer.error}"
        )
        for item in asked
        if item.answer.any_failed and (rows & item.answer.failed).any()
    ]


def _audit_notes(audited: Sequence[_Asked], left: Mask) -> list[str]:
    total = int(np.count_nonzero(left))
    return [
        f"audit: {item.rule.ref} would cut {int(np.count_nonzero(left & ~item.keep))} of {total} offerings"
        for item in audited
        if (left & ~item.keep).any()
    ]


# ── prices ───────────────────────────────────────────────────────────────────────────────────────


def effective_prices(
    policies: Sequence[Applied], catalogue: Catalogue, cache: RowCache
) -> tuple[NDArray[np.int64], list[str]]:
    """Returns micro-dollars per hour to rank by, per row, and what went wrong on the way.

    The score of the highest priority, else the price; less bonuses, plus maluses. Never below
    zero: what is paid for being chosen would be chosen without end.
    """
    notes: list[str] = []
    rows = cache.rows(catalogue)
    certain = [item for item in policies if not item.doubt]
    prices: NDArray[np.float64] = rows.prices.astype(np.float64)
    worst = np.zeros(len(prices), dtype=bool)
    scoring = [item for item in certain if item.policy.score is not None]
    notes.extend(
        f"audit: {item.policy.name} would rank by its own score"
        for item in scoring
        if item.policy.audit
    )
    chosen = _score(scoring)
    if chosen is not None and chosen.policy.score is not None:
        answer = cache.ask(chosen.policy.score.program, catalogue, chosen.bindings)
        prices = answer.values.astype(np.float64) * MICROS
        worst = worst | answer.failed
        if answer.any_failed:
            notes.append(_failure(chosen.policy.score, answer))
    for item in certain:
        for rule in item.policy.prefer:
            change, failed = _change(rule, item, catalogue, cache=cache, notes=notes)
            if not item.policy.audit:
                prices, worst = prices + change, worst | failed
    worst |= ~np.isfinite(prices)
    safe = np.where(worst, WORST, prices)
    return np.rint(np.clip(safe, 0, WORST)).astype(np.int64), notes


def _score(scoring: Sequence[Applied]) -> Applied | None:
    in_force = [item for item in scoring if not item.policy.audit]
    return max(in_force, key=lambda item: item.policy.policy.priority, default=None)


def _change(
    rule: CompiledRule,
    item: Applied,
    catalogue: Catalogue,
    *,
    cache: RowCache,
    notes: list[str],
) -> tuple[NDArray[np.float64], Mask]:
    """Returns what a preference adds per row, and the rows on which its malus is not known.

    A bonus that fails is not given; a malus that fails makes the row the worst.
    """
    chosen = cache.ask(rule.program, catalogue, item.bindings)
    nothing = np.zeros(len(chosen.values), dtype=np.float64)
    if rule.amount is None:
        return nothing, chosen.failed
    amount = cache.ask(rule.amount, catalogue, item.bindings)
    wanted = chosen.values.astype(bool)
    failed = chosen.failed | (wanted & amount.failed)
    notes.extend(_failure(rule, answer) for answer in (chosen, amount) if answer.any_failed)
    change = np.where(
        wanted & ~failed, amount.values.astype(np.float64) * (rule.sign * MICROS), nothing
    )
    unknown = failed if rule.sign > 0 else np.zeros(len(failed), dtype=bool)
    if item.policy.audit and change.any():
        count = int(np.count_nonzero(change))
        notes.append(f"audit: {rule.ref} would change the rank of {count} offerings")
    return change, unknown


def _failure(rule: CompiledRule, answer: Answer) -> str:
    count = int(np.count_nonzero(answer.failed))
    return shorten(f"{rule.ref} failed on {count} offerings: {answer.error}")
