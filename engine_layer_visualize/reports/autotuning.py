"""Reports the autotuning (tactics timed and skipped, seconds, of all and by layer), and memory.

The seconds are those that the builder took, not the times of tactics. The fastest tactic need not
be the chosen one.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from engine_layer_visualize.core.build_info import TimingCache, Unassigned
from engine_layer_visualize.core.layer_facts import Candidate, LayerFacts, RunnerCost
from engine_layer_visualize.core.model import JsonValue, Layer
from engine_layer_visualize.core.text import amount, count
from engine_layer_visualize.core.words import Name, Words
from engine_layer_visualize.documents import blocks as page
from engine_layer_visualize.documents.blocks import Block, Heading, Paragraph, grid
from engine_layer_visualize.facts.field import picked, plain
from engine_layer_visualize.facts.layer import called, cell, of_fields
from engine_layer_visualize.linting.subject import Subject

_KEYS: Final = (
    *("index", "name", "type", "facts.build_ms", "facts.measured_on"),
    *(f"facts.candidates.{key}" for key in ("tried", "skipped", "cached", "seconds", "chosen")),
)
_SUMS: Final = ("tried", "skipped", "seconds")


def data(subject: Subject, top: int) -> JsonValue:
    """Sums, runners, and the `top` layers whose autotuning took longest."""
    facts = subject.facts
    runners, tuned = _runners(subject), _tuned(subject)
    is_known = bool(runners or tuned) or _is_cached(facts.timing_cache)
    return {
        **(dict(zip(_SUMS, _sums(runners))) if is_known else dict.fromkeys(_SUMS)),
        "attempts": [
            {"taken": one.taken, **dict(zip(_SUMS, _sums(one.runners)))} for one in facts.tunings
        ],
        "advised": plain(facts.advised),
        "timing_cache": plain(facts.timing_cache),
        "runners": plain(runners),
        "layers": [of_fields(subject, layer, *_KEYS) for layer in tuned[:top]],
    }


def _sums(costs: Sequence[RunnerCost]) -> tuple[int, int, float | None]:
    """`_SUMS` over implementations; of the seconds those that are known."""
    seconds = [cost.seconds for cost in costs if cost.seconds is not None]
    tried, skipped = sum(cost.tried for cost in costs), sum(cost.skipped for cost in costs)
    return tried, skipped, sum(seconds) if seconds else None


def _runners(subject: Subject) -> list[RunnerCost]:
    """The implementations, those that took the most seconds first, then the most tactics."""
    return sorted(subject.facts.runners, key=lambda cost: (-(cost.seconds or 0.0), -cost.tried))


def _tuned(subject: Subject) -> list[Layer]:
    """The layers that were autotuned, in the order of the seconds, then of the tactics."""
    candidates = [(la, la.known.candidates) for la in subject.engine.layers]
    tuned = [(la, tried) for la, tried in candidates if tried.tried]
    tuned.sort(key=lambda pair: (-(pair[1].seconds or 0.0), -(pair[1].tried or 0)))
    return [layer for layer, _ in tuned]


def blocks(subject: Subject, top: int) -> Iterator[Block]:
    """The section as blocks of a page."""
    facts = subject.facts
    runners, layers, attempts = _runners(subject), _tuned(subject)[:top], facts.tunings
    if not runners and not layers:
        if _is_cached(facts.timing_cache):
            yield Heading("Autotuning")
            yield Paragraph("No tactic was timed: every result came from a timing cache.")
        return
    yield Heading("Autotuning")
    tried, skipped, seconds = _sums(runners)
    took = f", {seconds:.1f} s in all" if seconds is not None else ""
    timed = f"{count(tried, 'tactic')} timed, {skipped:,} skipped for lack of memory{took}"
    yield Paragraph(f"{timed}{_cache(facts.timing_cache)}.")
    if len(attempts) > 1:
        taken = (number for number, attempt in enumerate(attempts, 1) if attempt.taken)
        kept = next(taken, len(attempts))
        yield Paragraph(f"These are of attempt {kept} of {len(attempts)}, which was kept.")
    if skipped:
        for advice in facts.advised:
            yield Paragraph(f'The log says (line {advice.line}): "{advice.text}"')
    if layers:
        yield grid(
            [(layer, layer.known) for layer in layers],
            ("layer", lambda row: called(row[0])),
            (">tactics", lambda row: page.word(row[1].candidates.tried)),
            (">skipped", lambda row: page.word(row[1].candidates.skipped)),
            ("chosen", lambda row: _chosen(row[1])),
            ("fastest", lambda row: next(map(_candidate, row[1].candidates.best), "–")),
            (">seconds", lambda row: _seconds(row[1].candidates.seconds)),
        )


def _cache(cache: TimingCache | None) -> str:
    if cache is None:
        return ""
    parts = [f"{cache.kind} timing cache" if cache.kind else "timing cache"]
    if cache.hits is not None:
        parts.append(count(cache.hits, "hit"))
    if cache.cached_results:
        parts.append(count(cache.cached_results, "result") + " taken from it")
    return "; " + ", ".join(parts)


def _is_cached(cache: TimingCache | None) -> bool:
    """Whether results were taken from a timing cache."""
    return cache is not None and bool(cache.cached_results or cache.hits)


def _chosen(facts: LayerFacts) -> Words:
    tuned = facts.candidates
    if tuned.chosen is not None:
        return "the fastest" if tuned.chosen in tuned.best[:1] else _candidate(tuned.chosen)
    return page.ms(facts.build_ms)


def _candidate(candidate: Candidate) -> tuple[str | Name, ...]:
    """A tactic by its kernel's name, else by implementation and number."""
    took = f" in {page.ms(candidate.ms)}"
    if candidate.kernel:
        return Name(candidate.kernel), took
    runner = (Name(candidate.runner), " ") if candidate.runner else ()
    return (*runner, "tactic ", Name(candidate.tactic), took)


def _seconds(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    return "<0.1" if 0 < seconds < 0.05 else f"{seconds:.1f}"


# ---- lines of the log that belong to no engine ---------------------------------------------------


def unassigned_blocks(left: Sequence[Unassigned], is_one_of_logs: bool) -> Iterator[Block]:
    """Lists lines of the log; `is_one_of_logs`: the report is of several, of which this is one."""
    log = left[0].file if is_one_of_logs else "the log"
    yield Heading(f"Lines of {log} that belong to none of these engines", level=1)
    yield grid(
        left,
        (">lines", lines_of),
        ("what", lambda lines: page.word(lines.what)),
        ("why", lambda lines: page.word(lines.why)),
        (">GPU compute", lambda lines: page.ms(lines.gpu_compute_ms)),
        (">warnings", lambda lines: str(lines.warnings)),
        (">errors", lambda lines: str(lines.errors)),
    )


def lines_of(left: Unassigned) -> str:
    """The numbers of the first and the last line; of one line its number."""
    first, last = left.first_line, left.last_line
    return f"{first}" if first == last else f"{first}–{last}"


# ---- memory in bytes: the log's totals, and the layers that hold the most ------------------------

_PARTS: Final = ("host_persistent", "device_persistent", "scratch", "weights")
_MEMORY: Final = tuple(f"facts.memory.{part}" for part in _PARTS)


def memory_data(subject: Subject, top: int) -> JsonValue:
    """The log's totals, and the `top` layers."""
    facts = subject.facts
    return {
        "totals": plain(facts.totals),
        **picked(facts, "peak_cpu_mib", "peak_gpu_mib"),
        "layers": [
            {
                **of_fields(subject, layer, "index", "name", "type", *_MEMORY),
                "line": dict(layer.known.lines).get("memory"),
            }
            for layer in _largest(subject, top)
        ],
    }


def _largest(subject: Subject, top: int) -> list[Layer]:
    """The layers that hold the most."""

    def held(layer: Layer) -> int:
        memory = layer.known.memory
        return sum(getattr(memory, part) or 0 for part in _PARTS) if memory is not None else 0

    return [la for la in sorted(subject.engine.layers, key=held, reverse=True)[:top] if held(la)]


def memory_blocks(subject: Subject, top: int) -> Iterator[Block]:
    """The section as blocks of a page."""
    facts, layers = subject.facts, _largest(subject, top)
    sizes = [(total.name, amount(total.bytes)) for total in facts.totals]
    for word, peak in (("GPU", facts.peak_gpu_mib), ("CPU", facts.peak_cpu_mib)):
        if peak is not None:
            sizes.append((f"Peak of TensorRT's allocators, {word}", f"{peak} MiB"))
    if sizes or layers:
        yield Heading("Memory")
    if sizes:
        yield page.Grid(("total", ">size"), tuple(sizes))
    if layers:
        heads = (f">{part.replace('_', ' ')}" for part in _PARTS)
        cells = (cell(subject, field) for field in _MEMORY)
        yield grid(layers, ("layer", called), *zip(heads, cells))
