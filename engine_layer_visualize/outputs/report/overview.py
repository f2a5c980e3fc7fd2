"""The first section: an engine's time, size, device, build, inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterator

from engine_layer_visualize.analysis.breakdown import reformats
from engine_layer_visualize.analysis.costs import Costs, engine_time
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.text import count
from engine_layer_visualize.outputs.data.build_info_json import keyed, keyed_rows, of_time
from engine_layer_visualize.outputs.report import page
from engine_layer_visualize.outputs.report.slowest import unstable


def collect(costs: Costs, top: int) -> JsonValue:
    """What is known of the engine as a whole."""
    engine, now = costs.engine, costs.now
    facts = engine.facts or EngineFacts()
    attempts = [phase.seconds for phase in facts.phases if "ngine generation" in phase.name]
    return {
        "index": engine.index,
        "file": engine.source.file,
        "first_line": engine.source.first_line,
        "last_line": engine.source.last_line,
        "dialect": engine.dialect,
        "tensorrt": engine.tensorrt,
        "layers": len(engine.layers),
        "edges": len(engine.graph.between),
        "reformats": reformats(costs).layers,
        "inputs": list(engine.inputs),
        "outputs": list(engine.outputs),
        "time": of_time(engine_time(engine)),
        "optimization_profile": costs.profile,
        "statistic": costs.statistic,
        "statistic_words": costs.statistic_words,
        "times": costs.kind,
        "timed": now.timed,
        "total_ms": now.total_ms,
        "coverage": costs.coverage_words,
        "coverage_ratio": costs.coverage,
        "ranked": costs.ranked,
        "untimed": sum(costs.missing(layer) for layer in costs.layers),
        "share_of": costs.share_words,
        "rest_words": costs.rest_words,
        "unstable": list(unstable(costs)),
        "device": keyed(facts.device) if facts.device is not None else None,
        "precisions": list(facts.precisions),
        "options": keyed_rows(facts.options),
        "phases": keyed_rows(facts.phases),
        "attempts": len(attempts),
        "generation_s": sum(attempts) if attempts else None,
        "passes": keyed_rows(facts.passes),
    }


def blocks(data: JsonValue, engine: page.Data) -> Iterator[page.Block]:
    assert isinstance(data, dict)
    yield page.Heading(f"Engine {data['index']} of {data['file']}", level=1)
    yield page.Paragraph(" ".join(_time(data)))
    yield page.Paragraph(" ".join(_build(data)))


def _time(data: page.Data) -> Iterator[str]:
    time, number = data["time"], data["optimization_profile"]
    assert isinstance(time, dict)
    several = page.rows_of(time["by_optimization_profile"])
    total = page.ms(data["total_ms"])
    if len(several) > 1:
        yield f"{len(several)} optimisation profiles, of which one runs; of profile {number}:"
    if data["times"] == "measured":
        how = f" {data['statistic_words']}" if data["statistic_words"] else ""
        yield f"{data['coverage']}, {total} together{how}, measured."
    elif data["times"] == "estimated":
        yield f"{data['coverage']}, {total} together by the builder's own estimates;"
        yield "nothing is measured."
    else:
        yield f"{data['coverage']}: no times are known."
    if isinstance(rest := data["rest_words"], str) and rest:
        yield f"{rest}."


def _build(data: page.Data) -> Iterator[str]:
    layers, edges, reformats = data["layers"], data["edges"], data["reformats"]
    assert isinstance(layers, int) and isinstance(edges, int) and isinstance(reformats, int)
    version = f"TensorRT {data['tensorrt']}" if data["tensorrt"] else "TensorRT, version unknown"
    machine = _machine(data["device"])
    yield f"{version}{machine}: {count(layers, 'layer')}, {count(edges, 'edge')},"
    yield f"{count(reformats, 'reformat')}{_of_profile(data)};"
    yield f"{_names(data, 'inputs')} → {_names(data, 'outputs')}."
    allowed = data["precisions"]
    if isinstance(allowed, list) and allowed:
        yield f"The build allowed {', '.join(map(str, allowed))}."
    attempts = data["attempts"]
    if not isinstance(attempts, int) or not isinstance(took := data["generation_s"], float):
        return
    if attempts == 1:
        yield f"Engine generation took {took:.3g} s."
    else:
        each = [
            row["seconds"]
            for row in page.rows_of(data["phases"])
            if "ngine generation" in str(row["name"])
        ]
        shown = " + ".join(f"{s:.3g}" for s in each[:_SHOWN_ATTEMPTS] if isinstance(s, float))
        more = " + …" if len(each) > _SHOWN_ATTEMPTS else ""
        yield f"Engine generation took {attempts} attempts, {took:.3g} s in all ({shown}{more} s)."


_SHOWN_ATTEMPTS = 6


def _of_profile(data: page.Data) -> str:
    """` in optimisation profile 0`, where an engine has several."""
    time = data["time"]
    several = isinstance(time, dict) and len(page.rows_of(time["by_optimization_profile"])) > 1
    return f" in optimisation profile {data['optimization_profile']}" if several else ""


def _machine(device: JsonValue) -> str:
    if not isinstance(device, dict) or not device.get("name"):
        return ""
    details = [f"{device['sms']} SMs"] if device.get("sms") else []
    if device.get("compute_capability"):
        details.append(f"compute capability {device['compute_capability']}")
    return f" on {device['name']}" + (f" ({', '.join(details)})" if details else "")


_SHOWN = 4


def _names(data: dict[str, JsonValue], key: str) -> str:
    """The first names of inputs or outputs, and how many more there are."""
    names = data[key]
    assert isinstance(names, list)
    shown = ", ".join(f"`{name}`" for name in names[:_SHOWN])
    more = len(names) - _SHOWN
    return (shown or f"no {key}") + (f" and {more} more" if more > 0 else "")
