"""Writes engines in all output formats, which are listed here.

A new format is a module with `render`, or a function, and an entry in `DRAWINGS`, `REPORTS`,
`LAYERS`, `COMPARISONS`, `LINTS`, `GATES` or `TABLES`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from engine_layer_visualize.analysis import peaks
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import (
    DEFAULT,
    ColorBy,
    Options,
    ReportOptions,
    ThemeName,
    check,
)
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import must_be, not_among
from engine_layer_visualize.facts import sentences
from engine_layer_visualize.facts.subgraph import View, whole, with_shown_names
from engine_layer_visualize.io.atomic_file import save

if TYPE_CHECKING:
    from pathlib import Path

    from engine_layer_visualize.comparison.result import Comparison
    from engine_layer_visualize.comparison.verdict import Judgement
    from engine_layer_visualize.export.table_files import Format

_Told: TypeAlias = Engine | Problem


class OutputFormat(NamedTuple):
    """A format; its key in the table is its name in `--format`."""

    module: str  # in this package, imported when it is used; behind a colon, the part that writes
    # What one file holds: a part of an engine, a whole one, or all of a log.
    holds: Literal["part", "engine", "log"] = "part"
    reads_facts: bool = True  # it shows build info, for which every line of the log is read
    printed: bool = True  # a report that a terminal may show
    suffix: str = ""  # of its files, where that is not the name

    def load(self) -> Any:
        """Imports what writes: a function, a module, or a `Format` of tables.

        Of `DRAWINGS` it is `render(view, options)`, or a module that has it. It draws in pieces, so
        that a large drawing is never held whole, ignores options that it has no use for, and raises
        ReadError where there are no times to show, or what draws is not installed or fails (ELV411,
        ELV502, ELV503). Where a file may hold all engines of a log, the module also has
        `start(options)`, `piece(engine, options)` and `end()`, which give bytes.
        """
        module, _, part = self.module.partition(":")
        found = import_module(f"engine_layer_visualize.{module}")
        return getattr(found, part) if part else found


_SUFFIXES: Final = {
    "text": "txt", "markdown": "md", "junit": "xml", "github": "github.txt", "brief": "brief.json",
}  # fmt: skip


def _of_logs(file: str, *names: str) -> dict[str, OutputFormat]:
    """Lists formats of all engines of a log, the functions of a file: `as_json` writes json."""
    return {
        name: OutputFormat(f"{file}:as_{name}", "log", suffix=_SUFFIXES.get(name, ""))
        for name in names
    }


DRAWINGS: Final = {
    "dot": OutputFormat("drawing.dot", reads_facts=False),
    "json": OutputFormat("facts.json", "engine"),
    "svg": OutputFormat("drawing.svg"),
    "png": OutputFormat("drawing.png"),
    "card": OutputFormat("drawing.png:card", suffix="card.png"),
    "html": OutputFormat("page.html", "log"),
    "trace": OutputFormat("export.trace", "engine", suffix="trace.json"),
    "onnx": OutputFormat("export.onnx", "engine"),
}
REPORTS: Final = _of_logs("reports.summary", "text", "markdown", "json", "brief")
LAYERS: Final = _of_logs("reports.layers", "text", "csv", "json")
COMPARISONS: Final = {
    **_of_logs("reports.compare", "text", "markdown", "json", "brief"),
    "html": OutputFormat("page.html:of_comparisons", "log", printed=False),
}
LINTS: Final = _of_logs("reports.lint", "text", "markdown", "json", "sarif", "github", "brief")
GATES: Final = _of_logs("reports.gate", "text", "markdown", "json", "junit", "sarif", "github")
TABLES: Final = {
    name: OutputFormat(f"export.table_files:{name.upper()}", "log")
    for name in ("csv", "jsonl", "parquet", "arrow", "xlsx")
}


def named(format: str, among: Mapping[str, OutputFormat] = DRAWINGS) -> OutputFormat:
    """Returns the entry of a format. Raises ValueError where there is none."""
    if format not in among:
        raise ValueError(not_among("format", format, tuple(among)))
    return among[format]


def file_name(stem: str, format: str, among: Mapping[str, OutputFormat] = DRAWINGS) -> str:
    """Returns the name of a file in a format: `lint.txt`. Raises ValueError where there is none."""
    return f"{stem}.{named(format, among).suffix or format}"


def by_name(path: str | Path, among: Mapping[str, OutputFormat] = DRAWINGS) -> str:
    """Returns the format of a file's name, `trace` of `EngineLayers_0.trace.json`; "" without."""
    endings = {file_name("", format, among): format for format in among}
    name = os.path.basename(str(path).rstrip(os.sep))
    longest = max(filter(name.endswith, endings), key=len, default="")
    return endings.get(longest, "")


def draw(
    shown: Engine | View,
    path: str | Path,
    format: str | None = None,
    *,
    theme: ThemeName = DEFAULT.theme,
    color_by: ColorBy = DEFAULT.color_by,
    optimization_profile: int | None = DEFAULT.optimization_profile,
    full_paths: bool = DEFAULT.full_paths,
    peak: str | None = None,
    unfold: bool = DEFAULT.unfold,
) -> Path:
    """Writes a drawing to a file.

    Args:
        shown: An engine, or a part of one.
        path: The file; its folder must exist.
        format: dot, svg, png, html, json, trace or another (None: by the end of the path, such as
            `.svg`, `.trace.json`); html and json always have the whole engine.
        theme: light or dark.
        color_by: time, type or precision.
        optimization_profile: The one that totals are of (None: the first).
        full_paths: Whether the names of files keep their folders.
        peak: As in the flag `--peak` (None: what the log says that the device can do).
        unfold: Whether a large picture has every layer.

    Returns:
        The path.

    Raises:
        ValueError: For a word that is none of these.
        TypeError: Where `shown` is another value.
        ReadError: Where what draws the format is missing or fails (ELV502, ELV503), or there is
            no such optimisation profile (ELV408).
        OSError: Where the file cannot be written.
    """
    from pathlib import Path  # slow to import

    must_be((Engine, View), shown)
    path = Path(path)
    format = format or by_name(path) or path.suffix.removeprefix(".")
    able = peaks.parse(peak)
    look = Options(theme, color_by, optimization_profile, full_paths, able, unfold)
    check(look)
    save(path, pieces(shown, format, look))
    return path


def render(shown: Engine | View, format: str, options: Options = DEFAULT) -> bytes:
    """Returns the drawing as bytes. Raises as `draw`."""
    return b"".join(pieces(shown, format, options))


def pieces(shown: Engine | View, format: str, options: Options = DEFAULT) -> Iterable[bytes]:
    """Draws piece by piece. Raises as `draw`, but for OSError."""
    view = whole(shown) if isinstance(shown, Engine) else shown
    drawing = named(format).load()
    render: Callable[[View, Options], Iterable[bytes]] = getattr(drawing, "render", drawing)
    return render(view if options.full_paths else with_shown_names(view), options)


def render_report(found: Iterable[_Told], format: str, options: ReportOptions) -> Iterator[str]:
    """Reports on the engines of a log, which are taken one by one, text by text.

    `found`: engines; for `brief` also why nothing came of a log.

    Raises:
        ValueError: For an unknown format.
        ReadError: Where an engine has no such optimisation profile (ELV408).
    """

    def named_alike(part: _Told) -> _Told:
        if isinstance(part, Problem):
            return part
        return sentences.with_shown_files(part, options.full_paths)

    yield from named(format, REPORTS).load()(map(named_alike, found), options)


def render_verdict(judgement: Judgement, format: str, options: ReportOptions) -> Iterator[str]:
    """Writes the verdict of a gate.

    Raises:
        ValueError: For an unknown format, or a name or a limit that a comment cannot have.
    """
    yield from named(format, GATES).load()(judgement, options)


def render_comparison(
    found: Sequence[Comparison], failures: Sequence[Problem], format: str, options: ReportOptions
) -> str:
    """Writes comparisons with one engine. Raises ValueError for an unknown format.

    `failures`: of logs that gave no engine.
    """
    from engine_layer_visualize.comparison.sentences import remarks

    render = named(format, COMPARISONS).load()
    own = (problem for each in found for side in each.sides for problem in side.engine.problems)
    said = (remark for each in found for remark in remarks(each))
    problems = dict.fromkeys([*failures, *own, *said])
    return "".join(render(found, list(problems), options))


def table_format(format: str) -> Format:
    """Imports a format of tables.

    Raises:
        ValueError: For an unknown format.
        ReadError: Where the package that it needs is missing (ELV502).
    """
    found: Format = named(format, TABLES).load()
    try:
        found.library()
    except ModuleNotFoundError as error:
        problem = Problem(Place(format), "ELV502", str(error))
        raise ReadError(problem, "--format csv and jsonl need nothing") from None
    return found
