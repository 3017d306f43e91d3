"""The program as a whole: quick to answer, exit codes, and never a traceback."""

import subprocess
import sys

import pytest

from policyscaler import __version__
from policyscaler.cli import main as program
from policyscaler.model.errors import InvariantViolation
from tests.cli.running import EXAMPLES, in_new_process, policyscaler
from tests.gates.repository import ROOT

HEAVY = {"numpy", "celpy", "yaml", "rich", "msgspec", "lark"}


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["plan", "--help"], ["validate", "--help"]],
    ids=" ".join,
)
def test_help_imports_nothing_heavy(arguments):
    script = (
        "import sys\n"
        "from policyscaler.cli.main import main\n"
        f"code = main({arguments!r})\n"
        "print(sorted(name for name in sys.modules if '.' not in name), file=sys.stderr)\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert not HEAVY & set(eval(done.stderr)), "import it where it is used"  # noqa: S307 - our own list


def test_help_lists_every_command_and_the_exit_codes(capsys):
    result = policyscaler(capsys, "--help")
    assert result.code == 0
    assert all(f"\n  {name} " in result.out for name in program.COMMANDS)
    assert "Exit codes:" in result.out


@pytest.mark.parametrize("name", program.COMMANDS)
def test_every_command_says_what_it_does(capsys, name):
    result = policyscaler(capsys, name, "--help")
    assert result.code == 0
    assert f"Usage: policyscaler {name}" in result.out


def test_version_is_printed(capsys):
    assert policyscaler(capsys, "--version").out == f"policyscaler {__version__}\n"
    assert policyscaler(capsys, "version").out.startswith(f"policyscaler {__version__} (Python 3.")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(["pln"], 'did you mean "plan"?', id="a command that does not exist"),
        pytest.param(["plan"], "Missing argument", id="a missing argument"),
        pytest.param(["plan", "--fromat", "json", "x"], "No such option", id="an unknown option"),
        pytest.param(
            ["plan", "--now", "yesterday", "x"], "is not a time", id="a time that is none"
        ),
        pytest.param(
            ["plan", "--now", "2026-01-01T00:00:00", "x"],
            "has no time zone",
            id="a time without zone",
        ),
        pytest.param(
            ["plan", "--set", "a", "x"], "is not PARAM=VALUE", id="a setting without value"
        ),
        pytest.param(["convert", "-i", "-"], "standard input", id="standard input in place"),
        pytest.param(
            ["explain", "offering", "a/b/c", "x"], "--pod", id="an offering without a pod"
        ),
    ],
)
def test_a_command_line_that_cannot_be_used_ends_with_2(capsys, arguments, says):
    result = policyscaler(capsys, *arguments)
    assert result.code == 2
    assert says in result.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(["plan", "no/such/file"], "no such file or folder", id="a file that is not there"),
        pytest.param(["simulate", "no/such/scenario"], "cannot be read", id="a scenario that is not there"),
        pytest.param(
            ["plan", "--bundle", "karpentr", EXAMPLES / "04-own-machines"], "did you mean 'karpenter'?",
            id="a bundle that does not exist",
        ),
        pytest.param(
            ["plan", "--set", "nosuch=1", EXAMPLES / "04-own-machines"], 'no parameter "nosuch"',
            id="a parameter that no policy has",
        ),
        pytest.param(
            ["explain", "pod", "nosuch", EXAMPLES / "04-own-machines"], 'no pod "nosuch"',
            id="a pod that does not exist",
        ),
        pytest.param(
            ["explain", "node", "nosuch", EXAMPLES / "04-own-machines"], 'no node "nosuch"',
            id="a node that does not exist",
        ),
        pytest.param(
            ["explain", "offering", "nosuch", "--pod", "web", EXAMPLES / "04-own-machines"],
            'no NodePool has an offering "nosuch"', id="an offering that does not exist",
        ),
        pytest.param(["schema", "NodePol"], 'did you mean "NodePool"?', id="a kind that does not exist"),
        pytest.param(["defaults", "nosuch"], 'no policy bundle "nosuch"', id="defaults of no bundle"),
        pytest.param(
            ["compile", EXAMPLES / "04-own-machines" / "workloads.yaml"], "no NodePool",
            id="nothing to compile",
        ),
        pytest.param(
            ["offerings", EXAMPLES / "04-own-machines" / "workloads.yaml"], "neither a Catalogue",
            id="no catalogue in the files",
        ),
        pytest.param(
            ["offerings", "--where", "offering.cpuu > 1"], "cpuu", id="an expression that does not type"
        ),
    ],
)  # fmt: skip
def test_input_that_cannot_be_used_ends_with_1_and_a_sentence(capsys, arguments, says):
    result = policyscaler(capsys, *arguments)
    assert result.code == 1
    assert says in result.err
    assert "Traceback" not in result.err


def test_a_wrong_expression_of_the_command_line_is_shown_with_a_caret(capsys):
    result = policyscaler(capsys, "offerings", "--where", "offering.cpuu > 1")
    assert result.err.splitlines() == [
        "--where: error PS121: offering has no field 'cpuu'",
        "  offering.cpuu > 1",
        "           ^^^^",
        "  did you mean 'cpu'?",
    ]


def test_a_bug_ends_with_70_and_one_line(capsys, monkeypatch):
    def broken(_):
        raise InvariantViolation("a node was placed twice")

    monkeypatch.setattr(program, "_run", broken)
    result = policyscaler(capsys, "version")
    assert result.code == 70
    assert (
        "this is a bug, please report it: InvariantViolation: a node was placed twice" in result.err
    )
    assert result.err.count("\n") == 1


def test_an_interrupt_ends_with_130(capsys, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(program, "_run", interrupted)
    assert policyscaler(capsys, "version").code == 130


def test_a_reader_that_goes_away_is_no_error():
    command = f"{sys.executable} -m policyscaler offerings --limit 0 | head -1"
    done = subprocess.run(
        ["/bin/bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("TYPE")
    assert done.stderr == ""


def test_no_colour_on_a_pipe():
    done = in_new_process("plan", EXAMPLES / "04-own-machines")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr


def test_standard_input_is_read():
    text = (EXAMPLES / "04-own-machines" / "workloads.yaml").read_text(encoding="utf-8")
    done = in_new_process("validate", "-", input=text)
    assert done.returncode == 0
    assert "4 objects can be used" in done.stdout


@pytest.mark.parametrize("command", ["plan", "validate", "compile"])
def test_a_folder_without_manifests_is_an_error_and_no_silence(capsys, tmp_path, command):
    (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
    result = policyscaler(capsys, command, tmp_path)
    assert result.code == 1
    assert "no .yaml" in result.err
