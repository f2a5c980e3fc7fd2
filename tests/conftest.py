"""What all tests share: the program as a process, and the option that rewrites golden outputs."""

import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
import strategies  # noqa: F401  its profile of hypothesis holds for all tests
from paths import CENTERNET, RECORDED, ROOT, TIMES
from program import Ended, Printed, Program

import engine_layer_visualize as elv

# They run child processes, a browser or a builder, read large logs, or try many inputs.
SLOW = {"browser", "escaping", "exchange", "faults", "fleet"}
SLOW |= {"live", "packaging", "property", "recorded", "web"}
# Files elsewhere that do the same.
SLOW |= {"test_standing.py", "test_record.py", "test_capture.py", "test_hostile_numbers.py"}
SLOW |= {"test_same_numbers.py", "test_action.py", "test_statistics.py"}
SLOW |= {"test_command.py", "test_coverage.py", "test_snapshot.py", "test_bad_numbers.py"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite outputs in tests/golden")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What is slow is not imported where it is left out."""
    return (config.option.markexpr == "not slow" and collection_path.name in SLOW) or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whole folders and files are slow; single tests elsewhere bear the marker themselves."""
    for item in items:
        parts = item.path.relative_to(ROOT / "tests").parts
        if SLOW.intersection(parts):
            item.add_marker("slow")
        if "recorded" in parts and not RECORDED.is_dir():
            item.add_marker(pytest.mark.skip(reason="no recorded logs"))
    # Slow ones first: what workers share at the end is short.
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_make_parametrize_id(val: object) -> str | None:
    """Names for values that pytest only numbers: paths and short collections."""
    if isinstance(val, Path):
        return val.name
    text = repr(val) if isinstance(val, (list, tuple, dict, bytes)) else ""
    return text if 0 < len(text) <= 60 and " at 0x" not in text else None


@pytest.fixture(scope="session")
def build() -> elv.Build:
    """The largest log of the fixtures, with its times."""
    return elv.read(CENTERNET, TIMES)


@pytest.fixture(scope="session")
def centernet(build: elv.Build) -> elv.Engine:
    return build.engines[0]


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """The environment for a child process that finds this checkout from any folder."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    ours = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES")}
    ours |= {"PYTHONPATH": os.pathsep.join(paths), "PYTHONIOENCODING": "utf-8"}
    return {**ours, "PYTHONWARNINGS": "default"}


@pytest.fixture(scope="session")
def program(environment: dict[str, str]) -> Program:
    """`program("--log_file", …, cwd=…)` runs `python -m engine_layer_visualize …` to its end."""

    def run(
        *arguments: str | Path, data: bytes | None = None, **options: Any
    ) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "engine_layer_visualize", *map(str, arguments)]
        given: dict[str, Any] = {"stdin": subprocess.DEVNULL} if data is None else {"input": data}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **given, **options}
        done = subprocess.run(command, env=environment, **pipes, check=False, timeout=120)
        out, err = ((text or b"").decode("utf-8") for text in (done.stdout, done.stderr))
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    return run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current one, which is empty."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Program:
    """The same in this process, which takes a tenth of the time; `code`: how it has to end."""
    from engine_layer_visualize.commands.cli import main

    def run(
        *arguments: object, cwd: Path | None = None, code: int | None = None
    ) -> subprocess.CompletedProcess[str]:
        if cwd is not None:
            monkeypatch.chdir(cwd)
        capsys.readouterr()
        words = [*map(str, arguments)]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ended = main(words)
        done = subprocess.CompletedProcess(words, ended, *capsys.readouterr())
        assert code is None or ended == code, done
        return done

    return run


@pytest.fixture
def printed(here: Program) -> Printed:
    """`printed("summary", …)`: what a run that succeeds prints on stdout."""

    def run(*arguments: object) -> str:
        return here(*arguments, code=0).stdout

    return run


@pytest.fixture
def ended(here: Program) -> Ended:
    """`ended("summary", …)`: the exit code of a run, its stdout and stderr."""

    def run(*arguments: object) -> tuple[int, str, str]:
        done = here(*arguments)
        return done.returncode, done.stdout, done.stderr

    return run
