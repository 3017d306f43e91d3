"""The Job and CronJob controllers: pods that run to their end, at once or on a schedule.

Source: kube-controller-manager's Job and CronJob controllers.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

import msgspec

from policyscaler.model.cron import Schedule, time_zone
from policyscaler.model.meta import ObjectMeta
from policyscaler.model.pods import SUCCEEDED, Pod
from policyscaler.model.snapshot import ObjectKey
from policyscaler.model.workloads import CronJob, Job
from policyscaler.simulation.clock import WorkQueue
from policyscaler.simulation.podlife import PodLife, owner_of
from policyscaler.simulation.usage import owner_key
from policyscaler.simulation.world import World

JOB: Final = "Job"
CRON_JOB: Final = "CronJob"
_HISTORY: Final = 3  # finished Jobs that a CronJob keeps


class Jobs:
    """Reconciles Jobs when they or their pods change."""

    def __init__(self, world: World, pods: PodLife) -> None:
        self._world = world
        self._pods = pods
        self._queue: WorkQueue[ObjectKey] = WorkQueue(world.clock, self._reconcile)
        # Kept beside the pods, as in a Job's status: a finished pod goes with its node, what it
        # has done does not.
        self._succeeded: dict[ObjectKey, int] = {}
        world.state.jobs.watch(self._job_changed)
        world.state.pods.watch(self._pod_changed)

    def succeeded(self, job: Job) -> int:
        """Returns how many of a Job's pods have ended well."""
        return self._succeeded.get(job.meta.key, 0)

    def is_finished(self, job: Job) -> bool:
        """Returns whether nothing is left to run."""
        return self.succeeded(job) >= job.completions

    def _job_changed(self, old: Job | None, new: Job | None) -> None:
        changed = new or old
        if changed is None:
            return
        if new is None:
            self._succeeded.pop(changed.meta.key, None)
        self._queue.add(changed.meta.key)

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        if old is None or (new is not None and old.is_active == new.is_active):
            return
        owner = owner_key(old)
        if owner is None or owner[0] != JOB:
            return
        key = (owner[1], owner[2])
        if new is not None and new.phase == SUCCEEDED and old.phase != SUCCEEDED:
            self._succeeded[key] = self._succeeded.get(key, 0) + 1
        self._queue.add(key)

    def _reconcile(self, key: ObjectKey) -> None:
        owned = self._world.state.index.owned_by((JOB, *key)).values()
        job = self._world.state.jobs.get(key)
        if job is None:
            for pod in sorted(owned, key=lambda p: p.meta.key):
                self._pods.delete(pod)
            return
        active = sum(pod.is_active for pod in owned)
        left = 0 if job.suspended else job.completions - self.succeeded(job)
        for _ in range(min(job.parallelism, left) - active):
            self._create(job)

    def _create(self, job: Job) -> None:
        ids, key = self._world.identities, job.meta.key
        count = ids.birth("job-pod", *key)
        self._pods.create(
            job.template,
            name=f"{job.meta.name}-{ids.suffix('job-pod', *key, str(count))}",
            namespace=job.meta.namespace,
            owner=owner_of(JOB, job.meta),
        )


class CronJobs:
    """Starts Jobs when their time has come."""

    def __init__(self, world: World, jobs: Jobs) -> None:
        self._world = world
        self._jobs = jobs
        self._revision: dict[ObjectKey, int] = {}
        world.state.cron_jobs.watch(self._changed)

    def _changed(self, old: CronJob | None, new: CronJob | None) -> None:
        if new is None:
            if old is not None:
                self._revision.pop(old.meta.key, None)
                for job in self._made_by(old):
                    self._world.state.jobs.remove(job.meta.key)
            return
        self._revision[new.meta.key] = revision = self._revision.get(new.meta.key, 0) + 1
        self._plan(new, revision)

    def _plan(self, cron_job: CronJob, revision: int) -> None:
        zone = time_zone(cron_job.time_zone)
        due = Schedule.parse(cron_job.schedule).next_after(self._world.now, zone=zone)
        if due is not None and not cron_job.suspended:
            self._world.clock.at(due, lambda: self._fire(cron_job, revision=revision, due=due))

    def _fire(self, cron_job: CronJob, *, revision: int, due: datetime) -> None:
        if self._revision.get(cron_job.meta.key) != revision:
            return
        self._plan(cron_job, revision)
        running = [job for job in self._made_by(cron_job) if not self._jobs.is_finished(job)]
        if running and cron_job.concurrency == "Forbid":
            return
        if cron_job.concurrency == "Replace":
            for job in running:
                self._world.state.jobs.remove(job.meta.key)
        self._start(cron_job, due)
        finished = [job for job in self._made_by(cron_job) if self._jobs.is_finished(job)]
        for job in finished[:-_HISTORY]:
            self._world.state.jobs.remove(job.meta.key)

    def _start(self, cron_job: CronJob, due: datetime) -> None:
        name = f"{cron_job.meta.name}-{int(due.timestamp()) // 60}"
        meta = ObjectMeta(
            name=name, namespace=cron_job.meta.namespace, labels=cron_job.job.meta.labels,
            annotations=cron_job.job.meta.annotations, created=self._world.now,
            owners=(owner_of(CRON_JOB, cron_job.meta),),
            uid=self._world.identities.uid(JOB, f"{cron_job.meta.namespace}/{name}"),
        )  # fmt: skip
        self._world.state.jobs.put(msgspec.structs.replace(cron_job.job, meta=meta))

    def _made_by(self, cron_job: CronJob) -> list[Job]:
        made = []
        for (namespace, _), job in sorted(self._world.state.jobs.items.items()):
            owner = job.meta.controller
            if owner is None or namespace != cron_job.meta.namespace:
                continue
            if (owner.kind, owner.name) == (CRON_JOB, cron_job.meta.name):
                made.append(job)
        return made
