"""The output formats: an Engine or a View goes in, the bytes of a drawing or report come out.

A new format is a module with `render`, and an entry in `DRAWINGS`, `REPORTS`, `COMPARISONS`,
`LINTS`, `GATES` or `TABLES`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol

from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine, Statistic
from engine_layer_visualize.core.options import (
    DEFAULT,
    ColorBy,
    Direction,
    Labels,
    Options,
    ReportOptions,
    ThemeName,
    check,
)
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import base_name
from engine_layer_visualize.core.wrong_values import must_be, not_among
from engine_layer_visualize.fields import file_names

if TYPE_CHECKING:
    from engine_layer_visualize.comparison.gate.verdict import Judgement
    from engine_layer_visualize.comparison.result import Comparison
    from engine_layer_visualize.core.build_timeline import BuildTimeline
    from engine_layer_visualize.linting.selection import Selected
    from engine_layer_visualize.reports.gate.options import GateOptions
    from engine_layer_visualize.tables.files import About, Writer
    from engine_layer_visualize.tables.schema import Schema
    from engine_layer_visualize.views.subgraph import View


class OutputFormat(NamedTuple):
    """The formats of one module.

    `names`: in `--format`, and as suffixes of files; `module`: in this package, imported when it is
    used; `holds`: what one file holds, the part of an engine that was asked for, always a whole
    engine, all engines of a log, or how they were built; `reads_facts`: it shows build info, for
    which every line of the log is read; `picture`: it can be too large to look at; `printed`: a
    report that a terminal may show; `suffix`: of its files, where that is not the name,
    and `also` of the further files of a drawing; `timeline`: it shows the log's time stamps.
    """

    names: tuple[str, ...]
    module: str
    holds: Literal["part", "engine", "log", "build"] = "part"
    reads_facts: bool = True
    picture: bool = False
    printed: bool = True
    suffix: str = ""
    also: tuple[str, ...] = ()
    timeline: bool = False

    def suffixes(self, name: str) -> tuple[str, ...]:
        """Of the files of one drawing."""
        return (self.suffix or name, *self.also)

    def load(self) -> Any:
        """The module: a `Drawing`, a `LogDrawing`, a `LogReport`, a `ComparisonReport` …"""
        return import_module(f"{__package__}.{self.module}")


class Drawing(Protocol):
    """A module of `DRAWINGS`."""

    def render(self, view: View, format: str, options: Options = ...) -> Iterable[bytes]:
        """The drawing in pieces, so that a large one is never held whole.

        `format`: its name, or of a drawing in several files, the suffix of one. A format ignores
        options that it has no use for. Raises ReadError (ELV411, ELV502, ELV503) where there are no
        times to show, or it needs a program that is not installed.
        """


class LogDrawing(Drawing, Protocol):
    """A module of `DRAWINGS` whose file holds all engines of a log: start, engines, end."""

    def start(self, options: Options) -> bytes: ...

    def piece(self, engine: Engine, options: Options) -> Iterable[bytes]: ...

    def end(self) -> bytes: ...


class BuildDrawing(Drawing, Protocol):
    """A module of `DRAWINGS` whose file holds how the engines of a log were built."""

    def without_engine(self, file: str, timeline: BuildTimeline, why: str) -> Iterable[bytes]: ...


class LintReport(Protocol):
    """A module of `LINTS`."""

    def render(self, found: Iterable[Selected | Problem], options: ReportOptions) -> Iterator[str]:
        """The findings in pieces. `found`: those of each engine, and problems of reading."""


class GateReport(Protocol):
    """A module of `GATES`."""

    def render(self, judgement: Judgement, options: GateOptions) -> Iterator[str]:
        """The verdict in pieces."""


class Tables(Protocol):
    """A module of `TABLES`. One that needs a package has `library`, too, and one that does not
    write all tables unless asked `DEFAULT`, their names."""

    def writer(self, folder: Path, tables: Sequence[Schema], about: About) -> Writer:
        """Files of these tables, which appear together. Raises OSError."""


class LogReport(Protocol):
    """A module of `REPORTS`."""

    def render(self, found: Iterable[Engine | Unassigned], options: ReportOptions) -> Iterator[str]:
        """The report in pieces. `found`: the engines of a log, then its lines of no engine."""


DRAWINGS: Final = (
    OutputFormat(("dot",), "drawings.dot.writer", reads_facts=False),
    OutputFormat(("json",), "exchange.engine_json", "engine"),
    OutputFormat(("svg",), "drawings.picture.svg", picture=True),
    OutputFormat(("png", "pdf"), "drawings.picture.png_pdf", picture=True),
    OutputFormat(("html",), "page.page", "log"),
    OutputFormat(("roofline",), "drawings.picture.roofline", suffix="roofline.svg"),
    OutputFormat(("trace",), "exchange.trace", "engine", suffix="trace.json"),
    OutputFormat(("speedscope",), "exchange.speedscope", "engine", suffix="speedscope.json"),
    OutputFormat(
        ("build-trace",),
        "exchange.build_trace",
        "build",
        reads_facts=False,
        suffix="build-trace.json",
        timeline=True,
    ),
    OutputFormat(
        ("model-explorer",),
        "exchange.explorer_files",
        "engine",
        suffix="graph.json",
        also=("latency.json", "memory.json", "precision.json"),
    ),
    OutputFormat(("onnx",), "exchange.onnx_engine", "engine"),
    OutputFormat(("onnx-overlay",), "exchange.onnx_overlay", "engine", suffix="overlay.onnx"),
)
REPORTS: Final = (
    OutputFormat(("text",), "reports.summary.terminal", "log"),
    OutputFormat(("markdown",), "reports.summary.markdown", "log"),
    OutputFormat(("json",), "reports.summary.summary_json", "log"),
    OutputFormat(("csv",), "reports.summary.csv", "log"),
)
COMPARISONS: Final = (
    OutputFormat(("text",), "reports.compare.terminal", "log"),
    OutputFormat(("markdown",), "reports.compare.markdown", "log"),
    OutputFormat(("json",), "reports.compare.comparison_json", "log"),
    OutputFormat(("csv",), "reports.compare.comparison_csv", "log"),
    OutputFormat(("svg",), "drawings.comparison.picture", "log", printed=False),
    OutputFormat(("html",), "page.comparison", "log", printed=False),
    OutputFormat(("model-explorer",), "exchange.explorer_sync", "log", printed=False),
)


class ComparisonReport(Protocol):
    """A module of `COMPARISONS`."""

    def render(
        self, found: Sequence[Comparison], problems: Sequence[Problem], options: ReportOptions
    ) -> Iterator[str]:
        """The comparisons, all against one engine, in pieces. `problems`: of reading the logs."""


LINTS: Final = (
    OutputFormat(("text",), "reports.lint.text", "log"),
    OutputFormat(("markdown",), "reports.lint.markdown", "log"),
    OutputFormat(("json",), "reports.lint.json", "log"),
    OutputFormat(("sarif",), "reports.lint.sarif", "log"),
    OutputFormat(("github",), "reports.lint.github", "log"),
)
GATES: Final = (
    OutputFormat(("text",), "reports.gate.text", "log"),
    OutputFormat(("markdown",), "reports.gate.markdown", "log"),
    OutputFormat(("json",), "reports.gate.json", "log"),
    OutputFormat(("junit",), "reports.gate.junit", "log"),
    OutputFormat(("sarif",), "reports.gate.sarif", "log"),
    OutputFormat(("github",), "reports.gate.github", "log"),
    OutputFormat(("bmf",), "reports.gate.bmf", "log"),
)

TABLES: Final = (
    OutputFormat(("csv",), "tables.csv", "log"),
    OutputFormat(("jsonl",), "tables.jsonl", "log"),
    OutputFormat(("parquet",), "tables.parquet", "log"),
    OutputFormat(("arrow",), "tables.arrow", "log"),
    OutputFormat(("xlsx",), "tables.xlsx", "log"),
)


def names(formats: Iterable[OutputFormat]) -> tuple[str, ...]:
    """All names, in order."""
    return tuple(name for one in formats for name in one.names)


FORMATS: Final = names(DRAWINGS)


def named(format: str, among: Iterable[OutputFormat] = DRAWINGS) -> OutputFormat:
    """The entry of a format. Raises ValueError where there is none."""
    for one in among:
        if format in one.names:
            return one
    raise ValueError(not_among("format", format, names(among)))


def want_facts(formats: Iterable[str]) -> bool:
    """Whether one of these drawings shows build info."""
    return any(named(format).reads_facts for format in formats)


def draw(
    shown: Engine | View,
    path: str | Path,
    format: str | None = None,
    *,
    theme: ThemeName = DEFAULT.theme,
    color_by: ColorBy = DEFAULT.color_by,
    labels: Labels = DEFAULT.labels,
    direction: Direction = DEFAULT.direction,
    optimization_profile: int | None = DEFAULT.optimization_profile,
    time: Statistic = DEFAULT.time,
    full_paths: bool = DEFAULT.full_paths,
    peak: str | None = None,
    unfold: bool = DEFAULT.unfold,
) -> Path:
    """Writes `shown` to `path`, and returns the path.

    `format`: dot, svg, png, pdf, html, json or roofline (None: by the end of the path, such as
    `.svg`, `.roofline.svg`); html and json have the whole engine, whatever the view. `theme` is
    light or dark, `color_by` time, type, precision or memory, `labels` short, full, large
    or none,
    `direction` TB or LR, `optimization_profile` the one that totals are of (None: the first),
    `time` mean or median; `full_paths` keeps the folders in the names of files; `peak` is what the
    device can do, as in the flag `--peak` (None: what the log says); `unfold` draws every block of
    a repeat in a large picture.

    Raises ValueError for a word that is none of these, TypeError where `shown` is another value,
    ReadError (ELV502, ELV503) where what draws the format is missing or fails, ELV408 where there
    is no such optimisation profile, OSError where the file cannot be written: the folder must
    exist.
    """
    from engine_layer_visualize.analysis.work import peaks
    from engine_layer_visualize.io.atomic_file import save
    from engine_layer_visualize.views.subgraph import View

    must_be((Engine, View), shown)
    path = Path(path)
    format = format or _by_name(path)
    suffix = next((one for one in named(format).also if path.name.endswith(f".{one}")), "")
    able, profile = peaks.parse(peak), optimization_profile
    look = Options(theme, color_by, labels, direction, profile, time, full_paths, able, unfold)
    check(look)
    save(path, pieces(shown, format, look, suffix))
    return path


def _by_name(path: Path) -> str:
    """The format that a file of this name has: `EngineLayers_0.roofline.svg` is a roofline."""
    longer = (
        one.names[0]
        for one in DRAWINGS
        for suffix in (one.suffix, *one.also)
        if suffix and path.name.endswith(f".{suffix}")
    )
    return next(longer, path.suffix.removeprefix("."))


def render(shown: Engine | View, format: str, options: Options = DEFAULT) -> bytes:
    """The drawing as bytes. Raises as `draw`."""
    return b"".join(pieces(shown, format, options))


def pieces(
    shown: Engine | View, format: str, options: Options = DEFAULT, suffix: str = ""
) -> Iterable[bytes]:
    """The drawing, piece by piece; of one in several files the one of this suffix, the first where
    none is said. Raises as `draw`, but for OSError."""
    from engine_layer_visualize.views.subgraph import whole, with_shown_names

    view = whole(shown) if isinstance(shown, Engine) else shown
    entry = named(format)
    drawing: Drawing = entry.load()
    part = (suffix or entry.suffix) if entry.also else format
    return drawing.render(view if options.full_paths else with_shown_names(view), part, options)


def without_engine(
    timeline: BuildTimeline, why: Problem, format: str, options: Options
) -> Iterable[bytes]:
    """How the build went of a log that holds no engine. `why`: what ended it."""
    drawing: BuildDrawing = named(format).load()
    file = why.place.file
    shown = file if options.full_paths else base_name(file)
    return drawing.without_engine(shown, timeline, why.message)


def remarks(view: View, format: str, options: Options = DEFAULT) -> tuple[Problem, ...]:
    """Warnings about the drawing of `view` in this format."""
    if not named(format).picture:
        return ()
    from engine_layer_visualize.drawings.picture import drawing

    return drawing.remarks(view, options)


def substitute(format: str) -> str:
    """What to know where another program than ours draws the format; else empty."""
    if named(format).module != "drawings.picture.png_pdf":
        return ""
    from engine_layer_visualize.drawings.picture import png_pdf

    return png_pdf.substitute(format)


def render_report(
    found: Iterable[Engine | Unassigned], format: str, options: ReportOptions
) -> Iterator[str]:
    """The report about the engines of a log, which are taken one by one, text by text.

    What belongs to no engine comes after the engines. Raises ValueError for an unknown format,
    ReadError (ELV408) where an engine has no such optimisation profile.
    """
    module: LogReport = named(format, REPORTS).load()

    def named_alike(one: Engine | Unassigned) -> Engine | Unassigned:
        if isinstance(one, Engine):
            return file_names.shown(one, options.full_paths)
        return one if options.full_paths else one._replace(file=base_name(one.file))

    return module.render(map(named_alike, found), options)


def render_findings(
    found: Iterable[Selected | Problem], format: str, options: ReportOptions
) -> Iterator[str]:
    """The findings of the engines of a log, engine by engine. Raises ValueError for an unknown
    format."""
    module: LintReport = named(format, LINTS).load()
    return module.render(found, options)


def render_verdict(judgement: Judgement, format: str, options: GateOptions) -> Iterator[str]:
    """The verdict of a gate. Raises ValueError for an unknown format, or a name or a limit that a
    comment cannot have."""
    module: GateReport = named(format, GATES).load()
    return module.render(judgement, options)


def render_comparison(
    found: Sequence[Comparison], failures: Sequence[Problem], format: str, options: ReportOptions
) -> str:
    """The report about comparisons with one engine. `failures`: of logs that gave none. Raises
    ValueError for an unknown format."""
    from engine_layer_visualize.comparison.sentences import remarks

    module: ComparisonReport = named(format, COMPARISONS).load()
    own = (p for one in found for costs in (one.a, one.b) for p in costs.engine.problems)
    said = (remark for one in found for remark in remarks(one))
    return "".join(module.render(found, list(dict.fromkeys([*failures, *own, *said])), options))


def table_format(format: str) -> Tables:
    """The module of a format of tables. Raises ValueError for an unknown format, ReadError (ELV502)
    where the package that it needs is missing."""
    module = named(format, TABLES).load()
    try:
        if library := getattr(module, "library", None):
            library()
    except ModuleNotFoundError as error:
        problem = Problem(Place(format), "ELV502", str(error))
        raise ReadError(problem, "--format csv and jsonl need nothing") from None
    found: Tables = module
    return found
