"""The slowest layers.

takes: an `Engine`
gives: a row for each of the slowest: kernel, precision, dims, time, share, the builder's estimate
never: ranks by an estimate where there is a measurement
"""

from __future__ import annotations

from collections.abc import Iterator

from engine_layer_visualize import measures
from engine_layer_visualize.model import Engine, JsonValue, Layer
from engine_layer_visualize.style import headline
from engine_layer_visualize.summary.page import (
    Advice,
    Block,
    Grid,
    Heading,
    called,
    ms,
    of_layer,
    part,
    rows_of,
    word,
)

UNTIMED = (
    "No times: run `trtexec --loadEngine=… --exportProfile=prof.json --separateProfileRun` and add "
    "`--profile_file prof.json`; a log with VERBOSE autotuning lines gives estimates instead."
)


def collect(engine: Engine, top: int) -> JsonValue:
    source = measures.source(engine)
    whole = measures.total(engine.layers, source)
    timed = [layer for layer in engine.layers if measures.cost(layer, source) is not None]
    timed.sort(key=lambda layer: -(measures.cost(layer, source) or 0.0))
    return [row(layer, measures.cost(layer, source), whole) for layer in timed[:top]]


def row(layer: Layer, took: float | None, whole: float | None) -> dict[str, JsonValue]:
    """What a table says of one layer."""
    facts = layer.facts
    return {
        "index": layer.index,
        "line": layer.place.line,
        "name": layer.name,
        "type": layer.type,
        "operators": headline(layer),
        "precision": measures.precision_of(layer),
        "kernel": layer.kernel or (facts.kernel if facts is not None else None),
        "inputs": measures.dims(layer.inputs),
        "outputs": measures.dims(layer.outputs),
        "ms": took,
        "share": measures.share(took, whole),
        "build_ms": facts.build_ms if facts is not None else None,
    }


def page(data: JsonValue) -> Iterator[Block]:
    rows = rows_of(data)
    yield Heading("Slowest layers")
    if not rows:
        yield Advice(UNTIMED)
        return
    measured = any(r["build_ms"] is not None and r["build_ms"] != r["ms"] for r in rows)
    head = (">time", ">share", "layer", "precision", "dims", "kernel")
    yield Grid(
        (*head, ">builder's estimate") if measured else head,
        tuple(
            (
                ms(r["ms"]),
                part(r["share"]),
                of_layer(r, "operators"),
                word(r["precision"]),
                f"{r['inputs'] or '–'} → {r['outputs'] or '–'}",
                called(r["kernel"]),
                *([ms(r["build_ms"])] if measured else []),
            )
            for r in rows
        ),
    )
