"""Loads manifests: any mix of files and folders in, typed values and findings out."""

from __future__ import annotations

import dataclasses
import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path as FilePath
from typing import BinaryIO, TypeVar

from policyscaler.manifests import (
    catalogues,
    cluster_objects,
    pods,
    pools,
    workloads,
)
from policyscaler.manifests.catalogue_table import read_catalogue_table
from policyscaler.manifests.catalogues import CatalogueManifest
from policyscaler.manifests.findings import ERROR, Code, Finding, did_you_mean
from policyscaler.manifests.kinds import Change, Conversion, Kind
from policyscaler.manifests.reading import files_of, read_documents, read_text
from policyscaler.manifests.reporting import Reporter
from policyscaler.manifests.trees import Document, text_at
from policyscaler.model.meta import SourcePosition
from policyscaler.model.nodes import Node, NodeClaim
from policyscaler.model.pods import Pod
from policyscaler.model.policies import ScalingPolicy
from policyscaler.model.pools import NodeClass, NodePool
from policyscaler.model.workloads import (
    CronJob,
    DaemonSet,
    DisruptionBudget,
    Job,
    LimitRange,
    Namespace,
    PersistentVolume,
    PriorityClass,
    StorageClass,
    VolumeClaim,
    Workload,
)

BUILT_IN: tuple[Kind, ...] = (
    *pods.KINDS,
    *workloads.KINDS,
    *cluster_objects.KINDS,
    *pools.KINDS,
    *catalogues.KINDS,
)
"""Every kind that the product itself knows; providers add theirs."""

_T = TypeVar("_T")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Translation:
    """What was changed to read an object of an old version."""

    subject: str
    from_version: str
    to_version: str
    position: SourcePosition
    changes: tuple[Change, ...]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What was loaded, in the order of files and documents.

    Attributes:
        others: objects of kinds that are only validated, by kind.
        findings: in the order of the files; errors name what was left out.
        translations: one for each object of an old version.
        notes: sentences about the whole, such as how many objects were ignored.
    """

    pods: tuple[Pod, ...] = ()
    workloads: tuple[Workload, ...] = ()
    daemon_sets: tuple[DaemonSet, ...] = ()
    jobs: tuple[Job, ...] = ()
    cron_jobs: tuple[CronJob, ...] = ()
    nodes: tuple[Node, ...] = ()
    claims: tuple[NodeClaim, ...] = ()
    pools: tuple[NodePool, ...] = ()
    node_classes: tuple[NodeClass, ...] = ()
    catalogues: tuple[CatalogueManifest, ...] = ()
    policies: tuple[ScalingPolicy, ...] = ()
    disruption_budgets: tuple[DisruptionBudget, ...] = ()
    namespaces: tuple[Namespace, ...] = ()
    limit_ranges: tuple[LimitRange, ...] = ()
    priority_classes: tuple[PriorityClass, ...] = ()
    storage_classes: tuple[StorageClass, ...] = ()
    volumes: tuple[PersistentVolume, ...] = ()
    volume_claims: tuple[VolumeClaim, ...] = ()
    findings: tuple[Finding, ...] = ()
    translations: tuple[Translation, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that are errors."""
        return tuple(finding for finding in self.findings if finding.severity == ERROR)


def load(
    paths: Sequence[str | FilePath], *, kinds: Sequence[Kind] = (), stdin: BinaryIO | None = None
) -> Loaded:
    """Returns everything that can be loaded from files and folders.

    Args:
        paths: files, folders (searched for .yaml, .yml, .json and .csv in sorted order) and `-`
            for standard input.
        kinds: what providers add.
        stdin: what `-` reads.
    """
    loading = Loading(kinds)
    with _uncollected():
        for file in files_of(paths, sink=loading.findings):
            text = read_text(file, stdin=stdin, sink=loading.findings)
            if text is not None:
                loading.add(file, text)
    return loading.result()


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keeps the garbage collector away: trees hold no cycles, and walking them doubles the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def load_text(text: str, *, name: str = "manifest.yaml", kinds: Sequence[Kind] = ()) -> Loaded:
    """Returns everything that can be loaded from a text; `name` is what positions call it."""
    loading = Loading(kinds)
    loading.add(name, text)
    return loading.result()


class Loading:
    """Objects and findings as they come in."""

    def __init__(self, kinds: Sequence[Kind]) -> None:
        self.findings: list[Finding] = []
        self._kinds: Mapping[tuple[str, str], Kind] = {
            (kind.api_version, kind.kind): kind for kind in (*BUILT_IN, *kinds)
        }
        self._names = sorted({kind for _, kind in self._kinds})
        self._objects: list[object] = []
        self._seen: dict[tuple[str, str, str, str], Reporter] = {}
        self._translations: list[Translation] = []
        self._ignored: dict[str, int] = {}

    def add(self, file: str, text: str) -> None:
        """Takes in the objects of one file."""
        if file.endswith(".csv"):
            self._keep(read_catalogue_table(file, text, sink=self.findings))
            return
        for document in read_documents(file, text, sink=self.findings):
            self._keep(self._decode(document))

    def result(self) -> Loaded:
        """Returns what came in."""
        return Loaded(
            pods=_of(Pod, self._objects),
            workloads=_of(Workload, self._objects),
            daemon_sets=_of(DaemonSet, self._objects),
            jobs=_of(Job, self._objects),
            cron_jobs=_of(CronJob, self._objects),
            nodes=_of(Node, self._objects),
            claims=_of(NodeClaim, self._objects),
            pools=_of(NodePool, self._objects),
            node_classes=_of(NodeClass, self._objects),
            catalogues=_of(CatalogueManifest, self._objects),
            policies=_of(ScalingPolicy, self._objects),
            disruption_budgets=_of(DisruptionBudget, self._objects),
            namespaces=_of(Namespace, self._objects),
            limit_ranges=_of(LimitRange, self._objects),
            priority_classes=_of(PriorityClass, self._objects),
            storage_classes=_of(StorageClass, self._objects),
            volumes=_of(PersistentVolume, self._objects),
            volume_claims=_of(VolumeClaim, self._objects),
            findings=tuple(self.findings),
            translations=tuple(self._translations),
            notes=self._notes(),
        )

    def _keep(self, value: object | None) -> None:
        if value is not None:
            self._objects.append(value)

    def _decode(self, document: Document) -> object | None:
        reporter = Reporter(document, self.findings)
        api_version = text_at(document.tree, "apiVersion")
        name = text_at(document.tree, "kind")
        for field, value in (("apiVersion", api_version), ("kind", name)):
            if not value:
                reporter.error(Code.NOT_AN_OBJECT, f"{field} is missing", at=())
                return None
        kind = self._kinds.get((api_version, name))
        if kind is None:
            self._unknown(api_version, name, reporter=reporter)
            return None
        if not self._is_first(document, name, reporter=reporter):
            return None
        return self._value(document, kind, reporter=reporter)

    def _value(self, document: Document, kind: Kind, *, reporter: Reporter) -> object | None:
        if kind.convert is None:
            value = kind.decode(document.tree, reporter)
            if value is not None and kind.note:
                reporter.note(Code.NO_EFFECT, kind.note, at=())
            return value
        conversion = kind.translate(document.tree, reporter)
        if conversion is None:
            return None
        served = self._kinds.get(
            (text_at(conversion.tree, "apiVersion"), text_at(conversion.tree, "kind"))
        )
        if served is None:
            return None
        self._translate(document, conversion, reporter=reporter)
        moved = dataclasses.replace(document, tree=conversion.tree, prefix=(), root=None)
        return self._value(moved, served, reporter=Reporter(moved, self.findings))

    def _translate(self, document: Document, conversion: Conversion, *, reporter: Reporter) -> None:
        for path, message in conversion.warnings:
            reporter.warning(Code.TRANSLATED, message, at=path)
        self._translations.append(
            Translation(
                subject=reporter.subject,
                from_version=text_at(document.tree, "apiVersion"),
                to_version=text_at(conversion.tree, "apiVersion"),
                position=reporter.position(),
                changes=conversion.changes,
            )
        )

    def _is_first(self, document: Document, kind: str, *, reporter: Reporter) -> bool:
        group = text_at(document.tree, "apiVersion").rpartition("/")[0]
        metadata = document.tree.get("metadata")
        name = text_at(metadata, "name")
        key = (group, kind, text_at(metadata, "namespace") or "default", name)
        if not name or key not in self._seen:
            self._seen[key] = reporter
            return True
        first = self._seen[key].position()
        message = f"is there twice, first at {first}; this one is left out"
        reporter.error(Code.DUPLICATE_OBJECT, message, at=("metadata", "name"))
        return False

    def _unknown(self, api_version: str, kind: str, *, reporter: Reporter) -> None:
        versions = sorted(version for version, name in self._kinds if name == kind)
        group = api_version.rpartition("/")[0]
        same_group = [version for version in versions if version.rpartition("/")[0] == group]
        if same_group:
            message = f"{kind} {api_version} is not known; write {' or '.join(same_group)}"
            reporter.error(Code.UNKNOWN_KIND, message, at=("apiVersion",))
        elif versions:
            message = f"{kind} of {api_version} is ignored"
            hint = f'did you mean apiVersion "{versions[-1]}"?'
            reporter.warning(Code.UNKNOWN_KIND, message, at=("apiVersion",), suggestion=hint)
        elif hint := did_you_mean(kind, self._names, cutoff=_NEAR_KIND):
            message = f'the kind "{kind[:60]}" is not known and is ignored'
            reporter.warning(Code.UNKNOWN_KIND, message, at=("kind",), suggestion=hint)
        else:
            self._ignored[kind] = self._ignored.get(kind, 0) + 1

    def _notes(self) -> tuple[str, ...]:
        if not self._ignored:
            return ()
        count = sum(self._ignored.values())
        listed = ", ".join(f"{kind} ({number})" for kind, number in sorted(self._ignored.items()))
        noun = "object has a kind" if count == 1 else "objects have kinds"
        return (f"{count} {noun} that no decision looks at, and {_was(count)} ignored: {listed}",)


_NEAR_KIND = 0.8


def _was(count: int) -> str:
    return "was" if count == 1 else "were"


def _of(wanted: type[_T], values: Iterable[object]) -> tuple[_T, ...]:
    return tuple(value for value in values if isinstance(value, wanted))
