"""From paths and options to values: manifests, catalogues, a snapshot, policies, an instant."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import click

from policyscaler.cli.options import WALL
from policyscaler.cli.text.terminal import complain
from policyscaler.manifests.assembly import to_snapshot
from policyscaler.manifests.findings import ERROR, NOTE, Finding
from policyscaler.manifests.loaded import Translation
from policyscaler.manifests.loading import Loaded, load, vocabulary_of
from policyscaler.manifests.reading import SUFFIXES, files_of
from policyscaler.model.errors import ConfigError
from policyscaler.model.offerings import Catalogue
from policyscaler.model.snapshot import Snapshot
from policyscaler.operator.wiring import kinds, providers
from policyscaler.operator.written import NO_BUNDLE, written_policies
from policyscaler.planning.planner import pool_policies
from policyscaler.policy.evaluation import Policies

DEFAULT_NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""The instant of files that carry no time stamp; fixed, so that plans can be repeated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the options of a command ask for.

    Attributes:
        paths: manifests; policies among them count.
        policies: further paths with policies.
        bundle: the name of a bundle, or NO_BUNDLE.
        settings: values of parameters as texts.
        now: an instant, WALL, or None for the newest time stamp in the files.
        quiet: nothing on standard error but errors.
    """

    paths: tuple[str, ...]
    policies: tuple[str, ...] = ()
    bundle: str = NO_BUNDLE
    settings: Mapping[str, str]
    now: datetime | str | None = None
    quiet: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Everything that a decision is made from, and what was found on the way.

    Attributes:
        findings: about the files; errors name what was left out.
        notes: about the files and the catalogues.
    """

    snapshot: Snapshot
    policies: Policies
    now: datetime
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]

    @property
    def errors(self) -> int:
        """How many objects were left out."""
        return sum(finding.severity == ERROR for finding in self.findings)

    @property
    def instant(self) -> str:
        """The instant as RFC 3339."""
        return rfc3339(self.now)


def request_of(ctx: click.Context) -> Request:
    """Returns what a command with `decision_options` was asked for."""
    given = ctx.params
    return Request(
        paths=given["paths"], policies=given["policies"], bundle=given["bundle"],
        settings=given["settings"], now=given["now"], quiet=given["quiet"],
    )  # fmt: skip


def read(paths: Sequence[str]) -> Loaded:
    """Returns what can be loaded from files and folders; `-` is standard input.

    Raises:
        ConfigError: there are paths, and no file that could be read.
    """
    missing: list[Finding] = []
    if paths and not files_of(paths, sink=missing) and not missing:
        raise ConfigError(f"no {', '.join(SUFFIXES)} file in {', '.join(paths)}")
    known = vocabulary_of(providers())
    return load(paths, kinds=kinds(), stdin=sys.stdin.buffer, vocabulary=known)


def read_state(request: Request) -> State:
    """Returns the state that the files describe, after printing what is wrong with them.

    Raises:
        PolicyError: a policy cannot be used; a decision without it would be another decision.
        ConfigError: there is no such bundle.
    """
    loaded = read((*request.paths, *request.policies))
    assembled = to_snapshot(loaded, providers())
    snapshot = assembled.snapshot
    findings = (*loaded.findings, *assembled.findings)
    report(findings, quiet=request.quiet)
    tell_translations(loaded.translations, quiet=request.quiet)
    written = written_policies(request.bundle, loaded.policies, request.settings)
    policies = Policies.compile((*pool_policies(snapshot), *written))
    report(policies.findings, quiet=request.quiet)
    return State(
        snapshot=snapshot, policies=policies, now=_now(request.now, snapshot),
        findings=(*findings, *policies.findings), notes=(*loaded.notes, *catalogue_notes(snapshot)),
    )  # fmt: skip


def report(findings: Iterable[Finding], *, quiet: bool) -> None:
    """Prints findings on standard error: errors always, warnings unless quiet."""
    from policyscaler.cli.text.findings import finding_lines

    shown = [
        finding
        for finding in findings
        if finding.severity == ERROR or (not quiet and finding.severity != NOTE)
    ]
    complain(finding_lines(shown))


def tell_translations(translations: Iterable[Translation], *, quiet: bool) -> None:
    """Prints on standard error how objects of old versions were read, every added default too."""
    from policyscaler.cli.text.translations import translation_lines

    if not quiet:
        complain(translation_lines(translations))


def catalogue_notes(snapshot: Snapshot) -> list[str]:
    """Returns what catalogues want to be known, each once, by the order of their classes."""
    notes = (
        note
        for _, catalogue in sorted(snapshot.catalogues.items(), key=lambda item: item[0])
        for note in catalogue.notes
    )
    return list(dict.fromkeys(notes))


def catalogues_in(paths: Sequence[str], *, quiet: bool = False) -> list[Catalogue]:
    """Returns the catalogues that files speak of, or without files those of all providers.

    Raises:
        ConfigError: the files name no catalogue and no NodeClass.
    """
    if not paths:
        return [provider.catalogue(provider.default_node_class()) for provider in providers()]
    loaded = read(paths)
    assembled = to_snapshot(loaded, providers())
    report((*loaded.findings, *assembled.findings), quiet=quiet)
    found = {catalogue.digest: catalogue for catalogue in assembled.snapshot.catalogues.values()}
    if not found:
        raise ConfigError("there is neither a Catalogue nor a NodeClass in these files")
    return sorted(found.values(), key=lambda catalogue: (catalogue.name, catalogue.digest))


def rfc3339(instant: datetime) -> str:
    """Returns an instant in UTC, `2026-01-01T00:00:00Z`."""
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _now(asked: datetime | str | None, snapshot: Snapshot) -> datetime:
    if isinstance(asked, datetime):
        return asked
    if asked == WALL:
        return datetime.now(UTC)  # noqa: TID251 - the command line may look at the clock
    return max(_time_stamps(snapshot), default=DEFAULT_NOW).astimezone(UTC)


def _time_stamps(snapshot: Snapshot) -> Iterable[datetime]:
    """Yields what the objects say about when they were made, changed or are to go."""
    metas = [
        *(node.meta for node in snapshot.nodes.values()),
        *(claim.meta for claim in snapshot.claims.values()),
        *(pod.meta for pod in snapshot.pods.values()),
    ]
    for meta in metas:
        yield from (stamp for stamp in (meta.created, meta.deleted) if stamp)
    for claim in snapshot.claims.values():
        stamps = (claim.last_pod_event, *(c.since for c in claim.conditions.values()))
        yield from (stamp for stamp in stamps if stamp)
