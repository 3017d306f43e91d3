"""`defaults`: the policies of a bundle."""

from __future__ import annotations

import click


@click.command("defaults")
@click.argument("bundle", default="karpenter", metavar="[BUNDLE]")
def command(bundle: str) -> None:
    """Print the policies of a bundle as they are written, each with its file's name."""
    from policyscaler.policy.bundles import bundle_files

    for number, file in enumerate(bundle_files(bundle)):
        separator = "---\n" if number else ""
        click.echo(f"{separator}# {bundle}/{file.name}")
        click.echo(file.read_text(encoding="utf-8").removeprefix("---\n"), nl=False)
