"""`simulate`: runs a scenario in a simulated world."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from policyscaler.cli.options import (
    JSON,
    bundle_option,
    format_option,
    policies_option,
    quiet_option,
    set_option,
)

if TYPE_CHECKING:
    from policyscaler.model.policies import ScalingPolicy
    from policyscaler.simulation.report import Report
    from policyscaler.simulation.scenario import Scenario
    from policyscaler.simulation.timeline import Entry


@click.command("simulate")
@click.argument("scenario", metavar="SCENARIO")
@bundle_option
@policies_option
@set_option
@click.option("--seed", type=click.IntRange(min=0), help="instead of the scenario's own")
@format_option
@quiet_option
def command(
    scenario: str,
    bundle: str,
    policies: tuple[str, ...],
    settings: dict[str, str],
    seed: int | None,
    form: str,
    quiet: bool,
) -> int:
    """Run SCENARIO, a file or a folder with a scenario.yaml, in a simulated world.

    No cluster and no cloud account is touched: time is virtual, machines and pods are simulated.
    Equal scenarios and seeds give equal output, byte for byte.

    Exit codes: 0; 1 when the scenario has an error, or the run broke a promise (violations).
    """
    loaded = _load(scenario, seed, quiet=quiet)
    if loaded is None:
        return 1
    loaded, in_force = _policies(loaded, policies, bundle=bundle, settings=settings)
    report = _run(loaded, in_force, follow=form != JSON and not quiet)
    if form == JSON:
        sys.stdout.write(report.to_json().decode())
    else:
        from policyscaler.cli.text.simulation import report_lines
        from policyscaler.cli.text.terminal import show

        show(report_lines(report))
    return 1 if report.violations or _has_errors(loaded) else 0


def _load(path: str, seed: int | None, *, quiet: bool) -> Scenario | None:
    from dataclasses import replace

    from policyscaler.cli.inputs import report, tell_translations
    from policyscaler.manifests.loading import vocabulary_of
    from policyscaler.operator.wiring import kinds, providers
    from policyscaler.simulation.scenario_loading import load_scenario

    scenario, findings = load_scenario(path, kinds=kinds(), vocabulary=vocabulary_of(providers()))
    report(findings, quiet=quiet)
    if scenario is not None:
        tell_translations(scenario.objects.translations, quiet=quiet)
    return scenario if scenario is None or seed is None else replace(scenario, seed=seed)


def _policies(
    scenario: Scenario,
    paths: tuple[str, ...],
    *,
    bundle: str,
    settings: dict[str, str],
) -> tuple[Scenario, list[ScalingPolicy]]:
    """The scenario with its own policies set, and the policies that it runs with beside those."""
    from dataclasses import replace

    from policyscaler.cli.inputs import read, report
    from policyscaler.model.errors import ConfigError
    from policyscaler.operator.written import with_settings, written_policies

    further = read(paths)
    report(further.findings, quiet=True)
    if further.errors:
        raise ConfigError("the policies of --policies cannot be used")
    own = scenario.objects.policies
    written = written_policies(bundle, (*further.policies, *own), settings)
    set_own = tuple(with_settings(policy, settings) for policy in own)
    scenario = replace(scenario, objects=replace(scenario.objects, policies=set_own))
    return scenario, written[: len(written) - len(own)]


def _run(scenario: Scenario, policies: list[ScalingPolicy], *, follow: bool) -> Report:
    from policyscaler.cli.text.simulation import opening_lines
    from policyscaler.cli.text.terminal import show, working
    from policyscaler.operator.wiring import providers
    from policyscaler.simulation.run import run_scenario

    if follow:
        show(opening_lines(scenario))
    with working("simulating", quiet=follow):
        return run_scenario(
            scenario, policies=policies, providers=providers(),
            progress=_follower() if follow else None,
        )  # fmt: skip


def _follower() -> Callable[[Entry], None]:
    from policyscaler.cli.text.simulation import entry_lines
    from policyscaler.cli.text.terminal import show

    return lambda entry: show(entry_lines(entry))


def _has_errors(scenario: Scenario) -> bool:
    from policyscaler.manifests.findings import ERROR

    return any(finding.severity == ERROR for finding in scenario.findings)
