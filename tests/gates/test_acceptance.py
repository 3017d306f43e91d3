"""The table of acceptance cases says what the tests say."""

import json
import subprocess
import sys

import pytest

from tests.acceptance.table import known_cases, reasons, render
from tests.gates.repository import ROOT

TABLE = ROOT / "docs" / "acceptance.md"


@pytest.fixture(scope="module")
def tests(tmp_path_factory):
    """Returns the node ids of the tests of every case, collected anew."""
    listing = tmp_path_factory.mktemp("acceptance") / "cases.json"
    command = [
        sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:randomly", "-p", "no:cacheprovider",
        f"--acceptance-list={listing}", "tests",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert listing.exists(), done.stdout[-2000:] + done.stderr[-2000:]
    return json.loads(listing.read_text(encoding="utf-8"))


def test_the_committed_table_is_the_one_that_the_tests_make(tests):
    assert TABLE.read_text(encoding="utf-8") == render(tests), "run: make acceptance"


def test_a_case_has_a_test_or_a_reason_and_not_both(tests):
    covered, excused = set(tests), set(reasons())
    assert not covered & excused, "remove the reason from cases.toml"
    missing = [case for case in known_cases() if case not in covered | excused]
    assert not missing, "add a test, or a reason to tests/acceptance/cases.toml"


def test_every_reason_is_about_a_known_case():
    assert set(reasons()) <= set(known_cases())
