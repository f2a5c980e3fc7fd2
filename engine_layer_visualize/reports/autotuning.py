"""Reports the autotuning: tactics timed and skipped, and seconds, by implementation and layer.

The seconds are those that the builder took, not the times of tactics. The fastest tactic need not
be the chosen one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis import trtexec
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import EngineFacts, Unassigned
from engine_layer_visualize.core.layer_facts import Candidate, Candidates, RunnerCost
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.words import Name, Words, joined
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.facts.field import picked, plain
from engine_layer_visualize.reports import rows as cells
from engine_layer_visualize.reports.rows import Column, grid, ms, word

_NO_LOG: Final = "An inspector's JSON has no autotuning: the whole VERBOSE log of the build has it."
_NO_LINES: Final = (
    "The log has no autotuning messages of this engine: it was filtered, is not the whole VERBOSE "
    "log of the build, or every result came from a timing cache."
)
_OTHER_FORMAT: Final = "in another format"
_NO_WORD: Final = "the log does not say why"


def collect(costs: Costs, top: int) -> JsonValue:
    """Sums, runners, and the `top` layers whose autotuning took longest."""
    engine = costs.engine
    facts = engine.facts or EngineFacts()
    runners = sorted(facts.runners, key=_effort)
    tuned = [layer for layer in engine.layers if _tried(layer)]
    tuned.sort(key=lambda layer: (-(_seconds(layer) or 0.0), -_tried(layer)))
    cache = facts.timing_cache
    every = [cost for tuning in facts.tunings for cost in tuning.runners]
    cached = cache is not None and bool(cache.cached_results or cache.hits)
    return {
        **_sums(runners, bool(runners or tuned or cached)),
        "attempts": [
            {"taken": tuning.taken, **_sums(tuning.runners, True)} for tuning in facts.tunings
        ],
        "all_attempts": _sums(every, bool(facts.tunings)),
        "advised": plain(facts.advised),
        "flag": trtexec.workspace_flag(engine),
        "timing_cache": plain(cache),
        "runners": plain(runners),
        "layers": [_row(layer) for layer in tuned[:top]],
        "joined": dict(facts.joined),
        "unjoined": plain(facts.unjoined),
    }


def _effort(runner: RunnerCost) -> tuple[float, int]:
    """A key that sorts the most seconds first, then the most tactics."""
    return -(runner.seconds or 0.0), -runner.tried


def _tried(layer: Layer) -> int:
    return (layer.facts.candidates.tried or 0) if layer.facts is not None else 0


def _seconds(layer: Layer) -> float | None:
    return layer.facts.candidates.seconds if layer.facts is not None else None


def _sums(costs: Sequence[RunnerCost], known: bool) -> dict[str, JsonValue]:
    """Sums over implementations; nothing is counted where no autotuning is `known`."""
    seconds = [cost.seconds for cost in costs if cost.seconds is not None]
    return {
        "tried": sum(cost.tried for cost in costs) if known else None,
        "skipped": sum(cost.skipped for cost in costs) if known else None,
        "seconds": sum(seconds) if seconds else None,
    }


def _row(layer: Layer) -> dict[str, JsonValue]:
    assert layer.facts is not None
    tuned = layer.facts.candidates
    return {
        **picked(layer, "index", "name", "type"),
        **picked(tuned, "tried", "skipped", "cached", "seconds"),
        **picked(layer.facts, "build_ms", "measured_on"),
        **picked(tuned, "best", "chosen"),
        "others": [{**other._asdict(), "reason": _reason(other, tuned)} for other in tuned.others],
    }


def _reason(other: Candidate, tuned: Candidates) -> str | None:
    """That a tactic has other formats than the chosen one, else why a faster one was not chosen.

    None of a slower one in the same formats. Where none is known as the chosen one, the formats are
    compared with those of the fastest.
    """
    first = tuned.chosen or tuned.others[0]
    if None not in (other.formats, first.formats) and other.formats != first.formats:
        return _OTHER_FORMAT
    return _NO_WORD if tuned.chosen is not None and other.ms < first.ms else None


def blocks(data: page.Data, engine: page.Data) -> Iterator[page.Block]:
    """The section as blocks of a page."""
    runners, rows, attempts = data["runners"], data["layers"], data["attempts"]
    yield page.Heading("Autotuning")
    if not runners and not rows and _cached(data["timing_cache"]):
        yield page.Paragraph("No tactic was timed: every result came from a timing cache.")
        return
    if not runners and not rows:
        yield page.Advice(_NO_LOG if engine["dialect"] == "inspector-json" else _NO_LINES)
        return
    part = "In the lines that the log has: " if engine["state"] == "part" else ""
    yield page.Paragraph(f"{part}{_timed(data)}{_cache(data['timing_cache'])}.")
    if len(attempts) > 1:
        number = next(
            (n for n, attempt in enumerate(attempts, 1) if attempt["taken"]), len(attempts)
        )
        yield page.Paragraph(
            f"The builder made {len(attempts)} attempts to build the network. These are the "
            f"tactics of attempt {number}, which the engine came from. All together: "
            f"{_timed(data['all_attempts'])}."
        )
    if data["skipped"]:
        yield from _advice(data)
    seconds: Column = (">seconds", _seconds_of)
    if runners:
        heads = {"profilings": "tries", "tried": "tactics", "skipped": "skipped", "unfit": "unfit"}
        counts = [(f">{head}", word(key)) for key, head in heads.items()]
        yield grid(runners, [("implementation", word("runner")), *counts, seconds])
    if rows:
        yield grid(
            rows,
            [
                ("layer", cells.cells_layer()),
                (">tactics", word("tried")),
                (">skipped", word("skipped")),
                ("chosen", _chosen),
                ("others timed", lambda row: joined("; ", list(map(_other, row["others"])))),
                seconds,
            ],
        )


def _timed(data: page.Data) -> str:
    tried, skipped, seconds = data["tried"], data["skipped"], data["seconds"]
    took = f", {seconds:.1f} s in all" if seconds is not None else ""
    return f"{count(tried, 'tactic')} timed, {skipped:,} skipped for lack of memory{took}"


def _advice(data: page.Data) -> Iterator[page.Block]:
    """What the log advises about memory, and trtexec's flag for it."""
    for advice in data["advised"]:
        yield page.Paragraph(f'The log says (line {advice["line"]}): "{advice["text"]}"')
    asked = max((advice["bytes"] or 0 for advice in data["advised"]), default=0)
    if asked:
        yield page.Advice(f"In trtexec that workspace is {data['flag']}{-(-asked >> 20)} (MiB).")


def _cache(cache: page.Data | None) -> str:
    if cache is None:
        return ""
    parts = [f"{cache['kind']} timing cache"] if cache["kind"] else ["timing cache"]
    if cache["hits"] is not None:
        parts.append(count(cache["hits"], "hit"))
    if cache["cached_results"]:
        parts.append(count(cache["cached_results"], "result") + " taken from it")
    return "; " + ", ".join(parts)


def _cached(cache: page.Data | None) -> bool:
    """Whether results were taken from a timing cache."""
    return cache is not None and bool(cache["cached_results"] or cache["hits"])


def _chosen(row: page.Data) -> Words:
    if row["chosen"] is not None:
        return _candidate(row["chosen"])
    if row["measured_on"]:
        return f"{page.ms(row['build_ms'])}, timed on ", Name(row["measured_on"])
    return page.ms(row["build_ms"])


def _other(candidate: page.Data) -> Words:
    reason = candidate["reason"]
    why = f" ({reason})" if reason == _NO_WORD else f" {reason}" if reason else ""
    return (*_candidate(candidate), why)


def _candidate(candidate: page.Data) -> tuple[str | Name, ...]:
    """A tactic by its kernel's name, else by implementation and number."""
    took = f" in {page.ms(candidate['ms'])}"
    if candidate["kernel"]:
        return Name(candidate["kernel"]), took
    runner = (Name(candidate["runner"]), " ") if candidate["runner"] else ()
    return (*runner, "tactic ", Name(candidate["tactic"]), took)


def _seconds_of(row: page.Data) -> str:
    seconds = row["seconds"]
    if seconds is None:
        return "–"
    return "<0.1" if 0 < seconds < 0.05 else f"{seconds:.1f}"


# ---- reports the lines of the log that were used for an engine, and those of no engine ----------


def sources_collect(costs: Costs) -> JsonValue:
    """Returns the ranges of lines by what was read there; None: build info was not read."""
    facts = costs.engine.facts
    return None if facts is None else plain(facts.sources)


def sources_unassigned(left: Iterable[Unassigned]) -> JsonValue:
    """Returns the data of the lines that belong to no engine."""
    return plain(list(left))


def unassigned_blocks(left: Iterable[Unassigned], is_one_of_logs: bool) -> Iterator[page.Block]:
    """Yields blocks of the lines that belong to no engine; none where there are none.

    Args:
        left: these lines.
        is_one_of_logs: whether the report is of several logs, of which this is one.
    """
    rows = page.rows_of(sources_unassigned(left))
    if not rows:
        return
    log = rows[0]["file"] if is_one_of_logs else "the log"
    yield page.Heading(f"Lines of {log} that belong to none of these engines", level=1)
    counts = ((f">{key}", word(key)) for key in ("warnings", "errors"))
    texts = ((key, word(key)) for key in ("what", "why"))
    yield grid(rows, [(">lines", _lines), *texts, (">GPU compute", ms("gpu_compute_ms")), *counts])


def _lines(row: page.Data) -> str:
    first, last = row["first_line"], row["last_line"]
    return f"{first}" if first == last else f"{first}–{last}"
