"""No third launch for a pod that two nodes were launched for and that runs on neither.

Something about the node is not what planning believes: a daemon that takes more than it says, a
webhook that changes pods, a taint. Launching the same again costs money and helps nobody, so the
pod waits, loudly, and is tried again after a while.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from policyscaler.model.plan import Finding, PoolRefusal, Unschedulable
from policyscaler.model.snapshot import ObjectKey, Snapshot

MOST_LAUNCHES: Final = 2
PAUSE: Final = timedelta(minutes=10)
"""Long enough for a person to be alarmed, short enough for a lost race to heal by itself."""


def held_pods(snapshot: Snapshot, now: datetime) -> frozenset[ObjectKey]:
    """Returns the pods for which nothing is launched at present; existing nodes may take them."""
    return frozenset(
        key
        for key, attempts in snapshot.fruitless_launches.items()
        if attempts.count >= MOST_LAUNCHES and now - attempts.latest < PAUSE
    )


def refuse(pods: tuple[ObjectKey, ...], snapshot: Snapshot) -> tuple[Unschedulable, Finding]:
    """Returns what is said of held pods, as an answer about them and as an alarm."""
    attempts: Mapping[ObjectKey, int] = {
        key: snapshot.fruitless_launches[key].count for key in pods
    }
    first = "/".join(pods[0])
    text = (
        f"{max(attempts.values())} nodes were launched for {first} and it runs on none of them; "
        "no further one is launched for 10 minutes"
    )
    fix = "look at the scheduler's message on the pod, and at daemons and taints on those nodes"
    refusal = PoolRefusal(pool="", constraint="launch-loop", message=text, nearest_miss=fix)
    finding = Finding(severity="error", subject=first, message=text)
    return Unschedulable(pods=pods, refusals=(refusal,)), finding
