"""Reports an engine's time, size, device and build, its model, its problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Final

from engine_layer_visualize.analysis import origin, trtexec
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import unread
from engine_layer_visualize.analysis.times import (
    engine_time,
    how_measured,
    of_network,
    reformats,
    rest_words,
    statistic_words,
    timed_layers,
)
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.text import count, percent
from engine_layer_visualize.core.words import Name, joined
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.facts.engine import BY_KEY
from engine_layer_visualize.facts.field import picked, plain
from engine_layer_visualize.facts.json import HEAD, problem_json
from engine_layer_visualize.facts.sentences import number_of_reformats
from engine_layer_visualize.linting.inference import inference
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.reports import slowest
from engine_layer_visualize.reports import slowest as shares
from engine_layer_visualize.reports.slowest import unstable
from engine_layer_visualize.trt import versions

# ---- reports an engine's time, size, device, build, inputs and outputs: the first section -------

_FIELDS: Final = (  # of the engine
    *("index", "source.file", "source.first_line", "source.last_line", "dialect", "source.state"),
    *(
        "tensorrt",
        "layers",
        "edges",
        "inputs",
        "outputs",
        "facts.outputs_order",
        "facts.outputs_counted",
        "timed",
    ),
)


def collect(costs: Costs, top: int) -> page.Data:
    """What is known of the engine as a whole."""
    engine, now, subject = costs.engine, costs.now, Subject(costs)
    facts = engine.facts or EngineFacts()
    took = [phase.seconds for phase in facts.phases if "ngine generation" in phase.name]
    return {
        **{key.rpartition(".")[2]: plain(BY_KEY[key].value(subject, engine)) for key in _FIELDS},
        "frontend": origin.frontend_of(costs).source,
        "unread": unread(engine.layers),
        "reformats": reformats(costs).layers,
        "quantisers": of_network(costs)[0],
        "concat_copies": of_network(costs)[1],
        "bindings": list(engine.bindings),
        "shapes_vary": trtexec.inputs_vary(engine),
        "plugins": trtexec.plugin_flags(engine),
        "time": plain(engine_time(engine)),
        "optimization_profile": costs.profile,
        "statistic": costs.statistic,
        "statistic_words": statistic_words(costs),
        "times": costs.kind,
        "total_ms": now.total_ms,
        "inference_ms": inference(costs),
        "total_words": page.ms(costs.shown_total if costs.total is not None else costs.sum_of_runs),
        "kind_words": how_measured(costs) if costs.kind == "measured" else "",
        "coverage": timed_layers(costs),
        "coverage_ratio": costs.coverage,
        "ranked": costs.ranked,
        "untimed": sum(costs.missing(layer) for layer in costs.layers),
        "share_of": costs.share_words,
        "rest_words": rest_words(costs),
        "unstable": list(unstable(costs)),
        **picked(facts, "device", "precisions", "options", "phases"),
        "attempts": len(facts.attempts) or min(1, len(took)),
        "generation_s": sum(took) if took else None,
        "build_attempts": plain(facts.attempts),
        "passes": plain(facts.passes),
    }


def blocks(data: page.Data, engine: page.Data) -> Iterator[page.Block]:
    """The section as blocks of a page."""
    yield page.Heading(f"Engine {data['index']} of {data['file']}", level=1)
    if data["state"] in _STATES:
        yield page.Paragraph(_STATES[data["state"]])
    yield page.Paragraph(" ".join(times(data)))
    yield page.Paragraph(" ".join(_build(data)))


_STATES: Final[dict[str, str]] = {
    "part": "This is a part of a listing: sums are of its layers, not of the engine.",
    "times": "These are times alone, without a listing of layers: there are no edges, and types of "
    "layers are known as far as names tell.",
    "cut": "The listing is cut: sums are of the layers before the cut, not of the engine.",
}


def times(data: page.Data) -> Iterator[str]:
    """What is timed, and how."""
    time, number = data["time"], data["optimization_profile"]
    several = time["by_optimization_profile"]
    total, covered = data["total_words"], data["coverage"]
    layers, _, why = covered.partition(" timed")
    partly = not data["ranked"] and time["timed"] != time["layers"]
    if len(several) > 1:
        yield f"{len(several)} optimisation profiles, of which one runs; of profile {number}:"
    if data["times"] == "measured":
        how = f" {data['statistic_words']}" if data["statistic_words"] else ""
        if partly:
            yield f"{total} in {layers}{how}, {data['kind_words']}{why}."
        else:
            yield f"{covered}, {total} together{how}, {data['kind_words']}."
    elif data["times"] == "estimated":
        if partly:
            yield f"≈ {total} in {layers} by the builder's own estimates{why};"
        else:
            yield f"{covered}, {total} together by the builder's own estimates;"
        yield "no layer is measured."
    else:
        yield f"{covered}: no times are known."
    if data["rest_words"]:
        yield f"{data['rest_words']}."


def _build(data: page.Data) -> Iterator[str]:
    layers, edges = count(data["layers"], "layer"), count(data["edges"], "edge")
    version = data["tensorrt"]
    version = versions.called(version) if version else "TensorRT, version unknown"
    if data["unread"]:
        layers += f" ({data['unread']:,} of them unread: edges are missing)"
    if data["state"] == "times":  # how many are reformats is known as far as names tell
        yield f"{version}{_machine(data['device'] or {})}; {_ends(data)}."
    else:
        yield f"{version}{_machine(data['device'] or {})}: {layers}, {edges},"
        yield f"{_reformats(data)}{_of_profile(data)};"
        yield f"{_ends(data)}."
    if data["precisions"]:
        yield f"The build allowed {', '.join(data['precisions'])}."
    attempts, took = data["attempts"], data["generation_s"]
    if took is None:
        return
    if attempts == 1:
        yield f"Engine generation took {took:.3g} s."
        return
    tried = data["build_attempts"]
    each = [attempt["seconds"] for attempt in tried[:_ATTEMPTS_IN_SENTENCE]]
    shown = " + ".join(f"{seconds:.3g}" for seconds in each if seconds is not None)
    more = " + …" if len(tried) > _ATTEMPTS_IN_SENTENCE else ""
    yield f"Engine generation took {attempts} attempts, {took:.3g} s in all ({shown}{more} s)."
    for number, attempt in enumerate(tried, 1):
        if attempt["kept"] and attempt["inference_ms"] is not None:
            yield (
                f"The engine is of attempt {number} (backend strategy {attempt['strategy']}), with "
                f"an estimated inference time of {page.ms(attempt['inference_ms'])}"
                f"{_others(tried)}."
            )


def _others(tried: list[page.Data]) -> str:
    """The estimated inference times of the attempts that were not kept."""
    rest = [
        f"{page.ms(attempt['inference_ms'])} in attempt {number}"
        for number, attempt in enumerate(tried[:_ATTEMPTS_IN_SENTENCE], 1)
        if not attempt["kept"] and attempt["inference_ms"] is not None
    ]
    return f"; it was {' and '.join(rest)}" if rest else ""


_ATTEMPTS_IN_SENTENCE = 6


def _reformats(data: page.Data) -> str:
    return number_of_reformats(data["reformats"], data["quantisers"], data["concat_copies"])


def _of_profile(data: page.Data) -> str:
    """The optimisation profile that numbers are of, where an engine has several."""
    several = len(data["time"]["by_optimization_profile"]) > 1
    return f" in optimisation profile {data['optimization_profile']}" if several else ""


def _machine(device: page.Data) -> str:
    if not device.get("name"):
        return ""
    details = [f"{device['sms']} SMs"] if device.get("sms") else []
    if device.get("compute_capability"):
        details.append(f"compute capability {device['compute_capability']}")
    return f" on {device['name']}" + (f" ({', '.join(details)})" if details else "")


_NAMES_IN_SENTENCE = 4


def _ends(data: page.Data) -> str:
    """The inputs and outputs, and what is not known of them: which is which, and their order."""
    inputs, outputs, bindings = (_names(data, key) for key in ("inputs", "outputs", "bindings"))
    none = "no" if page.whole(data) and data["state"] != "times" else "unknown"
    words = f"{inputs or f'{none} inputs'} → {outputs or f'{none} outputs'}"
    if data["outputs_order"] == "listing" and len(data["outputs"]) > 1:
        counted = data["outputs_counted"]
        words += (
            f" (nothing reads these; the log counts {count(counted, 'output')})"
            if counted
            else " (outputs in the order of the listing)"
        )
    if not (loose := data["bindings"]):
        return words
    which = "inputs and outputs" if len(loose) > 1 else "input or output"
    told = f"{len(loose)} {which}, the direction is not known: {bindings}"
    return f"{words}; {told}" if inputs or outputs else told


def _names(data: page.Data, key: str) -> str:
    """The first names of inputs or outputs, and how many more there are."""
    shown = ", ".join(f"`{name}`" for name in data[key][:_NAMES_IN_SENTENCE])
    more = len(data[key]) - _NAMES_IN_SENTENCE
    return shown + (f" and {more} more" if more > 0 else "")


# ---- reports which nodes of the ONNX model behind an engine are in no layer, or in several ------


_ROWS_ON_PAGE = 10  # nodes, operators


def model_collect(costs: Costs, top: int) -> JsonValue:
    """What the JSON of an engine tells of the model; None where no model was given."""
    known: JsonValue = HEAD.part(Subject(costs), costs.engine, "onnx")
    return known


def model_blocks(data: page.Data, engine: page.Data) -> Iterator[page.Block]:
    """The section as blocks of a page."""
    known, names = data["names_found"], data["names"]
    yield page.Heading("The model")
    share = f" ({percent(known / names)})" if names else ""
    said = f"{known:,} of {count(names, 'name')} of ONNX nodes in layers are in the model{share}"
    if not data["same_network"]:
        yield page.Paragraph((Name(data["file"]), f": {said}: nothing is taken from it."))
        return
    size = page.word(data["nodes"])
    yield page.Paragraph((Name(data["file"]), f": {size} nodes. {said}."))
    if data["in_no_layer"] is None:
        words = "Which nodes are in no layer is not known: of some layers not all nodes are known."
        yield page.Paragraph(words)
    elif left := page.rows_of(data["in_no_layer"]):
        kinds = Counter(node["operator"] for node in left).most_common()
        listed = joined(
            ", ", [(f"{number} ", Name(name)) for name, number in kinds[:_ROWS_ON_PAGE]]
        )
        first = f"{count(len(left), 'node')} that no layer names (removed, merged into others, or "
        more = (
            f" and {count(len(kinds) - _ROWS_ON_PAGE, 'more operator')}"
            if len(kinds) > _ROWS_ON_PAGE
            else ""
        )
        yield page.Paragraph((f"{first}computed at build time): ", *listed, f"{more}."))
        shown = ((Name(node["node"]), Name(node["operator"])) for node in left[:_ROWS_ON_PAGE])
        yield page.Grid(("node", "operator"), tuple(shown))
        yield from _rest(len(left))
    if several := page.rows_of(data["in_several_layers"]):
        yield page.Paragraph(f"{count(len(several), 'node')} in several layers:")
        rows = ((Name(node["node"]), ", ".join(map(str, node["layers"]))) for node in several)
        yield page.Grid(("node", "layers"), tuple(islice(rows, _ROWS_ON_PAGE)))
        yield from _rest(len(several))


def _rest(number: int) -> Iterator[page.Block]:
    if number > _ROWS_ON_PAGE:
        yield page.Paragraph(f"… and {count(number - _ROWS_ON_PAGE, 'more node')}.")


# ---- reports each optimisation profile by itself, because only one runs at a time ---------------


def optimization_profiles_collect(costs: Costs, top: int) -> JsonValue:
    """The data of each optimisation profile; nothing where there is only one."""
    if len(costs.profiles) < 2:
        return []
    each = map(costs.of_profile, costs.profiles)
    return [
        {
            "profile": costs_of.profile,
            "total_ms": costs_of.total,
            "timed": costs_of.now.timed,
            "layers": costs_of.now.layers,
            "coverage": timed_layers(costs_of),
            "ranked": costs_of.ranked,
            "share_of": costs_of.share_words,
            "slowest": slowest.collect(costs_of, top),
            "types": shares.shares_types(costs_of, top),
            "precisions": shares.shares_precisions(costs_of, top),
        }
        for costs_of in each
    ]


def optimization_profiles_blocks(data: list[page.Data], engine: page.Data) -> Iterator[page.Block]:
    """A section for each, without the one that the other sections show."""
    for profile in data:
        if profile["profile"] == engine["optimization_profile"]:
            continue
        yield page.Heading(f"Optimisation profile {profile['profile']}")
        total = "" if profile["total_ms"] is None else f", {page.ms(profile['total_ms'])} together"
        yield page.Paragraph(f"{profile['coverage']}{total}.")
        if profile["slowest"]:
            yield slowest.table(profile["slowest"], {**engine, "share_of": profile["share_of"]})


# ---- reports problems of reading, each with its line, and how many the log tells of itself ------


def problems_collect(costs: Costs, top: int) -> JsonValue:
    """Problems of reading, and messages of the log."""
    engine = costs.engine
    facts = engine.facts or EngineFacts()
    return {
        "reading": [problem_json(problem) for problem in engine.problems],
        **picked(facts, "warnings", "errors"),
        "log": plain(facts.messages),
    }


def problems_blocks(data: page.Data, engine: page.Data) -> Iterator[page.Block]:
    """The section as blocks of a page."""
    reading = page.rows_of(data["reading"])
    told = [count(data[kind], kind[:-1]) for kind in ("errors", "warnings") if data[kind]]
    if not reading and not told:
        return
    yield page.Heading("Problems")
    if reading:
        rows = (
            (f"{row['line']}", f"{row['severity']} {row['code']}", row["message"])
            for row in reading
        )
        yield page.Grid((">line", "what", "message"), tuple(rows))
    if told:
        yield page.Paragraph(f"The log has {' and '.join(told)} of its own.")
