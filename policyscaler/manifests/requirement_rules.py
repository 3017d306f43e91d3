"""Rules for requirements, labels and taints that a table of fields cannot say.

Source: the CEL rules of Karpenter's CRDs and its validation at run time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from policyscaler.manifests.findings import Code, Path, did_you_mean, nearest, shorten
from policyscaler.manifests.label_syntax import key_fault, value_fault
from policyscaler.manifests.pool_wire import RequirementWire, TaintWire
from policyscaler.manifests.reporting import Reporter
from policyscaler.model import labels
from policyscaler.model.nodes import Taint
from policyscaler.model.requirements import (
    NUMERIC_OPERATORS,
    NodeSelectorRequirement,
    Requirement,
    as_integer,
    from_manifest,
)

_MAX_MIN_VALUES: Final = 50
_KNOWN_VALUES: Final = {labels.CAPACITY_TYPE: labels.CAPACITY_TYPES}


def decode_requirements(
    written: Sequence[RequirementWire],
    *,
    at: Path,
    reporter: Reporter,
    nodepool_allowed: bool = False,
) -> tuple[NodeSelectorRequirement, ...]:
    """Returns requirements after checking each, and that together they leave something.

    Args:
        written: as read.
        at: where the list stands.
        reporter: where faults go.
        nodepool_allowed: whether karpenter.sh/nodepool may be required (NodeClaims).
    """
    decoded = []
    failed, reporter.failed = reporter.failed, False
    for index, entry in enumerate(written):
        here = (*at, index)
        _check_key(entry.key, at=(*here, "key"), reporter=reporter, allowed=nodepool_allowed)
        _check_values(entry, at=here, reporter=reporter)
        decoded.append(
            NodeSelectorRequirement(
                key=entry.key, operator=entry.operator, values=entry.values,
                min_values=entry.min_values, source=reporter.position(here),
            )
        )  # fmt: skip
    if not reporter.failed:
        _check_together(decoded, at=at, reporter=reporter)
    reporter.failed = reporter.failed or failed
    return tuple(decoded)


def _check_key(key: str, *, at: Path, reporter: Reporter, allowed: bool) -> None:
    fault = key_fault(key)
    if fault:
        reporter.error(Code.BAD_LABEL, f'"{shorten(key)}" is not a label key: {fault}', at=at)
        return
    well_known = reporter.vocabulary.well_known
    why = reporter.vocabulary.restriction(key, nodepool_allowed=allowed)
    if why:
        message = f'"{shorten(key)}" cannot be required: {why}'
        reporter.error(Code.BAD_LABEL, message, at=at, suggestion=_near_key(key, reporter))
    elif "/" in key and labels.stable_key(key) not in well_known:
        near = nearest(key, well_known, cutoff=0.93)
        if near:
            message = f'"{shorten(key)}" is no label that nodes have by themselves'
            reporter.warning(
                Code.UNKNOWN_VALUE, message, at=at, suggestion=f'did you mean "{near}"?'
            )


def _near_key(key: str, reporter: Reporter) -> str:
    if key == labels.HOSTNAME:
        return ""
    near = nearest(key, reporter.vocabulary.well_known - {labels.NODEPOOL}, cutoff=0.8)
    return f'did you mean "{near}"?' if near else ""


def _check_values(entry: RequirementWire, *, at: Path, reporter: Reporter) -> None:
    values_at = (*at, "values")
    for index, value in enumerate(entry.values):
        fault = value_fault(value)
        if fault and entry.operator not in NUMERIC_OPERATORS:
            message = f'"{shorten(value)}" is not a label value: {fault}'
            reporter.error(Code.BAD_LABEL, message, at=(*values_at, index))
    if entry.operator in NUMERIC_OPERATORS:
        _check_number(entry, at=values_at, reporter=reporter)
    elif entry.operator == "In":
        _check_in(entry, at=at, reporter=reporter)
    elif entry.operator in ("Exists", "DoesNotExist") and entry.values:
        message = f"{entry.operator} takes no values; these have no effect"
        reporter.warning(Code.BAD_REQUIREMENT, message, at=values_at)
    minimum = entry.min_values
    if minimum is not None and not 1 <= minimum <= _MAX_MIN_VALUES:
        message = f"minValues {minimum} is not between 1 and {_MAX_MIN_VALUES}"
        reporter.error(Code.BAD_VALUE, message, at=(*at, "minValues"))


def _check_number(entry: RequirementWire, *, at: Path, reporter: Reporter) -> None:
    if len(entry.values) != 1:
        count = len(entry.values) or "none"
        message = f"{entry.operator} needs exactly one whole number, there are {count}"
        reporter.error(Code.BAD_REQUIREMENT, message, at=at)
        return
    number = as_integer(entry.values[0])
    if number is None or number < 0:
        message = (
            f'{entry.operator} needs a whole number of 0 or more, not "{shorten(entry.values[0])}"'
        )
        reporter.error(Code.BAD_REQUIREMENT, message, at=(*at, 0))


def _check_in(entry: RequirementWire, *, at: Path, reporter: Reporter) -> None:
    if not entry.values:
        reporter.error(Code.BAD_REQUIREMENT, "In needs at least one value", at=at)
        return
    distinct = set(entry.values)
    if entry.min_values is not None and len(distinct) < entry.min_values:
        message = f"minValues {entry.min_values} needs as many values, there are {len(distinct)}"
        reporter.error(Code.BAD_REQUIREMENT, message, at=(*at, "minValues"))
    known = _KNOWN_VALUES.get(labels.stable_key(entry.key))
    if known is not None:
        _check_known(entry, known, at=(*at, "values"), reporter=reporter)


def _check_known(
    entry: RequirementWire, known: tuple[str, ...], *, at: Path, reporter: Reporter
) -> None:
    """Reports unknown capacity types: none known fails, some known passes with a warning."""
    kept = sorted(set(entry.values) & set(known))
    if kept and len(kept) < (entry.min_values or 0):
        message = f"minValues {entry.min_values} needs as many known values, there are {len(kept)}"
        reporter.error(Code.UNKNOWN_VALUE, message, at=at)
    for index, value in enumerate(entry.values):
        if value in known:
            continue
        message = f'"{shorten(value)}" is not one of {", ".join(known)}'
        hint = did_you_mean(value, known)
        report = reporter.warning if kept else reporter.error
        report(Code.UNKNOWN_VALUE, message, at=(*at, index), suggestion=hint)


def _check_together(
    written: Sequence[NodeSelectorRequirement], *, at: Path, reporter: Reporter
) -> None:
    """Reports a label whose requirements leave no value: such a pool could never launch."""
    together: dict[str, Requirement] = {}
    for index, entry in enumerate(written):
        single = from_manifest(entry)
        before = together.get(single.key)
        merged = single if before is None else before.intersect(single)
        together[single.key] = merged
        if before is None or _leaves_something(merged) or not _leaves_something(before):
            continue
        if before.operator == single.operator == "DoesNotExist":
            continue
        numeric = entry.operator in NUMERIC_OPERATORS and before.complement
        what = "empty numeric range" if numeric else "no value left"
        message = f"{what}: {before} and {single} exclude each other, nothing could be launched"
        reporter.error(Code.BAD_REQUIREMENT, message, at=(*at, index))


def _leaves_something(requirement: Requirement) -> bool:
    if not requirement.complement:
        return bool(requirement.values)
    return (
        requirement.lower is None
        or requirement.upper is None
        or any(
            requirement.allows(str(number))
            for number in range(
                requirement.lower,
                min(requirement.upper, requirement.lower + len(requirement.values)) + 1,
            )
        )
    )


def check_labels(written: Mapping[str, str], *, at: Path, reporter: Reporter) -> None:
    """Reports labels that nodes cannot get from a pool."""
    for key, value in written.items():
        here = (*at, key)
        fault = key_fault(key)
        why = reporter.vocabulary.restriction(key)
        if fault:
            message = f'"{shorten(key)}" is not a label key: {fault}'
            reporter.error(Code.BAD_LABEL, message, at=here, key=True)
        elif why:
            message = f'"{shorten(key)}" cannot be set: {why}'
            reporter.error(
                Code.BAD_LABEL, message, at=here, suggestion=_near_key(key, reporter), key=True
            )
        if fault := value_fault(value):
            message = f'"{shorten(value)}" is not a label value: {fault}'
            reporter.error(Code.BAD_LABEL, message, at=here)


def decode_taints(
    written: Mapping[str, Sequence[TaintWire]], *, at: Path, reporter: Reporter
) -> dict[str, tuple[Taint, ...]]:
    """Returns taints by the field that they are written in, syntax and repetitions checked.

    The same key and effect must not occur twice, over all fields together.
    """
    seen: dict[tuple[str, str], str] = {}
    for field, taints in written.items():
        for index, taint in enumerate(taints):
            here = (*at, field, index)
            if fault := key_fault(taint.key):
                message = f'"{shorten(taint.key)}" is not a taint key: {fault}'
                reporter.error(Code.BAD_LABEL, message, at=(*here, "key"))
            if fault := value_fault(taint.value):
                message = f'"{shorten(taint.value)}" is not a taint value: {fault}'
                reporter.error(Code.BAD_LABEL, message, at=(*here, "value"))
            pair = (taint.key, taint.effect)
            if pair in seen:
                message = f"{taint.key}:{taint.effect} is there twice, first in {seen[pair]}"
                reporter.error(Code.BROKEN_RULE, message, at=here)
            seen.setdefault(pair, f"{field}[{index}]")
    return {
        field: tuple(Taint(key=t.key, value=t.value, effect=t.effect) for t in taints)
        for field, taints in written.items()
    }
