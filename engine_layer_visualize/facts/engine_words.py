"""Makes the values and words of an engine's fields, and the names of its files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import PurePath
from typing import Any, TypeVar

from engine_layer_visualize.analysis import origin
from engine_layer_visualize.analysis.kinds import is_dla_copy
from engine_layer_visualize.analysis.sizes import InputShape
from engine_layer_visualize.analysis.work import LayerWork
from engine_layer_visualize.core.build_info import DlaUse, Performance, Run, Unjoined
from engine_layer_visualize.core.model import Engine, Layer, Listing
from engine_layer_visualize.core.options import Peak
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.text import base_name, milliseconds, percent
from engine_layer_visualize.core.words import Name, Words, first_of
from engine_layer_visualize.facts.field import picked
from engine_layer_visualize.linting.subject import Subject


def dla(subject: Subject, engine: Engine) -> dict[str, Any] | None:
    """What runs on the DLA, with the time of the copies to it and back."""
    copies = [layer for layer in engine.layers if is_dla_copy(layer)]
    known = engine.known.dla
    if known is None and not copies:
        return None
    ms = subject.costs.sum(copies) if copies else None
    used = known._asdict() if known is not None else dict.fromkeys(DlaUse._fields)
    return {**used, "copies_ms": ms}


def listings(several: Iterable[Listing]) -> list[dict[str, Any]]:
    """Listings without the file, which is the engine's."""
    names = ("dialect", "first_line", "last_line", "state")
    return [picked(listing, *names) for listing in several]


def performance(run: Performance) -> dict[str, Any]:
    """A run, with percentiles by their share."""
    names = ("throughput_qps", "host_walltime_s", "gpu_compute_s", "halves_ms", "line")
    measures = [
        {**row._asdict(), "percentiles": {str(share): ms for share, ms in row.percentiles}}
        for row in run.measures
    ]
    return {**picked(run, *names), "measures": measures}


def runs(several: Iterable[Run]) -> list[dict[str, Any]]:
    """Runs, with the file that each loaded."""
    return [{"loaded": run.engine, "performance": performance(run.performance)} for run in several]


def unjoined(several: Iterable[Unjoined]) -> list[dict[str, Any]]:
    """Kinds of lines that found no layer, with samples."""
    return [
        {
            **picked(kind, "kind", "reason", "count"),
            "samples": [{"line": line, "text": text} for line, text in kind.samples],
        }
        for kind in several
    ]


def in_several_layers(_: Subject, engine: Engine) -> list[dict[str, Any]]:
    """Nodes of the model with the indices of the layers that name them; none of another network."""
    known = origin.of_engine(engine)
    if engine.onnx is None or known is None:
        return []
    nodes = engine.onnx.model.nodes
    return [{"node": nodes[n].name, "layers": layers} for n, layers in known.shared.items()]


def in_no_layer(_: Subject, engine: Engine) -> list[dict[str, Any]] | None:
    """Nodes of the model that no layer names; None where they are not known."""
    known = origin.of_engine(engine)
    if known is None or known.left is None:
        return None
    return [{"node": node.name, "operator": node.proto.op_type} for node in known.left]


# ---- names of files, as outputs show them: their folders say where the author works --------------

AnyEngine = TypeVar("AnyEngine", bound=Engine)


def with_shown_files(engine: AnyEngine, full_paths: bool) -> AnyEngine:
    """The engine with the names of its files as an output shows them."""
    return engine if full_paths else renamed_files(engine, base_name)


def tails(paths: Sequence[str]) -> list[tuple[str, ...]]:
    """The names of files without folders, but for those that tell one from another."""
    every = [
        ("stdin",) if path == "-" else PurePath(os.path.abspath(path).replace("\\", "/")).parts
        for path in paths
    ]

    def tail(parts: tuple[str, ...]) -> tuple[str, ...]:
        others = [other for other in every if other != parts]
        depths = range(1, len(parts))
        alone = (n for n in depths if all(other[-n:] != parts[-n:] for other in others))
        return parts[-next(alone, len(parts)) :]

    return list(map(tail, every))


def renamed_files(engine: AnyEngine, name: Callable[[str], str]) -> AnyEngine:
    """The engine with other names of its files: of the log, and of the profile."""
    join = engine.profile
    return replace(
        engine,
        source=replace(engine.source, file=name(engine.source.file)),
        also=tuple(replace(other, file=name(other.file)) for other in engine.also),
        profile=join and replace(join, file=name(join.file)),
        onnx=engine.onnx and engine.onnx._replace(file=name(engine.onnx.file)),
        problems=tuple(renamed_file(problem, name) for problem in engine.problems),
    )


def renamed_file(problem: Problem, name: Callable[[str], str]) -> Problem:
    """The problem with another name of its file."""
    return replace(problem, place=replace(problem.place, file=name(problem.place.file)))


# ---- what a layer computes and moves, and what the device can do ---------------------------------


def at_best(subject: Subject, layer: Layer) -> str:
    """How far a layer's time is from what no kernel beats; empty where that is not known."""
    work = subject.work.of(layer)
    if not work.bound_ms:
        return ""
    best = f"{milliseconds(work.bound_ms)}, {bound_by(work)}"
    if work.efficiency is not None and work.above_ms is not None:
        what = "its time" if subject.costs.kind == "measured" else "the builder's estimate"
        best += f"; {what} is {milliseconds(work.above_ms)} longer, {efficiency(work.efficiency)}"
    return best


def shapes_of(inputs: Sequence[InputShape], of_times: bool) -> tuple[str | Name, ...]:
    """For which shapes of inputs numbers are, as a sentence; nothing where none varies."""
    if not inputs:
        return ()
    each: list[Words] = [("`", Name(one.name), f"` {extents(one.shape)}") for one in inputs]
    head = " Input shapes vary: these numbers are for "
    return (head, *first_of(each, noun="input"), "." if of_times else ", as in a run.")


def extents(shape: Iterable[int]) -> str:
    """A shape, such as `4×1×28×28`."""
    return "×".join(map(str, shape))


def bound_by(work: LayerWork) -> str:
    """What a layer is bound by, such as `compute-bound`.

    A layer below 5 µs is bound by its launch, whatever its work.
    """
    words = f"{work.bound_by}-bound" + (f" ({work.assumes})" if work.assumes else "")
    return f"{words} (or in the L2 cache)" if work.in_l2 and work.bound_by == "memory" else words


def efficiency(value: float) -> str:
    """The bound as a part of the time, such as `efficiency 60.0 %`."""
    return f"efficiency {percent(value)}"


def intensity(value: float) -> str:
    """The FLOP for each byte, such as `94 FLOP per byte`."""
    return f"{value:,.0f} FLOP per byte" if value >= 9.95 else f"{value:.1f} FLOP per byte"


def peaks(peak: Peak) -> str:
    """The figures of a device: `FP32 29.8, TF32 59.5 TFLOPS, INT8 238 TOPS, 760 GB/s`."""
    parts = []
    for unit, several in groupby(peak.tflops, key=lambda figure: unit_of(figure[:1])):
        figures = ", ".join(f"{peak_name(key)} {_figure(value)}" for key, value in several)
        parts.append(f"{figures} T{unit}S")
    if peak.bandwidth is not None:
        parts.append(f"{peak.bandwidth:,.0f} GB/s")
    return ", ".join(parts)


def device(peak: Peak) -> str:
    """What a device can do, and where that is known from."""
    figures = peaks(peak)
    parts = [f"{figures} (dense, maximum clock)"] if figures else []
    if peak.given:
        parts.append(f"{', '.join(peak.given)} by `--peak`")
    if peak.unverified:
        parts.append(
            f"{', '.join(map(peak_name, peak.unverified))} not checked against a datasheet"
        )
    return ": ".join(filter(None, (peak.device, "; ".join(parts))))


def unit_of(keys: Iterable[str]) -> str:
    """The unit of peaks: integers are no floating-point numbers."""
    return "OP" if all(key.startswith("int") for key in keys) else "FLOP"


_NAMES = {"fp16_fp32": "FP16 with FP32 accumulation", "fp8_fp32": "FP8 with FP32 accumulation"}


def peak_name(key: str) -> str:
    """The name of a peak, such as `FP16`."""
    return _NAMES.get(key, key.upper())


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 99.95 else f"{value:.1f}"
