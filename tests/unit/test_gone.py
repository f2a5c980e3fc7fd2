"""What 1.0 no longer has says what to use, with exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest
from paths import FIXTURES

from engine_layer_visualize.api import draw
from engine_layer_visualize.commands import COMMANDS
from engine_layer_visualize.commands.arguments import Parser
from engine_layer_visualize.commands.cli import main
from engine_layer_visualize.commands.words import GONE

LOG = str(FIXTURES / "classic" / "8.0-centernet.log")
VALUES = [
    (*kind.split(" "), value) for kind, known in GONE.items() if " " in kind for value in known
]


def refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as end:
        main(words)
    said = capsys.readouterr()
    assert end.value.code == 2 and said.out == ""
    return said.err


@pytest.mark.parametrize("words", [[], [LOG], ["--format", "json", LOG], ["-o", "out", LOG]])
@pytest.mark.parametrize("command", GONE[""])
def test_a_command(command: str, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command not in COMMANDS
    said = refused([command, *words], capsys)
    assert f"error: {command} is gone: {GONE[''][command]}\n" in said


def test_a_file_of_that_name_is_a_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "history").write_bytes(Path(LOG).read_bytes())
    monkeypatch.chdir(tmp_path)
    assert main(["history", "--quiet"]) == 0
    assert (tmp_path / "EngineLayers_0.dot").exists()


@pytest.mark.parametrize("flag", GONE["flag"])
@pytest.mark.parametrize("command", ["draw", "compare", "collect"])
def test_a_flag(command: str, flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused([command, LOG, LOG, flag], capsys)
    assert f"error: {flag} is gone: {GONE['flag'][flag]}\n" in said


@pytest.mark.parametrize(("command", "flag", "value"), VALUES)
def test_a_value(command: str, flag: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused([command, LOG, f"--{flag}", f"json,{value}"], capsys)
    assert f"{value} is gone: " in said


def test_nothing_that_is_there_is_told_to_be_gone() -> None:
    formats = {"draw": draw.DRAWINGS, "compare": draw.COMPARISONS, "gate": draw.GATES}
    for command, flag, value in VALUES:
        assert flag != "format" or value not in formats.get(command, {})
    for command in COMMANDS:
        assert not Parser(command).flags.keys() & GONE["flag"].keys()
