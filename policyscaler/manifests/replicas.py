"""Workloads as the pods that they still lack: what a plan must find room for.

Only files are looked at: a Deployment of three replicas of which one pod is there lacks two.
DaemonSets lack none (they are overhead of every node), CronJobs none (their time has not come).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from policyscaler.manifests.loaded import Loaded
from policyscaler.model.meta import ObjectMeta, OwnerReference
from policyscaler.model.pods import SUCCEEDED, Pod
from policyscaler.model.workloads import Job, PodTemplate, Workload

_Key = tuple[str, str, str]
"""Kind, namespace and name of an owner."""


def pending_from_workloads(loaded: Loaded) -> tuple[Pod, ...]:
    """Returns a pod for each replica that is missing, sorted by workload and number.

    Their names are `<workload>-<number>`, the same for the same files. A ReplicaSet whose
    Deployment is there makes none: its Deployment does.
    """
    present = _present(loaded)
    taken = {pod.meta.key for pod in loaded.pods}
    deployments = {w.meta.key for w in loaded.workloads if w.kind == "Deployment"}
    made: list[Pod] = []
    for workload in sorted(loaded.workloads, key=lambda w: (w.meta.key, w.kind)):
        controller = workload.meta.controller
        if controller and (workload.meta.namespace, controller.name) in deployments:
            continue
        missing = workload.replicas - present[(workload.kind, *workload.meta.key)]
        made += _pods_of(workload, missing, taken=taken)
    for job in sorted(loaded.jobs, key=lambda j: j.meta.key):
        made += _pods_of(job, _missing_of(job, loaded, present=present), taken=taken)
    return tuple(made)


def _present(loaded: Loaded) -> Counter[_Key]:
    """Returns how many living pods each owner has; those of a ReplicaSet also count upwards."""
    owner_of_set = {
        w.meta.key: w.meta.controller.name
        for w in loaded.workloads
        if w.kind == "ReplicaSet" and w.meta.controller
    }
    counts: Counter[_Key] = Counter()
    for pod in loaded.pods:
        owner = pod.meta.controller
        if owner is None or not pod.is_active:
            continue
        namespace = pod.meta.namespace
        counts[(owner.kind, namespace, owner.name)] += 1
        if owner.kind == "ReplicaSet":
            # A Deployment's set is named after it and a hash of the template.
            named_after = owner_of_set.get((namespace, owner.name), owner.name.rpartition("-")[0])
            counts[("Deployment", namespace, named_after)] += 1
    return counts


def _missing_of(job: Job, loaded: Loaded, *, present: Counter[_Key]) -> int:
    if job.suspended:
        return 0
    done = sum(
        1
        for pod in loaded.pods
        if pod.phase == SUCCEEDED
        and _is_owner(job, pod)
        and pod.meta.namespace == job.meta.namespace
    )
    wanted = min(job.parallelism, job.completions - done)
    return wanted - present[("Job", *job.meta.key)]


def _is_owner(job: Job, pod: Pod) -> bool:
    owner = pod.meta.controller
    return owner is not None and owner.kind == "Job" and owner.name == job.meta.name


def _pods_of(owner: Workload | Job, missing: int, *, taken: set[tuple[str, str]]) -> Iterable[Pod]:
    meta = owner.meta
    kind = owner.kind if isinstance(owner, Workload) else "Job"
    number = 0 if kind == "StatefulSet" else 1
    while missing > 0:
        name = f"{meta.name}-{number}"
        number += 1
        if (meta.namespace, name) in taken:
            continue
        taken.add((meta.namespace, name))
        missing -= 1
        yield _pod(name, owner.template, meta=meta, kind=kind)


def _pod(name: str, template: PodTemplate, *, meta: ObjectMeta, kind: str) -> Pod:
    # The pods of a Deployment belong to a ReplicaSet, of which the files need not know.
    owner = OwnerReference(
        kind="ReplicaSet" if kind == "Deployment" else kind, name=meta.name, controller=True
    )
    return Pod(
        meta=ObjectMeta(
            name=name,
            namespace=meta.namespace,
            labels=template.labels,
            annotations=template.annotations,
            owners=(owner,),
        ),
        spec=template.spec,
    )
