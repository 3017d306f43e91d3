"""Runs of the examples through the command line, each once for all tests that look at it."""

import io
import json
from contextlib import redirect_stdout
from functools import cache

from policyscaler.cli.main import main
from tests.gates.repository import ROOT

EXAMPLES = ROOT / "examples"


def run(*arguments):
    """Returns what a command line prints; it must end with 0."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        code = main([str(argument) for argument in arguments])
    assert code == 0, printed.getvalue()[-2000:]
    return printed.getvalue()


@cache
def simulated(example):
    """Returns the report of an example's scenario."""
    return json.loads(run("simulate", EXAMPLES / example, "--format", "json"))


def events(report, *kinds):
    """Returns the events of some kinds."""
    return [event for event in report["timeline"] if event["kind"] in kinds]
