"""EC2NodeClass v1beta1 read as v1.

Source: the conversion of Karpenter's AWS provider 1.0, the last that served both. What it did
quietly is listed here as changes.
"""

from __future__ import annotations

from typing import Final

from policyscaler.manifests.findings import Code
from policyscaler.manifests.kinds import Change, Conversion
from policyscaler.manifests.reporting import Reporter
from policyscaler.manifests.trees import Tree, YamlMap, map_at, text_at
from policyscaler_aws.families import AL2, CUSTOM
from policyscaler_aws.labels import GROUP

V1: Final = f"{GROUP}/v1"
V1BETA1: Final = f"{GROUP}/v1beta1"
ALIAS_VERSION: Final = f"compatibility.{GROUP}/v1-alias-version"
FROM_UBUNTU: Final = f"compatibility.{GROUP}/v1beta1-ubuntu"

_UBUNTU: Final = "Ubuntu"
_HOP_LIMIT: Final = "httpPutResponseHopLimit"
_OLD_HOP_LIMIT: Final = 2


def convert_to_v1(tree: Tree, reporter: Reporter) -> Conversion:
    """Returns a checked v1beta1 object as v1, with every change and every default."""
    new, spec = _copy(tree), _copy(map_at(tree, "spec"))
    new["apiVersion"], new["spec"] = V1, spec
    version = Change(
        before="apiVersion", after="apiVersion", value=V1, old_value=V1BETA1,
        position=reporter.position(("apiVersion",)),
    )  # fmt: skip
    changes = [version]
    warnings: list[str] = []
    if spec.get("amiSelectorTerms"):
        if spec.get("amiFamily") == _UBUNTU:
            changes += _from_ubuntu(new, spec, reporter=reporter)
            warnings.append("Ubuntu is no image family of v1; its images are started as AL2's are")
    else:
        changes += _family_to_alias(new, spec, reporter=reporter)
    changes += _keep_hop_limit(spec, reporter)
    at = ("spec", "amiFamily")
    return Conversion(tree=new, changes=tuple(changes), warnings=tuple((at, w) for w in warnings))


def _family_to_alias(new: Tree, spec: Tree, *, reporter: Reporter) -> list[Change]:
    family = text_at(spec, "amiFamily")
    at = ("spec", "amiFamily")
    if family in (CUSTOM, _UBUNTU):
        message = f"v1 has no default images of the family {family}"
        hint = "select images with amiSelectorTerms"
        reporter.error(Code.BROKEN_RULE, message, at=at, suggestion=hint)
        return []
    remembered = text_at(new, "metadata", "annotations", ALIAS_VERSION)
    alias = f"{family.lower()}@{remembered or 'latest'}"
    _move(spec, "amiFamily", "amiSelectorTerms", value=[{"alias": alias}])
    change = Change(
        before="spec.amiFamily", after="spec.amiSelectorTerms[0].alias", value=alias,
        old_value=family, position=reporter.position(at),
        reason="v1 names default images by an alias",
    )  # fmt: skip
    return [change]


def _from_ubuntu(new: Tree, spec: Tree, *, reporter: Reporter) -> list[Change]:
    at = ("spec", "amiFamily")
    spec["amiFamily"] = AL2
    changes = [
        Change(
            before="spec.amiFamily", after="spec.amiFamily", value=AL2, old_value=_UBUNTU,
            position=reporter.position(at), reason="v1 has no family Ubuntu",
        )
    ]  # fmt: skip
    substituted = "amiFamily"
    if not spec.get("blockDeviceMappings"):
        volume = {"encrypted": True, "volumeSize": "20Gi", "volumeType": "gp3"}
        spec["blockDeviceMappings"] = [
            {"deviceName": "/dev/sda1", "rootVolume": True, "ebs": volume}
        ]
        substituted = "amiFamily,blockDeviceMappings"
        changes.append(
            Change(
                after="spec.blockDeviceMappings", value="an encrypted gp3 root of 20Gi on /dev/sda1",
                position=reporter.position(at), reason="the default of Ubuntu in v1beta1",
            )
        )  # fmt: skip
    metadata = _copy(map_at(new, "metadata"))
    annotations = _copy(map_at(metadata, "annotations"))
    annotations[FROM_UBUNTU] = substituted
    metadata["annotations"], new["metadata"] = annotations, metadata
    changes.append(
        Change(
            after=f"metadata.annotations[{FROM_UBUNTU}]", value=substituted,
            position=reporter.position(at), reason="says what stood in for Ubuntu",
        )
    )  # fmt: skip
    return changes


def _keep_hop_limit(spec: Tree, reporter: Reporter) -> list[Change]:
    options = _copy(map_at(spec, "metadataOptions"))
    if _HOP_LIMIT in options:
        return []
    options[_HOP_LIMIT] = _OLD_HOP_LIMIT
    spec["metadataOptions"] = options
    change = Change(
        after=f"spec.metadataOptions.{_HOP_LIMIT}", value=str(_OLD_HOP_LIMIT),
        position=reporter.position(("spec", "metadataOptions")),
        reason="the default of v1beta1; that of v1 is 1",
    )  # fmt: skip
    return [change]


def _copy(tree: Tree) -> Tree:
    """Returns a copy of one level that still knows where its entries stand."""
    if not isinstance(tree, YamlMap):
        return dict(tree)
    copied = YamlMap()
    copied.update(tree)
    copied.keys_at, copied.values_at = dict(tree.keys_at), dict(tree.values_at)
    return copied


def _move(tree: Tree, old: str, new: str, *, value: object) -> None:
    """Replaces a field by another, which stands where the old one stood."""
    del tree[old]
    tree[new] = value
    if isinstance(tree, YamlMap):
        tree.keys_at[new] = tree.keys_at.pop(old)
        tree.values_at[new] = tree.values_at.pop(old)
