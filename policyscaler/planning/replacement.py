"""Whether a replacement is worth it: every offering that the launch may become is put to policy.

One rule is not policy: a replacement that saves nothing is none. Without it a set of policies that
forgets to say so would replace nodes by their like for ever.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from policyscaler.model import labels as well
from policyscaler.model.money import MICROS
from policyscaler.model.plan import ChosenOffering, PlannedNode
from policyscaler.model.requirements import NodeSelectorRequirement
from policyscaler.planning.candidates import Candidate
from policyscaler.planning.workbench import Workbench


def worthwhile(
    bench: Workbench, candidate: Candidate, node: PlannedNode, reason: str
) -> tuple[PlannedNode | None, str]:
    """Returns the replacement narrowed to what every `replace` rule accepts, or why there is none.

    The launch may end on any offering that it carries, so each is judged on its own: none that
    policy refuses is left to be chosen for lack of capacity elsewhere.
    """
    saving = [o for o in node.offerings if o.price_micros_per_hour < candidate.price]
    if not saving:
        return None, "nothing that its pods fit on is cheaper"
    cheaper = len({offering.instance_type for offering in saving})
    current, pool = _current(candidate), bench.rules.pool(node.pool)
    disruption = {"reason": reason, "cost": candidate.cost}
    kept, refusal = [], ""
    for offering in saving:
        facts = _replacement(offering, len(node.offerings), cheaper)
        verdicts = bench.rules.policies.replace(
            current, facts, disruption, bench.rules.context, pool=pool
        )
        refused = next((verdict for verdict in verdicts if not verdict.passed), None)
        if refused is None:
            kept.append(offering)
        elif not refusal:
            refusal = f"{refused.rule.policy}/{refused.rule.rule}: {refused.message}"
    if not kept:
        return None, refusal or "no offering is accepted"
    return _narrowed(node, kept), ""


def _current(candidate: Candidate) -> Mapping[str, object]:
    labels = candidate.node.labels
    return {
        "price": candidate.price / MICROS,
        "capacityType": labels.get(well.CAPACITY_TYPE, ""),
        "types": [labels.get(well.INSTANCE_TYPE, "")],
        "count": 1,
    }


def _replacement(offering: ChosenOffering, candidates: int, cheaper: int) -> Mapping[str, object]:
    return {
        "price": offering.price_micros_per_hour / MICROS,
        "capacityType": offering.capacity_type,
        "type": offering.instance_type,
        "zone": offering.zone,
        "candidates": candidates,
        "cheaperTypes": cheaper,
    }


def _narrowed(node: PlannedNode, kept: list[ChosenOffering]) -> PlannedNode:
    values = {
        well.INSTANCE_TYPE: tuple(sorted({offering.instance_type for offering in kept})),
        well.CAPACITY_TYPE: tuple(sorted({offering.capacity_type for offering in kept})),
    }
    requirements = tuple(
        NodeSelectorRequirement(
            key=entry.key, operator="In", values=values[entry.key], min_values=entry.min_values
        )
        if entry.key in values
        else entry
        for entry in node.requirements
    )
    return msgspec.structs.replace(node, offerings=tuple(kept), requirements=requirements)
