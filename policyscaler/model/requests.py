"""What a pod takes from a node: effective requests, LimitRange defaults.

Source: the resource helpers of kube-scheduler (component-helpers), and the defaulting of the
API server: a limit without a request is the request.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from policyscaler.model import resources as res
from policyscaler.model.pods import Container, Pod, PodSpec
from policyscaler.model.resources import Resources
from policyscaler.model.workloads import LimitRange

_POD_LEVEL = ("cpu", "memory")


def effective_requests(
    spec: PodSpec,
    *,
    allocated: Mapping[str, Resources] | None = None,
    resize_infeasible: bool = False,
) -> dict[str, int]:
    """Returns what the scheduler counts for a pod, one of `pods` included.

    Args:
        spec: the pod's spec; limits stand in for missing requests.
        allocated: what in-place resizing has granted so far, per container name.
        resize_infeasible: a refused resize counts only what is allocated.
    """
    granted = allocated or {}

    def requests_of(container: Container) -> Resources:
        spec_side = _with_limits(container)
        status_side = granted.get(container.name)
        if status_side is None:
            return spec_side
        return status_side if resize_infeasible else res.maximum((spec_side, status_side))

    app = res.add(*(requests_of(c) for c in spec.containers)) if spec.containers else {}
    peak: dict[str, int] = {}
    sidecars: dict[str, int] = {}
    for container in spec.init_containers:
        if container.sidecar:
            sidecars = res.add(sidecars, requests_of(container))
            peak = res.maximum((peak, sidecars))
        else:
            peak = res.maximum((peak, res.add(requests_of(container), sidecars)))
    total = res.maximum((res.add(app, sidecars), peak))
    total.update(_pod_level(spec))
    total = res.add(total, spec.overhead)
    total[res.PODS] = total.get(res.PODS, 0) + 1
    return total


def pod_requests(pod: Pod) -> dict[str, int]:
    """Returns the effective requests of a pod, in-place resizing included."""
    return effective_requests(
        pod.spec, allocated=pod.allocated, resize_infeasible=pod.resize_infeasible
    )


def _with_limits(container: Container) -> Resources:
    if not container.limits:
        return container.requests
    return {**container.limits, **container.requests}


def _pod_level(spec: PodSpec) -> dict[str, int]:
    merged = {**spec.limits, **spec.requests}
    return {
        name: amount
        for name, amount in merged.items()
        if name in _POD_LEVEL or name.startswith("hugepages-")
    }


def with_defaults(spec: PodSpec, limit_ranges: tuple[LimitRange, ...]) -> PodSpec:
    """Returns the spec as the API server would store it under these LimitRanges.

    A container's missing limit comes from `default`, its missing request from `defaultRequest`,
    else from its limit.
    """
    if not limit_ranges:
        return spec

    def filled(container: Container) -> Container:
        requests, limits = dict(container.requests), dict(container.limits)
        for limit_range in limit_ranges:
            for name, amount in limits.items():
                requests.setdefault(name, amount)
            for name, amount in limit_range.default_request.items():
                requests.setdefault(name, amount)
            for name, amount in limit_range.default.items():
                limits.setdefault(name, amount)
                requests.setdefault(name, amount)
        return msgspec.structs.replace(container, requests=requests, limits=limits)

    return msgspec.structs.replace(
        spec,
        containers=tuple(filled(c) for c in spec.containers),
        init_containers=tuple(filled(c) for c in spec.init_containers),
    )
