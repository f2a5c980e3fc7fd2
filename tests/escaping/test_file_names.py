"""Files are called by numbers alone, and a log may be called anything."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from paths import FIXTURES

from engine_layer_visualize.core.text import visible

pytestmark = pytest.mark.slow

FIXTURE = FIXTURES / "classic" / "8.0-symbolic.log"
NAMES = [
    "-rf", "--help", "a\nb", "<x>", "$(touch caught)", "`touch caught`", "a b", "a;touch caught",
    "\x1b[31m", "é\u202e", "%s", "\\", '"', "EngineLayers_0.dot.log", "~", "*", "CON",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_log_called_anything(program: Callable[..., Any], tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(FIXTURE.read_bytes())
    formats = ("dot", "json", "svg", "html")
    done = program(f"--log_file={name}", "--format", ",".join(formats), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    made = {f"EngineLayers_0.{format}" for format in formats}
    assert set(os.listdir(tmp_path)) == {name, *made}
    source = json.loads((tmp_path / "EngineLayers_0.json").read_text("utf-8"))["engine"]["source"]
    assert source["file"] == name
    assert len(done.stdout.splitlines()) == len(formats)


@pytest.mark.parametrize("name", [n for n in NAMES if n != "\\"])
def test_a_folder_called_anything(program: Callable[..., Any], tmp_path: Path, name: str) -> None:
    done = program("--log_file", FIXTURE, f"--output_dir={name}", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert os.listdir(tmp_path) == [name]
    assert os.listdir(tmp_path / name) == ["EngineLayers_0.dot"]
    assert done.stdout.startswith(visible(str(Path(name) / "EngineLayers_0.dot")) + "  ")
