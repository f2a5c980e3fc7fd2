"""What a report of comparisons says: what matters first, totals, causes, groups; its formats."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.times import how, reformats, timed_layers
from engine_layer_visualize.analysis.work import work
from engine_layer_visualize.comparison import causes, result, sentences
from engine_layer_visualize.comparison.causes import signed
from engine_layer_visualize.comparison.result import Comparison, Difference, Group
from engine_layer_visualize.comparison.side import quantises
from engine_layer_visualize.core.limits import by_key
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.text import amount, count, milliseconds
from engine_layer_visualize.core.words import Name, Words, first_of
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.documents import markup, terminal
from engine_layer_visualize.facts.field import picked, plain
from engine_layer_visualize.facts.json import problem_json
from engine_layer_visualize.linting.lever import to_measure
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.reports import brief

Row = tuple[str, ...]

_MEMORY: Final = ("Weights", "Activation", "Scratch")


def blocks(comparisons: Sequence[Comparison], options: ReportOptions) -> Iterator[page.Block]:
    """The page of each comparison; before several, a table of all."""
    if len(comparisons) > 1:
        a = sentences.engine(comparisons[0].a)
        yield page.Heading(f"{count(len(comparisons), 'engine')} against {a}", 1)
        yield _all(comparisons)
    for comparison in comparisons:
        yield from _page(comparison, options)


def _all(comparisons: Sequence[Comparison]) -> page.Grid:
    rows: list[Row] = [("A", *_engine(comparisons[0].a), "", "", "")]
    for comparison in comparisons:
        per, ratio = comparison.per_sample, comparison.speedup and 1 / comparison.speedup
        if ratio is not None and per is not None:
            ratio = per.b_ms / per.a_ms
        (a, b), remark = comparison.outputs, ""
        if not comparison.same_network:
            remark = "another network"
        elif a and b and a != b:
            remark = f"{count(b, 'output')}, A has {a}"
        elif per is not None:
            whole = sentences.as_run(comparison)
            remark = f"B/A of one sample; {whole}" if whole else "B/A of one sample"
        elif whole := sentences.as_run(comparison):
            remark = whole
        elif sentences.is_noise(comparison):
            remark = "the same, within what runs vary"
        difference = signed(comparison.delta_ms), _ratio(ratio)
        rows.append((comparison.called, *_engine(comparison.b), *difference, remark))
    heads = ("", "engine", ">layers", ">time", "times", ">difference", ">B/A", "remark")
    return page.Grid(heads, tuple(rows)).filled()


def _engine(costs: Costs) -> Row:
    return sentences.engine(costs), str(len(costs.layers)), page.ms(costs.shown_total), how(costs)


def _ratio(ratio: float | None) -> str:
    return "–" if ratio is None else f"{ratio:.2f}"


def _page(comparison: Comparison, options: ReportOptions) -> Iterator[page.Block]:
    yield page.Heading(sentences.title(comparison), 1)
    yield page.Paragraph(sentences.first(comparison))
    for name, costs in zip(comparison.names, comparison.sides):
        if costs.total is not None and costs.now.timed < costs.now.layers:
            yield page.Paragraph(f"{name}: {timed_layers(costs)}.")
    yield from _how_to_measure(comparison)
    if found := causes.advice(comparison):
        yield page.Heading("Findings in only one engine")
        told = tuple(
            (f"{one.state} in {comparison.called}", one.text, page.ms(one.ms), one.code)
            for one in found
        )
        yield page.Grid(("", "what to do", ">could save", "rule"), told)
    yield page.Heading("Totals")
    yield page.Grid(
        ("", *(f">{name}" for name in comparison.names), ">difference"), tuple(totals(comparison))
    ).filled()
    if others := [(what, page.called(a), page.called(b)) for what, a, b in builds(comparison)]:
        yield page.Heading("What differs between the builds")
        yield page.Grid(("", *comparison.names), tuple(others))
    if steps := sentences.steps(comparison):
        of = " of the estimates" if comparison.a.estimated else ""
        of += " of one sample" if comparison.per_sample else ""
        yield page.Heading(f"What explains the difference{of}")
        rows = [(causes.CAUSES[step.cause], signed(step.ms)) for step in steps if step.ms]
        rows.append(("all", signed(comparison.explained_ms)))
        yield page.Grid(("", ">time"), tuple(rows)).filled()
    yield from _groups(comparison, options)
    yield from _unmatched(comparison, options.top)


def _how_to_measure(comparison: Comparison) -> Iterator[page.Block]:
    """How to get the times that are missing, or that were not measured; none of two networks."""
    if not comparison.same_network:
        return
    sides = list(zip(comparison.names, comparison.sides))
    untimed = [(name, costs) for name, costs in sides if not costs.now.timed]
    meant = untimed or [side for side in sides if side[1].estimated]
    names = by_key((to_measure(Subject(costs)), name) for name, costs in meant)
    for advice, of in names.items():
        if len(names) > 1 and advice.startswith("Measure"):  # else B's file would replace A's
            advice = advice.replace("prof.json", f"prof_{of[0]}.json")
        yield page.Advice(f"{' and '.join(of)}: {advice}")


def builds(comparison: Comparison) -> Iterator[Difference]:
    """What differs between the builds, but for what is said first or is among the totals."""
    told = sentences.told_first(comparison)
    return (
        difference
        for difference in comparison.builds
        if not difference.what.endswith(" memory") and difference not in told
    )


# ---- totals ------------------------------------------------------------------------------------


def totals(comparison: Comparison) -> Iterator[Row]:
    """What is known of the engines as a whole: its name, of A, of B, the difference."""
    sides, per = comparison.sides, comparison.per_sample
    kinds = {costs.kind for costs in sides if costs.kind}
    mixed = len(kinds) > 1
    kind = "" if mixed else "".join(f", {only}" for only in kinds)
    sums = [page.ms(costs.shown_total) + f" ({costs.kind})" * mixed for costs in sides]
    yield f"sum of the layers{kind}", *sums, signed(comparison.delta_ms)
    if result.inputs_differ(comparison.inputs):
        yield "inputs", *(result.shapes_as_text(shapes or ()) for shapes in comparison.inputs), ""
    if per is not None:
        yield _total("of one sample", (per.a_ms, per.b_ms))
    for what, whole in (
        ("latency", result.measured(comparison, "latency")),
        ("GPU compute time", result.measured(comparison, "gpu_compute")),
    ):
        if whole is not None:
            yield _total(f"{what}, {whole.statistic}", (whole.a, whole.b))
    moves = [reformats(costs) for costs in sides]
    quantisers = [sum(map(quantises, costs.layers)) for costs in sides]
    yield _total("layers", [len(costs.layers) for costs in sides], "{:,}".format)
    yield _total("reformats", [row.layers for row in moves], "{:,}".format)
    if any(quantisers):
        yield _total("layers that only quantise", quantisers, "{:,}".format)
    if moves[0].ms is not None and moves[1].ms is not None:
        *times, delta = _total("time of reformats", (moves[0].ms, moves[1].ms))
        yield *times, "–" if mixed else delta
    for name in _MEMORY:
        first, second = (costs.engine.known.total(name) for costs in sides)
        if first is not None and second is not None:
            yield _total(f"{name.lower()} memory", (first, second), amount)


def _total(what: str, both: Sequence[float], words: Callable[[float], str] = milliseconds) -> Row:
    a, b = both
    return what, words(a), words(b), signed(b - a, words)


# ---- groups ------------------------------------------------------------------------------------


def _groups(comparison: Comparison, options: ReportOptions) -> Iterator[page.Block]:
    timed = any(group.delta_ms is not None for group in comparison.groups)
    listed = comparison.groups if timed else [group for group in comparison.groups if group.changes]
    if not listed:
        return  # the first sentence says that nothing changed
    rows = [[group] for group in listed] if options.full else causes.alike(comparison, listed)
    shown = rows[: options.top]
    title = "Groups of layers, the largest difference first" if timed else "Groups that changed"
    yield page.Heading(title)
    changed = sum(bool(group.changes) for group in comparison.groups)
    what = f"{changed:,} of {count(len(comparison.groups), 'group')} of layers changed"
    numbers = Counter(group.confidence for group in comparison.groups)
    matched = ", ".join(f"{confidence} ({number:,})" for confidence, number in numbers.items())
    yield page.Paragraph(f"{what}. Matched by {matched}.{_of_profiles(comparison)}")
    times = ">B/A" if comparison.per_sample is None else ">B/A of one sample"
    names = comparison.names
    sides = [f"layer of {name}" for name in names] + [f">time in {name}" for name in names]
    heads = (">difference", times, *sides, "what changed", "matched by")
    columns = slice(0 if timed else 2, None if len(numbers) > 1 else -1)  # the text says it of all
    lines = tuple(_group(comparison, row)[columns] for row in shown)
    yield page.Grid(heads[columns], lines).filled()
    if left := len(listed) - sum(map(len, shown)):
        yield page.Paragraph(f"… and {count(left, 'more group')}; --top shows more.")


def _of_profiles(comparison: Comparison) -> str:
    """Where there are several optimisation profiles: which of them groups and totals are of."""
    a, b = comparison.sides
    if max(len(a.profiles), len(b.profiles)) < 2:
        return ""
    of_totals = f"totals of profile {a.profile} of A and {b.profile} of {comparison.called}"
    return f" Groups are of all optimisation profiles that both have, {of_totals}."


def _paired_profiles(comparison: Comparison) -> Iterator[set[int]]:
    """The optimisation profiles of A, and of B, that totals or groups are of."""
    for side, costs in enumerate(comparison.sides):
        firsts = (costs.engine.layers[group.all[side][0]] for group in comparison.groups)
        yield {costs.profile, *map(costs.profile_of, firsts)}


def _group(comparison: Comparison, alike: Sequence[Group]) -> tuple[Words, ...]:
    """The row of groups that are alike: their sums, and the layers of the first."""
    group = alike[0]
    many = f"{len(alike)} alike, such as " if len(alike) > 1 else ""
    times = zip(*((group.delta_ms, group.ms_a, group.ms_b) for group in alike))
    delta, a, b = (None if None in each else sum(filter(None, each)) for each in times)
    changes = "; ".join(causes.changes(comparison, group))
    return (
        signed(delta),
        _ratio(result.of_groups(comparison, alike)),
        *((many, *_named(layers)) for layers in comparison.layers(group.both)),
        page.ms(a),
        page.ms(b),
        changes or ("–" if group.kernels_known else "kernel unknown"),
        group.confidence,
    )


def _named(layers: Sequence[Layer]) -> tuple[str | Name, ...]:
    """`3 conv1, 4 relu1 and 2 more`."""
    return first_of([(f"{layer.index} ", Name(layer.name)) for layer in layers])


def _unmatched(comparison: Comparison, top: int) -> Iterator[page.Block]:
    """Layers without a counterpart, but for those of profiles that the other side lacks."""
    rows: list[tuple[Words, ...]] = []
    left = 0
    each = comparison.layers(comparison.alone), _paired_profiles(comparison)
    for name, costs, alone, paired in zip(comparison.names, comparison.sides, *each):
        layers = [layer for layer in alone if costs.profile_of(layer) in paired]
        layers.sort(key=lambda la: -(costs.of(la) or 0.0))
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


# ---- the formats ---------------------------------------------------------------------------------

Found = Sequence[Comparison]
Problems = Sequence[Problem]

MAX_NAME: Final = 60  # characters, where several names stand in a row
_INDICES: Final = ("a", "b", "a_reformats", "b_reformats")  # of a group
_VALUES: Final = ("ms_a", "ms_b", "delta_ms", "confidence", "changes")


def as_text(found: Found, problems: Problems, options: ReportOptions) -> Iterator[str]:
    """The report for a terminal."""
    told = blocks(found, options)
    yield terminal.set_page(told, options.width, options.color, options.full, MAX_NAME)


def as_markdown(found: Found, problems: Problems, options: ReportOptions) -> Iterator[str]:
    """The report as GitHub's Markdown, such as for a comment on a pull request."""
    yield markup.set_page(blocks(found, options), options.full)


def as_brief(found: Found, problems: Problems, options: ReportOptions) -> Iterator[str]:
    """How much faster other engines are than the first, and why: a short JSON."""
    yield brief.of_comparisons(found, problems)


def as_json(found: Found, problems: Problems, options: ReportOptions) -> Iterator[str]:
    """`{"schema": 1, "comparisons": [...], "problems": [...]}` (docs/compare.md) in pieces."""
    before = '{"schema": 1, "comparisons": ['
    for comparison in found:
        yield before + json.dumps(of_comparison(comparison))
        before = ","
    left = json.dumps([problem_json(problem) for problem in problems])
    yield f'{"" if found else before}], "problems": {left}}}'


def of_comparison(comparison: Comparison) -> dict[str, JsonValue]:
    """Every key is always there."""
    return {
        "a": _json_engine(comparison.a),
        "b": _json_engine(comparison.b),
        **picked(comparison, "same_network", "delta_ms", "speedup", "per_sample", "builds"),
        "outputs": dict(zip("ab", comparison.outputs)),
        "uniform": plain(causes.uniform(comparison)),
        "noise": sentences.is_noise(comparison),
        "advice": plain(causes.advice(comparison)),
        "waterfall": plain(comparison.waterfall),
        "groups": [picked(group, *_INDICES, *_VALUES) for group in comparison.groups],
        **picked(comparison, "overhead", "unmatched"),
    }


def _json_engine(costs: Costs) -> dict[str, JsonValue]:
    """`macs` is null where the work of a layer is unknown."""
    return {**brief.engine_json(costs), "macs": work(costs).macs}
