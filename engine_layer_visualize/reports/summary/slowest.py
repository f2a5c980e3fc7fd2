"""The section on the slowest layers: time, share, precision, dims, kernel, builder's estimate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine_layer_visualize.analysis import measures
from engine_layer_visualize.analysis.costs import Costs, is_unsteady
from engine_layer_visualize.analysis.layer_labels import headline
from engine_layer_visualize.core.model import JsonValue, Layer, Timing
from engine_layer_visualize.core.text import count
from engine_layer_visualize.documents import blocks as page
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
        "index": layer.index,
        "line": layer.place.line,
        "name": layer.name,
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
    found = time.kernels if time is not None else ()
    return max(found, key=lambda one: one.average_ms).name if found else None


def blocks(data: JsonValue, engine: page.Data) -> Iterator[page.Block]:
    rows = page.rows_of(data)
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
    estimates = any(r["build_ms"] is not None and r["build_ms"] != r["ms"] for r in rows)
    share = " ".join(filter(None, (">share", str(engine["share_of"] or ""))))
    median = ">median" if engine["statistic"] == "mean" else ">mean"
    unsteady = any(is_unsteady(_number(r["mean_ms"]), _number(r["median_ms"])) for r in rows)
    other = "median_ms" if engine["statistic"] == "mean" else "mean_ms"
    known = any(r["ms"] is not None for r in rows)
    head = (*([">time"] if known else []), *([median] if unsteady else []), share)
    head += ("layer", "precision", "dims", "kernel", *([">builder's estimate"] * estimates))
    return page.Grid(
        head,
        tuple(
            (
                *([page.ms(r["ms"])] if known else []),
                *([page.ms(r[other])] if unsteady else []),
                page.part(r["share"]),
                page.of_layer(r, "operators"),
                page.word(r["precision"]),
                f"{page.shapes(r['inputs'])} → {page.shapes(r['outputs'])}",
                page.called(r["kernel"]),
                *([page.ms(r["build_ms"])] if estimates else []),
            )
            for r in rows
        ),
    )


def _steadiness(rows: Sequence[page.Data], engine: page.Data) -> Iterator[page.Block]:
    """Warnings about times that were not steady."""
    apart = [r for r in rows if is_unsteady(_number(r["mean_ms"]), _number(r["median_ms"]))]
    if apart:
        other = "--time median" if engine["statistic"] == "mean" else "--time mean"
        numbers = ", ".join(str(r["index"]) for r in apart)
        which = "layer" if len(apart) == 1 else "layers"
        yield page.Paragraph(
            f"Mean and median differ by more than 10 % for {count(len(apart), 'layer')} of "
            f"these ({which} {numbers}): the run was not steady. `{other}` ranks by the other."
        )
    for words in engine["unstable"] if isinstance(engine["unstable"], list) else ():
        yield page.Paragraph(f"trtexec warns: {words}")


def unstable(costs: Costs) -> list[str]:
    """trtexec's own warnings that its times are not steady."""
    facts = costs.engine.facts
    messages = facts.messages if facts is not None else ()
    return list(dict.fromkeys(m.text.lstrip("* ") for m in messages if _UNSTABLE in m.text))


def _number(value: JsonValue) -> float | None:
    return value if isinstance(value, float) else None
