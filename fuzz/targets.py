"""What is fuzzed: every reader and writer, each as a function of bytes.

takes: bytes
gives: nothing; an exception is a finding
never: reads or writes a file, but for `tables`, in a folder of its own
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from html.parser import HTMLParser
from io import BytesIO, TextIOWrapper
from typing import Final
from xml.etree import ElementTree

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api import draw
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.comparison import gate_evidence
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.comparison.gate import judge
from engine_layer_visualize.comparison.verdict import Limits, of_iterations
from engine_layer_visualize.core.limits import plausible
from engine_layer_visualize.core.options import Options, ReportOptions
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.core.snapshot import Conditions, Snapshot
from engine_layer_visualize.core.text import excerpt, shorten, visible
from engine_layer_visualize.documents import markup
from engine_layer_visualize.documents import terminal as text
from engine_layer_visualize.facts import subgraph
from engine_layer_visualize.facts.query import parse
from engine_layer_visualize.io.source import Source, decode
from engine_layer_visualize.linting.selection import selected
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.reading import baseline as snapshot_file
from engine_layer_visualize.reading import detailed, profile_json, profiles
from engine_layer_visualize.reading.anonymise import Anonymiser
from engine_layer_visualize.reports import gate as snapshot_output
from engine_layer_visualize.reports import layers, summary
from engine_layer_visualize.trt import names as layer_names
from engine_layer_visualize.trt import types
from engine_layer_visualize.trt.names import split_profile
from engine_layer_visualize.trt.operators import operators
from fuzz import budget, promises, seeds
from fuzz.networks import network
from fuzz.written_tables import tables

CLASSIC: Final = b"Engine Layer Information:\n"
DETAILED: Final = b"Layers:\n"


@dataclass(frozen=True, slots=True)
class Target:
    """`run` raises where a promise is broken; `seeds` gives inputs to begin with."""

    run: Callable[[bytes], None]
    seeds: Callable[[], Iterator[bytes]]


def _cut(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


# ---- reading -----------------------------------------------------------------------------------


def _lines(source: Source) -> tuple[bytes, bytes]:
    """All that it gives, and the same before anything was taken off: whole, numbered lines."""
    line, parts, wrapped = 1, [], []
    with suppress(ReadError):
        for span in source.spans():
            assert span.line == line
            line += span.data.count(b"\n")
            parts.append(span.data)
            wrapped.append(span.wrapped or span.data)
            assert wrapped[-1].count(b"\n") == span.data.count(b"\n")
    assert all(part.endswith(b"\n") for part in parts[:-1])
    assert promises.sound(source.problems)
    return b"".join(parts), b"".join(wrapped)


def stream(data: bytes) -> None:
    """The same lines, however the bytes come; from a pipe unpacked, where they are compressed."""
    size, data = data[0] + 1 if data else 1, data[1:]
    whole = _lines(Source("x", chunks=[data]))
    assert whole == _lines(Source("x", chunks=_cut(data, size)))
    is_marked = data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"))
    if not is_marked and b"\0" not in data:  # else it may be UTF-16
        assert whole[1] == data
    stdin, sys.stdin = sys.stdin, TextIOWrapper(BytesIO(data))
    try:
        piped = _lines(Source("-"))
    finally:
        sys.stdin = stdin
    if not data.startswith((b"\x1f\x8b", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd")):
        assert piped == whole


def _bare(engine: Engine) -> Engine:
    """Without what may differ by the pieces in which a damaged log comes."""
    layers = tuple(layer._replace(facts=None, kernel=None) for layer in engine.layers)
    problems = tuple(one for one in engine.problems if one.code != "ELV415")
    return engine._replace(layers=layers, facts=None, problems=problems)


def log(data: bytes, before: bytes = b"", *, facts: bool = False) -> None:
    """The same engines, however the bytes come; no more layers than there are lines."""
    data = before + data
    found = promises.engines([data], facts=facts)
    again = promises.engines(_cut(data, len(data) % 61 + 3), facts=facts)
    assert list(map(_bare, found)) == list(map(_bare, again))
    lines, words = data.count(b"\n") + 1, decode(data)
    for engine in found:
        listed = [layer for layer in engine.layers if layer.position is not None]
        assert len(listed) <= lines
        assert all(layer.place.line <= lines for layer in engine.layers)
        assert all(x.kernel is None or x.kernel in words for x in engine.layers)
        drawn = json.loads(draw.render(engine, "json"))
        assert [layer["name"] for layer in drawn["layers"]] == [x.name for x in engine.layers]


def inspector(data: bytes) -> None:
    """An inspector's JSON, whether or not its first key says so."""
    try:
        found = detailed.read_json(Source("x", chunks=[data]))
    except ReadError as error:
        assert promises.sound([error.problem])
        return
    assert all(promises.sound(listing.problems) and listing.layers for listing in found)
    for engine in promises.engines([data]):
        drawn = json.loads(draw.render(engine, "json"))
        assert len(drawn["layers"]) == len(engine.layers)


def profile(name: str, data: bytes) -> None:
    """Rows with a name and finite times."""
    source = Source("x", chunks=[data])
    format = profiles.FORMATS[name]
    if not format.sniff(source.head()):
        return
    try:
        found, problems = format.read(source)
    except ReadError as error:
        assert promises.sound([error.problem])
        return
    assert promises.sound(problems)
    for one in found:
        assert one.rows
        times = [(row.time.average_ms, row.time.total_ms) for row in one.rows]
        assert all(plausible(next(ms for ms in both if ms is not None)) for both in times)
        assert len(one.rows) <= len(data)


def iterations(data: bytes) -> None:
    """Finite times; a run and its copy tell nothing, in every format."""
    try:
        found, problems = profile_json.read_iterations(Source("x", chunks=[data]))
    except ReadError as error:
        assert promises.sound([error.problem])
        return
    assert promises.sound(problems)
    assert 0 < len(found.compute_ms) <= len(data)
    runs = (of_iterations(found),) * 2
    side = Snapshot("x", 0, Conditions(), 0, (), runs, (), (), (), (), (), (), ())
    verdict = judge(side, side, Limits())
    assert verdict.verdict == "not comparable" and not verdict.total.slowdown
    for name in tuple(draw.GATES):
        assert "".join(draw.render_verdict(verdict, name, ReportOptions()))


def snapshots(data: bytes) -> None:
    """A snapshot that is written as it was read, and is of the network that it is of."""
    try:
        found = snapshot_file.of_text(data.decode("utf-8", "replace"), "base.json")
    except ReadError as error:
        assert promises.sound([error.problem])
        return
    text = b"".join(snapshot_output.snapshot_written(found)).decode()
    assert snapshot_file.of_text(text, "base.json") == found
    assert compare(
        gate_evidence.described_costs(found), gate_evidence.described_costs(found)
    ).same_network


def anonymised(data: bytes) -> None:
    """Under other names each line keeps its place, and what is no ASCII is gone."""
    with suppress(ReadError):
        other = b"".join(Anonymiser().read(Source("x", chunks=[data])))
        assert other.isascii()
        assert other.count(b"\n") == data.count(b"\n") or not data.isascii() or data[:1] in b"[{"


# ---- writing -----------------------------------------------------------------------------------


class _Page(HTMLParser):
    """Counts what can run."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag in ("script", "iframe", "object", "embed", "link", "img")
        assert not any(name.startswith("on") for name, _ in attrs)


@cache
def _plain() -> Engine:
    (engine,) = promises.engines([CLASSIC + b"Layer(A): a, Tactic: 1, x (Int8[1]) -> y (Int8[1])"])
    return engine


def _scripts(engine: Engine, looks: Options) -> int:
    page = _Page()
    page.feed(draw.render(engine, "html", looks).decode("utf-8"))
    page.close()
    return page.scripts


def drawings(data: bytes) -> None:
    """Every drawing of a network, and of a part of it, is one for its own reader."""
    engine = network(data)
    if engine is None:
        return
    choice = data[0] if data else 0
    looks = Options(
        ("light", "dark")[choice % 2],
        ("time", "type", "precision")[choice // 2 % 3],
    )
    shown = [subgraph.whole(engine)]
    with suppress(ReadError):
        shown.append(
            subgraph.part(engine, around=str(choice % len(engine.layers)), radius=choice % 3)
        )
    with suppress(ReadError):
        shown.append(subgraph.part(engine, query=f"layer {choice % 9}"))
    for part in shown:
        dot = draw.render(part, "dot", looks).decode("utf-8")
        assert dot.rstrip().endswith("}")
        ElementTree.fromstring(draw.render(part, "svg", looks))
    assert _scripts(engine, looks) == _scripts(_plain(), looks)
    drawn = json.loads(draw.render(engine, "json"))
    assert [layer["name"] for layer in drawn["layers"]] == [layer.name for layer in engine.layers]
    pages(engine)


def pages(engine: Engine) -> None:
    """The summary, on a terminal, in Markdown and as a table."""
    subject = Subject(Costs(engine))
    json.dumps(summary.data(subject, 5), allow_nan=False)
    said = text.set_page(summary.blocks(subject, 5), 80, False)
    assert all(line.isprintable() for line in said.split("\n"))
    markup.set_page(summary.blocks(subject, 5))
    assert [*layers.as_csv([layers.listed(subject, parse(""))], ReportOptions())]
    for format in tuple(draw.LINTS):
        found = selected(Costs(engine))
        said = "".join(draw.LINTS[format].load()([found], ReportOptions()))
        if format in ("json", "sarif"):
            json.loads(said)
        else:
            assert all(line.isprintable() for line in said.split("\n"))


def names(data: bytes) -> None:
    """A name as it is shown: printable, no longer than its room."""
    words = decode(data)
    assert visible(words).isprintable()
    for column in (0, 1, len(words) // 2, len(words) + 2):
        shown, caret = excerpt(words, column)
        assert shown.isprintable()
        assert 0 <= caret <= len(shown)
    for width in (4, 20, 64):
        assert len(shorten(words, width)) <= width
    layer_names.parts(words)
    layer_names.ends(words)
    layer_names.is_foreign(words)
    layer_names.without_profile(words)
    operators(words)
    split_profile(words)
    types.dtype(words)


# ---- costs -------------------------------------------------------------------------------------


def _reading(facts: bool) -> Callable[[str], None]:
    def read(words: str) -> None:
        promises.engines(_cut(words.encode("utf-8", "replace"), 1 << 18), facts=facts)

    return read


def _timing(name: str) -> Callable[[str], None]:
    return lambda words: profile(name, words.encode("utf-8", "replace"))


WORKS: Final[tuple[Callable[[str], None], ...]] = (
    _reading(False),
    _reading(True),
    lambda words: _reading(True)(CLASSIC.decode() + words),
    lambda words: inspector(words.encode("utf-8", "replace")),
    *map(_timing, profiles.FORMATS),
    lambda words: iterations(words.encode("utf-8", "replace")),
    lambda words: snapshots(words.encode("utf-8", "replace")),
)


def growth(data: bytes) -> None:
    """A text of which one part is repeated costs as much more as it is longer."""
    kind, begin, end = (*data[:3], 0, 0, 0)[:3]
    words = decode(data[3:])
    begin, end = sorted((begin % (len(words) + 1), end % (len(words) + 1)))
    before, unit, after = words[:begin], words[begin:end] or "a", words[end:]

    def grown(size: int) -> str:
        return before + unit * (size // len(unit) or 1) + after

    work = WORKS[kind % len(WORKS)]
    budget.in_time(work, grown)
    budget.in_memory(work, grown)


TARGETS: Final[dict[str, Target]] = {
    "stream": Target(stream, seeds.streams),
    "log": Target(log, seeds.logs),
    "classic": Target(partial(log, before=CLASSIC), partial(seeds.listings, CLASSIC)),
    "detailed": Target(partial(log, before=DETAILED), partial(seeds.listings, DETAILED)),
    "facts": Target(partial(log, facts=True), seeds.logs),
    "anonymised": Target(anonymised, seeds.logs),
    "inspector": Target(inspector, seeds.inspections),
    **{name: Target(partial(profile, name), seeds.times) for name in profiles.FORMATS},
    "iteration_times": Target(iterations, seeds.iterations),
    "snapshots": Target(snapshots, seeds.snapshots),
    "names": Target(names, seeds.times),
    "drawings": Target(drawings, seeds.numbers),
    "tables": Target(tables, seeds.numbers),
    "growth": Target(growth, seeds.units),
}
