"""convert, compile, defaults, explain node: what they print can be used again."""

import shutil

import pytest

from tests.cli.running import EXAMPLES, policyscaler

OLD = EXAMPLES / "01-inflate" / "nodepool.yaml"


def test_convert_prints_v1_and_says_every_change_and_added_default(capsys):
    result = policyscaler(capsys, "convert", OLD)
    assert result.code == 0
    assert result.out.startswith("apiVersion: karpenter.sh/v1\nkind: NodePool\n")
    assert "added spec.template.spec.expireAfter: 720h (the default)" in result.err


def test_what_convert_prints_is_valid_and_needs_no_converting(capsys, tmp_path):
    path = tmp_path / "pool.yaml"
    path.write_text(policyscaler(capsys, "convert", OLD, "--quiet").out, encoding="utf-8")
    assert policyscaler(capsys, "validate", path).code == 0
    again = policyscaler(capsys, "convert", path)
    assert (again.out, again.err) == (path.read_text(encoding="utf-8"), "")


def test_in_place_rewrites_old_files_and_leaves_others(capsys, tmp_path):
    for name in ("nodepool.yaml", "inflate.yaml"):
        shutil.copy(EXAMPLES / "01-inflate" / name, tmp_path / name)
    before = (tmp_path / "inflate.yaml").read_bytes()
    result = policyscaler(capsys, "convert", "--in-place", tmp_path)
    assert (result.code, result.out) == (0, "")
    assert "karpenter.sh/v1\n" in (tmp_path / "nodepool.yaml").read_text(encoding="utf-8")
    assert (tmp_path / "inflate.yaml").read_bytes() == before


def test_nothing_is_written_when_one_file_is_bad(capsys, tmp_path):
    shutil.copy(OLD, tmp_path / "good.yaml")
    (tmp_path / "bad.yaml").write_text("kind: [", encoding="utf-8")
    before = (tmp_path / "good.yaml").read_bytes()
    assert policyscaler(capsys, "convert", "--in-place", tmp_path).code == 1
    assert (tmp_path / "good.yaml").read_bytes() == before


@pytest.mark.parametrize(
    "command", [["compile", EXAMPLES / "01-inflate"], ["defaults"]], ids=lambda c: c[0]
)
def test_policies_that_are_printed_load_again(capsys, tmp_path, command):
    result = policyscaler(capsys, *command)
    assert result.code == 0
    path = tmp_path / "policies.yaml"
    path.write_text(result.out, encoding="utf-8")
    checked = policyscaler(capsys, "validate", path, "--bundle", "none")
    assert (checked.code, "0 objects" in checked.out) == (0, False), checked.out
