"""Builds and runs engines on a GPU, captured.

`PYTHONPATH=tests/live python -m benchmarks.on_gpu out` runs it.

For each model and verbosity it writes the log, the profile and the page, and checks the times of
layers against what a profiler of its own was told. Exit code 1: a check failed. It is run by hand:
tests have no GPU.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import statistics
import sys
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from builder import MODULES, VERBOSITIES
from encoder_model import encoder
from residual_models import exported

import engine_layer_visualize as elv

RUNS: Final = 50
MODELS: Final[Mapping[str, Callable[[], bytes]]] = {
    "convnet": lambda: exported("by_part").model,
    "transformer": encoder,
}


class Cuda:
    """The driver's own functions: no package is needed for a few buffers and a stream."""

    def __init__(self) -> None:
        self._lib = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        self._call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self._call("cuDeviceGet", ctypes.byref(device), 0)
        name = ctypes.create_string_buffer(200)
        self._call("cuDeviceGetName", name, 200, device)
        self.device = name.value.decode()
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._call("cuCtxSetCurrent", context)
        stream = ctypes.c_void_p()
        self._call("cuStreamCreate", ctypes.byref(stream), 1)
        self.stream = stream.value or 0

    def memory(self, size: int) -> int:
        """The address of so many bytes, all 0."""
        address = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(size, 256)))
        self._call("cuMemsetD8_v2", address, ctypes.c_ubyte(0), ctypes.c_size_t(max(size, 256)))
        return address.value

    def wait(self) -> None:
        self._call("cuStreamSynchronize", ctypes.c_void_p(self.stream))

    def _call(self, name: str, *words: Any) -> None:
        code = getattr(self._lib, name)(*words)
        if code:
            raise RuntimeError(f"{name} gave {code}")


class Checks:
    """What was found wrong, printed as it comes."""

    def __init__(self) -> None:
        self.failed = 0

    def __call__(self, right: bool, what: str) -> None:
        print("  ok    " if right else "  FAILED", what, flush=True)
        self.failed += not right

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """A failure in it, of TensorRT too, ends this part alone."""
        print(name, flush=True)
        try:
            yield
        except Exception:
            traceback.print_exc(file=sys.stdout)
            self(False, f"{name} ended early")


class Run:
    """One model, built, run and captured."""

    def __init__(self, trt: Any, cuda: Cuda, model: bytes, verbosity: str) -> None:
        self.told: dict[str, list[float]] = defaultdict(list)
        with elv.capture() as self.captured:
            logger = self.captured.logger(trt, trt.Logger(trt.Logger.WARNING))
            plan = self._built(trt, logger, model, verbosity)
            engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
            if engine is None:
                raise RuntimeError("the engine cannot be loaded on this GPU")
            self.inspected = elv.inspect(engine)
            context = engine.create_execution_context()
            context.profiler = self._profiler(trt)
            self._run(trt, cuda, engine, context)
            del context
        self.engine = self.captured.engines[-1]

    def _built(self, trt: Any, logger: Any, model: bytes, verbosity: str) -> Any:
        builder = trt.Builder(logger)
        network = builder.create_network(0)
        parser = trt.OnnxParser(network, logger)
        if not parser.parse(model):
            raise RuntimeError(str(parser.get_error(0).desc()))
        config = builder.create_builder_config()
        config.profiling_verbosity = getattr(trt.ProfilingVerbosity, verbosity)
        plan = builder.build_serialized_network(network, config)
        if plan is None:
            raise RuntimeError("the build failed")
        return plan

    def _profiler(self, trt: Any) -> Any:
        """The captured one; what it is told is kept here, too."""
        inner, told = self.captured.profiler(trt), self.told

        class Both(trt.IProfiler):  # type: ignore[misc]
            def __init__(self) -> None:
                trt.IProfiler.__init__(self)

            def report_layer_time(self, name: str, ms: float) -> None:
                told[name].append(ms)
                inner.report_layer_time(name, ms)

        return Both()

    def _run(self, trt: Any, cuda: Cuda, engine: Any, context: Any) -> None:
        for number in range(engine.num_io_tensors):
            name = engine.get_tensor_name(number)
            size = trt.volume(engine.get_tensor_shape(name))
            size *= math.ceil(engine.get_tensor_dtype(name).itemsize)
            context.set_tensor_address(name, cuda.memory(size))
        for _ in range(RUNS):
            if not context.execute_async_v3(cuda.stream):
                raise RuntimeError("a run failed")
            cuda.wait()


def checked(run: Run, verbosity: str, check: Checks) -> None:
    """Times of layers against those that the profiler was told of."""
    engine, told = run.engine, run.told
    print(f"  {engine!r}\n  {len(told)} names profiled, {engine.profile!r}")
    for problem in run.captured.problems:
        print(f"  {problem.severity}[{problem.code}]: {problem.message}")
    check(bool(told), "the profiler was told of layers")
    counts = {len(times) for times in told.values()}
    check(counts == {RUNS}, f"each name came {RUNS} times: {sorted(counts)}")
    untimed = [layer.name for layer in engine.layers if layer.time is None]
    check(not untimed, f"every layer has a time; without: {untimed[:5]}")
    check(engine.profile is not None and not engine.profile.unmatched_rows, "no row is left over")
    wrong = []
    for layer in engine.layers:
        time = layer.time
        if time is None or time.parts > 1:  # a sum has no median
            continue
        n, mean, median = time.n, time.average_ms, time.median_ms
        least, most = time.min_ms, time.max_ms
        if n != RUNS or mean is None or median is None or least is None or most is None:
            wrong.append(f"{layer.name}: n={n}, median {median}")
            continue
        if not (0 <= least <= median <= most and least <= mean <= most):
            wrong.append(f"{layer.name}: {least} {median} {mean} {most}")
        own = told.get(layer.name)
        if own is not None and not all(
            math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)
            for ours, theirs in (
                (mean, statistics.fmean(own)),
                (median, statistics.median(own)),
                (least, min(own)),
                (most, max(own)),
            )
        ):
            wrong.append(f"{layer.name}: not what was told")
    check(not wrong, f"n, mean, median, min, max of each layer; wrong: {wrong[:3]}")
    told_ms = sum(statistics.fmean(times) for times in told.values())
    total = engine.time.total_ms or 0.0
    check(math.isclose(total, told_ms, rel_tol=1e-6), f"total {total:.6f} of {told_ms:.6f} ms")
    names = [layer.name for layer in engine.layers]
    found = [layer.name for layer in run.inspected.layers]
    print(f"  inspected: {run.inspected!r}, problems: {run.inspected.problems}")
    if verbosity == "DETAILED":
        check(names == found, f"the inspector has the same {len(names)} layers: {len(found)}")
        if names != found:
            print("  listed alone:   ", [name for name in names if name not in found][:5])
            print("  inspected alone:", [name for name in found if name not in names][:5])
        check(run.inspected.graph.between == engine.graph.between, "and the same edges")
        timed = run.captured.timed(run.inspected).time.total_ms
        check(timed == engine.time.total_ms, f"and the same times: {timed} ms")


def written(run: Run, stem: str, folder: Path, check: Checks) -> None:
    """The log, the profile, the page; the log and the profile give the same engine."""
    log = run.captured.save(folder / f"{stem}.log")
    profile = folder / f"{stem}.profile.json"
    total = sum(map(sum, run.told.values())) or 1.0
    rows = [
        {
            "name": name,
            "timeMs": sum(times),
            "averageMs": statistics.fmean(times),
            "medianMs": statistics.median(times),
            "percentage": 100 * sum(times) / total,
        }
        for name, times in run.told.items()
    ]
    profile.write_text(json.dumps([{"count": RUNS}, *rows], indent=1), "utf-8")
    elv.draw(run.engine, folder / f"{stem}.html")
    elv.draw(run.engine, folder / f"{stem}.json")
    elv.draw(run.inspected, folder / f"{stem}.inspected.json")
    again = elv.read(log, profiles=profile, facts=True).engines[-1]
    check(
        [layer.name for layer in again.layers] == [layer.name for layer in run.engine.layers]
        and again.graph == run.engine.graph,
        "the saved log gives the same engine",
    )
    check(
        math.isclose(again.time.total_ms or 0.0, run.engine.time.total_ms or 0.0, rel_tol=1e-6),
        "the written profile gives the same total",
    )


def main() -> int:
    """Prints each check."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where log, profile and page are written")
    parser.add_argument("--module", default=MODULES[0], choices=MODULES)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    trt = import_module(options.module)
    cuda, check = Cuda(), Checks()
    print(f"{options.module} {trt.__version__} on {cuda.device}")
    for name, model in MODELS.items():
        for verbosity in VERBOSITIES:
            stem = f"{name}-{verbosity.lower()}"
            with check.part(stem):
                run = Run(trt, cuda, model(), verbosity)
                checked(run, verbosity, check)
                written(run, stem, options.folder, check)
    print(f"{check.failed} checks failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
