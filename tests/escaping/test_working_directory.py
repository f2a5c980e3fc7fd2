"""Tests that `python -m` runs no module of the folder in which it is started."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import lark
import pytest
from paths import FIXTURES, ROOT

_LOG = FIXTURES / "classic" / "10-nsight.log"
_COMMANDS = (
    ["--log_file", "a.log", "--format", "dot,svg,json"],
    ["summary", "a.log"],
    ["lint", "a.log"],
    ["collect", "a.log", "--output_dir", "dataset"],
)


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
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


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
    shutil.copy(_LOG, tmp_path / "a.log")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("command", _COMMANDS, ids=lambda words: words[0])
def test_no_module_of_the_folder_is_run(folder: Path, command: list[str]) -> None:
    bare = ["-S"] if (folder / "grammars").exists() else []
    done = _run(folder, *bare, "-m", "engine_layer_visualize", *command)
    assert done.returncode == 0, done.stderr
    assert not (folder / "ran").exists(), (folder / "ran").read_text()
