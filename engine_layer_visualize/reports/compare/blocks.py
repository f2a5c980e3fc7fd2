"""Comparisons in; the blocks of a page out: what matters first, totals, builds, causes, groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isclose
from typing import Final

from engine_layer_visualize.analysis import breakdown
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.coverage import how, timed_layers
from engine_layer_visualize.analysis.work import work
from engine_layer_visualize.comparison import samples, sentences
from engine_layer_visualize.comparison.ratio import LEAST_MS
from engine_layer_visualize.comparison.result import Comparison, Difference, Group
from engine_layer_visualize.comparison.sentences import CAUSES, signed
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.text import amount, count, large, plural
from engine_layer_visualize.core.words import Name, Words, joined, parts
from engine_layer_visualize.documents import blocks as page

_NAMED: Final = 3  # layers of a group
_NEAR: Final = 0.05  # times of groups that are alike differ by less
_MEMORY: Final = ("Weights", "Activation", "Scratch")
_TIMES: Final = (
    "No times to compare: run `trtexec --loadEngine=… --exportProfile=prof.json "
    "--separateProfileRun` for both engines, and write each profile after its log."
)


def blocks(found: Sequence[Comparison], options: ReportOptions) -> Iterator[page.Block]:
    """The page of each comparison; before several, a table of all."""
    if len(found) > 1:
        yield page.Heading(
            f"{count(len(found), 'engine')} against {sentences.engine(found[0].a)}", 1
        )
        yield _all(found)
    for one in found:
        yield from _page(one, options)


def _all(found: Sequence[Comparison]) -> page.Grid:
    rows = [("A", *_row(found[0].a), "", "", "")]
    rows += [
        (
            "B",
            *_row(one.b),
            signed(one.delta_ms),
            _times(_speedup(one)),
            _remark(one),
        )
        for one in found
    ]
    heads = ("", "engine", ">layers", ">time", "times", ">difference", ">×", "")
    return page.Grid(heads, tuple(rows)).filled()


def _speedup(found: Comparison) -> float | None:
    """Of a sample, where runs are of different numbers of samples."""
    if found.speedup is None or (one := found.per_sample) is None:
        return found.speedup
    return one.a_ms / one.b_ms


def _remark(found: Comparison) -> str:
    if not found.same_network:
        return "another network"
    if found.per_sample is not None:
        return "× of one sample"
    return "other inputs" if found.no_ratio and samples.differ(found.inputs) else ""


def _row(costs: Costs) -> tuple[str, str, str, str]:
    return (
        sentences.engine(costs),
        str(len(costs.layers)),
        page.ms(costs.total),
        how(costs),
    )


def _times(speedup: float | None) -> str:
    return "–" if speedup is None else f"{speedup:.2f}"


def _page(found: Comparison, options: ReportOptions) -> Iterator[page.Block]:
    yield page.Heading(sentences.title(found), 1)
    yield page.Paragraph(sentences.first(found))
    for name, costs in (("A", found.a), ("B", found.b)):
        if costs.total is not None and costs.now.timed < costs.now.layers:
            yield page.Paragraph(f"{name}: {timed_layers(costs)}.")
    if found.a.total is None or found.b.total is None:
        yield page.Advice(_TIMES)
    yield page.Heading("Totals")
    yield page.Grid(("", ">A", ">B", ">difference"), tuple(totals(found))).filled()
    if others := list(builds(found)):
        yield page.Heading("What differs between the builds")
        told = tuple((one.what, page.called(one.a), page.called(one.b)) for one in others)
        yield page.Grid(("", "A", "B"), told)
    if found.waterfall:
        of = " of one sample" if found.of_a_sample else ""
        yield page.Heading(f"What explains the difference{of}")
        rows = tuple((CAUSES[step.cause], signed(step.ms)) for step in found.waterfall if step.ms)
        yield page.Grid(("", ">time"), (*rows, ("all", signed(found.delta_ms))))
    yield from _groups(found, options)
    yield from _unmatched(found, options.top)


def builds(found: Comparison) -> Iterator[Difference]:
    """What differs between the builds, but for what is among the totals."""
    return (one for one in found.builds if not one.what.endswith(" memory"))


# ---- totals ------------------------------------------------------------------------------------


def totals(found: Comparison) -> Iterator[tuple[str, str, str, str]]:
    """What is known of the engines as a whole: its name, of A, of B, the difference."""
    sides = (found.a, found.b)
    kinds = {costs.kind for costs in sides if costs.kind}
    kind = f", {next(iter(kinds))}" if len(kinds) == 1 else ""
    mixed = len(kinds) > 1
    words = [page.ms(costs.total) + f" ({costs.kind})" * mixed for costs in sides]
    kind += ", of one sample" if found.of_a_sample else ""
    yield f"sum of the layers{kind}", words[0], words[1], signed(found.delta_ms)
    if samples.differ(found.inputs):
        a, b = (samples.words(shapes or ()) for shapes in found.inputs)
        yield "inputs", a, b, ""
    if (per := found.per_sample) is not None and not found.of_a_sample:
        yield "of one sample", page.ms(per.a_ms), page.ms(per.b_ms), signed(per.b_ms - per.a_ms)
    facts = [costs.engine.facts or EngineFacts() for costs in sides]
    rows: tuple[tuple[str, sentences.Row], ...] = (
        ("latency", "latency"),
        ("GPU compute time", "gpu_compute"),
    )
    for what, row in rows:
        if (whole := sentences.measured(found, row)) is not None:
            delta = signed(whole.b - whole.a)
            yield f"{what}, {whole.statistic}", page.ms(whole.a), page.ms(whole.b), delta
    yield "layers", *_counts(len(found.a.layers), len(found.b.layers))
    moves = [breakdown.reformats(costs) for costs in sides]
    yield "reformats", *_counts(moves[0].layers, moves[1].layers)
    if moves[0].ms is not None and moves[1].ms is not None:
        delta = "–" if mixed else signed(moves[1].ms - moves[0].ms)
        yield "time of reformats", page.ms(moves[0].ms), page.ms(moves[1].ms), delta
    done = [work(costs) for costs in sides]
    if all(one.macs_known for one in done):
        words = [f"{'at least ' * (one.macs is None)}{large(one.macs_known)}" for one in done]
        known = None not in (done[0].macs, done[1].macs)
        more = done[1].macs_known - done[0].macs_known
        yield "MACs", words[0], words[1], (_sign(more) + large(abs(more)) if known else "–")
    for name in _MEMORY:
        sizes = [size for one in facts if (size := one.total(name)) is not None]
        if len(sizes) == 2:
            more = sizes[1] - sizes[0]
            delta = _sign(more) + amount(abs(more))
            yield f"{name.lower()} memory", amount(sizes[0]), amount(sizes[1]), delta


def _sign(more: int) -> str:
    return "−" if more < 0 else "+" if more else ""


def _counts(a: int, b: int) -> tuple[str, str, str]:
    return f"{a:,}", f"{b:,}", f"{b - a:+,}".replace("-", "−") if a != b else "0"


# ---- groups ------------------------------------------------------------------------------------


def _groups(found: Comparison, options: ReportOptions) -> Iterator[page.Block]:
    if not found.groups:
        return
    timed = any(group.delta_ms is not None for group in found.groups)
    listed = found.groups if timed else [group for group in found.groups if group.changes]
    rows = [[group] for group in listed] if options.full else _alike(found, listed)
    shown = rows[: options.top]
    title = "Groups of layers, the largest difference first" if timed else "Groups that changed"
    yield page.Heading(title)
    number = count(len(found.groups), "group")
    changed = sum(bool(group.changes) for group in found.groups)
    yield page.Paragraph(
        f"{number}, of which {changed:,} {plural(changed, 'has', 'have')} changed in more "
        f"than time{sentences.unknown_kernels(found.groups)}. Matched by {_how(found)}."
        f"{_of_profiles(found)}"
    )
    times = ">×" if found.per_sample is None else ">× of one sample"
    heads = (">difference", times, "A", "B", ">A", ">B", "what changed", "matched by")
    if shown:
        yield page.Grid(heads, tuple(_group(found, own) for own in shown)).filled()
    if timed and (left := len(listed) - sum(map(len, shown))):
        yield page.Paragraph(f"… and {count(left, 'more group')}; --top shows more.")


def _of_profiles(found: Comparison) -> str:
    """Where there are several optimisation profiles: which the totals are of."""
    numbers = [costs.profile for costs in (found.a, found.b)]
    if max(len(found.a.profiles), len(found.b.profiles)) < 2:
        return ""
    return (
        f" Groups are of all optimisation profiles, totals of profile {numbers[0]} of A and "
        f"{numbers[1]} of B."
    )


def _how(found: Comparison) -> str:
    numbers: dict[str, int] = {}
    for group in found.groups:
        numbers[group.confidence] = numbers.get(group.confidence, 0) + 1
    return ", ".join(f"{name} ({number:,})" for name, number in numbers.items())


def _alike(found: Comparison, groups: Sequence[Group]) -> list[list[Group]]:
    """Three groups or more that follow each other, do the same, and took nearly the same time, as
    the blocks of a network do, stand together; what differs most comes first."""
    runs: list[list[Group]] = []
    for group in groups:
        if runs and _is_like(found, runs[-1][0], group):
            runs[-1].append(group)
        else:
            runs.append([group])
    rows = [row for run in runs for row in ([run] if len(run) > 2 else [[one] for one in run])]
    return sorted(rows, key=lambda row: -abs(sum(one.delta_ms or 0.0 for one in row)))


def _is_like(found: Comparison, one: Group, other: Group) -> bool:
    near = all(
        isclose(mine or 0.0, yours or 0.0, rel_tol=_NEAR)
        for mine, yours in ((one.ms_a, other.ms_a), (one.ms_b, other.ms_b))
    )
    return near and _work(found, one) == _work(found, other)


def _work(found: Comparison, group: Group) -> object:
    """What its layers are and write, and what changed."""
    works = [
        [
            (la.type, [t.dims for t in la.outputs])
            for la in map(costs.engine.layers.__getitem__, own)
        ]
        for costs, own in zip((found.a, found.b), (group.a, group.b))
    ]
    return works, [*sentences.changes(found, group)], group.confidence, group.kernels_known


def _group(found: Comparison, alike: Sequence[Group]) -> tuple[Words, ...]:
    """The row of groups that are alike: their sums, and the layers of the first."""
    group = alike[0]
    many = f"{len(alike)} alike, such as " if len(alike) > 1 else ""
    deltas, a, b = (
        None if None in known else sum(ms for ms in known if ms is not None)
        for known in zip(*((one.delta_ms, one.ms_a, one.ms_b) for one in alike))
    )
    return (
        signed(deltas),
        _times(_ratio(found, alike)),
        (many, *parts(_layers(found.a, group.a))),
        (many, *parts(_layers(found.b, group.b))),
        page.ms(a),
        page.ms(b),
        "; ".join(sentences.changes(found, group))
        or ("–" if group.kernels_known else "kernel unknown"),
        group.confidence,
    )


def _ratio(found: Comparison, groups: Sequence[Group]) -> float | None:
    """None where it would mean nothing."""
    took = found.took(groups)
    if took is None or found.no_ratio or min(took) < LEAST_MS:
        return None
    return took[0] / took[1]


def _layers(costs: Costs, indices: Sequence[int]) -> Words:
    """`3 conv1, 4 relu1 and 2 more`."""
    layers = [costs.engine.layers[i] for i in indices]
    words = joined(", ", [(f"{layer.index} ", Name(layer.name)) for layer in layers[:_NAMED]])
    more = len(layers) - _NAMED
    return (*words, f" and {more:,} more") if more > 0 else words


def _unmatched(found: Comparison, top: int) -> Iterator[page.Block]:
    rows = []
    sides = (("A", found.a, found.unmatched.a), ("B", found.b, found.unmatched.b))
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
