"""Files are called by numbers alone, and a log may be called anything."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from paths import FIXTURES

from engine_layer_visualize.commands import cli
from engine_layer_visualize.core.text import visible

FIXTURE = FIXTURES / "classic" / "8.0-symbolic.log"
NAMES = [
    "-rf", "--help", "a\nb", "<x>", "$(touch caught)", "`touch caught`", "a b", "a;touch caught",
    "\x1b[31m", "é\u202e", "%s", "\\", '"', "EngineLayers_0.dot.log", "~", "*", "CON",
]  # fmt: skip


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_a_log_called_anything(capsys: pytest.CaptureFixture[str], name: str) -> None:
    Path(name).write_bytes(FIXTURE.read_bytes())
    formats = ("dot", "json", "svg", "html")
    assert cli.main([f"--log_file={name}", "--format", ",".join(formats)]) == 0
    said = capsys.readouterr()
    assert said.err == "" and len(said.out.splitlines()) == len(formats)
    assert set(os.listdir()) == {name, *(f"EngineLayers_0.{format}" for format in formats)}
    source = json.loads(Path("EngineLayers_0.json").read_text("utf-8"))["engine"]["source"]
    assert source["file"] == name


@pytest.mark.parametrize("name", [n for n in NAMES if n != "\\"])
def test_a_folder_called_anything(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert cli.main(["--log_file", str(FIXTURE), f"--output_dir={name}"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert os.listdir() == [name]
    assert os.listdir(name) == ["EngineLayers_0.dot"]
    assert said.out.startswith(visible(str(Path(name) / "EngineLayers_0.dot")) + "  ")
