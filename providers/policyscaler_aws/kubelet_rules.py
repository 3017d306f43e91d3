"""Rules about the kubelet's configuration in a NodeClass.

Karpenter stores any map and reports these faults as a condition, InvalidKubeletConfiguration or
UnsupportedKubeletConfiguration, under which it launches nothing; here they are errors at once.
Values that are expressions need a feature of Karpenter that is off by default and is not offered.

Source: the kubelet validation of Karpenter's AWS provider.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Final

import msgspec

from policyscaler.manifests.findings import Code, Path, did_you_mean
from policyscaler.manifests.reporting import Reporter
from policyscaler.model.durations import parse_go_duration
from policyscaler.model.errors import ConfigError
from policyscaler.model.quantities import parse_quantity
from policyscaler_aws.families import CUSTOM, Family
from policyscaler_aws.kubelet import MANAGED, Kubelet
from policyscaler_aws.thresholds import parse_threshold

_KUBELET: Final[Path] = ("spec", "kubelet")
_SIGNALS: Final = (
    "memory.available",
    "nodefs.available",
    "nodefs.inodesFree",
    "imagefs.available",
    "imagefs.inodesFree",
    "pid.available",
)
_RESERVABLE: Final = ("cpu", "memory", "ephemeral-storage", "pid")


def check_kubelet(kubelet: Kubelet, family: Family, *, reporter: Reporter) -> None:
    """Reports everything that the kubelet or the image family would not take."""
    for field, written, known, check in (
        ("evictionHard", kubelet.eviction_hard, _SIGNALS, parse_threshold),
        ("evictionSoft", kubelet.eviction_soft, _SIGNALS, parse_threshold),
        ("evictionMinimumReclaim", kubelet.eviction_minimum_reclaim, _SIGNALS, parse_threshold),
        ("evictionSoftGracePeriod", kubelet.eviction_soft_grace_period, _SIGNALS, _check_grace),
        ("kubeReserved", kubelet.kube_reserved, _RESERVABLE, _check_reserved),
        ("systemReserved", kubelet.system_reserved, _RESERVABLE, _check_reserved),
    ):
        _check_map(written or {}, known, check=check, at=(*_KUBELET, field), reporter=reporter)
    _check_soft_eviction(kubelet, reporter)
    _check_image_thresholds(kubelet, reporter)
    if kubelet.register_with_taints is not None:
        message = "taints of nodes belong to the NodePool: spec.template.spec.taints"
        reporter.error(Code.BROKEN_RULE, message, at=(*_KUBELET, "registerWithTaints"), key=True)
    _check_family(kubelet, family, reporter=reporter)


def _check_map(
    written: Mapping[str, str],
    known: tuple[str, ...],
    *,
    check: Callable[[str], object],
    at: Path,
    reporter: Reporter,
) -> None:
    for key, value in written.items():
        if key not in known:
            hint = did_you_mean(key, known) or f"known are {', '.join(known)}"
            message = f'"{key}" is not known here'
            reporter.error(Code.BAD_VALUE, message, at=(*at, key), suggestion=hint, key=True)
            continue
        try:
            check(value)
        except ConfigError as error:
            reporter.error(Code.BAD_VALUE, str(error), at=(*at, key))


def _check_grace(text: str) -> None:
    if parse_go_duration(text) < timedelta(0):
        raise ConfigError(f'"{text}" is negative; a grace period is zero or more')


def _check_reserved(text: str) -> None:
    if parse_quantity(text) < 0:
        raise ConfigError(f'"{text}" is negative; what is reserved is zero or more')


def _check_soft_eviction(kubelet: Kubelet, reporter: Reporter) -> None:
    soft, grace = kubelet.eviction_soft or {}, kubelet.eviction_soft_grace_period or {}
    for signal in sorted(set(soft) ^ set(grace)):
        has, lacks = ("evictionSoft", "evictionSoftGracePeriod")[:: 1 if signal in soft else -1]
        message = f"{signal} is in {has} and not in {lacks}; it must be in both"
        reporter.error(Code.BROKEN_RULE, message, at=(*_KUBELET, has, signal))


def _check_image_thresholds(kubelet: Kubelet, reporter: Reporter) -> None:
    high, low = kubelet.image_gc_high_threshold_percent, kubelet.image_gc_low_threshold_percent
    if high is not None and low is not None and high <= low:
        message = f"{high} is not above imageGCLowThresholdPercent, {low}"
        reporter.error(Code.BROKEN_RULE, message, at=(*_KUBELET, "imageGCHighThresholdPercent"))


def _check_family(kubelet: Kubelet, family: Family, *, reporter: Reporter) -> None:
    if family.any_kubelet_field or family.name == CUSTOM:
        return
    written: dict[str, object] = msgspec.to_builtins(kubelet)
    beyond = [field for field in written if field not in MANAGED]
    if not family.pods_per_core and "podsPerCore" in written:
        beyond.append("podsPerCore")
    for field in sorted(beyond):
        message = f"images of the family {family.name} do not pass {field} on"
        hint = "use AL2023, or leave it out"
        place = (*_KUBELET, field)
        reporter.error(Code.BROKEN_RULE, message, at=place, suggestion=hint, key=True)
    if len(kubelet.cluster_dns or ()) > 1:
        message = f"images of the family {family.name} take one address"
        reporter.error(Code.BROKEN_RULE, message, at=(*_KUBELET, "clusterDNS"))
