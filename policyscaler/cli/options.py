"""Options that several commands share, and how their texts become values."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import click

TEXT: Final = "text"
JSON: Final = "json"
WALL: Final = "wall"
NO_BUNDLE: Final = "none"
SCHEMA_HINT: Final = "the shape of json is documented by `policyscaler schema`"


def parse_now(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> datetime | str | None:
    """Returns the instant that --now names, WALL for the present, or None when it is not given."""
    if value is None or value == WALL:
        return value
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        message = f'"{value}" is not a time such as 2026-01-01T00:00:00Z'
        raise click.BadParameter(message, ctx, param) from None
    if found.tzinfo is None:
        raise click.BadParameter(f'"{value}" has no time zone; write {value}Z for UTC', ctx, param)
    return found.astimezone(UTC)


def parse_settings(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> dict[str, str]:
    """Returns --set as a map; a text without `=` is a usage error."""
    found = {}
    for setting in value:
        name, separator, text = setting.partition("=")
        if not separator or not name:
            raise click.BadParameter(f'"{setting}" is not PARAM=VALUE', ctx, param)
        found[name] = text
    return found


paths_argument = click.argument("paths", nargs=-1, required=True, metavar="PATHS...")
format_option = click.option(
    "--format", "form", type=click.Choice([TEXT, JSON]), default=TEXT, show_default=True,
    help=f"what to print; {SCHEMA_HINT}",
)  # fmt: skip
quiet_option = click.option("--quiet", "-q", is_flag=True, help="no progress and no warnings")
bundle_option = click.option(
    "--bundle", default="karpenter", show_default=True, metavar="NAME",
    help=f'the policies in force beside those in the files; "{NO_BUNDLE}" for no others',
)  # fmt: skip
policies_option = click.option(
    "--policies", multiple=True, metavar="PATH",
    help="files or folders with further policies; may be given several times",
)  # fmt: skip
set_option = click.option(
    "--set", "settings", multiple=True, metavar="PARAM=VALUE", callback=parse_settings,
    help="the value of a policy's parameter: PARAM, or POLICY.PARAM for one policy only",
)  # fmt: skip
now_option = click.option(
    "--now", metavar="INSTANT", callback=parse_now, default=None,
    help=f"the instant to decide for, such as 2026-01-01T00:00:00Z, or `{WALL}` for the present; "
    "by default the newest time stamp in the files, or 2026-01-01T00:00:00Z without any",
)  # fmt: skip


def decision_options(command: click.Command) -> click.Command:
    """Adds to a command what every decision takes; its function receives it as `**_further`.

    `inputs.request_of` makes a Request of what was given.
    """
    for add in (
        paths_argument,
        bundle_option,
        policies_option,
        set_option,
        now_option,
        format_option,
        quiet_option,
    ):
        add(command)
    return command
