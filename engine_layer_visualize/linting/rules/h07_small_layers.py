"""Most of the time goes to layers that are too small to fill the device.

**Found**: layers of less than 20 µs each, ten or more, take more than half of the measured time of
all layers, and together more than three times their bounds: the time that the device needs at its
maximum clock for their multiplications or their bytes. Not counted are reformats (F02 to F04) and
layers of which H04 does not know the units that they run on: the finding says how many. Where the
device is unknown, twenty layers or more of less than 10 µs each count, reformats too, and where the
time of none has a bound, also a hundred or more of them that are more than half of the layers: of
these the builder's estimates do, too. Where no layer has a time, ten layers or more that run a
kernel count, if trtexec's time on the GPU is less than 10 µs for each in the mean. H04 looks at
longer layers.

**Why it costs**: a kernel takes some microseconds to start and to end, however little it computes,
and a few blocks leave most of the device idle.

**What to do**: larger batches give each launch more to do. Fewer, larger layers (fusions, one
convolution in place of several that read the same tensor) save launches. A CUDA graph shortens the
pauses, of which measured times of so short layers hold a part. Up to TensorRT 10.16 trtexec
captures one with `--useCudaGraph`; from 11 on it does so by itself, unless `--noCudaGraph` is
given. How much that gains, nothing in the log tells: no time is at stake. None is advised where one
runs already: trtexec's options say so, or it enqueues in less than 1.5 µs for each kernel.

**When to leave it**: where the use fixes the batch, such as one picture at a time, and the latency
is short enough.

**Example**:

    54 layers of less than 20 µs take 340 µs, 27.1 times the 12.5 µs that the device needs for them;
    5 others are not counted: reformats, or layers whose bound is uncertain

**Versions**: all; a profile, the builder or trtexec's summary must give times.

**Severity**: hint.

**Sources**: TensorRT documentation: batching, CUDA graphs; Williams, Waterman, Patterson: Roofline,
2009.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.kinds import is_reformat, runs_kernel
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, milliseconds, percent, plural
from engine_layer_visualize.linting.finding import SHORTEST_MS, Finding, described
from engine_layer_visualize.linting.roles import (
    LEAST_LAYERS,
    LEAST_SHARE,
    has_cuda_graph,
    mean_of_kernels,
    part_of_computing,
    small,
)
from engine_layer_visualize.linting.rule import finding, record
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_LAUNCH_MS: Final = 0.01  # a kernel of less is short for its launch
_MANY: Final = 100  # kernels: launching them takes long, whatever others compute
_MOST_LINES: Final = 3  # of the log, as evidence
_GPU_TIME: Final = "GPU Compute Time"
_OTHERS: Final = "not counted: reformats, or layers whose bound is uncertain"
_LAUNCHED: Final = ": kernels of this length are launched for as long as they run"
_BATCH: Final = "use larger batches, or fewer and larger layers"
_GRAPH: Final = (
    "use a CUDA graph (trtexec: --useCudaGraph), larger batches, or fewer and larger layers"
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yields at most one finding."""
    costs = subject.costs
    if costs.whole is None:
        yield from _untimed(subject)
    if not costs.ranked or not costs.whole:
        return
    every = [layer for layer in subject.layers if subject.ms(layer)]
    timed = [layer for layer in every if not is_reformat(layer)]
    if not any(subject.work_of(layer).bound_ms for layer in timed):
        yield from _short(subject, every)
        return
    if (found := small(subject)) is None:
        return
    layers, took, bound = found
    share = f"{percent(took / costs.whole)} {subject.of_all}"
    others = sum((subject.ms(layer) or 0.0) < SHORTEST_MS for layer in every) - len(layers)
    verb = plural(others, "other is", "others are")
    why = (
        f"{count(len(layers), 'layer')} of less than {milliseconds(SHORTEST_MS)} take "
        f"{milliseconds(took)}, {share} and {took / bound:.1f} times "
        f"the {milliseconds(bound)} that the device needs for them"
        + (f"; {others:,} {verb} {_OTHERS}" if others else "")
    )
    evidence = [record(layer) for layer in layers[:_MOST_LINES]]
    yield finding(subject, RULE, (), why, _advice(subject), evidence, about=layers)


def _untimed(subject: Subject) -> Iterator[Finding]:
    """Yields a finding where no layer has a time: by the time of an inference."""
    each = mean_of_kernels(subject)
    if each is None or each >= _LAUNCH_MS:
        return
    kernels = [layer for layer in subject.layers if runs_kernel(layer)]
    if len(kernels) < LEAST_LAYERS:
        return
    took = milliseconds(each * len(kernels))
    why = (
        f"{count(len(kernels), 'layer')} take {took} of GPU time, {milliseconds(each)} each in the "
        f"mean{_launched(subject)}"
    )
    row = part_of_computing(subject, _GPU_TIME)
    yield finding(
        subject, RULE, (), why, _advice(subject), row.lines[:1] if row else (), about=kernels
    )


def _advice(subject: Subject) -> str:
    can = subject.can_add("--useCudaGraph") and not has_cuda_graph(subject)
    return _GRAPH if can else _BATCH


def _launched(subject: Subject) -> str:
    return "" if has_cuda_graph(subject) else _LAUNCHED


def _short(subject: Subject, timed: list[Layer]) -> Iterator[Finding]:
    """Yields a finding where the log does not name the device: by the launch of a kernel alone."""
    short = [layer for layer in timed if (subject.ms(layer) or 0.0) < _LAUNCH_MS]
    took, whole = subject.costs.sum(short), subject.costs.whole
    if len(short) < 2 * LEAST_LAYERS or took is None or not whole:
        return
    are_most = len(short) >= _MANY and len(short) > LEAST_SHARE * len(timed)
    takes_most = took > LEAST_SHARE * whole and subject.costs.kind == "measured"
    if not (are_most or takes_most):
        return
    why = (
        f"{len(short):,} of {count(len(timed), 'layer')} take less than {milliseconds(_LAUNCH_MS)} "
        f"each, {milliseconds(took)} together, {percent(took / whole)} {subject.of_all}"
        f"{_launched(subject)}"
    )
    yield finding(
        subject,
        RULE,
        (),
        why,
        _advice(subject),
        [record(layer) for layer in short[:_MOST_LINES]],
        about=short,
    )
