"""Every file in tests/bad is refused: with a position, in words, and at once."""

import time
from pathlib import Path

import pytest
import yaml

from policyscaler.manifests import yaml_reader
from policyscaler.manifests.loading import load

FOLDER = Path(__file__).parents[2] / "bad"
EXPECTED = yaml.safe_load((FOLDER / "expected.yaml").read_text(encoding="utf-8"))
FILES = sorted(path.name for path in FOLDER.iterdir() if path.name != "expected.yaml")


def test_table_names_every_file_and_no_other():
    assert sorted(EXPECTED) == FILES
    assert len(FILES) >= 60


@pytest.mark.parametrize("name", FILES)
def test_bad_file_gets_a_clear_error(name):
    line, says = EXPECTED[name]
    start = time.perf_counter()
    result = load([FOLDER / name])
    assert time.perf_counter() - start < 1
    first = result.errors[0]
    assert first.position.file == str(FOLDER / name)
    assert first.position.line == line
    assert says in first.message
    assert all(error.position and error.position.column >= 1 for error in result.errors)
    assert all(len(str(error)) < 600 for error in result.errors)


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith("yaml-")])
def test_reader_without_libyaml_refuses_the_same_files(name, monkeypatch):
    monkeypatch.setattr(yaml_reader, "_LOADER", yaml.BaseLoader)
    result = load([FOLDER / name])
    assert result.errors
    assert all(error.position for error in result.errors)
