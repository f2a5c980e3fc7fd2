"""Reports the sum of the layers' times, and trtexec's end-to-end latency."""

from __future__ import annotations

from collections.abc import Iterator

from engine_layer_visualize.analysis.costs import Costs, is_unsteady
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.model import Engine, JsonValue
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.fields.objects import picked, plain
from engine_layer_visualize.reports.summary.cells import grid, ms, word
from engine_layer_visualize.reports.summary.runs import no_latency


def collect(costs: Costs, top: int) -> JsonValue:
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


def blocks(data: page.Data, engine: page.Data) -> Iterator[page.Block]:
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
