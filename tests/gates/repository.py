"""The repository as the gates see it: which files it holds, and what its code looks like."""

import ast
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRODUCT = ("policyscaler", "providers")
CODE = (*PRODUCT, "scripts", "benchmarks", "tests")


@cache
def project() -> dict:
    """Returns pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@cache
def _all_files() -> tuple[Path, ...]:
    """Returns every file that git holds or would take, or without git every file that is not a by-product."""
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        listed = subprocess.run(
            command, cwd=ROOT, check=True, capture_output=True, text=True
        ).stdout.split("\0")
        paths = {Path(name) for name in listed if name}
    else:
        paths = {
            path.relative_to(ROOT) for path in ROOT.rglob("*") if "__pycache__" not in path.parts
        }
    return tuple(sorted(path for path in paths if (ROOT / path).is_file()))


def files(*folders: str) -> tuple[Path, ...]:
    """Returns the files below the folders, relative to the root, sorted."""
    return tuple(path for path in _all_files() if path.parts[0] in folders)


def modules(*folders: str) -> tuple[Path, ...]:
    """Returns the Python files below the folders, relative to the root, sorted."""
    return tuple(path for path in files(*folders) if path.suffix == ".py")


@cache
def tree(path: Path) -> ast.Module:
    """Returns the syntax tree of a module."""
    return ast.parse((ROOT / path).read_text(encoding="utf-8"), filename=str(path))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yields every function of a module, methods and nested ones too."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
