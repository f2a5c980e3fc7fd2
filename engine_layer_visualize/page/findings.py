"""Makes the page's findings of an engine, its totals, and the roofline."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis import precisions, times, work
from engine_layer_visualize.analysis.costs import Costs, share
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.options import Peak
from engine_layer_visualize.core.text import count, large, visible
from engine_layer_visualize.core.words import shown
from engine_layer_visualize.drawing.tooltips import LONGEST_MESSAGE, LONGEST_NAME
from engine_layer_visualize.facts import layer_values, sentences
from engine_layer_visualize.facts.layer import BY_KEY
from engine_layer_visualize.facts.sentences import coverage, reformatted, stakes
from engine_layer_visualize.linting.causes import of_rule
from engine_layer_visualize.linting.rules import Finding, all_rules, saved
from engine_layer_visualize.trt.types import canonical

Text = Callable[[str | None], int]  # gives the number of a text, -1 of none

_MOST_RANKED: Final = 10  # layers
_LABELLED: Final = {False: "time.average_ms", True: "facts.build_ms"}  # by: is estimated


def findings(
    profiles: Sequence[tuple[Costs, Sequence[Finding]]], text: Text
) -> dict[str, JsonValue]:
    """Returns the rules that found something, and what they found in each optimisation profile.

    `rules` is in the order of their codes, `list` profile by profile in their order; `counts` says
    how many each profile has, `gains` the ms that all of one may save, and their share.
    """
    flat = [(of_profile, finding) for of_profile, several in profiles for finding in several]
    codes = sorted({finding.code for _, finding in flat})
    rules = {code: number for number, code in enumerate(codes)}
    return {
        "rules": [_rule(code, text) for code in codes],
        "list": {
            "rule": [rules[each.code] for _, each in flat],
            "stake": [text(_stake(each, of_profile)) for of_profile, each in flat],
            "share": [_rounded(times.share_touched(each.layers, own)) for own, each in flat],
            "saves": [each.saves_ms for _, each in flat],
            "shown": [each.shown for _, each in flat],
            "layers": [list(each.layers) for _, each in flat],
            "about": [list(each.about) for _, each in flat],
            "message": [text(shown(each.said, LONGEST_NAME, LONGEST_MESSAGE)) for _, each in flat],
            "advice": [text(each.advice) for _, each in flat],
            "evidence": [
                [value for fact in each.evidence for value in (fact.line, text(fact.text))]
                for _, each in flat
            ],
            "badge": [list(each.layers or each.about) if each.shown else [] for _, each in flat],
        },
        "counts": [len(several) for _, several in profiles],
        "gains": [_gain(of_profile, several) for of_profile, several in profiles],
    }


def _stake(finding: Finding, costs: Costs) -> str:
    """Returns `touches 20.0 µs, 0.8 %  ·  could save 12.0 µs`; empty where unknown."""
    told = "  ·  ".join(stakes(finding, costs))
    return f"{told} (estimated)" if told and costs.estimated else told


def _gain(costs: Costs, findings: Iterable[Finding]) -> list[JsonValue]:
    """Returns ms and share that all findings together may save, None where nothing is known."""
    ms = saved(findings)
    whole = None if ms is None else times.at_most(ms, times.of_inference(costs))
    return [whole, _rounded(share(whole, times.inference(costs)))]


def _rounded(part: float | None) -> float | None:
    """Returns a share from 0 to 1, no longer than it can be shown."""
    return part if part is None else round(part, 6)


def _rule(code: str, text: Text) -> JsonValue:
    """Returns code, name, severity, summary, and what to do."""
    rule, _, _ = all_rules()[code]
    words = (rule.code, rule.name, rule.severity, rule.summary, of_rule(code).action)
    return [*map(text, words)]


def totals(costs: Costs, text: Text) -> dict[str, JsonValue]:
    """Returns all optimisation profiles; `shown` is the index of what is shown first."""
    return {
        "kind": costs.kind,
        "sum": times.UNKNOWN_RUNS if costs.is_sum else "",
        "shown": costs.profiles.index(costs.profile),
        "hottest": costs.top,
        "missing": layer_values.not_timed(costs),
        "unsteady": layer_values.UNSTEADY,
        "unstable": [*map(text, _unstable(costs))],
        "profiles": [_profile(costs.of_profile(number), text) for number in costs.profiles],
    }


def _unstable(costs: Costs) -> Iterable[str]:
    """Returns warnings by trtexec itself that its times are not steady."""
    messages = costs.engine.known.messages
    return dict.fromkeys(m.text.lstrip("* ") for m in messages if "unstable" in m.text)


def _profile(costs: Costs, text: Text) -> dict[str, JsonValue]:
    moves = times.reformats(costs)
    return {
        "number": costs.profile,
        "ms": costs.shown_total,
        "kind": times.how(costs),
        "label": "one run" if times.is_one_run(costs) else BY_KEY[_LABELLED[costs.estimated]].label,
        "layers": len(costs.layers),
        "total": sentences.headline_time(costs),
        "inference": sentences.inference(costs),
        "coverage": coverage(costs),
        "brief": f"{times.of_layers(costs)} timed" if coverage(costs) else "",
        "ranked": costs.ranked,
        "of": costs.share_words,
        "reformats": reformatted(moves, costs) if moves.layers else "none",
        "ranking": [layer.index for layer in costs.ranking[:_MOST_RANKED]],
        "types": _rows(times.by_type(costs), text),
        "precisions": _rows(times.by_precision(costs), text),
    }


def _rows(rows: Iterable[times.Row], text: Text) -> list[JsonValue]:
    return [[text(row.name), row.layers, row.timed, row.ms, row.share, row.idle] for row in rows]


# ---- the roofline: the page draws a dot for each layer that multiplies and has a time ------------

_MOST_NAMED: Final = 3  # layers


def roofline(
    costs: Costs, known: work.EngineWork, precision: Callable[[str | None], int]
) -> dict[str, JsonValue]:
    """Returns the roofline of an optimisation profile as data.

    `roofs` are FLOP/s, words, precision; `bandwidth` is bytes per second, words; `worst` are the
    slowest layer and those the farthest above their bounds. `precision` gives a data type's place
    among those of the theme.
    """
    drawn = [layer for layer in costs.layers if costs.of(layer) and known.timed(layer).intensity]
    drawn.sort(key=lambda layer: -(costs.of(layer) or 0.0))  # the slowest first
    bandwidth = None if known.peak is None else known.peak.bandwidth
    roofs = [] if known.peak is None else list(_roofs(drawn, known.peak))
    device = "There are no roofs: what the device can do is not known; --peak gives it"
    if known.peak is not None and (roofs or bandwidth):
        device = visible(layer_values.device(known.peak)).replace("`", "")
    farthest = sorted(drawn, key=lambda layer: -(known.of(layer).above_ms or 0.0))
    worst: list[JsonValue] = [*dict.fromkeys(layer.index for layer in (*drawn[:1], *farthest))]
    return {
        "device": device if drawn else "",
        "shown": _drawn(costs, len(drawn)),
        "bandwidth": bandwidth and [bandwidth * 1e9, f"{bandwidth:,.0f} GB/s"],
        "roofs": [[value, words, precision(dtype)] for value, words, dtype in roofs],
        "worst": worst[:_MOST_NAMED],
    }


def _roofs(drawn: Sequence[Layer], peak: Peak) -> Iterator[tuple[float, str, str]]:
    """Yields FLOP per second, words and data type of what dots may reach, the highest first."""
    figures: dict[float, tuple[list[str], str]] = {}
    done: set[str] = set()
    for dtype in dict.fromkeys(canonical(precisions.of(layer).dtype) or "" for layer in drawn):
        for key in work.peaks_of(dtype, peak):
            if key not in done:
                figures.setdefault(peak.of(key) or 0.0, ([], dtype))[0].append(key)
                done.add(key)
    for value, (names, dtype) in sorted(figures.items(), reverse=True):
        words = ", ".join(map(layer_values.peak_name, names))
        yield value, f"{words}: {large(value)}{layer_values.unit_of(names)}/s", dtype


def _drawn(costs: Costs, number: int) -> str:
    """Says how many layers of the engine have dots."""
    if costs.total is None:
        of_a_run = "of a run: an unknown number of runs is summed" if costs.is_sum else ""
        return f"No layer is drawn: there are no times {of_a_run}".rstrip()
    drawn = "is drawn" if number == 1 else "are drawn"
    return f"{number:,} of {count(len(costs.layers), 'layer')} {drawn}"
