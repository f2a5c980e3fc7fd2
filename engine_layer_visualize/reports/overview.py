"""Reports an engine's time, size, device and build, and its problems."""

from collections.abc import Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis import kinds, times
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.words import Sentence, first_of
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.documents.blocks import Block, Grid, Heading, Paragraph
from engine_layer_visualize.facts.engine import BY_KEY
from engine_layer_visualize.facts.field import picked, plain
from engine_layer_visualize.facts.json import problem_json
from engine_layer_visualize.facts.sentences import number_of_reformats
from engine_layer_visualize.linting import lever
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt import versions

_FIELDS: Final = (  # of the engine
    *("index", "source.file", "source.first_line", "source.last_line", "dialect", "source.state"),
    *("tensorrt", "layers", "edges", "inputs", "outputs", "facts.outputs_order", "frontend"),
    *("facts.outputs_counted", "timed"),
)
_STATES: Final[dict[str, str]] = {
    "part": "This is a part of a listing: sums are of its layers alone.",
    "times": "These are times alone: without edges, and with types that come from the names.",
    "cut": "The listing is cut: sums are of the layers before the cut.",
}
_NAMES_IN_SENTENCE: Final = 4


def data(subject: Subject, top: int) -> dict[str, JsonValue]:
    """What is known of the engine as a whole."""
    engine, costs, facts = subject.engine, subject.costs, subject.facts
    return {
        **{key.rpartition(".")[2]: plain(BY_KEY[key].value(subject, engine)) for key in _FIELDS},
        "unread": kinds.unread(engine.layers),
        **times.moves(engine.layers),
        "bindings": list(engine.bindings),
        "time": plain(subject.time),
        "optimization_profile": costs.profile,
        "ranked": costs.ranked,
        "times": costs.kind,
        "total_ms": costs.now.total_ms,
        "inference_ms": times.gpu_compute(costs),
        "coverage": times.timed_layers(costs),
        "untimed": sum(costs.missing(layer) for layer in costs.layers),
        "share_of": costs.share_words,
        **picked(facts, "device", "precisions"),
        "attempts": _attempts(subject),
        "generation_s": _generation(subject),
        "largest_lever": lever.of(subject),
    }


def blocks(subject: Subject, top: int) -> Iterator[Block]:
    """The section as blocks of a page."""
    yield from timed(subject)
    yield Paragraph(" ".join(_build(subject)))


def timed(subject: Subject) -> Iterator[Block]:
    """The engine's name, whether its listing is whole, and its time."""
    engine = subject.engine
    yield Heading(f"Engine {engine.index} of {engine.source.file}", level=1)
    if engine.source.state in _STATES:
        yield Paragraph(_STATES[engine.source.state])
    yield Paragraph(" ".join(timing(subject.costs)))


def timing(costs: Costs) -> Iterator[str]:
    """What is timed, and how."""
    covered = times.timed_layers(costs)
    if len(costs.each) > 1:
        yield f"Optimisation profile {costs.profile}, one of {len(costs.each)}."
    if costs.kind is None:
        yield f"{covered}."
        return
    about = "≈ " if costs.estimated else ""
    kind = times.how_measured(costs) if costs.kind == "measured" else "estimated by the builder"
    total = page.ms(costs.shown_total if costs.total is not None else costs.sum_of_runs)
    yield f"{covered}: {about}{', '.join(filter(None, (total, kind)))}."


def _build(subject: Subject) -> Iterator[str]:
    """What was built: layers, reformats, inputs and outputs, precisions, and how long it took."""
    engine, facts = subject.engine, subject.facts
    built = versions.called(engine.tensorrt) if engine.tensorrt else "TensorRT, version unknown"
    if (device := facts.device) is not None and device.name:
        details = [f"{device.sms} SMs"] if device.sms else []
        if device.compute_capability:
            details.append(f"compute capability {device.compute_capability}")
        built += f" on {device.name}" + (f" ({', '.join(details)})" if details else "")
    yield f"{built}."
    if engine.source.state != "times":  # how many are reformats is known as far as names tell
        layers, edges = count(len(engine.layers), "layer"), count(len(engine.graph.between), "edge")
        if torn := kinds.unread(engine.layers):
            layers += f" ({torn:,} of them unread: edges are missing)"
        layers += "" if len(subject.costs.profiles) > 1 else times.idle_layers(subject.costs)
        yield f"{layers}, {edges}, {number_of_reformats(times.moves(engine.layers))}."
    yield f"{_ends(subject)}."
    if facts.precisions:
        yield f"The build allowed {', '.join(facts.precisions)}."
    if (took := _generation(subject)) is not None:
        attempts = _attempts(subject)
        many = f"{attempts} attempts, {took:.3g} s in all" if attempts > 1 else f"{took:.3g} s"
        yield f"Engine generation took {many}."


def _generation(subject: Subject) -> float | None:
    """The seconds of all attempts to build the engine."""
    told = [phase for phase in subject.facts.phases if "ngine generation" in phase.name]
    last = subject.engine.source.last_line  # behind its listing other builds end
    took = [phase.seconds for phase in told if phase.line < last or told[0].line > last]
    return sum(took) if took else None


def _attempts(subject: Subject) -> int:
    return len(subject.facts.attempts) or int(_generation(subject) is not None)


def _ends(subject: Subject) -> str:
    """The inputs and outputs, and what is not known of them: which is which, and their order."""
    engine, facts = subject.engine, subject.facts
    inputs, outputs, bindings = map(_names, (engine.inputs, engine.outputs, engine.bindings))
    none = "no" if engine.source.complete and engine.source.state != "times" else "unknown"
    words = f"{inputs or f'{none} inputs'} → {outputs or f'{none} outputs'}"
    if facts.outputs_order == "listing" and len(engine.outputs) > 1:
        counted = facts.outputs_counted
        told = f"the log counts {count(counted, 'output')}" if counted else "in the listing's order"
        words += f" ({told})"
    if not (loose := len(engine.bindings)):
        return words
    told = f"{loose} {'inputs and outputs' if loose > 1 else 'input or output'}: {bindings}"
    return f"{words}; {told}" if inputs or outputs else told


def _names(names: Sequence[str]) -> str:
    """The first names of inputs or outputs, and how many more there are."""
    return Sentence.of(first_of([f"`{name}`" for name in names], _NAMES_IN_SENTENCE))


# ---- problems of reading, each with its line, and how many the log tells of itself ---------------


def problems_data(subject: Subject, top: int) -> JsonValue:
    """Problems of reading, and messages of the log."""
    return {
        "reading": [problem_json(problem) for problem in subject.engine.problems],
        **picked(subject.facts, "warnings", "errors"),
        "log": plain(subject.facts.messages),
    }


def problems_blocks(subject: Subject, top: int) -> Iterator[Block]:
    """The section as blocks of a page."""
    facts, reading = subject.facts, subject.engine.problems
    numbers = ((facts.errors, "error"), (facts.warnings, "warning"))
    told = [count(number, kind) for number, kind in numbers if number]
    if reading or told:
        yield Heading("Problems")
    if reading:
        rows = (
            (f"{each.place.line}", f"{each.severity} {each.code}", each.message) for each in reading
        )
        yield Grid((">line", "what", "message"), tuple(rows))
    if told:
        yield Paragraph(f"The log of this engine has {' and '.join(told)} of its own.")
