"""`convert`: manifests of old versions, written in the served one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from policyscaler.cli.options import quiet_option

if TYPE_CHECKING:
    from policyscaler.manifests.converting import Converted


@click.command("convert")
@click.argument("files", nargs=-1, required=True, metavar="FILES...")
@click.option("--in-place", "-i", is_flag=True, help="write each file back instead of printing it")
@quiet_option
def command(files: tuple[str, ...], in_place: bool, quiet: bool) -> int:
    """Write manifests of old versions in the served one.

    The result goes to standard output, every change and every default that was added to standard
    error. What is not of an old version stays as it was written.

    Exit codes: 0; 1 when something could not be read or translated: then no file is written.
    """
    from policyscaler.cli.inputs import report
    from policyscaler.cli.text.terminal import complain
    from policyscaler.cli.text.translations import translation_lines
    from policyscaler.manifests.findings import ERROR

    if in_place and "-" in files:
        raise click.UsageError("standard input cannot be written back: leave out --in-place")
    results = _convert(files, in_place=in_place)
    for _, result in results:
        report(result.findings, quiet=quiet)
        if not quiet:
            complain(
                [*translation_lines(result.translations), *(f"note: {n}" for n in result.notes)]
            )
    if any(f.severity == ERROR for _, result in results for f in result.findings):
        return 1
    for file, result in results:
        if not in_place:
            click.echo(result.text, nl=False)
        elif result.translations:
            Path(file).write_text(result.text, encoding="utf-8")
    return 0


def _convert(files: tuple[str, ...], *, in_place: bool) -> list[tuple[str, Converted]]:
    """The result of each file when they are written back, one result otherwise."""
    from policyscaler.manifests.converting import convert_documents
    from policyscaler.operator.wiring import kinds

    groups = [(file,) for file in _single_files(files)] if in_place else [files]
    return [
        (group[0], convert_documents(group, kinds=kinds(), stdin=sys.stdin.buffer))
        for group in groups
    ]


def _single_files(paths: tuple[str, ...]) -> list[str]:
    from policyscaler.manifests.findings import Finding
    from policyscaler.manifests.reading import files_of

    missing: list[Finding] = []
    files = files_of(paths, sink=missing)
    # What does not exist is kept, so that converting it reports it.
    return [*files, *(path for path in paths if missing and not Path(path).exists())]
