"""Compares the engines of logs, and prints or writes what differs between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api import draw
from engine_layer_visualize.commands import Report, flags, given_logs, inputs, reports, standing
from engine_layer_visualize.commands.flags import Group
from engine_layer_visualize.commands.given_logs import Given
from engine_layer_visualize.comparison import sentences
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.comparison.result import (
    CONFIDENCES,
    MATCHINGS,
    Comparison,
    Confidence,
    Matching,
)
from engine_layer_visualize.core.model import Engine, Statistic
from engine_layer_visualize.core.onnx_model import OnnxModel
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Place, Problem, ReadError

ABOUT: Final = (
    "Compares engines, layer by layer: how much faster one is, and why. Layers are found again by "
    "their ONNX nodes, by their weights, or by what they do and where they stand. The first engine "
    "is A; each of the others is a B."
)
EXAMPLES: Final = ("a.log b.log c.log", "fp16.log fp16.json int8.log int8.json")
EXIT_CODES: Final = inputs.exit_codes(
    "the comparison is printed", "nothing to compare", "the comparison"
)
_STEM: Final = "comparison"


_FORMATS: Final = draw.COMPARISONS
_HOW: Final = Group("the comparison")


@dataclass(frozen=True, kw_only=True)
class Options(given_logs.SidesOptions):
    """How which engines are compared."""

    log_file: tuple[Given, ...] = given_logs.log(
        "a VERBOSE build log of TensorRT, or the engine inspector's JSON; the first is A, all "
        "others are compared with it. A word that is a file stands for this flag, or for "
        "--profile_file where the file holds times",
        once=False,
    )
    profile_file: None = given_logs.profile_file(matched=True)  # is kept with a log
    onnx: str | OnnxModel | None = inputs.onnx()
    engine: tuple[tuple[int, int], ...] = given_logs.engine(
        "such as B:1 of the second log", "the first; of a single log, all"
    )
    optimization_profile: int | None = inputs.optimization_profile()
    time: Statistic = inputs.time()
    full_paths: bool = inputs.full_paths()
    match: Matching = _HOW.flag(
        "find layers again by names where these can be trusted and by structure where not (auto), "
        "by names alone, or by structure alone (default: auto)",
        choices=MATCHINGS,
        default="auto",
    )
    min_confidence: Confidence = _HOW.flag(
        "leave layers alone that are matched by less than this, the surest first: "
        f"{', '.join(CONFIDENCES)} (default: region)",
        choices=CONFIDENCES,
        default="region",
    )
    per_sample: bool = _HOW.switch(
        "all times are of one sample, where the inputs differ in their leading dimension alone "
        "(default: of a run; the first sentence is of a sample)"
    )
    format: tuple[str, ...] = reports.format(_HOW, _FORMATS)
    width: int | None = reports.width(_HOW)
    full: bool = _HOW.switch("every group of layers, and whole names, in text and markdown")
    top: int = _HOW.flag(
        "the number of rows of a list, in text and markdown (default: 20)",
        "N",
        type=flags.positive,
        default=20,
    )
    output: str | None = reports.output(_HOW, _STEM, _FORMATS)
    force: bool = standing.force(_HOW)


def run(options: Options, report: Report) -> None:
    """Prints the comparison of all engines with the first; as JSON also why there is none.

    Raises:
        ReadError: Where what is in its file's place may not be replaced.
    """
    whose = reports.whose([log.path for log in options.log_file])
    targets = reports.targets(options, _STEM, _FORMATS, whose)
    comparisons: list[Comparison] = []
    try:
        comparisons = _compared(options, report)
    except ReadError as error:
        report.failed(error)
    failures = list(inputs.failures(options.full_paths, report))
    all_looks = ReportOptions(options.top, full=options.full)
    for format, path, looks in reports.each(targets, all_looks, options.width, report):
        if not comparisons and format not in ("json", "brief"):
            continue
        text = draw.render_comparison(comparisons, failures, format, looks)
        reports.put(text, path, report)


def _compared(options: Options, report: Report) -> list[Comparison]:
    """Compares the engines with the first; none where a log cannot be read, which is reported.

    Raises:
        ReadError: Where there is but one engine (ELV606).
    """
    engines: list[Engine] = []
    for found in given_logs.Sides(options.log_file, options, report).all():
        engines += found
        if not engines:  # no other log stands for A
            return []
    if len(engines) < 2:
        place = Place(engines[0].source.file)
        message = "this is the only engine that was read; a comparison needs two"
        raise ReadError(Problem(place, "ELV606", message))
    a, *others = [Costs(engine, options.optimization_profile, options.time) for engine in engines]
    comparisons = [
        compare(a, b, options.match, options.min_confidence, per_sample=options.per_sample)
        for b in others
    ]
    for comparison in comparisons:
        inputs.tell(sentences.remarks(comparison), False, report)
    return comparisons
