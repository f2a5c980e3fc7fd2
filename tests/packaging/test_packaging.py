"""What is installed is the whole program: built, put into an empty environment, run elsewhere."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
from paths import CENTERNET, ROOT, TIMES
from program import ran

NAME = "engine_layer_visualize"
GRAMMARS = sorted(path.name for path in (ROOT / "grammars").glob("*.lark"))
MODULES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / NAME).rglob("*.py"))
# What pip says where it reaches no index; any other failure is the project's own.
NO_INDEX = (
    "Could not find a version that satisfies the requirement",
    "No matching distribution found",
    "Temporary failure in name resolution",
    "Failed to establish a new connection",
    "Network is unreachable",
)


def outside() -> dict[str, str]:
    """The environment without what would let a child find this checkout."""
    return {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}


def done(*command: str | Path, cwd: Path) -> str:
    """What a command that must succeed says. Skips where pip reaches no index."""
    result = ran(command, cwd=cwd, env=outside(), stdin=subprocess.DEVNULL, timeout=600)
    said = result.stdout + result.stderr
    unreachable = any(text in said for text in NO_INDEX)
    if result.returncode and unreachable and not os.environ.get("CI"):
        pytest.skip("pip reaches no index to get setuptools and the dependencies from")
    assert result.returncode == 0, said
    return said


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was built from the sdist."""
    source = tmp_path_factory.mktemp("source") / "checkout"
    ignored = shutil.ignore_patterns(".*", "build", "dist", "out", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT, source, ignore=ignored)
    folder = tmp_path_factory.mktemp("dist")
    done(sys.executable, "-m", "build", "--outdir", folder, source, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (path,) = built.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def scripts(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts' folder of an environment that holds the wheel and its dependencies only."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=True)
    folder = home / ("Scripts" if os.name == "nt" else "bin")
    done(folder / "python", "-m", "pip", "install", "--quiet", wheel, cwd=home)
    return folder


def test_the_wheel_holds_the_program(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        texts = {name: archive.read(f"{NAME}/grammars/{name}") for name in GRAMMARS}
        metadata = archive.read(next(name for name in names if name.endswith("/METADATA")))
    code = sorted(name for name in names if name.endswith(".py"))
    assert code == MODULES
    data = ["py.typed", "trt/flags.tsv", "analysis/peaks.json", "core/explanations.md"]
    data += ["reading/words.txt", "reading/messages.txt"]
    assert {f"{NAME}/{file}" for file in data} <= set(names)
    assert GRAMMARS
    assert texts == {name: (ROOT / "grammars" / name).read_bytes() for name in GRAMMARS}
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {NAME}
    assert f"{NAME}/drawing/FONT_LICENSE" in names
    fields = metadata.decode("utf-8").split("\n")
    for field in ("Requires-Dist: lark>=", "Requires-Dist: pydot>=", "Requires-Dist: rich>="):
        assert any(line.startswith(field) and "extra" not in line for line in fields)


def test_the_sdist_holds_what_the_wheel_is_made_of(built: Path) -> None:
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {f"grammars/{name}" for name in GRAMMARS} | set(MODULES)
    wanted |= {f"{NAME}/py.typed", "README.md", "LICENSE", "setup.cfg", "pyproject.toml"}
    assert sorted(wanted - names) == []


def test_the_installed_program_draws(scripts: Path, tmp_path: Path) -> None:
    words: list[str | Path] = ["--log_file", CENTERNET, "--profile_file", TIMES]
    words += ["--format", "dot,json,html"]
    said = done(scripts / "engine-layer-visualize", *words, cwd=tmp_path)
    assert said.split("\n") == [
        "EngineLayers_0.dot  54 layers, 69 edges, 54 of 54 timed, 2.596 ms",
        "EngineLayers_0.json  54 layers, 69 edges, 54 of 54 timed, 2.596 ms",
        "EngineLayers_0.html  54 layers, 69 edges, 54 of 54 timed, 2.596 ms",
        "",
    ]
    assert "performance.mark(" in (tmp_path / "EngineLayers_0.html").read_text("utf-8")
    dot = (tmp_path / "EngineLayers_0.dot").read_text("utf-8")
    assert dot.startswith("digraph")
    assert all(f"layer_{number} " in dot for number in range(54))
    engine = json.loads((tmp_path / "EngineLayers_0.json").read_text("utf-8"))
    assert len(engine["layers"]) == 54
    assert len([e for e in engine["edges"] if None not in (e["from"], e["to"])]) == 69
    assert (engine["inputs"], engine["outputs"]) == (["input"], ["hm", "wh", "reg"])


def test_the_installed_package_is_the_one_that_runs(scripts: Path, tmp_path: Path) -> None:
    code = (
        f"import {NAME} as package, pathlib; here = pathlib.Path(package.__file__).parent;"
        "print(here); print(*sorted(p.name for p in (here / 'grammars').glob('*.lark')))"
    )
    where, grammars, _ = done(scripts / "python", "-c", code, cwd=tmp_path).split("\n")
    assert Path(where).is_relative_to(scripts.parent)
    assert grammars.split() == GRAMMARS


def test_the_installed_module_runs(scripts: Path, tmp_path: Path) -> None:
    said = done(scripts / "python", "-m", NAME, "--version", cwd=tmp_path)
    assert said.startswith(f"{NAME} ")


def test_the_types_are_seen(scripts: Path, tmp_path: Path) -> None:
    """A program that uses the installed package is type-checked against it."""
    (tmp_path / "user.py").write_text(
        f"import {NAME} as elv\n"
        "build = elv.read('build.log', profiles=['prof.json'])\n"
        "reveal_type(build.engines[0].layers[0].name)\n"
        "elv.draw(build.engines[0], 3)\n",
        "utf-8",
    )
    python = str(scripts / "python")
    words = ["-m", "mypy", "--strict", "--python-executable", python, "user.py"]
    result = ran([sys.executable, *words], cwd=tmp_path, env=outside())
    assert re.search(r'Revealed type is "(?:builtins\.)?str"', result.stdout), result.stdout
    assert 'Argument 2 to "draw"' in result.stdout
    assert "Found 1 error" in result.stdout, result.stdout
