"""Rules about the terms that select images, subnets, groups and reservations.

Source: the admission rules of Karpenter's EC2NodeClass. Some of them refuse an object only if
every term breaks them, so that a cluster can hold a term with an ID and tags side by side; the
provider then goes by the ID, and a warning says so here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from policyscaler.manifests.findings import Code, Path
from policyscaler.manifests.reporting import Reporter
from policyscaler_aws.families import CUSTOM, FAMILIES
from policyscaler_aws.spec import ImageTerm, Record, SpecWire, family_of_alias

_SPEC: Final[Path] = ("spec",)
_IMAGES: Final = "amiSelectorTerms"
_ALIAS: Final = re.compile(r"[a-zA-Z0-9]+@.+")
_ALIASES: Final = ", ".join(f"{name.lower()}@latest" for name in FAMILIES if name != CUSTOM)


def check_selectors(spec: SpecWire, reporter: Reporter) -> None:
    """Reports every term that selects nothing, too much or two things at once."""
    _check_images(spec, reporter)
    _check_family(spec, reporter)
    for field, terms, alone in (
        ("subnetSelectorTerms", spec.subnet_selector_terms, ("id",)),
        ("securityGroupSelectorTerms", spec.security_group_selector_terms, ("id", "name")),
        ("capacityReservationSelectorTerms", spec.capacity_reservation_selector_terms, ("id",)),
    ):
        _check_terms(terms, alone, field=field, reporter=reporter)


def _check_terms(
    terms: Sequence[Record], alone: tuple[str, ...], *, field: str, reporter: Reporter
) -> None:
    mixed = []
    for index, term in enumerate(terms):
        at = (*_SPEC, field, index)
        fields = _set_fields(term)
        _check_tags(term, at=at, reporter=reporter)
        if not set(fields) - {"ownerID"}:
            reporter.error(Code.BROKEN_RULE, _selects_nothing(fields, term), at=at)
        elif len(fields) > 1 and any(name in fields for name in alone):
            mixed.append(index)
    for index in mixed:
        fields = _set_fields(terms[index])
        first = next(name for name in alone if name in fields)
        others = ", ".join(name for name in fields if name != first)
        report = reporter.error if len(mixed) == len(terms) else reporter.warning
        report(
            Code.BROKEN_RULE,
            f"{first} selects on its own, so {others} beside it has no effect",
            at=(*_SPEC, field, index),
            suggestion="write them as two terms, or leave one out",
        )


def _selects_nothing(fields: Sequence[str], term: Record) -> str:
    wanted = ", ".join(
        name for name in term.__struct_encode_fields__ if name not in ("ownerID", "owner")
    )
    if fields:
        return f"{fields[0]} alone selects nothing; add one of {wanted}"
    return f"the term is empty; set one of {wanted}"


def _set_fields(term: Record) -> list[str]:
    """Returns the fields that say something, as a manifest spells them, sorted."""
    values: dict[str, object] = msgspec.to_builtins(term)
    return sorted(name for name, value in values.items() if value)


def _check_tags(term: Record, *, at: Path, reporter: Reporter) -> None:
    tags = getattr(term, "tags", {})
    for key, value in tags.items():
        if not key or not value:
            message = f'the tag "{key}: {value}" has an empty {"value" if key else "key"}'
            hint = f"write \"{key}: '*'\" for any value" if key else ""
            reporter.error(Code.BROKEN_RULE, message, at=(*at, "tags", key), suggestion=hint)


def _check_images(spec: SpecWire, reporter: Reporter) -> None:
    for index, term in enumerate(spec.ami_selector_terms):
        at = (*_SPEC, _IMAGES, index)
        fields = [name for name in _set_fields(term) if name != "ssmParameter"]
        _check_tags(term, at=at, reporter=reporter)
        if term.alias:
            _check_alias(term, at=at, reporter=reporter)
            if len(spec.ami_selector_terms) > 1:
                message = "an alias stands for all images of a family, so it must be the only term"
                reporter.error(Code.BROKEN_RULE, message, at=at)
        if len(fields) > 1 and (term.alias or term.id):
            first = "alias" if term.alias else "id"
            others = ", ".join(name for name in fields if name != first)
            message = f"{first} selects on its own and cannot go with {others}"
            reporter.error(Code.BROKEN_RULE, message, at=at)
        if not term.ssm_parameter and not set(fields) - {"owner"}:
            reporter.error(Code.BROKEN_RULE, _selects_nothing(fields, term), at=at)


def _check_alias(term: ImageTerm, *, at: Path, reporter: Reporter) -> None:
    place = (*at, "alias")
    family = family_of_alias(term.alias)
    if not _ALIAS.fullmatch(term.alias):
        message = f'"{term.alias}" is not an alias'
        hint = "write family@version, such as al2023@latest or al2023@v20240807"
        reporter.error(Code.BAD_VALUE, message, at=place, suggestion=hint)
    elif family is None:
        message = f'no image family answers to "{term.alias}"'
        reporter.error(Code.BAD_VALUE, message, at=place, suggestion=f"known are {_ALIASES}")
    elif family.windows_build and not term.alias.endswith("@latest"):
        message = f'"{term.alias}" names a version, which Windows images do not have'
        hint = f'write "{family.name.lower()}@latest"'
        reporter.error(Code.BROKEN_RULE, message, at=place, suggestion=hint)


def _check_family(spec: SpecWire, reporter: Reporter) -> None:
    at = (*_SPEC, "amiFamily")
    if not spec.alias:
        if not spec.ami_family:
            message = "amiFamily is missing, and no alias says which it is"
            hint = "write amiFamily: AL2023, or select images by alias: al2023@latest"
            reporter.error(Code.BROKEN_RULE, message, at=_SPEC, suggestion=hint)
        return
    family = family_of_alias(spec.alias)
    if family and spec.ami_family not in ("", family.name, CUSTOM):
        message = f'{spec.ami_family} contradicts the alias "{spec.alias}"'
        hint = f"write {family.name}, or leave it out"
        reporter.error(Code.BROKEN_RULE, message, at=at, suggestion=hint)
