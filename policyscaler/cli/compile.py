"""`compile`: NodePools as policy."""

from __future__ import annotations

import click

from policyscaler.cli.options import paths_argument, quiet_option


@click.command("compile")
@paths_argument
@quiet_option
def command(paths: tuple[str, ...], quiet: bool) -> int:
    """Print each NodePool as the ScalingPolicy that it means, as YAML.

    PATHS should hold the NodeClasses and catalogues of the pools too: a requirement becomes an
    expression where the catalogue has its label, and the pods' choice elsewhere.
    """
    from policyscaler.cli.inputs import read, report
    from policyscaler.manifests.assembly import to_snapshot
    from policyscaler.manifests.findings import ERROR
    from policyscaler.model.errors import ConfigError
    from policyscaler.operator.wiring import providers
    from policyscaler.planning.planner import pool_policies
    from policyscaler.policy.rendering import render_all

    loaded = read(paths)
    assembled = to_snapshot(loaded, providers())
    findings = (*loaded.findings, *assembled.findings)
    report(findings, quiet=quiet)
    policies = pool_policies(assembled.snapshot)
    if not policies:
        raise ConfigError("there is no NodePool with a catalogue in these files")
    click.echo(render_all(policies), nl=False)
    return int(any(finding.severity == ERROR for finding in findings))
