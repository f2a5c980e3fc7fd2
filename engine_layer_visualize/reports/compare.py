"""What a report of comparisons says: what matters first, totals, builds, causes, groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isclose
from typing import Final

from engine_layer_visualize.analysis import trtexec
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.times import how, reformats, timed_layers
from engine_layer_visualize.analysis.work import EngineWork, work
from engine_layer_visualize.comparison import causes, result, sentences
from engine_layer_visualize.comparison.causes import CAUSES, signed
from engine_layer_visualize.comparison.result import CauseTime, Comparison, Difference, Group
from engine_layer_visualize.comparison.side import quantises
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.text import amount, count, large, plural
from engine_layer_visualize.core.words import Name, Words, joined, parts
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.facts import engine_words
from engine_layer_visualize.reports.pages import MAX_NAME, Markdown, Text

_NEAR: Final = 0.05  # times of groups that are alike differ by less
_MAX_NAMED: Final = 3  # layers
_MEMORY: Final = ("Weights", "Activation", "Scratch")
_TIMES: Final = (
    f"{{what}}: run {trtexec.PROFILING} for {{engines}}, and write {{profile}} after its log."
)


def blocks(comparisons: Sequence[Comparison], options: ReportOptions) -> Iterator[page.Block]:
    """The page of each comparison; before several, a table of all."""
    if len(comparisons) > 1:
        yield page.Heading(
            f"{count(len(comparisons), 'engine')} against {sentences.engine(comparisons[0].a)}", 1
        )
        yield _all(comparisons)
    for comparison in comparisons:
        yield from _page(comparison, options)


def pages(
    comparisons: Sequence[Comparison], problems: Sequence[Problem], options: ReportOptions
) -> Iterator[Iterator[page.Block]]:
    """The only page."""
    yield blocks(comparisons, options)


text, markdown = Text(pages, MAX_NAME), Markdown(pages)


def _all(comparisons: Sequence[Comparison]) -> page.Grid:
    rows = [("A", *_row(comparisons[0].a), "", "", "")]
    rows += [
        ("B", *_row(comparison.b), *_difference(comparison), _remark(comparison))
        for comparison in comparisons
    ]
    heads = ("", "engine", ">layers", ">time", "times", ">difference", ">×", "")
    return page.Grid(heads, tuple(rows)).filled()


def _difference(comparison: Comparison) -> tuple[str, str]:
    """In time, and as a ratio: of a sample, where runs are of different numbers of samples."""
    speedup, per_sample = comparison.speedup, comparison.per_sample
    if speedup is not None and per_sample is not None:
        speedup = per_sample.a_ms / per_sample.b_ms
    return signed(comparison.delta_ms), _times(speedup)


def _remark(comparison: Comparison) -> str:
    if not comparison.same_network:
        return "another network"
    if comparison.per_sample is not None:
        return "× of one sample"
    return "other inputs" if comparison.no_ratio and result.inputs_differ(comparison.inputs) else ""


def _row(costs: Costs) -> tuple[str, str, str, str]:
    return sentences.engine(costs), str(len(costs.layers)), page.ms(costs.total), how(costs)


def _times(speedup: float | None) -> str:
    return "–" if speedup is None else f"{speedup:.2f}"


def _page(comparison: Comparison, options: ReportOptions) -> Iterator[page.Block]:
    yield page.Heading(sentences.title(comparison), 1)
    yield page.Paragraph(sentences.first(comparison))
    for name, costs in (("A", comparison.a), ("B", comparison.b)):
        if costs.total is not None and costs.now.timed < costs.now.layers:
            yield page.Paragraph(f"{name}: {timed_layers(costs)}.")
    yield from _measure(comparison)
    yield page.Heading("Totals")
    yield page.Grid(("", ">A", ">B", ">difference"), tuple(totals(comparison))).filled()
    if others := list(builds(comparison)):
        yield page.Heading("What differs between the builds")
        told = tuple(
            (difference.what, page.called(difference.a), page.called(difference.b))
            for difference in others
        )
        yield page.Grid(("", "A", "B"), told)
    if comparison.per_sample is not None and not comparison.of_a_sample:
        yield page.Advice("--per_sample tells what explains the difference of one sample.")
    elif steps := sentences.steps(comparison):
        of = " of the estimates" if comparison.a.estimated else ""
        of += " of one sample" if comparison.of_a_sample else ""
        yield page.Heading(f"What explains the difference{of}")
        rows = tuple(
            (CAUSES[step.cause], signed(step.ms), _fused(comparison, step))
            for step in steps
            if step.ms
        )
        total = ("all", signed(comparison.delta_ms), "")
        yield page.Grid(("", ">time", "layers of A → of B"), (*rows, total)).filled()
    yield from _groups(comparison, options)
    yield from _unmatched(comparison, options.top)


def _measure(comparison: Comparison) -> Iterator[page.Block]:
    """How to get the times that are missing, or that were not measured; none of two networks."""
    if not comparison.same_network:
        return
    sides = {"A": comparison.a, "B": comparison.b}
    untimed = [name for name, costs in sides.items() if costs.total is None]
    estimated = [name for name, costs in sides.items() if costs.estimated]
    if wanted := untimed or estimated:
        both = len(wanted) == 2
        what = "No times to compare" if untimed else "The builder's estimates are no measurement"
        words = _TIMES.format(
            what=what,
            engines="both engines" if both else wanted[0],
            profile="each profile" if both else "the profile",
        )
        words = trtexec.known_to(sides[wanted[0]].engine.tensorrt, words)
        flags, *others = {trtexec.plugin_flags(sides[name].engine) for name in wanted}
        yield page.Advice(words if others else trtexec.with_flags(words, flags))


def _fused(comparison: Comparison, step: CauseTime) -> Words:
    """The layers of the group whose fusion changes most; of other causes none."""
    fused = [group for group in comparison.groups if group.cause == step.cause == "fusion"]
    timed = [group for group in fused if group.a[0] in step.a or group.b[0] in step.b]
    if not timed:
        return ""
    first = max(timed, key=lambda group: abs(group.delta_ms or 0.0))
    more = f"; and {count(len(timed) - 1, 'more group')}" if len(timed) > 1 else ""
    a, b = _named(comparison.a, first.a), _named(comparison.b, first.b)
    return (*parts(a), " → ", *parts(b), more)


def builds(comparison: Comparison) -> Iterator[Difference]:
    """What differs between the builds, but for what is said first or is among the totals."""
    told = sentences.told_first(comparison)
    return (
        difference
        for difference in comparison.builds
        if not difference.what.endswith(" memory") and difference not in told
    )


# ---- totals ------------------------------------------------------------------------------------


def totals(comparison: Comparison) -> Iterator[tuple[str, str, str, str]]:
    """What is known of the engines as a whole: its name, of A, of B, the difference."""
    sides = (comparison.a, comparison.b)
    kinds = {costs.kind for costs in sides if costs.kind}
    kind = f", {next(iter(kinds))}" if len(kinds) == 1 else ""
    mixed = len(kinds) > 1
    words = [page.ms(costs.total) + f" ({costs.kind})" * mixed for costs in sides]
    kind += ", of one sample" if comparison.of_a_sample else ""
    yield f"sum of the layers{kind}", words[0], words[1], signed(comparison.delta_ms)
    if result.inputs_differ(comparison.inputs):
        a, b = (result.shapes_as_text(shapes or ()) for shapes in comparison.inputs)
        yield "inputs", a, b, ""
    if (per := comparison.per_sample) is not None and not comparison.of_a_sample:
        yield "of one sample", page.ms(per.a_ms), page.ms(per.b_ms), signed(per.b_ms - per.a_ms)
    facts = [costs.engine.facts or EngineFacts() for costs in sides]
    for what, whole in (
        ("latency", sentences.measured(comparison, "latency")),
        ("GPU compute time", sentences.measured(comparison, "gpu_compute")),
    ):
        if whole is not None:
            delta = signed(whole.b - whole.a)
            yield f"{what}, {whole.statistic}", page.ms(whole.a), page.ms(whole.b), delta
    yield "layers", *_counts(len(comparison.a.layers), len(comparison.b.layers))
    moves = [reformats(costs) for costs in sides]
    yield "reformats", *_counts(moves[0].layers, moves[1].layers)
    quantisers = [sum(map(quantises, costs.layers)) for costs in sides]
    if any(quantisers):
        yield "layers that only quantise", *_counts(*quantisers)
    if moves[0].ms is not None and moves[1].ms is not None:
        delta = "–" if mixed else signed(moves[1].ms - moves[0].ms)
        yield "time of reformats", page.ms(moves[0].ms), page.ms(moves[1].ms), delta
    done = [work(costs) for costs in sides]
    if all(known.macs_known for known in done) and any(known.macs is not None for known in done):
        words = [_macs(known) for known in done]
        known = None not in (done[0].macs, done[1].macs)
        alike = not all(known.at for known in done) or _at(done[0]) == _at(done[1])
        more = done[1].macs_known - done[0].macs_known
        delta = _sign(more) + large(abs(more)) if known and alike else "–"
        yield "MACs", words[0], words[1], delta
    for name in _MEMORY:
        sizes = [size for known in facts if (size := known.total(name)) is not None]
        if len(sizes) == 2:
            more = sizes[1] - sizes[0]
            delta = _sign(more) + amount(abs(more))
            yield f"{name.lower()} memory", amount(sizes[0]), amount(sizes[1]), delta


def _macs(done: EngineWork) -> str:
    """The MACs of an engine, and for which shapes of inputs where these vary."""
    words = f"{'at least ' * (done.macs is None)}{large(done.macs_known)}"
    return f"{words} at {_at(done)}" if done.at else words


def _at(done: EngineWork) -> str:
    return ", ".join(engine_words.extents(one.shape) for one in done.at)


def _sign(more: int) -> str:
    return "−" if more < 0 else "+" if more else ""


def _counts(a: int, b: int) -> tuple[str, str, str]:
    return f"{a:,}", f"{b:,}", f"{b - a:+,}".replace("-", "−") if a != b else "0"


# ---- groups ------------------------------------------------------------------------------------


def _groups(comparison: Comparison, options: ReportOptions) -> Iterator[page.Block]:
    if not comparison.groups:
        return
    timed = any(group.delta_ms is not None for group in comparison.groups)
    listed = comparison.groups if timed else [group for group in comparison.groups if group.changes]
    if not listed:
        return  # the first sentence says that nothing changed
    rows = [[group] for group in listed] if options.full else _alike(comparison, listed)
    shown = rows[: options.top]
    title = "Groups of layers, the largest difference first" if timed else "Groups that changed"
    yield page.Heading(title)
    number = count(len(comparison.groups), "group")
    changed = sum(bool(group.changes) for group in comparison.groups)
    unknown = sentences.unknown_kernels(comparison.groups)
    yield page.Paragraph(
        f"{number}, {_changed(changed)} changed in more than time{unknown}. "
        f"Matched by {_how(comparison)}."
        f"{_of_profiles(comparison)}"
    )
    times = ">×" if comparison.per_sample is None else ">× of one sample"
    heads = (">difference", ">of it reformats", times, "A", "B", ">A", ">B")
    moves = causes.reformats_ms(comparison)
    lines = tuple(_group(comparison, row, moves) for row in shown)
    grid = page.Grid((*heads, "what changed", "matched by"), lines).filled()
    yield grid if timed else grid.without(0)
    if timed and (left := len(listed) - sum(map(len, shown))):
        yield page.Paragraph(f"… and {count(left, 'more group')}; --top shows more.")


def _changed(number: int) -> str:
    """`of which 7 have`, of groups."""
    return f"of which {number:,} {plural(number, 'has', 'have')}" if number else "none of which has"


def _of_profiles(comparison: Comparison) -> str:
    """Where there are several optimisation profiles: which the totals are of."""
    numbers = [costs.profile for costs in (comparison.a, comparison.b)]
    if max(len(comparison.a.profiles), len(comparison.b.profiles)) < 2:
        return ""
    lone = []
    for name, costs, side in (("A", comparison.a, 0), ("B", comparison.b, 1)):
        if rest := sorted({*costs.profiles} - {costs.profile, *_profiles(comparison, side)}):
            lone.append(f"{', '.join(map(str, rest))} of {name}")
    if lone:
        left = f"{' and '.join(lone)} {plural(len(lone), 'is', 'are')} left out"
        return f" Optimisation profile {left}: the other engine has none like it."
    return (
        f" Groups are of all optimisation profiles, totals of profile {numbers[0]} of A and "
        f"{numbers[1]} of B."
    )


def _how(comparison: Comparison) -> str:
    numbers: dict[str, int] = {}
    for group in comparison.groups:
        numbers[group.confidence] = numbers.get(group.confidence, 0) + 1
    return ", ".join(f"{name} ({number:,})" for name, number in numbers.items())


def _alike(comparison: Comparison, groups: Sequence[Group]) -> list[list[Group]]:
    """Rows of groups: three or more that follow each other and are alike stand together.

    They do the same, and took nearly the same time, as the blocks of a network do; what differs
    most comes first.
    """
    runs: list[list[Group]] = []
    for group in groups:
        if runs and _is_like(comparison, runs[-1][0], group):
            runs[-1].append(group)
        else:
            runs.append([group])
    rows = [row for run in runs for row in ([run] if len(run) > 2 else [[group] for group in run])]
    return sorted(rows, key=lambda row: -abs(sum(group.delta_ms or 0.0 for group in row)))


def _is_like(comparison: Comparison, first: Group, second: Group) -> bool:
    near = all(
        isclose(mine or 0.0, yours or 0.0, rel_tol=_NEAR)
        for mine, yours in ((first.ms_a, second.ms_a), (first.ms_b, second.ms_b))
    )
    return near and _work(comparison, first) == _work(comparison, second)


def _work(comparison: Comparison, group: Group) -> object:
    """What its layers are and write, and what changed."""
    works = [
        [
            (la.type, [t.dims for t in la.outputs])
            for la in map(costs.engine.layers.__getitem__, indices)
        ]
        for costs, indices in zip((comparison.a, comparison.b), (group.a, group.b))
    ]
    return works, [*causes.changes(comparison, group)], group.confidence, group.kernels_known


def _group(
    comparison: Comparison, alike: Sequence[Group], moves: Mapping[tuple[int, ...], float]
) -> tuple[Words, ...]:
    """The row of groups that are alike: their sums, and the layers of the first."""
    group = alike[0]
    many = f"{len(alike)} alike, such as " if len(alike) > 1 else ""
    deltas, a, b = (
        None if None in known else sum(ms for ms in known if ms is not None)
        for known in zip(*((group.delta_ms, group.ms_a, group.ms_b) for group in alike))
    )
    moved = [moves[group.a] for group in alike if group.a in moves]
    return (
        signed(deltas),
        signed(sum(moved)) if any(moved) else "",
        _times(result.of_groups(comparison, alike)),
        (many, *parts(_named(comparison.a, group.a))),
        (many, *parts(_named(comparison.b, group.b))),
        page.ms(a),
        page.ms(b),
        "; ".join(causes.changes(comparison, group))
        or ("–" if group.kernels_known else "kernel unknown"),
        group.confidence,
    )


def _named(costs: Costs, indices: Sequence[int]) -> Words:
    """`3 conv1, 4 relu1 and 2 more`."""
    layers = [costs.engine.layers[i] for i in indices]
    words = joined(", ", [(f"{layer.index} ", Name(layer.name)) for layer in layers[:_MAX_NAMED]])
    more = len(layers) - _MAX_NAMED
    return (*words, f" and {more:,} more") if more > 0 else words


def _unmatched(comparison: Comparison, top: int) -> Iterator[page.Block]:
    rows = []
    alone = [_of_paired_profiles(comparison, side) for side in (0, 1)]
    sides = (("A", comparison.a, alone[0]), ("B", comparison.b, alone[1]))
    left = 0
    for name, costs, indices in sides:
        layers = sorted(
            (costs.engine.layers[i] for i in indices), key=lambda la: -(costs.of(la) or 0.0)
        )
        left += max(0, len(layers) - top)
        rows += [
            (name, page.ms(costs.of(la)), (f"{la.index} ", Name(la.name)), Name(la.type))
            for la in layers[:top]
        ]
    if rows:
        yield page.Heading("Layers without a counterpart")
        yield page.Grid(("", ">time", "layer", "type"), tuple(rows)).filled()
    if left:
        yield page.Paragraph(f"… and {count(left, 'more layer')}.")


def _of_paired_profiles(comparison: Comparison, side: int) -> list[int]:
    """The layers without a counterpart, but for those of profiles that the other side lacks."""
    costs = (comparison.a, comparison.b)[side]
    paired = {costs.profile, *_profiles(comparison, side)}
    layers = costs.engine.layers
    alone = (comparison.unmatched.a, comparison.unmatched.b)[side]
    return [i for i in alone if costs.profile_of(layers[i]) in paired]


def _profiles(comparison: Comparison, side: int) -> set[int]:
    """The optimisation profiles of the groups."""
    costs = (comparison.a, comparison.b)[side]
    layers = costs.engine.layers
    return {costs.profile_of(layers[group.all[side][0]]) for group in comparison.groups}
