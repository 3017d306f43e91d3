"""What a launch is charged to: `limits` of all policies. An error leaves no room."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from policyscaler.model.offerings import Catalogue
from policyscaler.policy.compiled import IGNORE, CompiledLimit
from policyscaler.policy.faults import EvalError
from policyscaler.policy.matching import Applied
from policyscaler.policy.rowcache import RowCache
from policyscaler.policy.verdicts import LimitCharge, shorten

MILLIONTHS: Final = 1_000_000
_MOST: Final = 2**53
"""Amounts beyond this are no whole doubles any more; also what a limit without end is cut to."""
_UNKNOWN: Final = "?"


def charges(
    policies: Sequence[Applied], catalogue: Catalogue, *, cache: RowCache
) -> tuple[LimitCharge, ...]:
    """Returns the limits that a launch counts against, in the order of the policies."""
    found = []
    for item in policies:
        if item.policy.audit or item.policy.generated:
            continue
        for limit in item.policy.limits:
            charge = _charge(limit, item, catalogue, cache=cache)
            if charge is not None:
                found.append(charge)
    return tuple(found)


def _charge(
    limit: CompiledLimit, item: Applied, catalogue: Catalogue, *, cache: RowCache
) -> LimitCharge | None:
    when = True if limit.when is None else limit.when.evaluate(item.bindings)
    if when is False:
        return None
    by, most = limit.by.evaluate(item.bindings), limit.maximum.evaluate(item.bindings)
    answer = cache.ask(limit.amount, catalogue, item.bindings)
    whole = next((str(value) for value in (when, by, most) if isinstance(value, EvalError)), "")
    if isinstance(most, float) and math.isnan(most):
        whole = whole or "max is not a number"
    amounts, odd = _millionths(answer.values)
    unknown = answer.failed | odd
    if limit.on_error == IGNORE:
        if whole:
            return None
        amounts = np.where(unknown, 0, amounts)
    else:
        # More than any limit has, so that rows whose amount is not known never fit.
        amounts = np.where(unknown, _MOST, amounts)
    policy, rule = limit.ref.policy, limit.ref.rule
    key = f"{policy}/{rule}/{_UNKNOWN if isinstance(by, EvalError) else by}"
    maximum = 0 if whole else _limit(most)
    if whole:
        # Charging at least one to a limit of nothing is what "no room" means.
        amounts = np.maximum(amounts, 1)
    error = shorten(f"{limit.ref} leaves no room, because it failed: {whole}") if whole else ""
    return LimitCharge(key=key, rule=limit.ref, amounts=amounts, maximum=maximum, error=error)


def _limit(value: object) -> int:
    number = float(str(value)) * MILLIONTHS
    return int(min(max(number, 0.0), _MOST - 1))


def _millionths(
    values: NDArray[np.bool_] | NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Returns amounts rounded up, so that no sum of them overshoots, and which are no numbers."""
    scaled = values.astype(np.float64) * MILLIONTHS
    odd = ~np.isfinite(scaled) | (scaled < 0) | (scaled > _MOST)
    exact = np.rint(scaled)
    # A price of 0.1 $/h times a million is a hair off 100,000: that hair is not to be charged.
    near = np.abs(scaled - exact) < 1e-3  # a thousandth of a millionth
    rounded = np.where(near, exact, np.ceil(scaled))
    return np.where(odd, 0, rounded).astype(np.int64), odd
