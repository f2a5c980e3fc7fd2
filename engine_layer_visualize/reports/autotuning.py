"""Reports the autotuning (tactics timed and skipped, of all and by layer), and memory.

The fastest tactic need not be the chosen one.
"""

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.build_info import TimingCache
from engine_layer_visualize.core.layer_facts import Candidate, LayerFacts
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
    *(f"facts.candidates.{key}" for key in ("tried", "skipped", "cached", "chosen")),
)


def data(subject: Subject, top: int) -> JsonValue:
    """Sums, and the `top` layers of which the most tactics were timed."""
    facts = subject.facts
    return {
        "tried": facts.tactics_tried,
        "skipped": facts.tactics_skipped,
        "timing_cache": plain(facts.timing_cache),
        "layers": [of_fields(subject, layer, *_KEYS) for layer in _tuned(subject, top)],
    }


def _tuned(subject: Subject, top: int) -> list[Layer]:
    """The layers of which the most tactics were timed."""

    def tried(layer: Layer) -> int:
        return layer.known.candidates.tried or 0

    return sorted(filter(tried, subject.engine.layers), key=tried, reverse=True)[:top]


def blocks(subject: Subject, top: int) -> Iterator[Block]:
    """The section as blocks of a page."""
    facts, layers = subject.facts, _tuned(subject, top)
    if facts.tactics_tried is None:
        if _is_cached(facts.timing_cache):
            yield Heading("Autotuning")
            yield Paragraph("No tactic was timed: every result came from a timing cache.")
        return
    yield Heading("Autotuning")
    skipped = f"{facts.tactics_skipped or 0:,} skipped for lack of memory"
    timed = f"{count(facts.tactics_tried, 'tactic')} timed, {skipped}"
    yield Paragraph(f"{timed}{_cache(facts.timing_cache)}.")
    if len(facts.attempts) > 1:
        yield Paragraph(f"These are of one of {len(facts.attempts)} attempts, which was kept.")
    if layers:
        yield grid(
            [(layer, layer.known) for layer in layers],
            ("layer", lambda row: called(row[0])),
            (">tactics", lambda row: page.word(row[1].candidates.tried)),
            (">skipped", lambda row: page.word(row[1].candidates.skipped)),
            ("chosen", lambda row: _chosen(row[1])),
            ("fastest", lambda row: next(map(_candidate, row[1].candidates.best), "–")),
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
