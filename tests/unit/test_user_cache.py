"""What a run keeps for the next: a grammar's tables, in a folder that only the user writes to."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from paths import FIXTURES

from engine_layer_visualize.inputs.grammars import grammar_text
from engine_layer_visualize.inputs.listings import classic, lark_parser
from engine_layer_visualize.io import user_cache

pytestmark = pytest.mark.skipif(os.name != "posix", reason="nothing is kept elsewhere")

LOG = FIXTURES / "classic" / "8.0-centernet.log"


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder, which is not there yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "engine_layer_visualize"


@pytest.fixture
def drawn(environment: dict[str, str], kept: Path, tmp_path: Path) -> Callable[[], str]:
    """`drawn()` runs the program, and gives what it drew."""

    def run() -> str:
        words = [sys.executable, "-m", "engine_layer_visualize", "--log_file", str(LOG)]
        there = {**environment, "XDG_CACHE_HOME": str(kept.parent)}
        done = subprocess.run(words, cwd=tmp_path, env=there, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        return (tmp_path / "EngineLayers_0.dot").read_text("utf-8")

    return run


def test_the_second_run_draws_the_same_from_what_the_first_one_kept(
    drawn: Callable[[], str], kept: Path
) -> None:
    first = drawn()
    [tables] = kept.iterdir()
    assert tables.name.startswith("classic.lark.")
    assert kept.stat().st_mode & 0o777 == 0o700
    before = tables.stat()
    assert drawn() == first
    assert tables.stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize(
    "damage", [lambda data: data[:2000], lambda _: b"", lambda _: b"no tables"]
)
def test_a_damaged_file_is_made_again(
    drawn: Callable[[], str], kept: Path, damage: Callable[[bytes], bytes]
) -> None:
    first = drawn()
    [tables] = kept.iterdir()
    damaged = damage(tables.read_bytes())
    tables.write_bytes(damaged)
    assert drawn() == first
    assert tables.read_bytes() != damaged


class _Bomb:
    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return Path.touch, (self.file,)


def test_what_others_can_write_to_is_not_read(
    drawn: Callable[[], str], kept: Path, tmp_path: Path
) -> None:
    first = drawn()
    [tables] = kept.iterdir()
    tables.write_bytes(pickle.dumps(_Bomb(tmp_path / "harm")))
    kept.chmod(0o777)
    assert drawn() == first
    assert not (tmp_path / "harm").exists()


def test_without_a_folder_to_write_to_nothing_is_kept(drawn: Callable[[], str], kept: Path) -> None:
    kept.parent.write_text("a file, where a folder should be")
    assert "digraph" in drawn()


def test_a_relative_folder_is_none(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setenv("HOME", "here")
    user_cache.keep("name", b"data")
    assert user_cache.kept("name") is None
    assert not list(tmp_path.iterdir())


def test_tables_of_another_grammar_are_not_taken(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def parser() -> lark_parser.Parser:
        return lark_parser.Parser("classic.lark", ("descriptor",), classic._Rules())

    assert parser().parse("Half[1,2]", "descriptor") == ("Half", ("1", "2"))
    text = grammar_text("classic.lark").replace('_SEPARATOR : ","', '_SEPARATOR : ";"')
    monkeypatch.setattr(lark_parser, "grammar_text", lambda file: text)
    assert parser().parse("Half[1;2]", "descriptor") == ("Half", ("1", "2"))
    assert len(list(kept.iterdir())) == 2
