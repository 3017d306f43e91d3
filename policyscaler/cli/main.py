"""The entry point: which commands there are, and what becomes of errors.

Exit codes: 0 all well; 1 findings or input that cannot be used; 2 a command line that cannot be
used (and changes, for `plan --detailed-exitcode`); 70 a bug in policyscaler; 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Final

import click

from policyscaler import __version__
from policyscaler.cli.lazy import Lazy, LazyGroup

OK: Final = 0
FINDINGS: Final = 1
USAGE: Final = 2
BUG: Final = 70
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141
_TRACEBACK: Final = "POLICYSCALER_TRACEBACK"

_HELP: Final = """Decides which machines a Kubernetes cluster should have, by policy.

Every command reads manifests: files or folders of YAML, JSON or CSV, in any mix. "-" is standard
input.

\b
Exit codes:
  0    all well
  1    findings, or input that cannot be used
  2    a command line that cannot be used;
       with plan --detailed-exitcode: there is something to do
  70   a bug in policyscaler
  130  interrupted
"""

COMMANDS: Final = {
    "simulate": Lazy("policyscaler.cli.simulate", "run a scenario in a simulated world"),
    "plan": Lazy("policyscaler.cli.plan", "what would be done now, and why"),
    "explain": Lazy("policyscaler.cli.explain", "why a pod, an offering or a node is decided so"),
    "offerings": Lazy("policyscaler.cli.offerings", "list and filter what can be launched"),
    "validate": Lazy("policyscaler.cli.validate", "check manifests and policies"),
    "convert": Lazy("policyscaler.cli.convert", "rewrite old versions of manifests as v1"),
    "compile": Lazy("policyscaler.cli.compile", "print NodePools as policy"),
    "defaults": Lazy("policyscaler.cli.defaults", "print the policies of a bundle"),
    "schema": Lazy("policyscaler.cli.schema", "print the JSON Schema of a kind"),
    "version": Lazy("policyscaler.cli.version", "print the version"),
}

program = LazyGroup(COMMANDS, name="policyscaler", help_text=_HELP)
program = click.version_option(__version__, message="policyscaler %(version)s")(program)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line and returns its exit code; no traceback leaves it.

    Args:
        arguments: without the program's name; None takes the process's own.
    """
    try:
        return _run(arguments)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        sys.stderr.write("policyscaler: interrupted\n")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read has gone; what the interpreter flushes at exit must not complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except Exception as error:
        if os.environ.get(_TRACEBACK):
            raise
        return _report(error)


def _run(arguments: Sequence[str] | None) -> int:
    result = program.main(
        args=None if arguments is None else list(arguments),
        prog_name="policyscaler",
        standalone_mode=False,
    )
    sys.stdout.flush()
    return result if isinstance(result, int) else OK


def _report(error: Exception) -> int:
    from policyscaler.cli.failures import explain_failure

    lines, code = explain_failure(error)
    sys.stderr.write("".join(f"{line}\n" for line in lines))
    return code
