"""Builders and Graphviz: they hang, they talk without end, they are called oddly; nothing stays."""

import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from logtext import file_of
from program import Patch

from engine_layer_visualize.io import processes
from faults.conftest import Running, Start, listing, until

MODEL = b"a model"
HIDDEN = ".record.*/build.log"  # until the build is complete
TOOK = "builder: trtexec\n"  # on stderr
# A wrapper that starts the real thing, which holds the wrapper's stdout.
# More than a pipe holds: the first line was read before the builder tells its child.
HANGS = """#!/bin/sh
echo '[V] [TRT] Parsing node: /a'
yes '[V] [TRT] x' | head -n 20000
sleep 600 &
echo $! > "$(dirname "$0")/pid"
wait
"""


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "model.onnx").write_bytes(MODEL)
    return folder


@pytest.fixture
def record(start: Start, tmp_path: Path, work: Path, environment: dict[str, str]) -> Start:
    """`record(script, *arguments)`: with a trtexec that the test makes."""
    folder = tmp_path / "bin"
    folder.mkdir()
    environment = {**environment, "PATH": f"{folder}{os.pathsep}{environment['PATH']}"}

    def run(script: str, *arguments: str, model: str = "model.onnx", first: str = "") -> Running:
        file_of(folder, script, "trtexec").chmod(0o755)
        words = ("record", "--builder", "trtexec", *arguments, "--", model)
        return start(*words, first=first, cwd=work, env=environment)

    return run


def runs(pid: int) -> bool:
    """Whether it runs, and not only waits to be buried by whoever adopted it."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def pid_of(tmp_path: Path) -> int:
    path = tmp_path / "bin" / "pid"
    return int(until(lambda: path.exists() and path.read_text("utf-8").strip()))


linux = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="it looks into /proc")


@linux
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_hanging_builder_is_ended(record: Start, tmp_path: Path, work: Path, name: str) -> None:
    """With its children."""
    running = record(HANGS)
    pid = pid_of(tmp_path)
    assert runs(pid)
    running.signal(getattr(signal, name))
    running.ended(128 + getattr(signal, name))
    until(lambda: not runs(pid))
    assert "Parsing node" in (work / "build.failed.log").read_text("utf-8")


@linux
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_a_child_is_started(number: signal.Signals, monkeypatch: Patch) -> None:
    """It comes when the child runs and Popen has not yet returned."""
    children = []

    class Interrupted(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            children.append(self)
            signal.raise_signal(number)

    def ends(_: int, __: object) -> None:
        raise SystemExit(3)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    before = signal.signal(number, ends)
    try:
        with pytest.raises(SystemExit), processes.running(["sleep", "600"]):
            raise AssertionError("the signal was lost")
        assert signal.getsignal(number) is ends
    finally:
        signal.signal(number, before)
    (child,) = children
    assert child.returncode == -signal.SIGKILL
    assert not runs(child.pid)


def test_its_last_words_are_told_in_short(record: Start) -> None:
    script = "#!/bin/sh\nprintf '[E] [TRT] \\033[31mlong%0100000d\\n' 7\nexit 1\n"
    ended = record(script).ended(3, "the build failed: \\x1b[31mlong000")
    assert len(ended.err) < 700
    assert "\x1b" not in ended.err


def test_a_line_without_end_fills_no_memory(record: Start, work: Path) -> None:
    script = "#!/bin/sh\nsleep 1\nhead -c 300000000 /dev/zero | tr '\\0' x\n"
    running = record(script)
    until(lambda: list(work.glob(HIDDEN)))
    resource.prlimit(running.process.pid, resource.RLIMIT_AS, (250_000_000, 250_000_000))
    ended = running.ended()
    assert (ended.code, ended.err) == (0, TOOK)
    size = (work / "build.log").stat().st_size
    assert 0 < size - 300_000_000 < 500, "our own lines at its head"
    (work / "build.log").unlink()


def test_a_builder_that_cannot_start_leaves_the_earlier_log(record: Start, work: Path) -> None:
    (work / "build.log").write_text("of an earlier build", "utf-8")
    ended = record("#!/nowhere/to/be/found\n", "--force").ended(3)
    trtexec = work.parent / "bin" / "trtexec"
    assert ended.err.startswith(f"{trtexec}: error[ELV601]: not started: no such file")
    assert (work / "build.log").read_text("utf-8") == "of an earlier build"


def test_the_log_s_disk_is_full(record: Start, work: Path, environment: dict[str, str]) -> None:
    script = "#!/bin/sh\nulimit -f unlimited\nwhile :; do echo '[V] [TRT] a line'; done\n"
    (work / "build.log").write_text("of an earlier build", "utf-8")
    running = record(script, "--force")
    until(lambda: list(work.glob(HIDDEN)))
    resource.prlimit(running.process.pid, resource.RLIMIT_FSIZE, (100_000, 100_000))
    ended = running.ended(4)
    assert ended.err == f"{TOOK}build.log: error[ELV501]: cannot be written: file too large\n"
    assert sorted(os.listdir(work)) == ["build.log", "model.onnx"]
    assert (work / "build.log").read_text("utf-8") == "of an earlier build"


FILLS = """#!/bin/sh
for word; do case $word in
--saveEngine=*) head -c 1000000 /dev/zero > "${word#--saveEngine=}" || { echo '[E] full'; exit 1; }
esac; done
"""


@pytest.mark.parametrize("earlier", [b"", b"of an earlier build"])
def test_a_disk_is_filled(record: Start, work: Path, small_disk: Path, earlier: bytes) -> None:
    """There is no half of an engine, and the log tells why."""
    words = ["--output_dir", str(small_disk)]
    if earlier:
        (small_disk / "build.log").write_bytes(earlier)
        (small_disk / "model.engine").write_bytes(earlier)
        words.append("--force")
    kept = "build.failed.log"
    record(FILLS, *words).ended(3, f"the whole log is kept in {small_disk / kept}\n")
    assert (small_disk / kept).read_text("utf-8").endswith("[E] full\n")
    (small_disk / kept).unlink()
    left = {path.name: path.read_bytes() for path in small_disk.iterdir()}
    assert left == ({"build.log": earlier, "model.engine": earlier} if earlier else {})


def test_a_disk_that_the_log_fills(record: Start, small_disk: Path) -> None:
    (small_disk / "build.log").write_bytes(b"of an earlier build")
    script = "#!/bin/sh\nhead -c 1000000 /dev/zero | tr '\\0' '\\n'\n"
    log = small_disk / "build.log"
    full = f"{log}: error[ELV501]: cannot be written: no space left on device\n"
    record(script, "--output_dir", str(small_disk), "--force").ended(4, full)
    assert os.listdir(small_disk) == ["build.log"]
    assert log.read_bytes() == b"of an earlier build"


BUILDS = """#!/bin/sh
for word; do case $word in
--saveEngine=*|--exportLayerInfo=*|--exportProfile=*) echo "the $1 one" > "${word#*=}";;
esac; done
echo '[V] [TRT] Parsing node: /a'
"""
# The program, ended by a signal before its nth call that writes, names or deletes.
ENDED_AT = """
import os, shutil
left, number = {}
def ended(module, name):
    call = getattr(module, name)
    def counted(*words, **more):
        global left
        left -= 1
        if not left:
            os.kill(os.getpid(), number)
        return call(*words, **more)
    setattr(module, name, counted)
for name in ("replace", "utime", "fsync", "mkdir"):
    ended(os, name)
ended(shutil, "rmtree")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_at_every_write(record: Start, work: Path, number: signal.Signals) -> None:
    """Each file is that of the earlier build or of this one, and nothing is hidden beside them but
    what SIGKILL leaves."""
    names = ("build.log", "layers.json", "model.engine", "profile.json")
    record(BUILDS).ended()
    code, calls = -1, 0
    while code != 0:
        calls += 1
        assert calls < 40, "it ends some time"
        for name in names:
            (work / name).write_text("earlier")
        first = ENDED_AT.format((calls, int(number)))
        code = record(BUILDS, "--force", first=first).ended().code
        assert code in (0, 128 + number, -number)
        found = {name: (work / name).read_text() for name in names}
        for name in names:
            assert found[name] == "earlier" or found[name].endswith(("one\n", "/a\n")), name
        hidden = [one for one in work.iterdir() if one.name.startswith(".")]
        assert not hidden or number == signal.SIGKILL
        for one in hidden:
            shutil.rmtree(one)
        if number != signal.SIGKILL:
            assert len({text == "earlier" for text in found.values()}) == 1, "all, or none"
    assert calls > 8


def test_names_that_look_like_flags(record: Start, start: Start, work: Path) -> None:
    """A model `--help`, a folder `-x`: no program takes them for options."""
    (work / "--help-me.onnx").write_bytes(MODEL)
    script = "#!/bin/sh\nfor word; do case $word in --onnx=*) "
    script += 'echo "model ${word#--onnx=}";; esac; done\n'
    script += f"cat <<'END'\n{listing(2)}END\n"
    ended = record(script, "model.onnx", model="--help-me.onnx").ended(2)  # two models
    ended = record(script, "--output_dir=-x", model="--help-me.onnx").ended()
    assert (ended.code, ended.err) == (0, TOOK)
    assert f"model {work}/--help-me.onnx\n" in (work / "-x" / "build.log").read_text("utf-8")
    words = shlex.split(ended.out.decode().splitlines()[-1])
    drawn = start(*words[3:], cwd=work).ended()
    assert (drawn.code, drawn.err) == (0, "")


def test_no_shell_sees_a_name(record: Start, work: Path) -> None:
    script = '#!/bin/sh\nfor word; do echo "<$word>"; done\n'
    name = "$(touch caught); `touch caught` & | 'a \"b\n.onnx"
    (work / name).write_bytes(MODEL)
    ended = record(script, "--shapes", "$(touch caught):1x2", model=name).ended()
    assert (ended.code, ended.err) == (0, TOOK)
    log = (work / "build.log").read_text("utf-8")
    assert f"<--onnx={work}/{name}>\n" in log
    assert "<--minShapes=$(touch caught):1x2>\n" in log
    assert not (work / "caught").exists()


def test_a_command_is_never_one_string() -> None:
    with pytest.raises(AssertionError):
        processes.start("echo a")


def test_nothing_of_the_current_folder_is_imported_by_a_builder(start: Start, work: Path) -> None:
    """The child's path is that of the program, which the installed command has no `.` in."""
    from engine_layer_visualize.api.builders import Job

    for name in ("json", "ctypes", "dataclasses"):
        (work / f"{name}.py").write_text("open('caught', 'w')\n", "utf-8")
    path = [word for word in sys.path if word not in ("", ".", str(work))]
    command = Job(work / "model.onnx", work, "no_such_package").command
    command = [*command[: len(command) - len(sys.path)], *path]
    child = processes.start(command, cwd=work)
    assert child.wait(60) == 1  # there is no such package
    assert not (work / "caught").exists()
