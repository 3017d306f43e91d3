"""A group whose commands are imported when they run, and never for `--help`."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

import click


@dataclass(frozen=True, slots=True)
class Lazy:
    """A command that is not imported yet: the module that holds it, and its line in the help."""

    module: str
    line: str


class LazyGroup(click.Group):
    """A group of commands by name, in the order of the table.

    Args:
        table: the commands; each module has the command as `command`.
        name: of the group.
        help_text: what it says of itself.
    """

    def __init__(self, table: Mapping[str, Lazy], *, name: str, help_text: str) -> None:
        super().__init__(name=name, help=help_text, no_args_is_help=True)
        self._table = dict(table)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names, in the order of the table."""
        del ctx
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports a command; an unknown name is a usage error that suggests the nearest one."""
        found = self._table.get(cmd_name)
        if found is None:
            near = difflib.get_close_matches(cmd_name, self._table, n=1)
            hint = f'; did you mean "{near[0]}"?' if near else ""
            raise click.UsageError(f'there is no command "{cmd_name}"{hint}', ctx=ctx)
        command = import_module(found.module).command
        if not isinstance(command, click.Command):
            raise TypeError(f"{found.module}.command is no command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list of commands from the table: the base class would import each."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, lazy.line) for name, lazy in self._table.items()])
