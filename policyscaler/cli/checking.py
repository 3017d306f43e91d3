"""Everything that is wrong or doubtful about files: as manifests, together, and as policy."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from policyscaler.cli.inputs import read
from policyscaler.manifests.assembly import to_snapshot
from policyscaler.manifests.findings import Finding
from policyscaler.manifests.loaded import Translation
from policyscaler.manifests.loading import Loaded
from policyscaler.manifests.reading import files_of
from policyscaler.operator.wiring import providers
from policyscaler.operator.written import written_policies
from policyscaler.planning.planner import pool_policies
from policyscaler.policy.evaluation import load_findings


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a check found.

    Attributes:
        objects: how many can be used.
        files: those that were looked at, sorted.
        findings: by file, line and column; those without a place come last.
        translations: how objects of old versions were read.
    """

    objects: int
    files: tuple[str, ...]
    findings: tuple[Finding, ...]
    translations: tuple[Translation, ...] = ()


def check(paths: Sequence[str], *, bundle: str, settings: Mapping[str, str]) -> Checked:
    """Returns the findings about files and folders, each once.

    Raises:
        ConfigError: there is no such bundle or parameter.
    """
    loaded = read(paths)
    assembled = to_snapshot(loaded, providers())
    written = written_policies(bundle, loaded.policies, settings)
    about_policy = load_findings((*pool_policies(assembled.snapshot), *written))
    found = dict.fromkeys((*loaded.findings, *assembled.findings, *about_policy))
    files = tuple(sorted(files_of(paths, sink=[])))
    return Checked(
        objects=count_objects(loaded), files=files, findings=tuple(sorted(found, key=_place)),
        translations=tuple(loaded.translations),
    )  # fmt: skip


def count_objects(loaded: Loaded) -> int:
    """Returns how many objects were loaded."""
    about_loading = {"findings", "translations", "notes"}
    return sum(
        len(getattr(loaded, field.name))
        for field in dataclasses.fields(loaded)
        if field.name not in about_loading
    )


def _place(finding: Finding) -> tuple[bool, str, int, int, str]:
    place = finding.position
    if place is None:
        return (True, "", 0, 0, str(finding))
    return (False, place.file, place.line, place.column, str(finding))
