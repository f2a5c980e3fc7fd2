"""Says what several outputs say of an engine: names, title, coverage, totals and sentences.

The `Costs` of an engine in; strings out. Names of its files are those that outputs show.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from engine_layer_visualize.analysis import times, trtexec
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import unread
from engine_layer_visualize.analysis.labels import headline, part_of_layer
from engine_layer_visualize.analysis.precisions import UNKNOWN
from engine_layer_visualize.core.model import Engine, Layer, Tensor
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.text import (
    base_name,
    count,
    dims,
    milliseconds,
    percent,
    plural,
    shorten,
    visible,
)
from engine_layer_visualize.io import input_files
from engine_layer_visualize.linting.rules import Finding
from engine_layer_visualize.trt import versions

_NAME_LENGTH: Final = 64  # characters of a name
_NAMED_PRECISIONS: Final = 4  # precisions that are named; the rest are "others"
_LISTINGS: Final = {
    "part": ", a part of a listing",
    "cut": " of a listing that is cut",
    "times": ", times alone",
}


def base(path: str) -> str:
    """The file name in a path, with control characters spelled."""
    return visible(base_name(path))


def name(engine: Engine) -> str:
    """The engine's name: the model's file name where the log has it, else the log's stem."""
    if model := trtexec.option(engine.known, "Model", "Model"):
        return base(model)
    file = input_files.unpacked_name(base(engine.source.file))
    return os.path.splitext(file)[0]


def heading(costs: Costs) -> tuple[str, ...]:
    """The parts of a title: the engine's number and name, the count of layers, the total time."""
    engine = costs.engine
    head = f"Engine {engine.index} of {shorten(name(engine), _NAME_LENGTH)}"
    layers = times.launches(costs) if times.is_trace(costs) else count(len(engine.layers), "layer")
    of = f"optimisation profile {costs.profile}: " if len(costs.profiles) > 1 else ""
    return head, layers + listing(engine), of + time(costs)


def listing(engine: Engine) -> str:
    """The state of a listing, such as `, a part of a listing`; empty where it is whole and read."""
    torn = unread(engine.layers)
    missing = f", {torn:,} of them unread: edges are missing" if torn else ""
    return _LISTINGS.get(engine.source.state, "") + missing


def coverage(costs: Costs) -> str:
    """How many layers the total time covers; empty where it covers all."""
    now = costs.now
    is_part = now.timed and (now.timed < now.layers or costs.rest_share)
    return times.timed_layers(costs) if is_part else ""


def profile(costs: Costs, number: int) -> str:
    """A profile in a line: `optimisation profile 1 · 3 of 6 layers timed · 21.2 µs`."""
    now = next(time for time in costs.each if time.profile == number)
    parts = [f"optimisation profile {number}"]
    if now.total_ms is not None:
        parts.append(f"{now.timed:,} of {count(now.layers, 'layer')} timed")
        parts.append(("≈ " if costs.estimated else "") + total(now.total_ms))
    return " · ".join(parts)


def time(costs: Costs) -> str:
    """The total time; of estimates, of one run and of a sum of runs it says so.

    It is `no profile` or `no times` where there is none.
    """
    if costs.sum_of_runs is not None:
        return f"{total(costs.sum_of_runs)} in {times.UNKNOWN_RUNS}"
    if costs.shown_total is None:
        return "no profile" if costs.engine.profile is None else "no times"
    of = "" if costs.engine.source.complete else " of these layers"
    if not costs.ranked and costs.now.timed < costs.now.layers:
        of = f" in {times.of_layers(costs)}"
    if costs.estimated:
        return f"≈ {total(costs.shown_total)}{of}, estimated by the builder"
    return total(costs.shown_total) + of + (" in one run" if times.is_one_run(costs) else "")


def headline_time(costs: Costs) -> str:
    """The total time at the top of a page; empty where there is none."""
    if costs.estimated:
        return "" if costs.total is None else f"≈ {total(costs.total)}"
    return time(costs) if costs.timed else ""


def inference(costs: Costs) -> str:
    """What the total is and what trtexec measured; it is empty where that is not known."""
    took = times.gpu_compute(costs)
    if not took:
        return ""
    measured = f"an inference took {milliseconds(took)} of GPU time"
    return f"the sum of the layers; {measured}" if costs.total else measured


def facts(costs: Costs) -> Iterator[str]:
    """The small print of a title: version, edges, coverage, optimisation profiles, the log."""
    engine, now = costs.engine, costs.now
    if engine.tensorrt:
        yield visible(versions.called(engine.tensorrt))
    yield count(len(engine.graph.between), "edge")
    if now.timed and not coverage(costs):
        yield times.timed_layers(costs)  # else it stands below the title
    if len(costs.profiles) > 1:
        yield (
            f"{len(costs.profiles)} optimisation profiles, of which one runs: totals are of "
            f"profile {costs.profile}, {count(now.layers, 'layer')}"
        )
    if costs.kind == "measured" and (words := times.how_measured(costs)) != "measured":
        yield words
    yield visible(engine.source.file)


def outline(engine: Engine, profile: int | None = None) -> str:
    """The engine in a line, such as `54 layers, 69 edges, 54 of 54 timed, 2.596 ms`.

    Edges are those between layers, times the means of the optimisation profile (None: the first).
    """
    layers, edges = len(engine.layers), len(engine.graph.between)
    told = f"{layers} {plural(layers, 'layer')}{listing(engine)}, {edges} {plural(edges, 'edge')}"
    costs = Costs(engine, profile)
    time = times.time_of(costs)
    if time.kind != "measured":
        return told
    told += f", {time.timed} of {time.layers} timed"
    if time.total_ms is None:
        return f"{told} in {times.UNKNOWN_RUNS}" if costs.is_sum else told
    return f"{told}, {time.total_ms:.3f} ms"


def highlights(costs: Costs) -> Iterator[str]:
    """Sentences on the slowest layer, and on the shares of precisions and of reformats.

    The last ones say what limits these numbers.
    """
    if costs.timed and costs.has_times:
        yield slowest(costs)
    if shares := precisions(costs):
        yield shares
    if (row := times.reformats(costs)).layers:
        yield reformatted(row, costs)
    if costs.estimated:
        yield "Times are the builder's estimates, not measured"
    if costs.timed and not costs.ranked:
        yield f"Percentages are {costs.share_words}"


def slowest(costs: Costs) -> str:
    """The layer with the longest time. It is called the slowest only where nearly all are timed."""
    layer, timed = costs.ranking[0], len(costs.timed)
    words = f"{_called(layer)} with {_ms(costs.of(layer), of_whole(costs.share(layer), costs))}"
    if held := times.held_in_one(costs):
        words += f", of which {milliseconds(held.ms)} may be its first run"
    if not costs.ranked:
        return f"The longest of the {count(timed, 'timed layer')}: {words}"
    most = f"; half of the time is in {times.half(costs)} of {count(timed, 'layer')}"
    return f"Slowest: {words}{most if timed > 3 else ''}"


def _called(layer: Layer) -> str:
    """What a layer does and where it is in the network, such as `Conv + Relu layer1.0.conv1`."""
    head = headline(layer)
    which = part_of_layer(layer)
    return shorten(visible(f"{head} {which}" if which and which != head else head), _NAME_LENGTH)


def of_whole(share: float | None, costs: Costs) -> str:
    """A share and what it is of: `15.3 %`, or `37.1 % of the timed layers`."""
    return " ".join(filter(None, (percent(share or 0.0), costs.share_words)))


def precisions(costs: Costs) -> str:
    """The shares of precisions, by time or else by number of layers; they add up to 100 %."""
    rows = times.by_precision(costs)
    timed = costs.has_times
    sizes = [(row, (row.share or 0.0) if timed else row.layers / len(costs.layers)) for row in rows]
    named = [(row.name or UNKNOWN, size) for row, size in sizes if size > 0]
    if not named:
        return ""
    rest = sum(size for _, size in named[_NAMED_PRECISIONS:])
    words = [f"{label} {percent(size)}" for label, size in named[:_NAMED_PRECISIONS]]
    words += [f"others {percent(rest)}"] if rest else []
    how = " ".join(filter(None, ("time", costs.share_words))) if timed else "layers"
    return f"Precision by {how}: {visible(', '.join(words))}"


def reformatted(row: times.Row, costs: Costs) -> str:
    """What reformats take, such as `4 reformats take 1.3 %`."""
    text = number_of_reformats(times.moves(costs.layers))
    if not costs.has_times:
        return text
    if not row.timed:
        return f"{text}, not timed"
    verb = "takes" if row.layers == 1 else "take"
    partly = f" ({row.timed} of them timed)" if row.timed < row.layers else ""
    return f"{text} {verb} {_ms(row.ms, of_whole(row.share, costs))}{partly}"


def number_of_reformats(found: Mapping[str, int]) -> str:
    """How many `times.moves` found: `7 reformats (4 of them Q/DQ, 1 copy for a Concat)`."""
    number, quantisers, copies = found.values()
    parts = [f"{quantisers:,} of them Q/DQ"] if quantisers else []
    parts += [f"{count(copies, 'copy', 'copies')} for a Concat"] if copies else []
    return count(number, "reformat") + (f" ({', '.join(parts)})" if parts else "")


def _ms(ms: float | None, share: str) -> str:
    """A time and its share, such as `1.23 ms, 4.5 %`.

    For sums over an unknown number of runs it is the share alone.
    """
    return share if ms is None else f"{milliseconds(ms)}, {share}"


def total(ms: float) -> str:
    """A whole engine's time: three decimals from 1 ms to 1 s, as on stdout; else `milliseconds`."""
    return f"{ms:.3f} ms" if 1 <= ms < 1000 else milliseconds(ms)


def shape(tensor: Tensor) -> str:
    """A tensor's type and dims, such as `Half 1×64×56×56`, as far as the record tells."""
    return f"{tensor.dtype or ''} {dims(tensor.dims)}".strip()


def stakes(finding: Finding, costs: Costs) -> Iterator[str]:
    """`touches at least 20.0 µs, 0.8 %`, then `could save 12.0 µs`; nothing where unknown.

    Where layers sum to more than an inference, the time is `20.0 µs of an inference`, too.
    """
    if finding.touches_ms is not None:
        least = "at least " if is_partly_timed(finding, costs) else ""
        part = times.share_touched(finding.layers, costs)
        of = " of an inference" if times.is_scaled(costs) else ""
        share = "" if part is None else f", {percent(part)} {times.share_words(costs)}".rstrip()
        yield f"touches {least}{milliseconds(finding.touches_ms)}{of}{share}"
    if finding.ms is not None:
        yield f"could save {milliseconds(finding.ms)}"


def is_partly_timed(finding: Finding, costs: Costs) -> bool:
    """Whether a layer of a finding has no time, so that it touches more than is known."""
    return any(costs.missing(costs.engine.layers[index]) for index in finding.layers)


# ---- names of files, as outputs show them: their folders say where the author works --------------

AnyEngine = TypeVar("AnyEngine", bound=Engine)


def with_shown_files(engine: AnyEngine, full_paths: bool) -> AnyEngine:
    """The engine with the names of its files as an output shows them."""
    return engine if full_paths else renamed_files(engine, base_name)


def tails(paths: Sequence[str]) -> list[tuple[str, ...]]:
    """The names of files without folders, but for those that tell one from another."""
    whole = ("stdin" if path == "-" else os.path.abspath(path) for path in paths)
    every = [tuple(filter(None, path.replace("\\", "/").split("/"))) for path in whole]

    def tail(parts: tuple[str, ...]) -> tuple[str, ...]:
        others = [other for other in every if other != parts]
        depths = range(1, len(parts))
        alone = (n for n in depths if all(other[-n:] != parts[-n:] for other in others))
        return parts[-next(alone, len(parts)) :]

    return list(map(tail, every))


def renamed_files(engine: AnyEngine, name: Callable[[str], str]) -> AnyEngine:
    """The engine with other names of its files: of the log, and of the profile."""
    join = engine.profile
    return engine._replace(
        source=engine.source._replace(file=name(engine.source.file)),
        also=tuple(other._replace(file=name(other.file)) for other in engine.also),
        profile=join and join._replace(file=name(join.file)),
        problems=tuple(renamed_file(problem, name) for problem in engine.problems),
    )


def renamed_file(problem: Problem, name: Callable[[str], str]) -> Problem:
    """The problem with another name of its file."""
    return problem._replace(place=problem.place._replace(file=name(problem.place.file)))
