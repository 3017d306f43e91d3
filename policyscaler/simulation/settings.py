"""How fast things are in the simulated world, and how patient the engine is."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from policyscaler.model.meta import Value


def _seconds(count: int) -> timedelta:
    return timedelta(seconds=count)


class Settings(Value, frozen=True, kw_only=True):
    """Durations of the world; a scenario may set each by its camelCase name.

    Attributes:
        launch: a launch call to the provider.
        register: from launched to the kubelet's first report.
        ready: from there to the node's Ready.
        startup_taints: how long the agents take to remove their startup taints.
        pod_start: from bound to ready.
        pod_stop: how long a pod takes to stop, at most its grace period.
        terminate: from the terminate call until the instance is gone.
        job_run_time: of Jobs that do not say.
        jitter_percent: how far boot times vary from machine to machine.
        spot_notice: from the notice until a spot instance is taken.
    """

    launch: timedelta = _seconds(2)
    register: timedelta = _seconds(28)
    ready: timedelta = _seconds(10)
    startup_taints: timedelta = _seconds(15)
    pod_start: timedelta = _seconds(4)
    pod_stop: timedelta = _seconds(3)
    terminate: timedelta = _seconds(30)
    job_run_time: timedelta = _seconds(60)
    jitter_percent: int = 10
    spot_notice: timedelta = _seconds(120)


# The engine's own times. Source: the defaults of Karpenter's core, v1.14.
BATCH_IDLE: Final = _seconds(1)
BATCH_MAX: Final = _seconds(10)
DISRUPTION_PERIOD: Final = _seconds(10)
VALIDATION_DELAY: Final = _seconds(15)
RECHECK_PENDING: Final = _seconds(60)
RECHECK_DISRUPTION: Final = _seconds(
    900
)  # how late policy on time alone may be seen; see deadlines
LAUNCH_TIMEOUT: Final = _seconds(300)
REGISTRATION_TIMEOUT: Final = _seconds(900)
REPLACEMENT_TIMEOUT: Final = _seconds(600)
CAPACITY_ERROR_MEMORY: Final = _seconds(180)
POD_EVENT_PAUSE: Final = _seconds(10)
MINIMUM_DRAIN: Final = _seconds(5)
