"""Builds inside of a program: a stand-in of TensorRT's module calls what `elv.capture` gives it.

The stand-in has the signatures of the bindings; a real builder is in `live/test_live_capture.py`.
"""

from __future__ import annotations

import _thread
import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from logtext import classic, detailed
from paths import FIXTURES, ROOT
from program import Patch, ran
from tensorrt_stand_in import ILogger, IProfiler, LayerInformationFormat, Severity, trt

import engine_layer_visualize as elv

TORCH = logging.getLogger("torch_tensorrt [TensorRT Conversion Context]")
ABOVE = f"""
import os, resource, signal, sys
sys.path[:0] = {[str(ROOT), str(ROOT / "tests"), str(Path(__file__).parent)]!r}
import engine_layer_visualize as elv
"""


def run_alone(program: str, *flags: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs a program in a process of its own; it may import this module."""
    return ran([sys.executable, *flags, "-c", ABOVE + program], env={**os.environ, **variables})


class Kept(ILogger):
    """A user's own logger."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[Severity, str]] = []

    def log(self, severity: Severity, msg: str) -> None:
        self.told.append((severity, msg))


def listing(*names: str, kind: str = "Conv") -> str:
    """One message: a chain of layers."""
    ends = ["image", *(f"{name}.out" for name in names)]
    records = [classic(name, ends[at], ends[at + 1], kind) for at, name in enumerate(names)]
    return "\n".join(["Engine Layer Information:", *records])


def build(logger: Any, *names: str, wait: Callable[[], object] = lambda: None) -> None:
    """The messages of a build; `wait` is called between them."""
    for text in ("Original: 3 layers", f"Fusing {names[0]}", listing(*names), "Total: 7"):
        wait()
        logger.log(Severity.VERBOSE, text)


def names_of(engine: elv.Engine) -> list[str]:
    return [layer.name for layer in engine.layers]


def codes_of(found: Any) -> list[str]:
    return [problem.code for problem in found.problems]


def time_of(engine: elv.Engine, layer: int = 0) -> elv.Timing:
    time = engine.layers[layer].time
    assert time is not None
    return time


# ---- the logger ----------------------------------------------------------------------------------


def test_engines_are_those_of_the_saved_log(tmp_path: Path) -> None:
    with elv.capture() as captured:
        logger = captured.logger(trt)
        assert isinstance(logger, ILogger) and logger.ready
        build(logger, "stem", "head")
        logger.log(Severity.WARNING, "a weight is 0, that is \udcff")
        build(logger, "stem")
    assert [names_of(engine) for engine in captured.engines] == [["stem", "head"], ["stem"]]
    assert captured.problems == ()
    assert "stem" in captured._repr_html_()
    path = captured.save(tmp_path / "build.log")
    assert elv.read(path, facts=True).engines == captured.engines
    assert captured.engines[0].build_id == elv.read(path).engines[0].build_id
    lines = path.read_text("utf-8").split("\n")
    started = ["Original: 3 layers", "Fusing stem", "Engine Layer Information:"]
    said = [line.partition("] ")[2] for line in lines[:3]]
    assert said == [f"[TRT] [V] {message}" for message in started]
    assert lines[3].startswith("Layer(Conv): stem, ")
    assert lines[6].endswith("[TRT] [W] a weight is 0, that is \\udcff")


def test_engines_grow_while_the_program_runs() -> None:
    with elv.capture() as captured:
        logger = captured.logger(trt)
        assert not captured.engines
        for number in (1, 2):
            build(logger, f"layer{number}")
            assert names_of(captured.engines[-1]) == [f"layer{number}"]
            assert len(captured.engines) == number
            assert captured.engines is captured.engines, "nothing new is read once"


def test_what_comes_after_the_end_is_not_kept(tmp_path: Path) -> None:
    own = Kept()
    with elv.capture() as captured:
        logger, profiler = captured.logger(trt, own), captured.profiler(trt)
        build(logger, "stem")
        profiler.report_layer_time("stem", 1.0)
    build(logger, "head")
    profiler.report_layer_time("stem", 3.0)
    logger.log(Severity.WARNING, "later")
    (engine,) = captured.engines
    assert engine.time.total_ms == 1.0
    assert "head" not in captured.save(tmp_path / "build.log").read_text()
    assert own.told == [(Severity.WARNING, "later")], "its own logger is told all the same"


@pytest.mark.parametrize("kind", ["", "torch_tensorrt", "onnxruntime"])
def test_a_capture_is_entered_again(kind: str) -> None:
    captured = getattr(elv.capture, kind)() if kind else elv.capture()

    def run(name: str) -> None:
        if kind == "onnxruntime":
            os.write(2, f"{listing(name)}\n".encode())
        elif kind:
            TORCH.debug(listing(name))
        else:
            build(logger, name)

    logger = captured.logger(trt)
    with captured:
        run("first")
        with captured:
            run("second")
        run("third")
    with captured:
        run("fourth")
    names = [names_of(engine) for engine in captured.engines]
    assert names == [["first"], ["second"], ["third"], ["fourth"]]


def test_warnings_are_forwarded() -> None:
    own = Kept()
    with elv.capture() as captured:
        logger = captured.logger(trt, own)
        for severity in Severity:
            logger.log(severity, severity.name.lower())
    assert [text for _, text in own.told] == ["internal_error", "error", "warning"]


def test_a_build_that_fails_gives_what_was_logged(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), elv.capture() as captured:
        logger = captured.logger(trt)
        logger.log(Severity.VERBOSE, "Original: 3 layers")
        logger.log(Severity.ERROR, "4: [network.cpp::validate] Error Code 4: no output")
        raise RuntimeError("the program ends")
    assert captured.engines == ()
    (problem,) = captured.problems
    assert problem.code == "ELV404"
    assert "no output" in problem.message
    saved = captured.save(tmp_path / "build.log").read_text()
    assert saved.endswith("[TRT] [E] 4: [network.cpp::validate] Error Code 4: no output\n")
    assert "Original: 3 layers" in saved


def test_a_build_that_fails_after_another_is_told() -> None:
    with elv.capture() as captured:
        logger = captured.logger(trt)
        for severity, text in (
            (Severity.VERBOSE, "Engine generation completed in 1.5 seconds."),
            (Severity.VERBOSE, listing("quay", "pier")),
            (Severity.VERBOSE, "Original: 5 layers"),
            (Severity.VERBOSE, "After dead-layer removal: 5 layers"),
            (Severity.ERROR, "2: [builder.cpp::buildSerializedNetwork::751] Error Code 2"),
        ):
            logger.log(severity, text)
    assert "1 engine" in repr(captured) and codes_of(captured) == ["ELV415"]


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("times", [1, 2])
def test_an_interrupt_is_not_lost(own: bool, times: int) -> None:
    """The bindings swallow what a logger raises, be it one that ours hands on to or that hands on
    to ours. The program's handler is called once, at the end; a second Ctrl-C ends the process."""
    program = f"""
from tensorrt_stand_in import ILogger, Severity, trt

class Own(ILogger):
    def log(self, severity, msg):
        os.kill(os.getpid(), signal.SIGINT)
        print("the callback ends", flush=True)

def handler(number, frame):
    print("handler")
    raise KeyboardInterrupt

signal.signal(signal.SIGINT, handler)
try:
    with elv.capture() as captured:
        logger = captured.logger(trt, Own()) if {own} else Own()
        for _ in range({times}):
            try:
                logger.log(Severity.ERROR, "an error")
            except BaseException:
                print("swallowed")
        print("built")
except KeyboardInterrupt:
    print("interrupted")
print(signal.getsignal(signal.SIGINT) is handler)
"""
    done = run_alone(program)
    ended = times == 2
    told = ["the callback ends"] + ["built", "handler", "interrupted", "True"] * (not ended)
    assert (done.returncode, done.stdout.splitlines()) == (-2 * ended, told), done.stderr


def test_a_log_that_cannot_be_saved(tmp_path: Path) -> None:
    with pytest.raises(elv.ReadError, match="ELV501"):
        elv.capture().save(tmp_path / "absent" / "build.log")


@pytest.mark.parametrize("size", [1_000, 300_000], ids=["in one buffer", "in several"])
def test_a_full_disk_is_told_and_ends_no_build(size: int) -> None:
    """Files may have one kilobyte; what does not fit is lost, and said to be."""
    program = f"""
from test_capture import Severity, build, trt
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, resource.RLIM_INFINITY))
with elv.capture() as captured:
    logger = captured.logger(trt)
    build(logger, "stem")
    assert not captured.problems
    logger.log(Severity.VERBOSE, "x" * {size})
    build(logger, "head")
print(*[layer.name for engine in captured.engines for layer in engine.layers])
for problem in captured.problems:
    print(problem.severity, problem.code, problem.message)
"""
    done = run_alone(program)
    assert done.returncode == 0, done.stderr
    what = "not all messages could be kept in a temporary file: file too large"
    assert done.stdout.splitlines() == ["stem", f"error ELV108 {what}"]


# ---- threads -------------------------------------------------------------------------------------


def test_builds_in_two_threads_are_kept_apart(tmp_path: Path) -> None:
    """Message by message in turn; the builds differ in everything that a log says of them."""
    barrier = threading.Barrier(2)
    with elv.capture() as captured:
        shared = captured.logger(trt)

        def run(name: str) -> None:
            build(shared, f"{name}1", f"{name}2", wait=barrier.wait)
            shared.log(Severity.WARNING, f"a warning of {name}")

        with ThreadPoolExecutor(2) as pool:
            pool.map(run, "ab")
    assert sorted(names_of(engine) for engine in captured.engines) == [["a1", "a2"], ["b1", "b2"]]
    for engine in captured.engines:
        (name,) = {name[0] for name in names_of(engine)}
        assert engine.facts is not None
        assert [one.text for one in engine.facts.messages] == [f"a warning of {name}"]
    text = captured.save(tmp_path / "build.log").read_text()
    assert text.index("Fusing a1") < text.index("a warning of a")
    between = text[text.index("Fusing a1") : text.index("a warning of a")]
    assert "b1" not in between, "a build stands whole"
    assert elv.read(tmp_path / "build.log", facts=True).engines == captured.engines


@pytest.mark.parametrize("kind", ["", "torch_tensorrt"])
def test_threads_of_a_builder_log_for_it(kind: str) -> None:
    """Python has not started them; but a record of `logging` asks for the thread's name, and so
    makes it one of Python's."""
    captured = getattr(elv.capture, kind)() if kind else elv.capture()
    logger = captured.logger(trt)
    say = TORCH.debug if kind else partial(logger.log, Severity.VERBOSE)
    warn = TORCH.warning if kind else partial(logger.log, Severity.WARNING)
    turn, done = threading.Semaphore(0), threading.Semaphore(0)

    def tune() -> None:
        for number in range(2):
            turn.acquire()
            warn(f"warning {number}")
            done.release()

    with captured:
        _thread.start_new_thread(tune, ())
        for number in range(2):
            say("Original: 3 layers")
            turn.release()
            assert done.acquire(timeout=10)
            say(listing(f"layer{number}"))
    texts = [[one.text for one in e.facts.messages] for e in captured.engines if e.facts]
    assert texts == [["warning 0"], ["warning 1"]]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize("builds", [False, True])
def test_a_process_that_is_forked(builds: bool) -> None:
    """It has the files of its parent open, and what its buffers held."""
    program = f"""
from test_capture import ByFiles, SimpleNamespace, build, codes_of, names_of, trt

def show():  # the module is not run so far
    print(*[names_of(engine) for engine in captured.engines], codes_of(captured), flush=True)

with elv.capture() as captured:
    logger, module = captured.logger(trt), ByFiles()
    captured.enable_profiling(SimpleNamespace(modules=lambda: [module]))
    build(logger, "before")
    child = os.fork()
    if child == 0:
        if {builds}:
            build(logger, "child")
            show()
        sys.exit()
    os.waitpid(child, 0)
    build(logger, "after")
    show()
    module.run("after", 0.5)
    print(captured.engines[1].layers[0].time.total_ms)
"""
    done = run_alone(program, "-W", "error")
    own = ["['child'] ['ELV201']"] if builds else []
    lines = [*own, "['before'] ['after'] ['ELV201']", "0.5"]
    assert done.stdout.splitlines() == lines, done.stderr
    assert done.stderr == ""


def test_files_are_closed(tmp_path: Path) -> None:
    program = """
from test_capture import ByFiles, SimpleNamespace, build, trt
captured = elv.capture()
build(captured.logger(trt), "stem")
captured.enable_profiling(SimpleNamespace(modules=lambda: [ByFiles()]))
assert len(captured.engines) == 1
"""
    done = run_alone(program, "-X", "dev", "-W", "error", TMPDIR=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="it looks into /proc")
def test_memory_is_bounded(tmp_path: Path) -> None:
    """100 MB of messages, kept, read and saved; the program itself takes 30 MB."""
    program = f"""
import re
from test_capture import Severity, listing, trt
with elv.capture() as captured:
    logger = captured.logger(trt)
    text = "Tactic: 0x0000000000000001 Time: 0.0123 " + "x" * 960
    for number in range(100_000):
        logger.log(Severity.VERBOSE, text)
    logger.log(Severity.VERBOSE, listing("stem"))
    (engine,) = captured.engines
    captured.save({str(tmp_path / "build.log")!r})
(peak,) = re.findall("VmHWM:[^0-9]*([0-9]+) kB", open("/proc/self/status").read())
print(len(engine.layers), int(peak) >> 10)
"""
    done = run_alone(program)
    assert done.returncode == 0, done.stderr
    layers, megabytes = map(int, done.stdout.split())
    assert (tmp_path / "build.log").stat().st_size > 100_000_000
    assert layers == 1
    assert megabytes < 100


# ---- the profiler --------------------------------------------------------------------------------


def test_times_of_layers_over_all_runs() -> None:
    times = {"stem": (0.5, 0.25, 0.125, 1.0), "head": (2.0, 4.0, 2.0, 2.0)}
    with elv.capture() as captured:
        build(captured.logger(trt), "stem", "head")
        profiler = captured.profiler(trt)
        assert isinstance(profiler, IProfiler) and profiler.ready
        for run in range(4):
            for name in ("stem", "head"):
                profiler.report_layer_time(name, times[name][run])
    (engine,) = captured.engines
    stem, head = (time_of(engine, layer) for layer in (0, 1))
    assert (stem.n, stem.average_ms, stem.median_ms) == (4, 0.46875, 0.375)
    assert (stem.min_ms, stem.max_ms, stem.p95_ms, stem.total_ms) == (0.125, 1.0, 1.0, 1.875)
    assert (head.n, head.average_ms, head.median_ms) == (4, 2.5, 2.0)
    assert engine.time.total_ms == pytest.approx(2.96875)
    assert captured.problems == ()


def test_a_second_profiler_of_an_engine_is_not_used() -> None:
    with elv.capture() as captured:
        build(captured.logger(trt), "stem")
        for ms in (1.0, 2.0):
            captured.profiler(trt).report_layer_time("stem", ms)
    assert [engine.time.total_ms for engine in captured.engines] == [1.0]
    assert codes_of(captured) == ["ELV206"]


def test_kernels_of_a_myelin_layer_are_added_up() -> None:
    """The longest run is not the sum of the longest kernels: it is left out, as is the median."""
    with elv.capture() as captured:
        logger, profiler = captured.logger(trt), captured.profiler(trt)
        logger.log(Severity.VERBOSE, listing("{ForeignNode[a...b]}", kind="Myelin"))
        for run in ((1.0, 6.0), (5.0, 1.0)):
            for number, ms in enumerate(run):
                profiler.report_layer_time(f"kernel_myl0_{number}", ms)
    time = time_of(captured.engines[0])
    assert (time.n, time.parts, time.average_ms) == (2, 2, 6.5)
    assert (time.median_ms, time.min_ms, time.max_ms) == (None, None, None)


def test_a_profiler_for_each_engine() -> None:
    with elv.capture() as captured:
        logger = captured.logger(trt)
        for name, ms in (("left", 1.0), ("right", 2.0)):
            build(logger, name)
            captured.profiler(trt).report_layer_time(name, ms)
    assert [engine.time.total_ms for engine in captured.engines] == [1.0, 2.0]
    for engine in captured.engines:
        assert codes_of(captured.timed(engine)) == [], "the other profiler is of the other engine"


def test_an_engine_whose_names_are_those_of_another() -> None:
    """Which of them ran is not guessed in silence."""
    with elv.capture() as captured:
        logger = captured.logger(trt)
        build(logger, "stem", "head")
        build(logger, "stem")
        profiler = captured.profiler(trt)
        for name in ("stem", "head"):
            profiler.report_layer_time(name, 1.0)
    assert [engine.time.total_ms for engine in captured.engines] == [2.0, None]
    assert codes_of(captured) == ["ELV205"]
    assert "engine 1 has no times" in captured.problems[0].message


@pytest.mark.parametrize(
    ("names", "rows", "code"),
    [
        (["stem"], [], "ELV201"),
        (["stem"], [("another", 1.0)], "ELV202"),
        (["stem"], [("stem", float("nan"))], "ELV201"),
        (["stem"], [("stem", 1.0), ("copy", 1.0)], "ELV203"),
        ([], [("stem", 1.0)], "ELV402"),
    ],
    ids=["no layer", "another engine", "no time", "a row too many", "no build"],
)
def test_a_wrong_profiler(names: list[str], rows: list[tuple[str, float]], code: str) -> None:
    with elv.capture() as captured:
        if names:
            build(captured.logger(trt), *names)
        profiler = captured.profiler(trt)
        for name, ms in rows:
            profiler.report_layer_time(name, ms)
    assert codes_of(captured) == [code]
    total = 1.0 if code == "ELV203" else None
    assert [engine.time.total_ms for engine in captured.engines] == [total] * len(names)
    for engine in captured.engines:
        assert codes_of(captured.timed(engine)) == [code], "also where it is given the engine"


# ---- the inspector -------------------------------------------------------------------------------


class Engine:
    """As an `ICudaEngine`; the module of its class is that of the bindings."""

    def __init__(self, text: str) -> None:
        self._text = text

    def create_engine_inspector(self) -> Engine:
        return self

    def get_engine_information(self, format: LayerInformationFormat) -> str:
        assert format is LayerInformationFormat.JSON
        return self._text


@pytest.mark.parametrize("name", ["trtexec-pretty", "control-characters", "rtx-keys", "names-only"])
def test_an_engine_that_is_loaded(name: str) -> None:
    """There is no build, so the log alone gives no engine."""
    path = FIXTURES / "inspector_json" / f"{name}.json"
    (engine,) = elv.read(path).engines
    with elv.capture() as captured:
        found = elv.inspect(Engine(path.read_bytes().decode()))
        profiler = captured.profiler(trt)
        for layer in found.layers:
            profiler.report_layer_time(layer.name, 0.5)
    assert names_of(found) == names_of(engine)
    assert found.graph == engine.graph
    assert found.dialect == "inspector-json"
    assert codes_of(found) == codes_of(engine)
    assert captured.engines == ()
    timed = captured.timed(found)
    times = [layer.time and layer.time.average_ms for layer in timed.layers]
    assert times == [0.5] * len(engine.layers)


@pytest.mark.parametrize("text", ["", "{}", "no engine"])
def test_an_inspector_that_gives_no_layers(text: str) -> None:
    with pytest.raises(elv.ReadError):
        elv.inspect(Engine(text))


@pytest.mark.parametrize("value", [None, "model.engine", b"plan"])
def test_what_is_no_engine(value: Any) -> None:
    with pytest.raises(TypeError, match="ICudaEngine"):
        elv.inspect(value)
    with pytest.raises(TypeError, match="an Engine is wanted"):
        elv.capture().timed(value)


# ---- programs that call TensorRT -----------------------------------------------------------------


def test_torch_tensorrt(caplog: pytest.LogCaptureFixture) -> None:
    """Its logger has this name; what the program's handlers are told does not change."""
    level = TORCH.level
    with elv.capture.torch_tensorrt() as outer, elv.capture.torch_tensorrt() as inner:
        for text in ("Original: 3 layers", listing("stem", "100 % sparse")):
            TORCH.debug(text)
        TORCH.warning("a warning")
    TORCH.debug("later")
    for captured in (outer, inner):
        (engine,) = captured.engines
        assert names_of(engine) == ["stem", "100 % sparse"]
        assert engine.facts is not None
        assert [one.text for one in engine.facts.messages] == ["a warning"]
    assert caplog.messages == ["a warning"]
    assert TORCH.level == level


class ByProfiler:
    """A module of Torch-TensorRT's Python runtime."""

    def enable_profiling(self, profiler: Any = None) -> None:
        self.run = profiler.report_layer_time


class ByEngine:
    """A module whose engine is in Python."""

    def __init__(self) -> None:
        self.engine = SimpleNamespace(context=SimpleNamespace(profiler=None))

    def enable_profiling(self, profiling_results_dir: str = "", profile_format: str = "") -> None:
        assert self.engine.context.profiler, "else it prints to stdout"

    def run(self, name: str, ms: float) -> None:
        self.engine.context.profiler.report_layer_time(name, ms)


class ByFiles:
    """A module of its C++ runtime, which writes traces at each run."""

    def enable_profiling(self, profiling_results_dir: str, profile_format: str = "") -> None:
        self._folder = Path(profiling_results_dir)

    def run(self, name: str, ms: float) -> None:
        event = {"name": name, "ph": "X", "ts": 0.0, "dur": ms * 1000, "pid": "e", "tid": 1}
        own = {**event, "name": "aten::empty", "pid": "CPU functions"}
        written = {"engine_execution": [event], "device_config": [], "input": [own]}
        for what, events in {**written, "output": [own], "enqueue": [own]}.items():
            path = self._folder / f"_run_on_acc_0_engine_{what}_profile.trace"
            path.write_text(json.dumps(events))


@pytest.mark.parametrize("kind", [ByProfiler, ByEngine, ByFiles])
def test_times_of_torch(kind: type[ByProfiler | ByEngine | ByFiles], monkeypatch: Patch) -> None:
    monkeypatch.setitem(sys.modules, "tensorrt", trt)
    module = kind()
    model = SimpleNamespace(modules=lambda: [object(), module])
    with elv.capture.torch_tensorrt() as captured:
        TORCH.debug(listing("stem"))
        captured.enable_profiling(model)
        assert kind is not ByFiles or codes_of(captured) == ["ELV201"], "it was not run"
        module.run("stem", 0.5)
    assert captured.problems == ()
    engine = captured.engines[0]
    time = time_of(engine)
    if kind is ByFiles:  # the sum over all calls, and not how many these were
        assert time.total_ms == pytest.approx(0.5)
        assert (time.average_ms, time.n) == (None, None)
        assert engine.time.total_ms is None
    else:
        assert engine.time.total_ms == pytest.approx(0.5)


@pytest.mark.parametrize("colors", [("", ""), ("\x1b[0;93m", "\x1b[m")], ids=["plain", "colored"])
def test_onnx_runtime(colors: tuple[str, str], tmp_path: Path) -> None:
    """It writes to the process's stderr by descriptor, as a library does that knows no Python."""
    host = "2024-03-28 13:07:04.725 [{}:onnxruntime:Default, tensorrt_execution_provider.h:83 log]"
    verbose = host.format("V") + " [2024-03-28 20:07:04 VERBOSE] "
    warning = host.format("W") + " [2024-03-28 20:07:04 WARNING] a warning"
    warning = f"{colors[0]}{warning}{colors[1]}\n"
    layers = f"{verbose}Layers:\n{detailed('stem', 'image', 'out')}\n"
    program = f"""
print("before", file=sys.stderr)
with elv.capture.onnxruntime() as captured:
    os.write(2, {layers!r}.encode())
    os.write(2, {warning!r}.encode())
print("after", file=sys.stderr)
(engine,) = captured.engines
print([layer.name for layer in engine.layers])
captured.save({str(tmp_path / "build.log")!r})
"""
    done = run_alone(program)
    assert (done.returncode, done.stdout) == (0, "['stem']\n"), done.stderr
    assert done.stderr == f"before\n{warning}after\n"
    assert (tmp_path / "build.log").read_text() == layers + warning


def test_onnx_runtime_on_a_full_disk() -> None:
    """Who writes past its end is not Python; what came before is kept."""
    program = f"""
text = {f"{listing('stem')}" + chr(10)!r}.encode()
with elv.capture.onnxruntime() as captured:
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(text), resource.RLIM_INFINITY))
    assert os.write(2, text) == len(text)
    try:
        os.write(2, b"a message")
    except OSError:
        pass
print(len(captured.engines), [problem.code for problem in captured.problems])
"""
    done = run_alone(program)
    assert done.stdout == "1 ['ELV108']\n", done.stderr


@pytest.mark.parametrize("what", ["sys.stderr.close()", "sys.stderr = None"])
def test_onnx_runtime_without_a_stderr_of_python(what: str) -> None:
    program = f"""
keep = os.dup(2)
{what}
os.dup2(keep, 2)
with elv.capture.onnxruntime() as captured:
    os.write(2, {f"{listing('stem')}" + chr(10)!r}.encode())
print(len(captured.engines))
"""
    done = run_alone(program)
    assert done.stdout == "1\n", done.stderr


@pytest.mark.parametrize("is_own", [False, True])
def test_polygraphy(is_own: bool, monkeypatch: Patch) -> None:
    """Its one logger of TensorRT stands in this module; a program may put its own there."""
    module: Any = ModuleType("polygraphy.backend.trt.util")
    kept, before = Kept(), Kept() if is_own else None
    module.trt, module.TRT_LOGGER = trt, before
    module.get_trt_logger = lambda: module.TRT_LOGGER or kept
    for name in ("polygraphy", "polygraphy.backend", "polygraphy.backend.trt"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with elv.capture.polygraphy() as captured:
        build(module.get_trt_logger(), "stem")
        module.get_trt_logger().log(Severity.WARNING, "a warning")
    assert names_of(captured.engines[0]) == ["stem"]
    assert (before or kept).told == [(Severity.WARNING, "a warning")]
    assert module.TRT_LOGGER is before
