"""What is released is what is here: the wheel is built, compared, installed alone, and run.

An editable install hides every packaging mistake, so nothing below sees the checkout.
"""

import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.gates.repository import ROOT, files, project

VERSION = project()["project"]["version"]


@dataclass(frozen=True)
class Installed:
    """A venv that holds the wheel and, by path, the dependencies of the venv that runs the tests."""

    home: Path

    def run(self, *command: str) -> str:
        """Returns what a command of the venv prints, run away from the checkout."""
        program = str(self.home / "bin" / command[0])
        done = subprocess.run(
            [program, *command[1:]],
            cwd=self.home,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.home), "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,  # the assertion below says more
        )
        assert done.returncode == 0, f"{' '.join(command)}:\n{done.stdout}{done.stderr}"
        return done.stdout


def quiet(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}:\n{done.stdout}{done.stderr}"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    out = tmp_path_factory.mktemp("wheel")
    quiet(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), ".")
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    home = tmp_path_factory.mktemp("venv")
    quiet(sys.executable, "-m", "venv", "--without-pip", str(home))
    python = str(home / "bin" / "python")
    pip = [sys.executable, "-m", "pip", "--python", python]
    quiet(*pip, "install", "--quiet", "--no-index", "--no-deps", str(wheel))
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = home / "lib" / version / "site-packages"
    # A folder named in a .pth file comes after this venv's own and its .pth files are not read, so
    # the dependencies are found and the editable install is not.
    (site / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return Installed(home)


def expected_in_the_wheel() -> set[str]:
    names = set()
    for path in files("policyscaler"):
        names.add(str(path))
    for path in files("providers"):
        names.add(str(Path(*path.parts[1:])))
    for path in files("policies"):
        names.add(f"policyscaler/_bundled/{path}")
    return names


def test_the_wheel_holds_exactly_the_files_of_the_packages_and_the_policies(wheel):
    metadata = f"policyscaler-{VERSION}.dist-info/"
    with ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if not name.startswith(metadata)}
    assert held == expected_in_the_wheel()


def test_the_wheel_is_marked_as_typed(wheel):
    with ZipFile(wheel) as archive:
        held = set(archive.namelist())
    assert {"policyscaler/py.typed", "policyscaler_aws/py.typed"} <= held


def test_the_installed_package_is_the_wheel_and_not_the_checkout(installed):
    where = installed.run(
        "python", "-c", "import policyscaler as p; print(p.__version__, p.__file__)"
    )
    version, path = where.split()
    assert version == VERSION
    assert Path(path).is_relative_to(installed.home)


def test_every_entry_point_of_the_installed_wheel_loads(installed):
    script = (
        "from importlib.metadata import distribution\n"
        "for point in sorted(distribution('policyscaler').entry_points, key=lambda point: point.name):\n"
        "    point.load()\n"
        "    print(point.group, point.name)\n"
    )
    assert installed.run("python", "-c", script).splitlines() == [
        "policyscaler.providers aws",
        "console_scripts policyscaler",
    ]


def test_the_installed_command_runs(installed):
    assert VERSION in installed.run("policyscaler", "--version")
