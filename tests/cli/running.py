"""Runs command lines: in this process, or in a new one where what is imported matters."""

import subprocess
import sys
from dataclasses import dataclass

from policyscaler.cli.main import main
from tests.gates.repository import ROOT

EXAMPLES = ROOT / "examples"


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


def policyscaler(capsys, *arguments):
    """Returns what a command line printed and its exit code."""
    capsys.readouterr()
    code = main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    return Result(code, printed.out, printed.err)


def in_new_process(*arguments, **options):
    """Returns what a command line did in a process of its own."""
    command = [sys.executable, "-m", "policyscaler", *(str(argument) for argument in arguments)]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60, **options
    )
