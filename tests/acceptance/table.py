"""The table of acceptance cases, made from the tests that carry their ids.

A test carries a case by the mark `@pytest.mark.case("A17")` or by the id in its name or in the id of
its parameters (`test_A17_…`, `[A17 an unknown operator]`). With `--acceptance-table=FILE` only such
tests run, and the table is written from their results; with `--acceptance-list=FILE` nothing runs,
and the tests of every case are written as JSON.
"""

import json
import re
import tomllib
from pathlib import Path

import pytest

CASES = Path(__file__).with_name("cases.toml")
_ID = re.compile(r"(?<![A-Za-z0-9])([ABCDEFSQV][0-9]{2,3})(?![A-Za-z0-9])")

HEADER = """# Acceptance cases

Written by `make acceptance`; a test fails when it no longer fits the tests. Cases A01–F105 (those with
numbers up to 105) are about Karpenter's behaviour, S, Q, V and E01–E04 come from public reports.

"""


def known_cases() -> dict[str, str]:
    """Returns the title of every case by its id, in the order of the catalogue."""
    return tomllib.loads(CASES.read_text(encoding="utf-8"))["titles"]


def reasons() -> dict[str, str]:
    """Returns why a case is not covered, by its id."""
    return tomllib.loads(CASES.read_text(encoding="utf-8"))["uncovered"]


def cases_of(item: pytest.Item) -> list[str]:
    """Returns the ids of the cases that a test carries, sorted."""
    named = set(_ID.findall(item.name.replace("_", " ")))
    marked = {str(name) for mark in item.iter_markers("case") for name in mark.args}
    unknown = marked - set(known_cases())
    if unknown:
        raise pytest.UsageError(f"{item.nodeid}: no case is called {', '.join(sorted(unknown))}")
    return sorted((named & set(known_cases())) | marked)


def short(nodeid: str) -> str:
    """Returns `folder/file.py::test` without its parameters, so that a table stays readable."""
    return nodeid.partition("[")[0].removeprefix("tests/")


def render(tests: dict[str, list[str]], failed: frozenset[str] = frozenset()) -> str:
    """Returns the table.

    Args:
        tests: for each case the node ids of its tests.
        failed: the cases of which a test failed.
    """
    titles, why_not = known_cases(), reasons()
    passing = [case for case in titles if tests.get(case) and case not in failed]
    lines = [
        f"{len(passing)} of {len(titles)} cases pass.",
        "",
        "| case | about | state |",
        "|---|---|---|",
    ]
    for case, title in titles.items():
        names = list(dict.fromkeys(short(nodeid) for nodeid in sorted(tests.get(case, []))))
        if case in failed:
            state = "**fails**: " + names[0]
        elif names:
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            state = f"passes: `{names[0]}`{more}"
        else:
            state = "not covered: " + why_not.get(case, "no test carries its id")
        lines.append(f"| {case} | {title} | {state} |")
    return HEADER + "\n".join(lines) + "\n"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("acceptance")
    group.addoption("--acceptance-table", help="run the tests of acceptance cases, write the table")
    group.addoption("--acceptance-list", help="run nothing, write the tests of every case as JSON")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "case(id): the acceptance case that a test is about")
    if config.getoption("--acceptance-table") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Results(Path(config.getoption("--acceptance-table"))))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    carried = {item: cases_of(item) for item in items}
    for item, cases in carried.items():
        item.user_properties.extend(("case", case) for case in cases)
    listing = config.getoption("--acceptance-list")
    if listing:
        tests: dict[str, list[str]] = {}
        for item, cases in carried.items():
            for case in cases:
                tests.setdefault(case, []).append(item.nodeid)
        Path(listing).write_text(json.dumps(tests), encoding="utf-8")
        items.clear()
    elif config.getoption("--acceptance-table"):
        items[:] = [item for item in items if carried[item]]


class Results:
    """Listens to the results and writes the table at the end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tests: dict[str, list[str]] = {}
        self.failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        cases = [str(value) for key, value in report.user_properties if key == "case"]
        if report.failed:
            self.failed.update(cases)
        if report.when == "call" and report.passed:
            for case in cases:
                self.tests.setdefault(case, []).append(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self.path.write_text(render(self.tests, frozenset(self.failed)), encoding="utf-8")
