"""karpenter.sh/v1beta1: NodePools and NodeClaims as they were, and their translation to v1.

Source: the conversions that Karpenter 1.0 shipped. Expiry was graceful then; a translated pool
keeps that by an annotation.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta

from policyscaler.manifests import pool_wire as v1
from policyscaler.manifests.findings import Code, Path
from policyscaler.manifests.kinds import Conversion, Kind, define_kind
from policyscaler.manifests.old_versions import (
    DEFAULT_BUDGET,
    DEFAULT_EXPIRY,
    POOL_API,
    Surroundings,
    Translator,
)
from policyscaler.manifests.reporting import Reporter
from policyscaler.manifests.trees import Tree, clone, clone_child, map_at, move, text_at
from policyscaler.manifests.wire import Amounts, NillableDuration, ObjectWire, Strict
from policyscaler.model import labels

_API: Final = "karpenter.sh/v1beta1"


class RefWire(Strict, frozen=True, kw_only=True):
    """The NodeClass, by API version."""

    name: v1.Filled
    api_version: str = ""
    kind: str = ""


class ClaimSpecWire(Strict, frozen=True, kw_only=True):
    """The spec of a NodeClaim, or of the template of one."""

    requirements: v1.Requirements
    node_class_ref: Annotated[RefWire, Meta(extra={"missing": "write nodeClassRef with a name"})]
    taints: tuple[v1.TaintWire, ...] = ()
    startup_taints: tuple[v1.TaintWire, ...] = ()
    resources: v1.ClaimResourcesWire = v1.ClaimResourcesWire()
    kubelet: dict[str, object] = {}


class TemplateWire(Strict, frozen=True, kw_only=True):
    """The template of NodeClaims."""

    metadata: v1.TemplateMetadataWire = v1.TemplateMetadataWire()
    spec: ClaimSpecWire


class BudgetWire(Strict, frozen=True, kw_only=True):
    """How many nodes may be disrupted at once."""

    nodes: str = "10%"
    schedule: str = ""
    duration: str = ""


class DisruptionWire(Strict, frozen=True, kw_only=True):
    """When nodes may go."""

    consolidation_policy: Literal["WhenEmpty", "WhenUnderutilized"] = "WhenUnderutilized"
    consolidate_after: NillableDuration | None = None
    expire_after: NillableDuration = "720h"
    budgets: Annotated[tuple[BudgetWire, ...], Meta(max_length=50)] = ()


class PoolSpecWire(Strict, frozen=True, kw_only=True):
    """The spec of a NodePool."""

    template: TemplateWire
    disruption: DisruptionWire = DisruptionWire()
    limits: Amounts = {}
    weight: Annotated[int, Meta(ge=1, le=100)] | None = None


class PoolWire(ObjectWire, frozen=True, kw_only=True):
    """A NodePool."""

    spec: PoolSpecWire
    status: dict[str, object] = {}


class ClaimWire(ObjectWire, frozen=True, kw_only=True):
    """A NodeClaim."""

    spec: ClaimSpecWire
    status: v1.ClaimStatusWire = v1.ClaimStatusWire()


def beta_kinds(surroundings: Surroundings) -> tuple[Kind, ...]:
    """Returns the kinds of v1beta1, translated with regard to the other objects."""

    def convert_pool(tree: Tree, reporter: Reporter) -> Conversion:
        return _convert_pool(tree, reporter, surroundings=surroundings)

    def convert_claim(tree: Tree, reporter: Reporter) -> Conversion:
        return _convert_claim(tree, reporter, surroundings=surroundings)

    return (
        define_kind(_API, "NodePool", wire=PoolWire, decode=_nothing, convert=convert_pool),
        define_kind(_API, "NodeClaim", wire=ClaimWire, decode=_nothing, convert=convert_claim),
    )


def _nothing(_: Strict, __: Reporter) -> None:
    return None


def _convert_pool(tree: Tree, reporter: Reporter, *, surroundings: Surroundings) -> Conversion:
    translator = Translator(reporter)
    root = clone(tree)
    root["apiVersion"] = POOL_API
    translator.moved(("apiVersion",), ("apiVersion",), value=POOL_API, old_value=_API)
    spec = clone_child(root, "spec")
    template = clone_child(clone_child(spec, "template"), "spec")
    at: Path = ("spec", "template", "spec")
    _convert_ref(template, at=at, translator=translator, surroundings=surroundings)
    disruption = clone_child(spec, "disruption")
    _convert_consolidation(disruption, translator, reporter=reporter)
    _convert_expiry(disruption, template, translator=translator)
    if "budgets" not in disruption:
        disruption["budgets"] = [{"nodes": DEFAULT_BUDGET}]
        path = ("spec", "disruption", "budgets")
        translator.added(path, value=f"[nodes: {DEFAULT_BUDGET}]", reason="the default")
    if template.pop("resources", None) is not None:
        reason = "what pods need is worked out from the pods"
        translator.dropped((*at, "resources"), value="", reason=reason)
    if kubelet := template.pop("kubelet", None):
        translator.keep_kubelet(
            root, map_at(kubelet), at=(*at, "kubelet"), surroundings=surroundings
        )
    translator.keep_expiry_graceful(root)
    surroundings.expiry[text_at(tree, "metadata", "name")] = text_at(template, "expireAfter")
    return translator.result(root)


def _convert_ref(
    holder: Tree, *, at: Path, translator: Translator, surroundings: Surroundings
) -> None:
    ref = clone_child(holder, "nodeClassRef")
    path = (*at, "nodeClassRef")
    version = text_at(ref, "apiVersion")
    if version:
        group = version.rpartition("/")[0] or version
        move(ref, "apiVersion", new=ref, new_key="group")
        ref["group"] = group
        translator.moved((*path, "apiVersion"), (*path, "group"), value=group, old_value=version)
    elif surroundings.class_group:
        ref["group"] = surroundings.class_group
        translator.added((*path, "group"), value=surroundings.class_group, reason="the provider's")
    if not text_at(ref, "kind") and surroundings.class_kind:
        ref["kind"] = surroundings.class_kind
        translator.added((*path, "kind"), value=surroundings.class_kind, reason="the provider's")


def _convert_consolidation(disruption: Tree, translator: Translator, *, reporter: Reporter) -> None:
    at: Path = ("spec", "disruption")
    policy_at, after_at = (*at, "consolidationPolicy"), (*at, "consolidateAfter")
    policy = text_at(disruption, "consolidationPolicy") or "WhenUnderutilized"
    after = text_at(disruption, "consolidateAfter")
    if policy == "WhenEmpty":
        if not after:
            message = "consolidateAfter is missing: WhenEmpty needs it in v1beta1"
            reporter.error(Code.BROKEN_RULE, message, at=at, suggestion="write 30s, or Never")
        return
    if after and after != "Never":
        message = f"consolidateAfter {after} does not go with WhenUnderutilized in v1beta1"
        hint = "leave it out, or write policy WhenEmpty"
        reporter.error(Code.BROKEN_RULE, message, at=after_at, suggestion=hint)
        return
    new = "WhenEmptyOrUnderutilized"
    if "consolidationPolicy" in disruption:
        translator.moved(policy_at, policy_at, value=new, old_value=policy)
    else:
        translator.added(policy_at, value=new, reason="the default")
    disruption["consolidationPolicy"] = new
    if after:
        translator.moved(after_at, after_at, value="0s", old_value=after)
    else:
        translator.added(after_at, value="0s", reason="WhenUnderutilized did not wait")
    disruption["consolidateAfter"] = "0s"


def _convert_expiry(disruption: Tree, template: Tree, *, translator: Translator) -> None:
    new: Path = ("spec", "template", "spec", "expireAfter")
    written = text_at(disruption, "expireAfter")
    if written:
        move(disruption, "expireAfter", new=template, new_key="expireAfter")
        translator.moved(("spec", "disruption", "expireAfter"), new, value=written)
    else:
        template["expireAfter"] = DEFAULT_EXPIRY
        translator.added(new, value=DEFAULT_EXPIRY, reason="the default")


def _convert_claim(tree: Tree, reporter: Reporter, *, surroundings: Surroundings) -> Conversion:
    translator = Translator(reporter)
    root = clone(tree)
    root["apiVersion"] = POOL_API
    translator.moved(("apiVersion",), ("apiVersion",), value=POOL_API, old_value=_API)
    spec = clone_child(root, "spec")
    _convert_ref(spec, at=("spec",), translator=translator, surroundings=surroundings)
    pool = text_at(tree, "metadata", "labels", labels.NODEPOOL)
    expiry = surroundings.expiry.get(pool, "")
    spec["expireAfter"] = expiry or DEFAULT_EXPIRY
    reason = f"as NodePool/{pool} says" if expiry else "the default"
    translator.added(("spec", "expireAfter"), value=expiry or DEFAULT_EXPIRY, reason=reason)
    if spec.pop("kubelet", None):
        translator.warn(("spec", "kubelet"), "kubelet settings belong to the NodeClass now")
    return translator.result(root)
