"""Files are called by numbers alone, and a log may be called anything."""

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import lark
import pytest
from paths import FIXTURES, ROOT
from program import Patch, Program, ran

from engine_layer_visualize.core.text import visible

FIXTURE = FIXTURES / "classic" / "8.0-symbolic.log"
NAMES = [
    "-rf", "--help", "a\nb", "<x>", "$(touch caught)", "`touch caught`", "a b", "a;touch caught",
    "\x1b[31m", "é\u202e", "%s", "\\", '"', "EngineLayers_0.dot.log", "~", "*", "CON",
]  # fmt: skip


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_a_log_called_anything(here: Program, name: str) -> None:
    Path(name).write_bytes(FIXTURE.read_bytes())
    formats = ("dot", "json", "svg", "html")
    said = here(f"--log_file={name}", "--format", ",".join(formats), code=0)
    assert said.stderr == "" and len(said.stdout.splitlines()) == len(formats)
    assert set(os.listdir()) == {name, *(f"EngineLayers_0.{format}" for format in formats)}
    source = json.loads(Path("EngineLayers_0.json").read_text("utf-8"))["engine"]["source"]
    assert source["file"] == name


@pytest.mark.parametrize("name", [n for n in NAMES if n != "\\"])
def test_a_folder_called_anything(here: Program, name: str) -> None:
    said = here("--log_file", FIXTURE, f"--output_dir={name}", code=0)
    assert said.stderr == ""
    assert os.listdir() == [name]
    assert os.listdir(name) == ["EngineLayers_0.dot"]
    assert said.stdout.startswith(visible(str(Path(name) / "EngineLayers_0.dot")) + "  ")


# ---- the folder in which python -m is started ----------------------------------------------------


_COMMANDS = [["--log_file", "a.log", "--format", "dot,svg,json"], ["summary", "a.log"]]
_COMMANDS += [["lint", "a.log"], ["collect", "a.log", "--output_dir", "dataset"]]


def _imported_by_python_itself(folder: Path) -> set[str]:
    """Returns what is imported before a module that `-m` names: SECURITY.md speaks of it."""
    (folder / "told.py").write_text("import sys; print(*sys.modules)")
    done = _run(folder, "-S", "-m", "told")
    return {name.partition(".")[0] for name in done.stdout.split()}


def _run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/bin:/bin"}
    if "-S" in words:  # without what is installed editable
        environment["PYTHONPATH"] = str(Path(lark.__file__).parents[1])
    command = [sys.executable, *words]
    return ran(command, cwd=folder, env=environment)


@pytest.fixture(params=["elsewhere", "bare checkout"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder with a log, and with a module of each name that the program could import."""
    itself = _imported_by_python_itself(tmp_path)
    names = {*sys.stdlib_module_names, "lark", "pydot", "rich", "pyarrow"} - itself
    if request.param == "bare checkout":
        for part in ("engine_layer_visualize", "grammars"):
            shutil.copytree(ROOT / part, tmp_path / part)
        names = {name for name in names if find_spec(name) is not None}  # optional ones: its own
    for name in names:
        (tmp_path / f"{name}.py").write_text(f"open('ran', 'a').write('{name} ')")
    shutil.copy(FIXTURES / "classic" / "10-nsight.log", tmp_path / "a.log")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("command", _COMMANDS, ids=lambda words: words[0])
def test_no_module_of_the_folder_is_run(folder: Path, command: list[str]) -> None:
    bare = ["-S"] if (folder / "grammars").exists() else []
    done = _run(folder, *bare, "-m", "engine_layer_visualize", *command)
    assert done.returncode == 0, done.stderr
    assert not (folder / "ran").exists(), (folder / "ran").read_text()
