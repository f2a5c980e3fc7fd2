"""Reads the engines of builds in the user's own program, without a log file.

It makes objects to give to TensorRT, and reads engines with their times from what these are told.
The user gives the module of TensorRT, which is never imported here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any, Final

from engine_layer_visualize.api import capture_logs
from engine_layer_visualize.api.engine import Build, Engine
from engine_layer_visualize.api.read import Log
from engine_layer_visualize.core.problems import Problem, ReadError
from engine_layer_visualize.core.text import must_be
from engine_layer_visualize.io import atomic_file
from engine_layer_visualize.io.processes import signals_wait

_NAME: Final = "<captured>"  # of the log, until it is saved
_FORWARDED: Final = "FEW"  # those that the user's logger gets, too


class capture(AbstractContextManager["capture"]):  # noqa: N801
    """Captures builds inside of a program: what TensorRT logs, and the times of layers.

    As in::

        with elv.capture() as captured:
            builder = trt.Builder(captured.logger(trt))
            ...
            context.profiler = captured.profiler(trt)
            ...
        engine = captured.engines[-1]

    `trt` is the program's own module: tensorrt, tensorrt_rtx, tensorrt_dispatch. Messages are kept
    in temporary files, those of each thread apart. After the `with` nothing more is kept; what was
    kept can be read inside of it, after it, and after a build that failed. Another `with` of the
    same capture adds to it. Ctrl-C inside of the `with` is raised at its end, as TensorRT would
    swallow it; a second Ctrl-C ends the process.
    """

    def __init__(self) -> None:
        """Makes a capture."""
        self._messages = capture_logs.Messages()
        self._times: list[capture_logs.Times] = []
        self._open = True
        self._name = _NAME
        self._host: Callable[[], AbstractContextManager[None]] = nullcontext
        self._entered: list[ExitStack] = []  # one for each `with` that is open
        self._traces = capture_logs.Traces()
        self._read: tuple[object, Build] | None = None

    @classmethod
    def torch_tensorrt(cls) -> capture:
        """Captures `torch_tensorrt.compile`: all that TensorRT tells its logger."""
        made = cls()
        made._host = partial(capture_logs.torch_tensorrt, made._log)
        return made

    @classmethod
    def onnxruntime(cls) -> capture:
        """Captures an `InferenceSession`: all that the process writes to stderr.

        It is read after the `with`, and warnings are shown then. The session needs
        `log_severity_level` 0 and the provider's option for a detailed build log
        (docs/getting-a-log.md).
        """
        made = cls()
        made._host = partial(capture_logs.onnxruntime, made._messages)
        return made

    @classmethod
    def polygraphy(cls) -> capture:
        """Captures Polygraphy's loaders.

        Their logger of TensorRT is replaced until the end of the `with`, and is told warnings and
        errors.
        """
        made = cls()
        made._host = partial(capture_logs.polygraphy, made.logger)
        return made

    def logger(self, trt: Any, own: Any = None) -> Any:
        """Makes an `ILogger` for `trt.Builder`, `trt.OnnxParser`, `trt.Runtime`.

        Args:
            trt: The program's module of TensorRT.
            own: A logger of the program, which is told warnings and errors, too.

        Returns:
            A logger that takes messages of every severity.
        """
        captured = self

        class Logger(trt.ILogger):  # type: ignore[misc]
            def log(self, severity: Any, text: str) -> None:
                name = severity.name
                letter = "F" if name == "INTERNAL_ERROR" else name[0]
                captured._log(letter, text)
                if own is not None and letter in _FORWARDED:
                    own.log(severity, text)

        return Logger()

    def profiler(self, trt: Any) -> Any:
        """Makes an `IProfiler` for a context: `context.profiler = captured.profiler(trt)`.

        Each layer of the engine then has the mean, median, least and greatest of its times, over
        all runs of the context.
        """
        times = capture_logs.Times()
        self._times.append(times)

        captured = self

        class Profiler(trt.IProfiler):  # type: ignore[misc]
            def report_layer_time(self, name: str, ms: float) -> None:
                if captured._open:
                    times.report(name, ms)

        return Profiler()

    def enable_profiling(self, model: Any) -> None:
        """Times the layers of a model that Torch-TensorRT compiled, from here on.

        Raises:
            TypeError: Where the model has no module of TensorRT.
        """
        modules = [part for part in model.modules() if hasattr(part, "enable_profiling")]
        if not modules:
            raise TypeError("no module of this model has `enable_profiling`: was it compiled?")
        for module in modules:  # through a profiler, where it or its engine takes one, else files
            if "profiler" in signature(module.enable_profiling).parameters:
                module.enable_profiling(profiler=self.profiler(sys.modules["tensorrt"]))
            elif hasattr(getattr(module, "engine", None), "context"):  # not that of C++
                module.engine.context.profiler = self.profiler(sys.modules["tensorrt"])
                module.enable_profiling()
            else:
                module.enable_profiling(profiling_results_dir=self._traces.folder())

    @property
    def engines(self) -> tuple[Engine, ...]:
        """The engines that were built, with their times: thread by thread, the first one first.

        There are none where no build came to its listing of layers: `problems` says why.
        """
        return self._build().engines

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What could not be read, and why there is no engine."""
        return self._build().problems

    def timed(self, engine: Engine) -> Engine:
        """Returns another engine, such as `elv.inspect` gives, with the times of the profilers.

        Its `problems` say where there are none.
        """
        must_be((Engine,), engine)
        (with_times,), wrong = capture_logs.timed([engine], self._times, self._traces)
        problems = dict.fromkeys((*with_times.problems, *wrong))
        return with_times._replace(problems=tuple(problems))

    def save(self, path: str | Path) -> Path:
        """Writes all that was logged: a log as `elv.read` and the commands take it.

        Args:
            path: The file, which is replaced. Builds stand in it one after another.

        Returns:
            The path.

        Raises:
            ReadError: Where it cannot be written (ELV501).
        """
        target = Path(path)
        with atomic_file.writing(target):
            atomic_file.save(target, self._messages.chunks())
        self._name = str(path)
        return target

    def __enter__(self) -> capture:
        """Captures from here on."""
        with ExitStack() as stack:
            if not self._entered:
                # The bindings swallow what is raised in a logger, or just before they call one.
                stack.enter_context(signals_wait(["SIGINT"], twice_ends=True))
                stack.enter_context(self._host())
            self._entered.append(stack.pop_all())
        self._open = True
        return self

    def __exit__(self, *raised: Any) -> None:
        """Ends what was begun last; a Ctrl-C that waited is raised now."""
        try:
            self._entered.pop().__exit__(*raised)
        finally:
            self._open = bool(self._entered)

    def __repr__(self) -> str:
        """Returns the text of the build that was read."""
        return repr(self._build())

    def _repr_html_(self) -> str:
        """Returns how a notebook shows it: as a build."""
        return self._build()._repr_html_()

    def _log(self, letter: str, text: str) -> None:
        if self._open:
            self._messages.add(letter, text)

    def _build(self) -> Build:
        """Reads what was captured so far, if that is more than before."""
        counts = [times.count for times in self._times]
        lost = self._messages.problems(self._name)
        state = (self._messages.size, lost, counts, self._traces.files(), self._name)
        if self._read is None or self._read[0] != state:
            self._read = state, self._now()
        return self._read[1]

    def _now(self) -> Build:
        read: list[Engine] = []
        problems: list[Problem] = []
        try:
            log = Log(self._name, chunks=self._messages.chunks())
            read += log.engines()
            problems += log.problems
        except ReadError as error:
            problems.append(error.problem)
        engines, wrong = capture_logs.timed(read, self._times, self._traces)
        problems = [*self._messages.problems(self._name), *problems, *wrong]
        return Build(tuple(engines), tuple(problems))


def inspect(trt_engine: Any) -> Engine:
    """Reads an `ICudaEngine` without a log: its inspector's JSON.

    Tensors, and so the graph, are known of an engine that was built with DETAILED profiling
    verbosity.

    Raises:
        TypeError: Where `trt_engine` is another value.
        ReadError: Where its inspector gives no layers.
    """
    if not hasattr(trt_engine, "create_engine_inspector"):
        name = type(trt_engine).__name__
        raise TypeError(f"an ICudaEngine is wanted (trt.Runtime(…).deserialize_…), not {name}")
    # The enumeration is that of the engine's own bindings.
    as_json = sys.modules[type(trt_engine).__module__].LayerInformationFormat.JSON
    text = trt_engine.create_engine_inspector().get_engine_information(as_json)
    data = str(text).encode("utf-8", "backslashreplace")
    (engine,) = Log("<inspector>", chunks=[data]).engines()
    return engine
