"""A plan for a tired reader: the outcome first, then each part with its reasons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from policyscaler.cli.text.pods import group_pods
from policyscaler.cli.text.tables import count, table
from policyscaler.model.money import format_price
from policyscaler.model.plan import (
    ChosenOffering,
    DisruptionCommand,
    ExistingPlacement,
    Finding,
    Plan,
    PlannedNode,
    PoolRefusal,
    Unschedulable,
)
from policyscaler.model.pods import Pod
from policyscaler.model.resources import describe
from policyscaler.model.snapshot import ObjectKey

Pods = Mapping[ObjectKey, Pod]
_RUNNERS_UP: Final = 3
_GROUPS: Final = 6
_INDENT: Final = "  "


def plan_lines(plan: Plan, *, pods: Pods, notes: Iterable[str] = ()) -> list[str]:
    """Returns a plan as text, outcome first.

    Args:
        plan: the decision.
        pods: the pods of the snapshot, for grouping by workload.
        notes: of the catalogues.
    """
    sections = [
        [summary(plan)],
        _launches(plan.launches, pods=pods),
        _existing(plan.existing, pods=pods),
        _unschedulable(plan.unschedulable, pods=pods),
        _disruptions(plan.disruptions, pods=pods),
        finding_lines(plan.findings),
        _section("NOTES", list(notes)),
    ]
    return _joined(sections)


def summary(plan: Plan) -> str:
    """Returns the outcome in one line."""
    parts = []
    if plan.launches:
        price = format_price(plan.price_micros_per_hour)
        waiting = sum(len(node.pods) for node in plan.launches)
        parts.append(
            f"launch {count(len(plan.launches), 'node')} for {count(waiting, 'pod')} at ${price}/h"
        )
    if plan.existing:
        fitting = sum(len(placed.pods) for placed in plan.existing)
        verb = "fits" if fitting == 1 else "fit"
        parts.append(f"{count(fitting, 'pod')} {verb} on existing nodes")
    if plan.unschedulable:
        stuck = sum(len(entry.pods) for entry in plan.unschedulable)
        parts.append(f"{count(stuck, 'pod')} cannot be scheduled")
    if plan.disruptions:
        going = sum(len(command.nodes) for command in plan.disruptions)
        saved = sum(command.savings_micros_per_hour for command in plan.disruptions)
        parts.append(f"remove {count(going, 'node')}, {_saving(saved)}")
    return "PLAN: " + ("; ".join(parts) if parts else "nothing to do")


def node_lines(node: PlannedNode, *, pods: Pods, indent: str = _INDENT) -> list[str]:
    """Returns what is known about a node to launch, but for its first line."""
    lines = [f"{indent}pods     {_listed(group_pods(node.pods, pods))}"]
    if node.requests:
        lines.append(f"{indent}needs    {describe(node.requests)}, its DaemonSets included")
    lines.append(f"{indent}next     {_runners_up(node)}")
    if node.taints:
        lines.append(f"{indent}taints   {', '.join(str(taint) for taint in sorted(node.taints))}")
    lines.extend(f"{indent}{_finding(finding)}" for finding in node.findings)
    return lines


def offering_text(offering: ChosenOffering) -> str:
    """Returns `m5.large us-east-1a spot $0.0350/h`."""
    price = format_price(offering.price_micros_per_hour)
    return f"{offering.instance_type} {offering.zone} {offering.capacity_type} ${price}/h"


def refusal_lines(refusals: Iterable[PoolRefusal], *, indent: str) -> list[str]:
    """Returns why each pool refuses, with the nearest miss and the rule."""
    lines = []
    for refusal in refusals:
        pool = f"pool {refusal.pool}: " if refusal.pool else ""
        lines.append(f"{indent}{pool}{refusal.constraint}: {refusal.message}")
        if refusal.nearest_miss:
            lines.append(f"{indent}{_INDENT}nearest miss: {refusal.nearest_miss}")
        if refusal.rule:
            lines.append(f"{indent}{_INDENT}rule: {refusal.rule}")
    return lines


def finding_lines(findings: Iterable[Finding]) -> list[str]:
    """Returns the section of findings, empty without any."""
    return _section("FINDINGS", [_finding(finding) for finding in findings])


def _launches(nodes: tuple[PlannedNode, ...], *, pods: Pods) -> list[str]:
    if not nodes:
        return []
    rows = []
    for node in nodes:
        chosen = node.chosen
        price = f"${format_price(chosen.price_micros_per_hour)}/h"
        rows.append(
            (node.name, node.pool, chosen.instance_type, chosen.zone, chosen.capacity_type, price)
        )
    header = ("NODE", "POOL", "TYPE", "ZONE", "CAPACITY", "PRICE")
    head, *heads = table(header, rows, indent=_INDENT)
    lines = ["LAUNCH", head]
    for first, node in zip(heads, nodes, strict=True):
        lines.append(first)
        lines.extend(node_lines(node, pods=pods, indent=_INDENT * 3))
    return lines


def _existing(placements: tuple[ExistingPlacement, ...], *, pods: Pods) -> list[str]:
    rows = [
        (placed.node, str(len(placed.pods)), _listed(group_pods(placed.pods, pods)))
        for placed in placements
    ]
    if not rows:
        return []
    return ["FITS ON EXISTING NODES", *table(("NODE", "PODS", "WHICH"), rows, indent=_INDENT)]


def _unschedulable(entries: tuple[Unschedulable, ...], *, pods: Pods) -> list[str]:
    if not entries:
        return []
    lines = ["CANNOT BE SCHEDULED"]
    for entry in entries:
        lines.append(f"{_INDENT}{_listed(group_pods(entry.pods, pods))}")
        lines.extend(refusal_lines(entry.refusals, indent=_INDENT * 2))
        if not entry.refusals:
            lines.append(f"{_INDENT * 2}there is no NodePool")
    return lines


def _disruptions(commands: tuple[DisruptionCommand, ...], *, pods: Pods) -> list[str]:
    if not commands:
        return []
    lines = ["REMOVE"]
    for command in commands:
        forced = ", whatever budgets say" if command.forceful else ""
        saving = _saving(command.savings_micros_per_hour)
        lines.append(f"{_INDENT}{', '.join(command.nodes)}: {command.reason}{forced}, {saving}")
        lines.extend(
            f"{_INDENT * 2}first launches {offering_text(node.chosen)} in pool {node.pool}"
            for node in command.replacements
        )
        if command.moves:
            lines.append(f"{_INDENT * 2}moves {_listed(group_pods(command.moves, pods))}")
        lines.extend(f"{_INDENT * 2}rule {rule}" for rule in command.rules)
    return lines


def _runners_up(node: PlannedNode) -> str:
    others = node.offerings[1 : 1 + _RUNNERS_UP]
    if not others:
        return "no other offering would do"
    texts = []
    for offering in others:
        difference = offering.price_micros_per_hour - node.chosen.price_micros_per_hour
        sign = "-" if difference < 0 else "+"
        texts.append(f"{offering_text(offering)} ({sign}${format_price(abs(difference))})")
    rest = len(node.offerings) - 1 - len(others)
    return "; ".join(texts) + (f"; and {count(rest, 'more', 'more')}" if rest else "")


def _saving(micros: int) -> str:
    verb = "saves" if micros >= 0 else "costs"
    return f"{verb} ${format_price(abs(micros))}/h"


def _listed(groups: list[str]) -> str:
    rest = len(groups) - _GROUPS
    shown = ", ".join(groups[:_GROUPS])
    if not groups:
        return "none"
    return f"{shown} and {count(rest, 'more workload')}" if rest > 0 else shown


def _finding(finding: Finding) -> str:
    rule = f" [{finding.rule}]" if finding.rule else ""
    return f"{finding.severity}: {finding.subject}: {finding.message}{rule}"


def _section(title: str, lines: list[str]) -> list[str]:
    return [title, *(f"{_INDENT}{line}" for line in lines)] if lines else []


def _joined(sections: Iterable[list[str]]) -> list[str]:
    lines: list[str] = []
    for section in sections:
        if lines and section:
            lines.append("")
        lines.extend(section)
    return lines
