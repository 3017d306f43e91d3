"""karpenter.sh/v1alpha5: Provisioners, and their translation to NodePools.

A Provisioner without requirements meant linux, amd64 and on-demand machines of common
categories. A NodePool without requirements means anything, so the translation writes out what
was meant: the choice of machines stays the same.
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta

from policyscaler.manifests import pool_wire as v1
from policyscaler.manifests.findings import Code, Path
from policyscaler.manifests.kinds import Conversion, Kind, define_kind
from policyscaler.manifests.old_versions import (
    DEFAULT_BUDGET,
    POOL_API,
    Surroundings,
    Translator,
)
from policyscaler.manifests.reporting import Reporter
from policyscaler.manifests.trees import Tree, map_at, text_at
from policyscaler.manifests.wire import Amounts, ObjectWire, Strict
from policyscaler.model import labels
from policyscaler.model.durations import format_duration, parse_duration

_API: Final = "karpenter.sh/v1alpha5"
_Seconds = Annotated[int, Meta(ge=0)]


class RefWire(Strict, frozen=True, kw_only=True):
    """The node template, by name."""

    name: v1.Filled
    api_version: str = ""
    kind: str = ""


class ConsolidationWire(Strict, frozen=True, kw_only=True):
    """Whether nodes are consolidated."""

    enabled: bool = False


class LimitsWire(Strict, frozen=True, kw_only=True):
    """Caps on the total capacity."""

    resources: Amounts = {}


class ProvisionerSpecWire(Strict, frozen=True, kw_only=True):
    """The spec of a Provisioner."""

    requirements: tuple[v1.RequirementWire, ...] = ()
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    taints: tuple[v1.TaintWire, ...] = ()
    startup_taints: tuple[v1.TaintWire, ...] = ()
    limits: LimitsWire = LimitsWire()
    consolidation: ConsolidationWire = ConsolidationWire()
    ttl_seconds_after_empty: _Seconds | None = None
    ttl_seconds_until_expired: _Seconds | None = None
    weight: Annotated[int, Meta(ge=1, le=100)] | None = None
    provider_ref: RefWire | None = None
    provider: dict[str, object] = {}
    kubelet_configuration: dict[str, object] = {}


class ProvisionerWire(ObjectWire, frozen=True, kw_only=True):
    """A Provisioner."""

    spec: ProvisionerSpecWire = ProvisionerSpecWire()
    status: dict[str, object] = {}


def provisioner_kinds(surroundings: Surroundings) -> tuple[Kind, ...]:
    """Returns the kind of v1alpha5, translated with regard to the other objects."""

    def convert(tree: Tree, reporter: Reporter) -> Conversion:
        return _Provisioner(tree, reporter, surroundings=surroundings).convert()

    def decode(_: Strict, __: Reporter) -> None:
        return None

    return (define_kind(_API, "Provisioner", wire=ProvisionerWire, decode=decode, convert=convert),)


class _Provisioner:
    """One Provisioner on its way to a NodePool."""

    def __init__(self, tree: Tree, reporter: Reporter, *, surroundings: Surroundings) -> None:
        self._tree = tree
        self._old = map_at(tree, "spec")
        self._surroundings = surroundings
        self._reporter = reporter
        self._translator = Translator(reporter)
        self._template: Tree = {}
        self._spec: Tree = {}

    def convert(self) -> Conversion:
        """Returns the NodePool."""
        translator = self._translator
        metadata = {**map_at(self._tree, "metadata")}
        root: Tree = {"apiVersion": POOL_API, "kind": "NodePool", "metadata": metadata}
        translator.moved(
            ("apiVersion",), ("apiVersion",), value=f"{POOL_API} NodePool",
            old_value=f"{_API} Provisioner",
        )  # fmt: skip
        self._template = {"requirements": self._requirements(), "nodeClassRef": self._ref()}
        self._spec = {"template": self._with_metadata()}
        root["spec"] = self._spec
        for field in ("taints", "startupTaints"):
            if field in self._old:
                self._template[field] = self._old[field]
                translator.moved(("spec", field), ("spec", "template", "spec", field), value="")
        self._expiry()
        self._spec["disruption"] = self._disruption()
        self._limits()
        if kubelet := map_at(self._old, "kubeletConfiguration"):
            translator.keep_kubelet(
                root, kubelet, at=("spec", "kubeletConfiguration"),
                surroundings=self._surroundings,
            )  # fmt: skip
        translator.keep_expiry_graceful(root)
        return translator.result(root)

    def _with_metadata(self) -> Tree:
        metadata: Tree = {}
        for field in ("labels", "annotations"):
            if field in self._old:
                metadata[field] = self._old[field]
                new = ("spec", "template", "metadata", field)
                self._translator.moved(("spec", field), new, value="")
        return (
            {"metadata": metadata, "spec": self._template} if metadata else {"spec": self._template}
        )

    def _requirements(self) -> list[object]:
        written = self._old.get("requirements")
        kept = list(written) if isinstance(written, list) else []
        at: Path = ("spec", "template", "spec", "requirements")
        if kept:
            self._translator.moved(("spec", "requirements"), at, value="")
        if not self._surroundings.keep_old_defaults:
            return kept
        keys = {labels.stable_key(text_at(entry, "key")) for entry in kept}
        for key, operator, values in self._old_defaults(keys):
            kept.append({"key": key, "operator": operator, "values": list(values)})
            self._translator.added(
                at, value=f"{key} {operator} {', '.join(values)}",
                reason="what a Provisioner meant without saying",
            )  # fmt: skip
        return kept

    def _old_defaults(self, keys: set[str]) -> list[tuple[str, str, tuple[str, ...]]]:
        defaults: list[tuple[str, str, tuple[str, ...]]] = [
            (labels.OS, "In", ("linux",)),
            (labels.ARCH, "In", ("amd64",)),
            (labels.CAPACITY_TYPE, "In", (labels.ON_DEMAND,)),
        ]
        found = [default for default in defaults if default[0] not in keys]
        group = self._surroundings.class_group
        narrowed = keys & {
            labels.INSTANCE_TYPE,
            *(f"{group}/instance-{name}" for name in ("family", "category", "generation")),
        }
        if group and not narrowed:
            found.append((f"{group}/instance-category", "In", ("c", "m", "r")))
            found.append((f"{group}/instance-generation", "Gt", ("2",)))
        return found

    def _ref(self) -> Tree:
        translator, around = self._translator, self._surroundings
        at: Path = ("spec", "template", "spec", "nodeClassRef")
        name = text_at(self._old, "providerRef", "name")
        target = f"{around.class_kind or 'NodeClass'}/{name or 'default'}"
        if name:
            translator.moved(("spec", "providerRef"), at, value=target, old_value=name)
        else:
            translator.added(at, value=target, reason="a NodePool needs a NodeClass")
        if not around.class_group:
            message = "no provider is there that says which NodeClass replaces the node template"
            self._reporter.error(Code.MISSING_OBJECT, message, at=("spec", "providerRef"))
        if "provider" in self._old:
            reason = f"these settings belong into {target}"
            translator.dropped(("spec", "provider"), value="", reason=reason)
        message = f"the NodePool needs {target}, with what the node template said"
        translator.warn(("spec", "providerRef"), message)
        return {
            "group": around.class_group,
            "kind": around.class_kind,
            "name": name or "default",
        }

    def _expiry(self) -> None:
        at: Path = ("spec", "template", "spec", "expireAfter")
        seconds = self._old.get("ttlSecondsUntilExpired")
        expiry = "Never" if seconds is None else _duration(seconds)
        self._template["expireAfter"] = expiry
        if seconds is None:
            self._translator.added(at, value=expiry, reason="a Provisioner's nodes did not expire")
        else:
            old = ("spec", "ttlSecondsUntilExpired")
            self._translator.moved(old, at, value=expiry, old_value=str(seconds))
        self._surroundings.expiry[text_at(self._tree, "metadata", "name")] = expiry

    def _disruption(self) -> Tree:
        at: Path = ("spec", "disruption")
        translator = self._translator
        empty = self._old.get("ttlSecondsAfterEmpty")
        if map_at(self._old, "consolidation").get("enabled") is True:
            policy, after = "WhenEmptyOrUnderutilized", "0s"
            translator.moved(("spec", "consolidation"), at, value=policy, old_value="enabled")
        elif empty is not None:
            policy, after = "WhenEmpty", _duration(empty)
            old = ("spec", "ttlSecondsAfterEmpty")
            translator.moved(old, at, value=f"{policy} after {after}", old_value=str(empty))
        else:
            policy, after = "WhenEmpty", "Never"
            translator.added(at, value="WhenEmpty, Never", reason="nodes were not consolidated")
        translator.added((*at, "budgets"), value=f"[nodes: {DEFAULT_BUDGET}]", reason="the default")
        return {
            "consolidationPolicy": policy,
            "consolidateAfter": after,
            "budgets": [{"nodes": DEFAULT_BUDGET}],
        }

    def _limits(self) -> None:
        limits = map_at(self._old, "limits", "resources")
        if limits:
            self._spec["limits"] = limits
            self._translator.moved(("spec", "limits", "resources"), ("spec", "limits"), value="")
        if "weight" in self._old:
            self._spec["weight"] = self._old["weight"]


def _duration(seconds: object) -> str:
    return format_duration(parse_duration(f"{seconds}s"))
