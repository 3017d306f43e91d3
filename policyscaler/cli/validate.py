"""`validate`: whether manifests and policies can be used, and what is doubtful about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from policyscaler.cli.options import (
    JSON,
    SCHEMA_HINT,
    bundle_option,
    paths_argument,
    quiet_option,
    set_option,
)

if TYPE_CHECKING:
    from policyscaler.manifests.findings import Finding


@click.command("validate")
@paths_argument
@bundle_option
@set_option
@click.option("--strict", is_flag=True, help="exit with 1 for warnings too")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "github", "sarif", "junit"]),
    default="text", show_default=True, help=f"what to print; {SCHEMA_HINT}",
)  # fmt: skip
@quiet_option
def command(
    paths: tuple[str, ...],
    bundle: str,
    settings: dict[str, str],
    strict: bool,
    form: str,
    quiet: bool,
) -> int:
    """Check manifests and policies: types, names, values, and every expression.

    Each finding has a stable code, its place in the file and the way out. Policies are checked
    together with those of the bundle.

    Exit codes: 0 without errors, 1 with errors (with --strict: or warnings), 2 for a command line
    that cannot be used.
    """
    from policyscaler.cli.checking import check
    from policyscaler.cli.inputs import tell_translations
    from policyscaler.cli.text.terminal import working
    from policyscaler.manifests.findings import ERROR, NOTE

    with working("checking", quiet=quiet):
        checked = check(paths, bundle=bundle, settings=settings)
    tell_translations(checked.translations, quiet=quiet)
    _print(checked.findings, form=form, objects=checked.objects, files=checked.files)
    severe = {f.severity for f in checked.findings} - {NOTE}
    return int(bool(severe) if strict else ERROR in severe)


def _print(
    findings: tuple[Finding, ...], *, form: str, objects: int, files: tuple[str, ...]
) -> None:
    from policyscaler.cli.text import findings as text
    from policyscaler.cli.text.terminal import show

    if form == JSON:
        from policyscaler.cli.documents.validation import validation_document
        from policyscaler.cli.documents.values import encode

        click.echo(encode(validation_document(findings, objects=objects)), nl=False)
    elif form == "sarif":
        from policyscaler.cli.documents.validation import sarif_text

        click.echo(sarif_text(findings), nl=False)
    elif form == "github":
        show(text.github_lines(findings))
    elif form == "junit":
        show(text.junit_lines(findings, files=files))
    else:
        show([*text.finding_lines(findings), text.summary_line(findings, objects=objects)])
