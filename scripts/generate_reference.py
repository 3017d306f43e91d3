"""Writes docs/reference/: the policy language and the command line, from the tables they are made of."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from policyscaler.cli.main import COMMANDS, program
from policyscaler.policy.functions import FUNCTIONS, MACROS
from policyscaler.policy.signatures import Function, Style
from policyscaler.policy.types import ObjectType
from policyscaler.policy.vocabulary import PARAMS, SITES, VARIABLES, VARS

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
MADE = "<!-- Written by scripts/generate_reference.py: change the tables in the code, not this page. -->"


def language() -> str:
    """Returns the page about the policy language."""
    parts = [
        f"# The policy language\n\n{MADE}\n",
        "Expressions are CEL. What each place sees, which fields there are and which functions can be called:\n",
        "## Places\n\n| place | result | for each | sees | what it says |\n|---|---|---|---|---|",
        *(
            f"| `{site.name}` | {site.result} | {f'`{site.row}`' if site.row else '–'} | "
            f"{', '.join(f'`{name}`' for name in site.variables)} | {site.description} |"
            for site in SITES.values()
        ),
        f"\n`{PARAMS}` and `{VARS}` hold the parameters and variables that the policy itself declares.\n",
        "## Variables\n",
        *(line for variable in VARIABLES.values() for line in variable_lines(variable.name)),
        "## Functions\n\n| function | about | example |\n|---|---|---|",
        *(
            function_line(function)
            for function in FUNCTIONS.values()
            if function.style is not Style.OPERATOR
        ),
        "\n## Macros\n\n| macro | about | example |\n|---|---|---|",
        *(
            f"| `{macro.name}` | {macro.description} | {code(macro.example)} |"
            for macro in MACROS.values()
        ),
        "\n## Operators\n\n| operator | about | example |\n|---|---|---|",
        *(
            function_line(function)
            for function in FUNCTIONS.values()
            if function.style is Style.OPERATOR
        ),
    ]
    return "\n".join(parts) + "\n"


def variable_lines(name: str) -> Iterator[str]:
    """Yields the section of one variable, with the fields of its objects one below the other."""
    variable = VARIABLES[name]
    yield f"### `{name}`\n"
    yield f"{variable.description} Type: {variable.type}.\n"
    rows = list(field_rows(variable.type, name))
    if rows:
        yield "| field | type | unit | can be absent | what it is |\n|---|---|---|---|---|"
        yield from rows
        yield ""


def field_rows(kind: object, path: str) -> Iterator[str]:
    """Yields a row for each field of an object and of the objects in it."""
    inner = getattr(kind, "item", kind)
    if not isinstance(inner, ObjectType):
        return
    prefix = path + ("[]" if inner is not kind else "")
    for name, field in inner.fields.items():
        here = f"{prefix}.{name}"
        absent = "yes" if field.optional else ""
        yield f"| `{here}` | {field.type} | {field.unit} | {absent} | {field.description} |"
        yield from field_rows(field.type, here)


def function_line(function: Function) -> str:
    """Returns the row of a function."""
    about = function.description.replace("|", "\\|")
    name = function.name.replace("|", "\\|")
    return f"| `{name}` | {about} | {code(function.example)} |"


def code(text: str) -> str:
    """Returns a text as code in a table, or nothing for nothing."""
    return f"`{text}`".replace("|", "\\|") if text else ""


def commands() -> str:
    """Returns the page about the command line: what each command's --help says."""
    parts = [
        f"# The command line\n\n{MADE}\n",
        "```console",
        "$ policyscaler --help",
        help_of(program, "policyscaler"),
        "```\n",
    ]
    context = click.Context(program)
    for name in COMMANDS:
        command = program.get_command(context, name)
        parts += [
            f"## {name}\n",
            "```console",
            f"$ policyscaler {name} --help",
            help_of(command, f"policyscaler {name}"),
            "```\n",
        ]
        for inner, found in sorted(inner_commands(command).items()):
            title = f"policyscaler {name} {inner}"
            parts += [
                "```console",
                f"$ {title} --help",
                help_of(found, title),
                "```\n",
            ]
    return "\n".join(parts)


def inner_commands(command: click.Command | None) -> dict[str, click.Command]:
    """Returns the commands of a group, none of any other command."""
    return dict(command.commands) if isinstance(command, click.Group) else {}


def help_of(command: click.Command | None, title: str) -> str:
    """Returns what --help prints, at a fixed width."""
    if command is None:
        raise LookupError(title)
    context = click.Context(command, info_name=title, max_content_width=100, terminal_width=100)
    return command.get_help(context)


def main(arguments: list[str]) -> int:
    """Writes the pages, or with --check says which of them differ."""
    wanted = {FOLDER / "policy-language.md": language(), FOLDER / "command-line.md": commands()}
    stale = [
        p for p, text in wanted.items() if not p.exists() or p.read_text(encoding="utf-8") != text
    ]
    for path in stale:
        name = path.relative_to(FOLDER.parents[1])
        if "--check" in arguments:
            print(f"{name} is stale: run {Path(__file__).name}")
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[path], encoding="utf-8")
        print(f"wrote {name}")
    return int("--check" in arguments and bool(stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
