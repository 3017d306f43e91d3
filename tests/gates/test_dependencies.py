"""Every dependency is wanted, explained, pinned and hashed, and says nothing of where it came from."""

import ast
import re
import sys
from importlib.metadata import packages_distributions, version

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.gates.repository import PRODUCT, ROOT, modules, project, tree

RUNTIME = [Requirement(text) for text in project()["project"]["dependencies"]]
EXTRAS = [
    Requirement(text)
    for extra in project()["project"]["optional-dependencies"].values()
    for text in extra
]
CONSTRAINTS = sorted((ROOT / "constraints").glob("*.txt"))
OURS = {"policyscaler", "policyscaler_aws"}


def imported_roots() -> set[str]:
    """Returns the top-level packages, neither ours nor the standard library's, that the product imports."""
    roots: set[str] = set()
    for path in modules(*PRODUCT):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Import):
                roots.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                roots.add(node.module.partition(".")[0])
    return roots - OURS - sys.stdlib_module_names


@pytest.mark.parametrize(
    "requirement", [*RUNTIME, *EXTRAS], ids=lambda requirement: requirement.name
)
def test_a_dependency_says_why_it_is_there(requirement):
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    line = re.search(rf'^ +"{re.escape(requirement.name)}\b[^"]*",(.*)$', text, re.MULTILINE)
    assert line, f"{requirement.name}: one dependency a line"
    assert re.fullmatch(r" *# .{10,}", line[1]), (
        f"{requirement.name}: add a comment that says what it is for"
    )


def test_the_product_imports_what_it_lists_and_lists_what_it_imports():
    provided_by = packages_distributions()
    listed = {canonicalize_name(requirement.name) for requirement in RUNTIME}
    wanted = {
        canonicalize_name(name)
        for root in imported_roots()
        for name in provided_by.get(root, [root])
    }
    # The shipped test support needs what tests need; whoever imports it has that installed.
    wanted -= {"pytest", "hypothesis"}
    assert wanted == listed


@pytest.mark.parametrize("path", CONSTRAINTS, ids=lambda path: path.name)
def test_constraints_are_pinned_and_hashed(path):
    entries = re.split(r"\n(?=[A-Za-z])", path.read_text(encoding="utf-8"))[1:]
    assert entries
    pinned = re.compile(r"[A-Za-z0-9._-]+==\S+ \\\n(?: +--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+")
    offenders = [entry.splitlines()[0] for entry in entries if not pinned.match(entry)]
    assert not offenders, "run make constraints:\n" + "\n".join(offenders)


@pytest.mark.parametrize("path", CONSTRAINTS, ids=lambda path: path.name)
def test_constraints_name_no_index_host_or_machine(path):
    text = path.read_text(encoding="utf-8")
    found = re.findall(
        r"\w+://\S*|^-.*|--(?:extra-)?index-url.*|--find-links.*|--trusted-host.*|(?<![\w/])/\w.*",
        text,
        re.MULTILINE,
    )
    assert not found, found


def pins(name: str) -> dict[str, str]:
    """Returns the version of each package that a file of constraints pins."""
    text = (ROOT / "constraints" / name).read_text(encoding="utf-8")
    return dict(re.findall(r"^([A-Za-z0-9._-]+)==(\S+)", text, re.MULTILINE))


def test_what_is_installed_is_what_is_pinned_and_wanted():
    pinned = pins("constraints.txt")
    for requirement in (*RUNTIME, *EXTRAS):
        pin = pinned.get(canonicalize_name(requirement.name))
        assert pin, f"{requirement.name} is not pinned: run make constraints"
        assert pin == version(requirement.name), f"{requirement.name}: run make setup"
        assert requirement.specifier.contains(pin), f"{requirement.name}: run make constraints"


def test_a_release_runs_with_the_versions_that_the_tests_ran_with():
    assert pins("runtime.txt").items() <= pins("constraints.txt").items()
    assert {canonicalize_name(requirement.name) for requirement in RUNTIME} <= set(
        pins("runtime.txt")
    )
