"""`version`: which policyscaler this is."""

from __future__ import annotations

import platform

import click

from policyscaler import __version__


@click.command("version")
def command() -> None:
    """Print the version of policyscaler and of Python."""
    click.echo(f"policyscaler {__version__} (Python {platform.python_version()})")
