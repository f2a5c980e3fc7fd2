"""Reports MACs, the device's peaks, and the layers farthest above what no kernel beats."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.labels import headline, several
from engine_layer_visualize.analysis.work import EqualLayers, LayerWork, ranked_equal_layers, work
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.text import amount, count, large
from engine_layer_visualize.core.words import Name, Words, parts
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.facts import engine_words
from engine_layer_visualize.facts.field import picked
from engine_layer_visualize.facts.json import HEAD
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.reports.rows import grid, identity, ms, part, word

_DETAILED = (
    "A detailed listing has kernel sizes and groups: build with "
    "`--profilingVerbosity=detailed --dumpLayerInfo` (TensorRT 8.2 and later)."
)
_NO_PEAK = (
    "What the device can do is not known: `--peak fp32=19.5,tf32=156,fp16=312,int8=624,bw=1555` "
    "(dense TFLOPS or TOPS, GB/s) gives bounds."
)


_ASSUMED = {
    "Winograd": (
        "A bound with (Winograd) counts fewer multiplications than the MACs, 2.25 times fewer, or "
        "4 times: the kernel's name tells of Winograd's algorithm."
    ),
    "sparse": (
        "A bound with (sparse) counts half of the MACs: the kernel's name tells of sparse weights."
    ),
}


def collect(costs: Costs, top: int) -> JsonValue:
    """Totals, and the `top` layers that are farthest above their bound.

    Without bounds it is those with the most MACs. `groups` has the same of equal layers together.
    """
    done = work(costs)
    bound = [layer for layer in costs.layers if done.of(layer).above_ms is not None]
    if bound:
        order = sorted(bound, key=lambda layer: -(done.of(layer).above_ms or 0))
    else:
        some = (layer for layer in costs.layers if done.of(layer).macs)
        order = sorted(some, key=lambda layer: -(done.of(layer).macs or 0))
    why = Counter(known.unknown or "" for known in map(done.of, costs.layers) if known.macs is None)
    reasons: list[JsonValue] = [{"why": text, "layers": n} for text, n in why.most_common()]
    return {
        **HEAD.part(Subject(costs), costs.engine, "work"),
        "peak_words": "" if done.peak is None else engine_words.work_words_peaks(done.peak),
        "layers": len(costs.layers),
        "reasons": reasons,
        "kind": costs.kind,
        "bounded": len(bound),
        "ms": costs.sum(bound),
        "bound_ms": math.fsum(done.of(la).bound_ms or 0.0 for la in bound) if bound else None,
        "rows": [_row(layer, costs, done.of(layer)) for layer in order[:top]],
        "groups": [
            _together(group, costs) for group in ranked_equal_layers(order, done, costs)[:top]
        ],
    }


def _row(layer: Layer, costs: Costs, done: LayerWork) -> dict[str, JsonValue]:
    return {
        **identity(layer),
        "operators": headline(layer),
        "precision": precisions.precision_of(layer),
        "ms": costs.of(layer),
        **picked(done, "above_ms", "in_l2", "assumes", "macs", "bytes", "intensity", "bound_ms"),
        **picked(done, "bound_by", "efficiency"),
    }


def _together(group: EqualLayers, costs: Costs) -> dict[str, JsonValue]:
    """The row of its slowest layer, with the sums of all."""
    slowest, done = group.layers[0], group.done
    return {
        **_row(slowest, costs, done),
        "layers": [layer.index for layer in group.layers],
        **picked(group, "ms", "above_ms", "macs", "bytes", "bound_ms", "efficiency"),
    }


def blocks(data: page.Data, engine: page.Data) -> Iterator[page.Block]:
    """The section as blocks of a page."""
    yield page.Heading("Work")
    yield page.Paragraph(
        (_macs(data, page.whole(engine)), *engine_words.work_words_at(data["at"], data["of_times"]))
    )
    if any("kernel size" in reason["why"] for reason in data["reasons"]):
        yield page.Advice(_DETAILED)
    rows = data["groups"]
    if data["peak"] is not None:
        yield page.Paragraph(_peaks(data["peak"], data["peak_words"]))
    elif rows:
        yield page.Advice(_NO_PEAK)
    if data["bounded"]:
        yield page.Paragraph(_bounds(data, rows))
    if rows:
        yield _table(rows, bool(data["bounded"]))


def _macs(data: page.Data, whole: bool) -> str:
    """How many, and of how many layers they are not known. `whole`: all layers are listed."""
    missing, known = data["layers_unknown"], data["macs_known"]
    if not missing:
        which = "all layers" if whole else "the layers that are listed"
        return f"{known:,} MACs (multiplications with additions), of {which}."
    reasons = [reason["why"] for reason in data["reasons"]]
    if len(reasons) > 1:
        reasons = [f"{reason['why']} ({reason['layers']:,})" for reason in data["reasons"]]
    layers, why = count(missing, "layer"), "; ".join(reasons)
    if not known:
        return f"The MACs (multiplications with additions) of {layers} are not known: {why}."
    return f"{known:,} MACs (multiplications with additions) are known; not of {layers}: {why}."


def _peaks(peak: page.Data, words: str) -> str:
    """What the device can do, and where that is known from."""
    name = f"{peak['device']}: " if peak["device"] else ""
    parts = [f"{name}{words or 'no figures are known'}, dense, at the maximum clock"]
    if peak["given"]:
        parts.append(f"{', '.join(peak['given'])} as given by `--peak`")
    if peak["bandwidth_gbs"] is None:
        parts.append(
            "its memory bandwidth is not known, so there are no bounds: `--peak bw=…` gives it"
        )
    if peak["unverified"]:
        parts.append(f"not confirmed: {', '.join(peak['unverified'])}")
    return "; ".join(parts) + "."


def _bounds(data: page.Data, rows: list[page.Data]) -> str:
    """How far the whole is from what no kernel beats, and what the marks of the rows mean."""
    took, bound = data["ms"], data["bound_ms"]
    what = "takes" if data["bounded"] == 1 else "take"
    what += "" if data["kind"] == "measured" else ", by the builder's estimates,"
    layers = count(data["bounded"], "layer")
    words = (
        f"{layers} with a bound {what} {page.ms(took)}; from memory, kernels that multiply as "
        f"often need {page.ms(bound)} at least."
    )
    if data["bounded"] > 1:
        words += " Fused layers may need less: they move fewer bytes."
    if any(map(_in_cache, rows)):
        words += " A layer with (L2) may beat its bound: all that it moves fits there."
    for mark in sorted({row["assumes"] for row in rows if row["assumes"]}):
        words += f" {_ASSUMED[mark]}"
    return words


def _table(rows: list[page.Data], bounded: bool) -> page.Grid:
    """The rows, ranked by the time above the bound, or by MACs."""
    return grid(
        rows,
        [
            (">above the bound", ms("above_ms")) if bounded else None,
            (">time", ms("ms")),
            (">bound", ms("bound_ms")) if bounded else None,
            (">efficiency", part("efficiency")) if bounded else None,
            ("bound by", _by) if bounded else None,
            (">MACs", lambda row: large(row["macs"]) if row["macs"] else "–"),
            (">bytes", lambda row: amount(row["bytes"]) if row["bytes"] else "–"),
            (">FLOP per byte", _intensity),
            ("layer", _called),
            ("precision", word("precision")),
        ],
    )


def _intensity(row: page.Data) -> str:
    return f"{row['intensity']:.3g}" if row["intensity"] else "–"


def _called(row: page.Data) -> Words:
    """The layers of a row: `16 Conv: Conv_60`; `22 × Conv: 18 Conv_64 and 21 more`."""
    more = len(row["layers"]) - 1
    if not more:
        return page.of_layer(row, "operators")
    head = Name(several(row["operators"], more + 1))
    return (head, ": ", *parts(page.of_layer(row)), f" and {more:,} more")


def _by(row: page.Data) -> str:
    """Compute, memory or launch; `L2`: its bytes may lie in the cache; what its kernel saves."""
    marks = ("L2" if _in_cache(row) else "", row["assumes"])
    return f"{row['bound_by']}{''.join(f' ({mark})' for mark in marks if mark)}"


def _in_cache(row: page.Data) -> bool:
    return bool(row["in_l2"]) and row["bound_by"] == "memory"
