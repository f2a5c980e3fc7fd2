"""Reports the slowest layers, the latency, and the shares of types and precisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import waits_for_dla
from engine_layer_visualize.analysis.labels import headline
from engine_layer_visualize.analysis.precisions import of as precision
from engine_layer_visualize.analysis.times import Row, by_precision, by_type, is_unsteady
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.model import Engine, JsonValue, Layer, Timing
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.words import Name, Words, joined
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.facts.field import picked, plain
from engine_layer_visualize.reports import rows as cells
from engine_layer_visualize.reports.rows import grid, identity, ms, no_latency, no_times, part, word

# ---- reports the slowest layers: time, share, precision, dims, kernel, builder's estimate -------

_UNSTABLE = "unstable"  # in trtexec's own warning


def collect(costs: Costs, top: int) -> JsonValue:
    """The `top` slowest layers."""
    return [row(layer, costs) for layer in costs.ranking[:top]]


def row(layer: Layer, costs: Costs) -> dict[str, JsonValue]:
    """The data of one layer."""
    facts, time = layer.facts, layer.time
    measured = time is not None and costs.kind == "measured"
    return {
        **identity(layer),
        "type": layer.type,
        "operators": headline(layer),
        "precision": precisions.precision_of(layer),
        "kernel": layer.kernel or _launched(time),
        "inputs": precisions.dims(layer.inputs),
        "outputs": precisions.dims(layer.outputs),
        "ms": costs.of(layer),
        "share": costs.share(layer),
        "mean_ms": time.average_ms if time is not None and measured else None,
        "median_ms": time.median_ms if time is not None and measured else None,
        "build_ms": facts.build_ms if facts is not None else None,
    }


def _launched(time: Timing | None) -> str | None:
    """The kernel that takes most of a layer's time, where a report tells."""
    kernels = time.kernels if time is not None else ()
    return max(kernels, key=lambda kernel: kernel.average_ms).name if kernels else None


def blocks(rows: list[page.Data], engine: page.Data) -> Iterator[page.Block]:
    """The section as blocks of a page."""
    if not rows:
        yield page.Heading("Slowest layers: no times")
        yield page.Advice(no_times(engine))
        return
    yield page.Heading("Slowest layers" if engine["ranked"] else "Timed layers, the longest first")
    if not engine["ranked"]:
        what = "a layer without a time" if engine["untimed"] else "a row without a layer"
        if engine["untimed"] or engine["rest_words"]:
            yield page.Paragraph(f"{engine['coverage']}: {what} may be slower.")
    yield from _steadiness(rows, engine)
    yield table(rows, engine)


def table(rows: Sequence[page.Data], engine: page.Data) -> page.Grid:
    """The rows as a table."""
    estimates = any(row["build_ms"] is not None and row["build_ms"] != row["ms"] for row in rows)
    other = "median" if engine["statistic"] == "mean" else "mean"
    return grid(
        rows,
        [
            (">time", ms("ms")) if any(row["ms"] is not None for row in rows) else None,
            (f">{other}", ms(f"{other}_ms")) if any(map(_is_unsteady, rows)) else None,
            (f">share {engine['share_of']}".rstrip(), part("share")),
            ("layer", cells.cells_layer("operators")),
            ("precision", word("precision")),
            ("dims", lambda row: f"{page.shapes(row['inputs'])} → {page.shapes(row['outputs'])}"),
            ("kernel", lambda row: page.called(None if _is_kernel(row) else row["kernel"])),
            (">builder's estimate", ms("build_ms")) if estimates else None,
        ],
    )


def _is_kernel(row: page.Data) -> bool:
    """Whether the layer bears its kernel's name, as where a trace of the GPU is all there is."""
    return bool(row["kernel"] == row["name"])


def _is_unsteady(row: page.Data) -> bool:
    return is_unsteady(row["mean_ms"], row["median_ms"])


def _steadiness(rows: Sequence[page.Data], engine: page.Data) -> Iterator[page.Block]:
    """Warnings about times that were not steady."""
    apart = list(filter(_is_unsteady, rows))
    if apart:
        other = "--time median" if engine["statistic"] == "mean" else "--time mean"
        numbers = ", ".join(str(row["index"]) for row in apart)
        which = "layer" if len(apart) == 1 else "layers"
        yield page.Paragraph(
            f"Mean and median differ by more than 10 % for {count(len(apart), 'layer')} of "
            f"these ({which} {numbers}): the run was not steady. `{other}` ranks by the other."
        )
    for words in engine["unstable"]:
        yield page.Paragraph(f"trtexec warns: {words}")


def unstable(costs: Costs) -> list[str]:
    """Warnings by trtexec itself that its times are not steady."""
    facts = costs.engine.facts
    messages = facts.messages if facts is not None else ()
    return list(dict.fromkeys(m.text.lstrip("* ") for m in messages if _UNSTABLE in m.text))


# ---- reports the sum of the layers' times, and trtexec's end-to-end latency ---------------------


def latency_collect(costs: Costs, top: int) -> JsonValue:
    """The sum of the layers' times, and trtexec's measurements."""
    facts = costs.engine.facts or EngineFacts()
    performance, whole = facts.performance, costs.whole
    compute = performance.gpu_compute if performance is not None else None
    mean = compute.mean if compute is not None else None
    return {
        "layers_ms": costs.shown_total,
        "of_profile_ms": whole if costs.kind == "measured" else None,
        "times": costs.kind,
        "throughput_qps": performance.throughput_qps if performance is not None else None,
        "measures": plain(performance.measures) if performance else [],
        "gpu_compute_ms": mean,
        "gpu_compute_median_ms": compute.median if compute is not None else None,
        "advice": None if performance else _no_latency(costs.engine, facts),
        "difference_ms": whole - mean if whole is not None and mean is not None else None,
        "runs": [
            {"loaded": run.engine, **picked(run.performance, "line", "throughput_qps", "measures")}
            for run in facts.runs
        ],
    }


def _no_latency(engine: Engine, facts: EngineFacts) -> str:
    profile = engine.profile
    return no_latency(facts.options, profile is not None and profile.file == engine.source.file)


def latency_blocks(data: page.Data, engine: page.Data) -> Iterator[page.Block]:
    """The section as blocks of a page."""
    rows = page.rows_of(data["measures"])
    yield page.Heading("Sum of the layers, and end-to-end latency")
    if data["layers_ms"] is None and not rows:
        yield page.Advice(page.word(data["advice"]))
        return
    if data["layers_ms"] is not None:
        kind = "" if data["times"] == "measured" else " by the builder's estimates"
        whole = engine["coverage_ratio"] == 1.0
        part = "The layers sum to" if whole else "What was timed sums to"
        covered = "" if whole else f"{engine['coverage']}. "
        yield page.Paragraph(
            f"{covered}{part} {page.ms(data['layers_ms'])}{kind}." + _compared(data, engine)
        )
    if rows:
        measures = ((f">{key}", ms(key)) for key in ("mean", "median", "min", "max"))
        yield grid(rows, [("trtexec's summary", word("name")), *measures])
        if data["throughput_qps"] is not None:
            yield page.Paragraph(f"Throughput: {data['throughput_qps']:g} queries per second.")
        if len(runs := page.rows_of(data["runs"])) > 1:
            yield page.Paragraph(
                f"The log has {len(runs)} runs of this engine; this is the last of them."
            )
    else:
        yield page.Advice(page.word(data["advice"]))


def _compared(data: page.Data, engine: page.Data) -> str:
    """How the sum differs from the GPU compute time; empty where one is unknown."""
    difference, compute = data["difference_ms"], data["gpu_compute_ms"]
    median, whole = data["gpu_compute_median_ms"], data["layers_ms"]
    if difference is None or not compute:
        return ""
    words = f" GPU compute takes {page.ms(compute)} on average"
    if is_unsteady(compute, median):
        words += f", {page.ms(median)} by its median: "
        words += "they differ by more than 10 %, the run was unsteady"
    if not engine["ranked"] and data["times"] != "measured":
        return f"{words}; too little is timed to compare the two."
    profiled = data["of_profile_ms"]
    if profiled is not None and profiled != whole:
        words += f"; all rows of the profile take {page.ms(profiled)}"
    more = "more" if difference > 0 else "less"
    if data["times"] != "measured":
        why = ": the builder times each layer by itself"
    elif difference > 0:
        why = ""  # profiling, or a slow first run that the profile has and the queries have not
    else:
        why = ": gaps between the layers, and what the profile leaves out, make up the rest"
    share = abs(difference) / compute * 100
    return (
        f"{words}; {'the estimates are' if data['times'] != 'measured' else 'the profile is'} "
        + (f"{share:.0f} % {more}{why}.")
    )


# ---- reports layers, time and share by layer type and by precision, the slowest first -----------


_SHOWN: Final = 4  # types, or precisions, of a line; the rest is counted


def shares_types(costs: Costs, top: int) -> JsonValue:
    """A row for each type, with the slowest of all layers that wait for the DLA, if it is one."""
    slowest = next(filter(waits_for_dla, costs.ranking), None)
    waits = {slowest.type or None: slowest.name} if slowest is not None else {}
    rows = by_type(costs)
    made = page.rows_of(_data("type", rows))
    return [{**data, "waits": waits.get(row.name)} for row, data in zip(rows, made)]


def shares_precisions(costs: Costs, top: int) -> JsonValue:
    """A row for each precision, with the number of its layers that multiply in TF32."""
    rows = page.rows_of(_data("precision", by_precision(costs)))
    used = Counter(known.dtype for la in costs.layers if (known := precision(la)).tf32)
    return [{**row, "tf32": used[str(row["precision"])]} for row in rows]


def types_blocks(data: list[page.Data], engine: page.Data) -> Iterator[page.Block]:
    """The line on types, and what to know of it, as blocks of a page."""
    yield from _line("By layer type", "type", data, engine)
    for row in data:
        if row["waits"]:
            holds = (
                " holds a wait for the DLA: it is not that of copying alone, nor is the DLA's own"
            )
            yield page.Paragraph(("The time of ", Name(row["waits"]), holds, " all that it took."))


def precisions_blocks(data: list[page.Data], engine: page.Data) -> Iterator[page.Block]:
    """The line on precisions, and what to know of it, as blocks of a page."""
    yield from _line("By precision", "precision", data, engine)
    for row in data:
        if row["tf32"]:
            verb = "multiplies" if row["tf32"] == 1 else "multiply"
            of_all = f"{row['tf32']} of the {row['layers']} {row['precision']} layers"
            yield page.Paragraph(f"{of_all} {verb} in TF32.")


def _data(key: str, rows: Iterable[Row]) -> list[JsonValue]:
    return [{key: row.name, **picked(row, "layers", "timed", "ms", "share")} for row in rows]


def _line(title: str, key: str, rows: list[page.Data], engine: page.Data) -> Iterator[page.Block]:
    """`By precision: Int8 2.1 ms (80.8 %), Float 0.4 ms (15.4 %)`; untimed: how many layers."""
    if not rows:
        return
    timed = any(row["share"] is not None for row in rows)
    of = f", shares {engine['share_of']}" if timed and engine["share_of"] else ""
    shown = [_words(row, key) for row in rows[:_SHOWN]]
    more = len(rows) - len(shown)
    rest = f" and {more} more" if more else ""
    yield page.Paragraph((f"{title}{of}: ", *joined(", ", shown), f"{rest}."))


def _words(row: page.Data, key: str) -> Words:
    name = page.called(row[key] or "unknown")
    if row["ms"] is None:
        return joined(" ", [f"{row['layers']:,}", name])
    share = "" if row["share"] is None else f" ({page.part(row['share'])})"
    return joined(" ", [name, f"{page.ms(row['ms'])}{share}"])
