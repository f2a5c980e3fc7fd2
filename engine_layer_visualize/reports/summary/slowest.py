"""Reports the slowest layers: time, share, precision, dims, kernel, builder's estimate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine_layer_visualize.analysis import measures
from engine_layer_visualize.analysis.costs import Costs, is_unsteady
from engine_layer_visualize.analysis.layer_labels import headline
from engine_layer_visualize.core.model import JsonValue, Layer, Timing
from engine_layer_visualize.core.text import count
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.reports.summary import cells
from engine_layer_visualize.reports.summary.cells import grid, identity, ms, part, word
from engine_layer_visualize.reports.summary.runs import no_times

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
        "precision": measures.precision_of(layer),
        "kernel": layer.kernel or _launched(time),
        "inputs": measures.dims(layer.inputs),
        "outputs": measures.dims(layer.outputs),
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
            ("layer", cells.layer("operators")),
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
