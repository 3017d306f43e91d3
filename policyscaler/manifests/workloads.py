"""What makes pods: Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs and CronJobs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from policyscaler.manifests import workload_wire as wire
from policyscaler.manifests.findings import Code, Path
from policyscaler.manifests.kinds import Kind, define_kind
from policyscaler.manifests.pods import decode_selector, decode_template
from policyscaler.manifests.reporting import Reporter
from policyscaler.manifests.schedules import check_schedule, check_time_zone
from policyscaler.model import labels
from policyscaler.model.durations import parse_duration
from policyscaler.model.errors import DurationError
from policyscaler.model.meta import LabelSelector, ObjectMeta
from policyscaler.model.workloads import CronJob, DaemonSet, Job, Workload

_TEMPLATE: Path = ("spec", "template")


def _workload(kind: str) -> Callable[[wire.WorkloadWire, Reporter], Workload]:
    def decode(workload: wire.WorkloadWire, reporter: Reporter) -> Workload:
        spec = workload.spec
        _check_count(spec.replicas, at=("spec", "replicas"), reporter=reporter)
        rolling = spec.strategy.rolling_update
        recreate = spec.strategy.type == "Recreate"
        template = decode_template(spec.template, at=_TEMPLATE, reporter=reporter)
        selector = _selector(workload, reporter)
        return Workload(
            kind=kind,
            meta=workload.metadata.decode(namespaced=True),
            template=template,
            replicas=spec.replicas,
            selector=selector,
            parallel=spec.pod_management_policy == "Parallel",
            max_surge="0" if recreate else str(rolling.max_surge),
            max_unavailable="100%" if recreate else str(rolling.max_unavailable),
        )

    return decode


def _selector(workload: wire.WorkloadWire, reporter: Reporter) -> LabelSelector:
    """Returns the selector; none written means the template's labels, as in old API versions."""
    labels_written = workload.spec.template.metadata.labels
    selector = decode_selector(workload.spec.selector) or LabelSelector()
    if not selector.match_labels and not selector.expressions:
        return LabelSelector(match_labels=labels_written)
    if not selector.matches(labels_written):
        message = "the selector does not select the pods of the template"
        reporter.error(Code.BROKEN_RULE, message, at=("spec", "selector"))
    return selector


def _daemon_set(workload: wire.WorkloadWire, reporter: Reporter) -> DaemonSet:
    return DaemonSet(
        meta=workload.metadata.decode(namespaced=True),
        template=decode_template(workload.spec.template, at=_TEMPLATE, reporter=reporter),
        selector=_selector(workload, reporter),
    )


def _job(job: wire.JobWire, reporter: Reporter) -> Job:
    meta = job.metadata.decode(namespaced=True)
    return _job_of(job.spec, meta=meta, at=("spec",), reporter=reporter)


def _job_of(spec: wire.JobSpecWire, *, meta: ObjectMeta, at: Path, reporter: Reporter) -> Job:
    _check_count(spec.parallelism, at=(*at, "parallelism"), reporter=reporter)
    # Without completions any one success ends a Job, however many pods run beside each other.
    completions = spec.parallelism if spec.completions is None else spec.completions
    _check_count(completions, at=(*at, "completions"), reporter=reporter)
    return Job(
        meta=meta,
        template=decode_template(spec.template, at=(*at, "template"), reporter=reporter),
        parallelism=spec.parallelism,
        completions=completions,
        run_time=_run_time(spec, meta, at=at, reporter=reporter),
        suspended=spec.suspend,
    )


def _run_time(
    spec: wire.JobSpecWire, meta: ObjectMeta, *, at: Path, reporter: Reporter
) -> timedelta | None:
    in_template = spec.template.metadata.annotations.get(labels.RUN_TIME)
    written = in_template or meta.annotations.get(labels.RUN_TIME)
    if written is None:
        return None
    where = (*at, "template") if in_template else at[:-1]
    try:
        return parse_duration(written)
    except DurationError as error:
        path = (*where, "metadata", "annotations", labels.RUN_TIME)
        reporter.error(Code.BAD_DURATION, str(error), at=path)
        return None


def _cron_job(cron: wire.CronJobWire, reporter: Reporter) -> CronJob:
    spec = cron.spec
    check_schedule(spec.schedule, at=("spec", "schedule"), reporter=reporter)
    check_time_zone(spec.time_zone, at=("spec", "timeZone"), reporter=reporter)
    meta = cron.metadata.decode(namespaced=True)
    made = spec.job_template.metadata
    job_meta = ObjectMeta(
        name=meta.name, namespace=meta.namespace, labels=made.labels, annotations=made.annotations
    )
    return CronJob(
        meta=meta,
        schedule=spec.schedule,
        job=_job_of(
            spec.job_template.spec, meta=job_meta, at=("spec", "jobTemplate", "spec"),
            reporter=reporter,
        ),
        time_zone=spec.time_zone,
        suspended=spec.suspend,
        concurrency=spec.concurrency_policy,
    )  # fmt: skip


def _check_count(count: int, *, at: Path, reporter: Reporter) -> None:
    if count < 0:
        reporter.error(Code.BAD_VALUE, f"{count} is negative; write 0 or more", at=at)


KINDS: tuple[Kind, ...] = (
    *(
        define_kind("apps/v1", kind, wire=wire.WorkloadWire, decode=_workload(kind))
        for kind in ("Deployment", "ReplicaSet", "StatefulSet")
    ),
    define_kind("apps/v1", "DaemonSet", wire=wire.WorkloadWire, decode=_daemon_set),
    define_kind("batch/v1", "Job", wire=wire.JobWire, decode=_job),
    define_kind("batch/v1", "CronJob", wire=wire.CronJobWire, decode=_cron_job),
)
