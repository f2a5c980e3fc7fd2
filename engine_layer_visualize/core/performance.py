"""The types of what trtexec says of an engine's runs."""

# Annotations are no texts here: a NamedTuple would compile each of them.

from typing import NamedTuple


class Measure(NamedTuple):
    """A row of trtexec's performance summary, in milliseconds."""

    #: As printed, such as `GPU Compute Time`.
    name: str
    min: float | None
    max: float | None
    mean: float | None
    median: float | None
    #: Such as ((99.0, 4.2), …).
    percentiles: tuple[tuple[float, float], ...]
    #: The log's line.
    line: int


class Performance(NamedTuple):
    """trtexec's performance summary: queries per second, rows in ms, totals in seconds."""

    throughput_qps: float | None = None
    measures: tuple[Measure, ...] = ()
    host_walltime_s: float | None = None
    gpu_compute_s: float | None = None
    #: Median of trtexec's averages of the GPU latency in each half of the run, in ms.
    halves_ms: tuple[float, float] | None = None
    line: int | None = None

    @property
    def latency(self) -> Measure | None:
        """End to end, as trtexec's `Latency` row has it."""
        return next((row for row in self.measures if row.name == "Latency"), None)

    @property
    def gpu_compute(self) -> Measure | None:
        """The `GPU Compute Time` row: what the sum of the layers compares with."""
        return next((row for row in self.measures if row.name == "GPU Compute Time"), None)


class Run(NamedTuple):
    """One run of an engine by trtexec."""

    #: The file that it loaded; None where it built the engine.
    engine: str | None
    #: What trtexec says of the run.
    performance: Performance
