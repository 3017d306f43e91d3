"""Taints and tolerations.

Source: the semantics of kube-scheduler's TaintToleration plugin, and Karpenter's list of taints
that a starting node is expected to lose.
"""

from __future__ import annotations

from typing import Final

from policyscaler.model import labels as well
from policyscaler.model.nodes import (
    NO_EXECUTE,
    NO_SCHEDULE,
    PREFER_NO_SCHEDULE,
    Taint,
)
from policyscaler.model.pods import Toleration

_EPHEMERAL: Final = frozenset(
    {
        (well.NOT_READY_TAINT, NO_SCHEDULE),
        (well.NOT_READY_TAINT, NO_EXECUTE),
        (well.UNREACHABLE_TAINT, NO_SCHEDULE),
        (well.UNINITIALIZED_TAINT, NO_SCHEDULE),
        (well.UNREGISTERED_TAINT, NO_EXECUTE),
    }
)

DISRUPTED: Final = Taint(key=well.DISRUPTED_TAINT, effect=NO_SCHEDULE)
UNREGISTERED: Final = Taint(key=well.UNREGISTERED_TAINT, effect=NO_EXECUTE)
TOLERATES_SOFT: Final = Toleration(operator="Exists", effect=PREFER_NO_SCHEDULE)


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Returns whether one toleration accepts one taint."""
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator == "Exists":
        return True
    return bool(toleration.key) and toleration.value == taint.value


def untolerated(
    taints: tuple[Taint, ...], tolerations: tuple[Toleration, ...], *, soft: bool = False
) -> Taint | None:
    """Returns the first taint that keeps the pod away, or None.

    Args:
        taints: of the node or template.
        tolerations: of the pod.
        soft: whether PreferNoSchedule keeps it away too.
    """
    for taint in taints:
        if taint.effect == PREFER_NO_SCHEDULE and not soft:
            continue
        if not any(tolerates(toleration, taint) for toleration in tolerations):
            return taint
    return None


def is_ephemeral(taint: Taint) -> bool:
    """Returns whether a node that is starting is expected to lose this taint by itself."""
    return (taint.key, taint.effect) in _EPHEMERAL or taint.key.startswith(well.READINESS_DOMAIN)


def lasting(
    taints: tuple[Taint, ...], startup: tuple[Taint, ...], *, initialized: bool
) -> tuple[Taint, ...]:
    """Returns the taints that count for a node: a starting one will lose some of them."""
    if initialized:
        return taints
    expected = {(taint.key, taint.effect) for taint in startup}
    return tuple(t for t in taints if not is_ephemeral(t) and (t.key, t.effect) not in expected)
