"""Says what to know of an engine before its times are read: what it is, and what spoils the times.

Each is one sentence with what to run, where something can be run that was not.
"""

import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis import kinds, precisions, times, trtexec
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.text import base_name, count, milliseconds, percent
from engine_layer_visualize.core.words import abridged
from engine_layer_visualize.linting.precision import unlisted, waiting
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt import versions
from engine_layer_visualize.trt.names import waits_for_dla

_CAPABILITY: Final = "compute capability {} (by the library that its builder loaded)"
_UNSTABLE: Final = lazy(
    r"GPU compute time is unstable, with coefficient of varia\w{1,8} = (\d{1,6}(?:\.\d{1,9})?)"
)
_COPIES: Final = (("H2D Latency", "inputs"), ("D2H Latency", "outputs"))
_TO_GPU: Final = lazy(r"\[CUDA memcpy (?:HtoD|Host-to-Device)\]")
_LONGEST_NAME: Final = 60  # characters
_SHAPES: Final = lazy(
    r"(?:Dynamic dimensions required for input: |Shape missing for input with dynamic shape: )"
    r".*Automatically (?:overriding|setting) shape to: ([-\dx]+)",
    re.DOTALL,
)
_MIB: Final = lazy(r"--memPoolSize=\S{0,99}\b(workspace:(\d{1,9})([MG])i?B)\b")
_LESS: Final = lazy(r"\bworkspace: (?:0(?:\.\d+)?|[\d.]+e-\d+) MiB")
_NO_CALIBRATOR: Final = lazy("Calibrator is not being used")
_WEAK: Final = lazy("Weakly[- ]typed networks (?:have been|are) deprecated")
# What the log warns of, and what to know of it.
_WARNED: Final = {
    lazy(r"engine uses \d{1,4} auxiliary streams?, so the \"Total\" latency"): (
        "Auxiliary streams are in use: layers may run side by side, and their times do not add up."
    ),
    lazy(r"Using default stream in enqueue\w{0,4}\(\)"): (
        "The engine ran on CUDA's default stream, where TensorRT waits more often: give enqueueV3 "
        "a stream of its own."
    ),
    _WEAK: "The network is weakly typed, which TensorRT 11 no longer builds.",
}


def of(subject: Subject) -> tuple[str, ...]:
    """Returns the sentences; the first says what the engine is."""
    return (
        _identity(subject),
        *misread(subject),
        *_build(subject),
        *_shapes(subject),
        *_sums(subject),
        *_unsteady(subject),
        *_first_run(subject),
        *(text for _, text in copied(subject)),
        *_traced_copies(subject),
        *_warned(subject),
        *names_alone(subject),
        *unnamed(subject),
    )


def distrusted(subject: Subject) -> Iterator[str]:
    """Yields why the times are not those that are wanted, with how to get these."""
    yield from _shapes(subject)
    yield from _first_run(subject)
    yield from _traced_copies(subject)
    yield from (text for text in _sums(subject) if ": measure with" in text)


# ---- what the engine is --------------------------------------------------------------------------


def _identity(subject: Subject) -> str:
    engine, costs, device = subject.engine, subject.costs, subject.facts.device
    allowed, took = subject.facts.precisions, times.gpu_compute(costs)
    # trtexec means TF32 by FP32, too.
    tf32 = " (TF32 kernels)" if any(precisions.of(la).tf32 for la in subject.layers) else ""
    words = (
        base_name(trtexec.option(subject.facts, "Model", "Model")),
        (device.name or _CAPABILITY.format(device.compute_capability)) if device else "",
        versions.called(engine.tensorrt) if engine.tensorrt else "",
        f"optimisation profile {costs.profile}" if len(costs.profiles) > 1 else "",
        # Kernels of a trace stand for no layers.
        times.launches(costs) if times.is_trace(costs) else _layers(costs),
        f"{milliseconds(took)} of GPU time an inference" if took else "",
        _time_of_layers(costs),
        f"allowed: {' + '.join(allowed)}{tf32}" if allowed else "",
    )
    return " · ".join(filter(None, words))


def _layers(costs: Costs) -> str:
    """Returns `435 layers, times alone`; of an optimisation profile `8 of 16 layers`.

    Of estimates it says how many run no kernel: these are not among the timed.
    """
    source, every = costs.engine.source, count(len(costs.engine.layers), "layer")
    of = f"{len(costs.layers):,} of " if len(costs.profiles) > 1 else ""
    alone = ", times alone" if source.state == "times" else ""
    return f"{of}{every}{times.idle_layers(costs)}{alone}"


def _time_of_layers(costs: Costs) -> str:
    if times.is_trace(costs) and costs.sum_of_runs is not None:
        return f"{milliseconds(costs.sum_of_runs)} in all that was traced ({times.how(costs)})"
    why = times.why_untimed(costs)
    timed = f"{times.of_layers(costs)} timed{f': {why}; ' if why else ', '}{times.how(costs)}"
    if costs.sum_of_runs is not None:
        return f"{milliseconds(costs.sum_of_runs)} in layers ({timed})"
    if costs.whole is None:
        return why if why and costs.kind == "measured" else "no times of layers"
    own = costs.total if costs.rest else costs.whole
    return f"{milliseconds(own or 0.0)} in layers ({timed})"


# ---- what the build did --------------------------------------------------------------------------


def misread(subject: Subject) -> Iterator[str]:
    """Yields that trtexec read a size in another unit than was meant."""
    asked = _MIB.search(subject.facts.command or "")
    if asked is not None and _LESS.search(trtexec.option(subject.facts, "Memory Pools")):
        mib = int(asked[2]) << (10 if asked[3] == "G" else 0)
        yield (
            f"trtexec read {asked[1]} as {asked[2]} bytes: build again with workspace:{mib}, "
            "which is in MiB."
        )


def _build(subject: Subject) -> Iterator[str]:
    """Yields what is missing: a calibration, layers of the listing, layers for rows of times."""
    is_int8 = any(subject.dtype(layer) == "Int8" for layer in subject.layers)
    is_same = is_int8 and trtexec.option(subject.facts, "Calibration", "Build") == "Dynamic"
    if is_same and any(subject.said(_NO_CALIBRATOR, building=True)):
        yield (
            "All tensors have one range, as no calibration was given: the times are valid, the "
            "results are not."
        )
    if not subject.engine.source.complete:
        is_cut = subject.engine.source.state == "cut"
        what = "The listing is cut" if is_cut else "This is a part of a listing"
        yield f"{what}: the findings are about the layers that it has."
        yield from unlisted(subject)
    if torn := kinds.unread(subject.engine.layers):
        yield f"{count(torn, 'record')} of the listing could not be read: edges are missing."
    join, whole = subject.engine.profile, subject.costs.whole
    rows = join.longest_left if join is not None and whole else ()
    parts = ((abridged(name, _LONGEST_NAME), ms / (whole or 1.0)) for ms, name in rows)
    costly = [f"`{name}` ({percent(part)})" for name, part in parts if part >= 0.1]
    if costly and all(waits_for_dla(name) for ms, name in rows if ms >= 0.1 * (whole or 1.0)):
        yield f"No layer is listed for {', '.join(costly)}: the time holds a wait for the DLA."
    elif costly:
        export = ", or add `trtexec --exportLayerInfo`" * subject.can_add("--exportLayerInfo")
        yield f"No layer is listed for {', '.join(costly)}: keep the whole log{export}."


# ---- what spoils the times -----------------------------------------------------------------------


def _warned(subject: Subject) -> Iterator[str]:
    for words, told in _WARNED.items():
        is_of_build = words is _WEAK  # behind the listing, the next build may say it
        if any(subject.said(words, building=is_of_build)):
            yield told


def _shapes(subject: Subject) -> Iterator[str]:
    if taken := dict.fromkeys(match[1] for _, match in subject.said(_SHAPES)):
        yield (
            f"trtexec chose the shapes ({', '.join(taken)}), as none were given: "
            "measure with --shapes."
        )


def _unsteady(subject: Subject) -> Iterator[str]:
    """Yields that runs, or the halves of all, took different times."""
    performance, row = subject.performance, subject.performance.gpu_compute
    first, second = performance.halves_ms or (0.0, 0.0)
    # What trtexec itself warns of the last run stands behind the run's summary.
    said, summary = subject.said(_UNSTABLE), performance.line or 0
    varied = [float(match[1]) for message, match in said if message.line >= summary]
    if abs(second - first) > 0.05 * first:  # runs on a quiet GPU have up to 0.011
        yield (
            f"GPU time went from {milliseconds(first)} to {milliseconds(second)} within the run: "
            "lock the GPU's clocks, and run nothing else on it."
        )
    elif varied and varied[0] > 2.5:  # per cent
        can_spin = trtexec.would_change(subject.engine, "--useSpinWait")
        clocks = f"its clocks{', add --useSpinWait' if can_spin else ''}"
        yield f"The GPU's time varies by {varied[0]:.3g} % from run to run: lock {clocks}."
    elif row is not None and row.mean and row.median:
        slow = dict(row.percentiles).get(99.0) or 0.0
        is_slow = slow > 2 * row.median  # the GPU has other work, or slows
        if is_slow or row.mean > 1.1 * row.median:  # it was slower for a part of the runs
            mean, median = milliseconds(row.mean), milliseconds(row.median)
            tail = f", slowest 1 % above {milliseconds(slow)}" if is_slow else ""
            yield f"Mean {mean}, median {median}{tail}: something else may use the GPU."


def _sums(subject: Subject) -> Iterator[str]:
    row, whole = subject.performance.gpu_compute, subject.costs.whole
    if row is None or whole is None or subject.costs.kind != "measured":
        return
    took = [ms for ms in (row.mean, row.median) if ms]
    if not took or any(abs(whole - ms) <= 0.2 * ms for ms in took):
        return
    cure = "--separateProfileRun"
    cure = cure if trtexec.would_change(subject.engine, cure) else ""
    sums = f"The layers sum to {milliseconds(whole)}"
    if (held := times.held_in_one(subject.costs)) is None:
        far = f"{percent(abs(whole / took[0] - 1))} {'more' if whole > took[0] else 'less'}"
        yield f"{sums}, {far} than an inference{cure and ': measure with '}{cure}."
        return
    warm_up = f"a longer {'--warmUp' if subject.can_add('--warmUp') else 'warm-up'}"
    yield (
        f"Layer {held.layer.index} `{abridged(held.layer.name, _LONGEST_NAME)}` may count its "
        f"first run: measure with {' and '.join(filter(None, (cure, warm_up)))}."
    )
    yield f"{sums}, {milliseconds(held.ms)} more than an inference. This is left out below."


def _first_run(subject: Subject) -> Iterator[str]:
    if (layer := times.first_run(subject.costs)) is not None:
        name = abridged(layer.name, _LONGEST_NAME)
        yield (
            f"Profile more runs after a warm-up: layer {layer.index} `{name}` has the start-up of "
            "the only run."
        )


# ---- what else takes time, or is asked for -------------------------------------------------------


def copied(subject: Subject) -> list[tuple[float, str]]:
    """Returns what copying inputs and outputs may cost, as a part of an inference, in words."""
    performance, compute = subject.performance, subject.performance.gpu_compute
    # Where the GPU computes nearly all the time, copies of other inferences run beside it.
    busy = (performance.throughput_qps or 0.0) * ((compute and compute.mean) or 0.0) / 1e3
    is_hidden = busy >= 0.95
    of_each = {what: trtexec.part_of_computing(subject.facts, row) for row, what in _COPIES}
    long = {what: part for what, part in of_each.items() if part and part >= 0.1}
    if not long:
        return []
    parts, ends = sum(long.values()), " and ".join(long)
    long_as = f"{percent(parts)} as long as" if parts < 1 else f"{parts:.3g} times as long as"
    counts = " (of the latency only)" if is_hidden else ""
    text = f"Copying {ends} takes {long_as} computing{counts}: keep them on the GPU."
    return [(parts * (0.2 if is_hidden else 1.0), text)]


def _traced_copies(subject: Subject) -> Iterator[str]:
    copies = [layer for layer in subject.layers if _TO_GPU.fullmatch(layer.name)]
    part = subject.costs.part(copies) if subject.costs.is_sum and copies else None
    if part is not None and part >= 0.25:
        yield (
            f"Copying to the GPU is {percent(part)} of what was traced: trace inferences alone "
            "(nsys profile --capture-range=cudaProfilerApi)."
        )


def names_alone(subject: Subject) -> Iterator[str]:
    """Yields that a listing has names alone."""
    known = any(
        layer.tactic is not None
        or layer.raw is not None
        or any(tensor.dtype is not None for tensor in (*layer.inputs, *layer.outputs))
        for layer in subject.layers
    )
    if subject.layers and not known and subject.engine.source.state != "times":
        yield (
            "The listing has names of layers alone, no types and no tactics: build with "
            "--profilingVerbosity=detailed."
        )


def unnamed(subject: Subject) -> Iterator[str]:
    """Yields which type may be faster than Float, where nothing names the GPU."""
    if not (number := subject.in_inference.once(waiting)):
        return
    what = count(number, "convolution or product computes", "convolutions and products compute")
    if subject.is_before_volta:
        yield f"Try INT8, on a Jetson FP16: {what} in Float, with kernels for GPUs before Volta."
    else:
        yield f"Try FP16 on a GPU with tensor cores (see `--device`), else INT8: {what} in Float."
