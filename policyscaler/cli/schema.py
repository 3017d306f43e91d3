"""`schema`: JSON Schema of manifests and of what commands print."""

from __future__ import annotations

import click


@click.command("schema")
@click.argument("kind", required=False)
@click.option("--api-version", default="", help="of the kind; by default the served version")
def command(kind: str | None, api_version: str) -> None:
    """Print the JSON Schema of KIND, or without KIND the kinds that there are."""
    import msgspec

    from policyscaler.cli.documents.schemas import known_kinds, schema_of

    if kind is None:
        from policyscaler.cli.text.tables import table
        from policyscaler.cli.text.terminal import show

        show(table(("KIND", "API VERSION", "WHAT"), known_kinds()))
        return
    schema = schema_of(kind, api_version)
    click.echo(msgspec.json.format(msgspec.json.encode(schema), indent=2).decode())
