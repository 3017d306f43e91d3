"""Loaded objects to a snapshot: defaults applied, catalogues joined to the classes they serve."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

import msgspec

from policyscaler.manifests.catalogues import CatalogueManifest
from policyscaler.manifests.findings import ERROR, WARNING, Code, Finding, did_you_mean
from policyscaler.manifests.loaded import Loaded
from policyscaler.manifests.replicas import pending_from_workloads
from policyscaler.model.errors import ConfigError
from policyscaler.model.meta import ObjectMeta
from policyscaler.model.nodes import NodeClassRef
from policyscaler.model.offerings import Catalogue
from policyscaler.model.pods import PENDING, Pod, PodSpec
from policyscaler.model.pools import NodeClass
from policyscaler.model.requests import with_defaults
from policyscaler.model.snapshot import Snapshot
from policyscaler.model.workloads import DaemonSet, LimitRange, PodTemplate
from policyscaler.ports.provider import Provider

_SYSTEM_PRIORITIES: Final = {
    "system-cluster-critical": 2_000_000_000,
    "system-node-critical": 2_000_001_000,
}


class _HasMeta(Protocol):
    @property
    def meta(self) -> ObjectMeta: ...


_M = TypeVar("_M", bound=_HasMeta)


@dataclass(frozen=True, slots=True)
class Assembled:
    """A snapshot, and what was found while putting it together."""

    snapshot: Snapshot
    findings: tuple[Finding, ...] = ()


def to_snapshot(
    loaded: Loaded, providers: Sequence[Provider], *, now_pending: bool = True
) -> Assembled:
    """Returns the state that the files describe.

    Args:
        loaded: the objects.
        providers: who makes the catalogues of NodeClasses that no Catalogue object serves.
        now_pending: take unbound pods, and the missing replicas of workloads, as pods that the
            scheduler has found no node for.
    """
    findings: list[Finding] = []
    specs = PodDefaults(loaded, findings)
    pods = list(loaded.pods)
    if now_pending:
        pods = [_pending(pod) for pod in (*pods, *pending_from_workloads(loaded))]
    classes, catalogues = _classes(loaded, providers, findings=findings)
    _check_refs(loaded, catalogues, findings=findings)
    snapshot = Snapshot(
        pools={pool.name: pool for pool in loaded.pools},
        node_classes=classes,
        catalogues=catalogues,
        nodes=_by_name(loaded.nodes),
        claims=_by_name(loaded.claims),
        pods={pod.meta.key: specs.pod(pod) for pod in pods},
        daemon_sets={daemon.meta.key: specs.daemon_set(daemon) for daemon in loaded.daemon_sets},
        disruption_budgets={budget.meta.key: budget for budget in loaded.disruption_budgets},
        namespaces=_by_name(loaded.namespaces),
        priority_classes=_by_name(loaded.priority_classes),
        storage_classes=_by_name(loaded.storage_classes),
        volumes=_by_name(loaded.volumes),
        volume_claims={claim.meta.key: claim for claim in loaded.volume_claims},
    )
    return Assembled(snapshot, tuple(findings))


def _by_name(values: Iterable[_M]) -> dict[str, _M]:
    return {value.meta.name: value for value in values}


def _pending(pod: Pod) -> Pod:
    waits = not pod.node and pod.phase == PENDING and not pod.spec.scheduling_gates
    if not waits or pod.unschedulable:
        return pod
    return msgspec.structs.replace(pod, unschedulable=True)


class PodDefaults:
    """What the API server would have filled in: LimitRange defaults and priorities."""

    def __init__(self, loaded: Loaded, findings: list[Finding]) -> None:
        self._findings = findings
        self._limits: dict[str, list[LimitRange]] = defaultdict(list)
        for limit_range in loaded.limit_ranges:
            self._limits[limit_range.meta.namespace].append(limit_range)
        self._priorities = {**_SYSTEM_PRIORITIES}
        self._default_priority = 0
        for priority_class in loaded.priority_classes:
            self._priorities[priority_class.meta.name] = priority_class.value
            if priority_class.is_default:
                self._default_priority = priority_class.value
        # Equal specs stay one object, so that classes of pods are cheap to find.
        self._made: dict[tuple[str, int], tuple[PodSpec, PodSpec]] = {}
        self._missing: set[str] = set()

    def pod(self, pod: Pod) -> Pod:
        """Returns a pod as the API server would store it."""
        spec = self._spec(pod.spec, namespace=pod.meta.namespace)
        return pod if spec is pod.spec else msgspec.structs.replace(pod, spec=spec)

    def template(self, template: PodTemplate, *, namespace: str) -> PodTemplate:
        """Returns a template whose pods are as the API server would store them."""
        spec = self._spec(template.spec, namespace=namespace)
        return msgspec.structs.replace(template, spec=spec)

    def daemon_set(self, daemon_set: DaemonSet) -> DaemonSet:
        """Returns a DaemonSet with such a template."""
        template = self.template(daemon_set.template, namespace=daemon_set.meta.namespace)
        return msgspec.structs.replace(daemon_set, template=template)

    def _spec(self, spec: PodSpec, *, namespace: str) -> PodSpec:
        key = (namespace if namespace in self._limits else "", id(spec))
        made = self._made.get(key)
        if made is None:
            filled = with_defaults(spec, tuple(self._limits.get(namespace, ())))
            if filled.priority is None:
                priority = self._priority(filled.priority_class)
                filled = msgspec.structs.replace(filled, priority=priority)
            # The old spec is kept too: its id names it only as long as it lives.
            made = self._made[key] = (spec, filled)
        return made[1]

    def _priority(self, name: str) -> int:
        if not name:
            return self._default_priority
        if name not in self._priorities and name not in self._missing:
            self._missing.add(name)
            message = f'PriorityClass "{name}" is not among the files; its pods get priority 0'
            hint = did_you_mean(name, self._priorities)
            self._findings.append(
                _finding(WARNING, message, subject=f"PriorityClass/{name}", suggestion=hint)
            )
        return self._priorities.get(name, 0)


def _classes(
    loaded: Loaded, providers: Sequence[Provider], *, findings: list[Finding]
) -> tuple[dict[NodeClassRef, NodeClass], dict[NodeClassRef, Catalogue]]:
    """Returns NodeClasses with their hashes, and what each can launch."""
    makers = {(provider.group, provider.kind): provider for provider in providers}
    classes: dict[NodeClassRef, NodeClass] = {}
    catalogues: dict[NodeClassRef, Catalogue] = {}
    for manifest in loaded.catalogues:
        for ref in (manifest.ref, *manifest.serves):
            if ref in catalogues:
                message = f"{ref} already has a catalogue; this one is not used for it"
                findings.append(_finding(ERROR, message, manifest=manifest))
                continue
            catalogues[ref] = manifest.catalogue
            classes[ref] = NodeClass(
                meta=ObjectMeta(name=ref.name), ref=ref, source=manifest.source
            )
    for node_class in loaded.node_classes:
        provider = makers.get((node_class.ref.group, node_class.ref.kind))
        classes[node_class.ref] = node_class
        if provider is None:
            continue
        try:
            classes[node_class.ref] = msgspec.structs.replace(
                node_class, hash=provider.drift_hash(node_class)
            )
            if node_class.ref not in catalogues:
                catalogues[node_class.ref] = provider.catalogue(node_class)
        except ConfigError as error:
            findings.append(
                Finding(
                    severity=ERROR, code=Code.BAD_VALUE.value, message=str(error),
                    position=node_class.source, subject=str(node_class.ref),
                )
            )  # fmt: skip
    return classes, catalogues


def _check_refs(
    loaded: Loaded, catalogues: dict[NodeClassRef, Catalogue], *, findings: list[Finding]
) -> None:
    for pool in loaded.pools:
        ref = pool.node_class
        if ref in catalogues:
            continue
        same_kind = [r.name for r in catalogues if (r.group, r.kind) == (ref.group, ref.kind)]
        findings.append(
            Finding(
                severity=WARNING, code=Code.MISSING_OBJECT.value,
                message=f"{ref} of {ref.group} is not among the files; the pool launches nothing",
                position=pool.source, subject=f"NodePool/{pool.name}",
                path="spec.template.spec.nodeClassRef",
                suggestion=did_you_mean(ref.name, same_kind),
            )
        )  # fmt: skip


def _finding(
    severity: str, message: str, *, subject: str = "", suggestion: str = "",
    manifest: CatalogueManifest | None = None,
) -> Finding:  # fmt: skip
    return Finding(
        severity=severity,
        code=Code.MISSING_OBJECT.value if manifest is None else Code.DUPLICATE_OBJECT.value,
        message=message,
        position=manifest.source if manifest else None,
        subject=f"Catalogue/{manifest.meta.name}" if manifest else subject,
        suggestion=suggestion,
    )
