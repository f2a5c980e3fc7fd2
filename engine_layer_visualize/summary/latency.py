"""The sum of the layers against the end-to-end latency.

takes: an `Engine`
gives: both, where the log or the profile has them, and what their difference is made of
never: compares an estimate with a measurement without saying so
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from engine_layer_visualize import measures
from engine_layer_visualize.model import Engine, JsonValue
from engine_layer_visualize.summary.page import (
    Advice,
    Block,
    Grid,
    Heading,
    Text,
    ms,
    rows_of,
    word,
)
from engine_layer_visualize.summary.runs import no_latency


def collect(engine: Engine, top: int) -> JsonValue:
    facts = engine.facts
    performance = facts.performance if facts is not None else None
    source = measures.source(engine)
    total = measures.total(engine.layers, source)
    compute = performance.gpu_compute if performance is not None else None
    mean = compute.mean if compute is not None else None
    return {
        "layers_ms": total,
        "times": source,
        "throughput_qps": performance.throughput_qps if performance is not None else None,
        "measures": [asdict(row) for row in performance.measures] if performance else [],
        "gpu_compute_ms": mean,
        "advice": None if performance else no_latency(facts.options if facts is not None else ()),
        "difference_ms": total - mean if total is not None and mean is not None else None,
    }


def page(data: JsonValue) -> Iterator[Block]:
    assert isinstance(data, dict)
    rows = rows_of(data["measures"])
    yield Heading("Layers against the whole")
    if data["layers_ms"] is None and not rows:
        yield Advice(
            f"{word(data['advice'])} trtexec writes the layers' times with "
            "`--exportProfile=prof.json --separateProfileRun`."
        )
        return
    if data["layers_ms"] is not None:
        kind = "" if data["times"] == "measured" else ", by the builder's estimates"
        yield Text(f"The layers sum to {ms(data['layers_ms'])}{kind}." + _compared(data))
    if rows:
        throughput = data["throughput_qps"]
        yield Grid(
            ("trtexec's summary", ">mean", ">median", ">min", ">max"),
            tuple(
                (str(row["name"]), *(ms(row[key]) for key in ("mean", "median", "min", "max")))
                for row in rows
            ),
        )
        if throughput is not None:
            yield Text(f"Throughput: {throughput:g} queries per second.")
    else:
        yield Advice(word(data["advice"]))


def _compared(data: dict[str, JsonValue]) -> str:
    difference, compute = data["difference_ms"], data["gpu_compute_ms"]
    if not isinstance(difference, float) or not isinstance(compute, float) or not compute:
        return ""
    more = "more" if difference > 0 else "less"
    if data["times"] != "measured":
        why = "an estimate is made layer by layer, in other company and at other clocks"
    elif difference > 0:
        why = "profiling adds a gap after each layer, and keeps layers from overlapping"
    else:
        why = "gaps between the layers, and what the profile leaves out, make up the rest"
    share = abs(difference) / compute * 100
    return f" GPU compute takes {ms(compute)}; the layers are {share:.0f} % {more}: {why}."
