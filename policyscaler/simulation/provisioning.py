"""The provisioning loop: collects pending pods for a moment, decides, launches, nominates.

Source: Karpenter's batching (1 s idle, 10 s at most) and triggers, v1.14.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from policyscaler.model.money import decimal_price, format_price
from policyscaler.model.nodes import NodeClaim
from policyscaler.model.plan import Plan, PlannedNode
from policyscaler.model.pods import Pod
from policyscaler.model.snapshot import ObjectKey
from policyscaler.simulation.attempts import LaunchAttempts
from policyscaler.simulation.clock import Alarm
from policyscaler.simulation.lifecycle import Lifecycle
from policyscaler.simulation.nominations import Nominations
from policyscaler.simulation.settings import BATCH_IDLE, BATCH_MAX, RECHECK_PENDING
from policyscaler.simulation.snapshots import Planner, Snapshots
from policyscaler.simulation.world import World

_RUNNERS_UP = 3


class Provisioning:
    """Sees that pending pods get nodes."""

    def __init__(
        self, world: World, *, lifecycle: Lifecycle, snapshots: Snapshots,
        planner: Planner, nominations: Nominations, attempts: LaunchAttempts,
    ) -> None:  # fmt: skip
        self.planner = planner
        self._world = world
        self._lifecycle = lifecycle
        self._snapshots = snapshots
        self._nominations = nominations
        self._attempts = attempts
        self._deadline: datetime | None = None
        self._due: datetime | None = None
        self._again = False
        self._recheck = Alarm(world.clock, self.trigger)
        self._refused: dict[ObjectKey, str] = {}
        lifecycle.on_idle.append(self._launches_answered)
        world.state.pods.watch(self._pod_changed)
        world.state.claims.watch(self._claim_changed)
        world.state.pools.watch(lambda _old, _new: self.trigger())

    def trigger(self) -> None:
        """Opens or extends the batch window."""
        now = self._world.now
        if self._deadline is None:
            self._deadline = now + BATCH_MAX
        due = self._due = min(now + BATCH_IDLE, self._deadline)
        self._world.clock.at(due, lambda: self._close(due))

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        if new is None:
            if old is not None:
                self._refused.pop(old.meta.key, None)
        elif is_provisionable(new) and (old is None or not is_provisionable(old)):
            self.trigger()

    def _claim_changed(self, old: NodeClaim | None, new: NodeClaim | None) -> None:
        lost = new is None and old is not None and old.meta.deleted is None
        deleted = new is not None and new.meta.deleted is not None
        if lost or (deleted and (old is None or old.meta.deleted is None)):
            self.trigger()

    def _launches_answered(self) -> None:
        if self._again:
            self._again = False
            self.trigger()

    def _close(self, due: datetime) -> None:
        if self._due != due:
            return
        self._due = self._deadline = None
        if not self._has_work():
            return
        if self._lifecycle.is_launching:
            self._again = True
            return
        plan = self.planner(self._snapshots.take(), self._world.now)
        self._execute(plan)
        if plan.unschedulable:
            self._recheck.set(self._world.now + RECHECK_PENDING)

    def _has_work(self) -> bool:
        state = self._world.state
        if any(is_provisionable(pod) for pod in state.pods.items.values()):
            return True
        return any(
            claim.meta.deleted is not None
            and any(pod.is_reschedulable for pod in state.index.on_node(claim.node).values())
            for claim in state.claims.items.values()
        )

    def _execute(self, plan: Plan) -> None:
        for planned in plan.launches:
            claim = self._lifecycle.create(planned)
            self._nominations.plan(planned.pods, claim.meta.name)
            self._attempts.launched(planned.pods, claim.meta.name)
            self._note_launch(claim, planned)
        for placement in plan.existing:
            self._nominations.plan(placement.pods, placement.node)
        for group in plan.unschedulable:
            reasons = "; ".join(f"{r.pool}: {r.message}" for r in group.refusals)
            self._note_refusal(group.pods, reasons or "no NodePool can take them")

    def _note_launch(self, claim: NodeClaim, planned: PlannedNode) -> None:
        self._world.note(
            "launch", f"nodeclaim/{claim.meta.name}", why_this_type(planned),
            pool=planned.pool, pods=len(planned.pods),
            instanceType=planned.chosen.instance_type, zone=planned.chosen.zone,
            capacityType=planned.chosen.capacity_type,
            pricePerHour=decimal_price(planned.chosen.price_micros_per_hour),
        )  # fmt: skip

    def _note_refusal(self, pods: tuple[ObjectKey, ...], reasons: str) -> None:
        news = [key for key in pods if self._refused.get(key) != reasons]
        if news:
            self._refused.update(dict.fromkeys(news, reasons))
            first = "/".join(news[0])
            more = f" and {len(news) - 1} more" if len(news) > 1 else ""
            self._world.note(
                "unschedulable", f"pod/{first}", f"no place for {first}{more}: {reasons}"
            )


def is_provisionable(pod: Pod) -> bool:
    """Returns whether a pod waits for a node that the engine may launch."""
    return (
        pod.unschedulable
        and not pod.node
        and not pod.nominated
        and pod.is_active
        and not pod.is_daemon
        and not pod.is_static
    )


def why_this_type(planned: PlannedNode) -> str:
    """Returns one sentence: what is launched, at what price, and what the next best would cost."""
    chosen = planned.chosen
    best: dict[str, int] = {}
    for offering in planned.offerings:
        best.setdefault(offering.instance_type, offering.price_micros_per_hour)
    others = [t for t in best if t != chosen.instance_type][:_RUNNERS_UP]
    named = ", ".join(f"{name} ${format_price(best[name])}" for name in others)
    zones = Counter(o.zone for o in planned.offerings)
    return (
        f"{chosen.instance_type} in {chosen.zone}, {chosen.capacity_type}, for "
        f"{len(planned.pods)} pods at ${format_price(chosen.price_micros_per_hour)}/h: first of "
        f"{len(planned.offerings)} offerings of {len(best)} types in {len(zones)} zones"
        + (f"; next {named}" if named else "")
    )
