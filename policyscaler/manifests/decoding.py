"""Objects and findings as they come in, file by file."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from policyscaler.manifests import (
    announced,
    catalogues,
    cluster_objects,
    pods,
    policies,
    pools,
    workloads,
)
from policyscaler.manifests.beta import beta_kinds
from policyscaler.manifests.catalogue_table import read_catalogue_table
from policyscaler.manifests.findings import Code, Finding, did_you_mean
from policyscaler.manifests.kinds import Conversion, Kind
from policyscaler.manifests.loaded import Loaded, Translation, collect
from policyscaler.manifests.old_versions import DEFAULT_EXPIRY, Surroundings
from policyscaler.manifests.provisioner import provisioner_kinds
from policyscaler.manifests.reading import (
    read_documents,
    source_is_cheap,
)
from policyscaler.manifests.reporting import Reporter
from policyscaler.manifests.trees import Document, text_at
from policyscaler.manifests.vocabulary import Vocabulary
from policyscaler.model.pools import NodePool

BUILT_IN: tuple[Kind, ...] = (
    *pods.KINDS,
    *workloads.KINDS,
    *cluster_objects.KINDS,
    *pools.KINDS,
    *catalogues.KINDS,
    *policies.KINDS,
    *announced.KINDS,
)
"""Every kind that the product itself knows; providers add theirs."""


_NEAR_KIND = 0.8


def surroundings_of(kinds: Sequence[Kind]) -> Surroundings:
    """Returns what translations know at first: the kind of the first provider's classes."""
    if not kinds:
        return Surroundings()
    return Surroundings(class_group=kinds[0].group, class_kind=kinds[0].kind)


def kinds_by_name(
    kinds: Sequence[Kind], surroundings: Surroundings
) -> Mapping[tuple[str, str], Kind]:
    """Returns every kind that can be loaded, by API version and kind."""
    old = (*beta_kinds(surroundings), *provisioner_kinds(surroundings))
    return {(kind.api_version, kind.kind): kind for kind in (*BUILT_IN, *old, *kinds)}


class Loading:
    """Objects and findings as they come in."""

    def __init__(self, kinds: Sequence[Kind], *, vocabulary: Vocabulary | None = None) -> None:
        self.findings: list[Finding] = []
        self._vocabulary = vocabulary or Vocabulary()
        self._around = surroundings_of(kinds)
        self._kinds = kinds_by_name(kinds, self._around)
        self._classes = {(kind.api_version, kind.kind) for kind in kinds}
        self._waiting: list[Document] = []
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
            if self._waits(document):
                self._waiting.append(document)
            else:
                self._keep(self._decode(document))

    def _waits(self, document: Document) -> bool:
        """Whether others must be read first: pools hand settings to classes, and ages to claims."""
        key = (text_at(document.tree, "apiVersion"), text_at(document.tree, "kind"))
        return key in self._classes or key == ("karpenter.sh/v1beta1", "NodeClaim")

    def result(self) -> Loaded:
        """Returns what came in."""
        for document in self._waiting:
            self._keep(self._decode(document))
        self._waiting = []
        return collect(
            self._objects,
            findings=tuple(self.findings),
            translations=tuple(self._translations),
            notes=self._notes(),
        )

    def _keep(self, value: object | None) -> None:
        if value is not None:
            self._objects.append(value)

    def _decode(self, document: Document) -> object | None:
        reporter = Reporter(document, self.findings, vocabulary=self._vocabulary)
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
            self._complete(document)
            value = kind.decode(document.tree, reporter)
            if isinstance(value, NodePool):
                written = text_at(document.tree, "spec", "template", "spec", "expireAfter")
                self._around.expiry[value.name] = written or DEFAULT_EXPIRY
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
        moved = dataclasses.replace(document, tree=conversion.tree)
        if source_is_cheap(document.source):
            moved = dataclasses.replace(moved, prefix=(), root=None)
        again = Reporter(moved, self.findings, vocabulary=self._vocabulary)
        if served.kind != kind.kind and not self._is_first(moved, served.kind, reporter=again):
            return None
        return self._value(moved, served, reporter=again)

    def _complete(self, document: Document) -> None:
        """Gives a NodeClass the kubelet settings that an old pool carried for it."""
        tree = document.tree
        group = text_at(tree, "apiVersion").rpartition("/")[0]
        key = (group, text_at(tree, "kind"), text_at(tree, "metadata", "name"))
        kubelet = self._around.kubelet.get(key)
        spec = tree.get("spec")
        if kubelet is not None and isinstance(spec, dict) and "kubelet" not in spec:
            spec["kubelet"] = kubelet

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


def _was(count: int) -> str:
    return "was" if count == 1 else "were"
