"""Prints or draws what each of many builds changed: build routes that were searched, or logs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine_layer_visualize import writers
from engine_layer_visualize.commands import (
    Report,
    flag_values,
    flags,
    inputs,
    reports,
    standing,
    sweep_files,
)
from engine_layer_visualize.commands.flags import READ, REPORT
from engine_layer_visualize.comparison.sweep.trials import Sweep
from engine_layer_visualize.core.model import Statistic
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.documents import origin

ABOUT: Final = (
    "Compares many builds of one network in time and in the engine: the build routes that "
    "`trtexec --tuneBuildRoutes` searched, by its log, its cache or both, or several logs, such as "
    "those of ModelOpt's autotuner. It tells which one won, by how much, what each knob changed, "
    "and which builds failed."
)
EXAMPLES: Final = ("tune.log tune.jsonl", "autotuner_output/logs --format svg --output out")
EXIT_CODES: Final = inputs.exit_codes("the sweep is printed", "fewer than two builds", "the sweep")
_STEM: Final = "sweep"
FORMATS: Final = writers.SWEEPS


@dataclass(frozen=True, kw_only=True)
class Options(flags.Options):
    """Which builds are compared, and how they are told of."""

    file: tuple[str, ...] = READ.flag(
        "the log of a search, its cache (--tuningCacheFile), logs of builds, or a folder of logs; "
        "all are compared with the first build (in a folder: baseline.log), or, in a search, with "
        "the default route",
        "FILE",
        word=True,
        nargs="+",
    )
    time: Statistic = inputs.time()
    format: tuple[str, ...] = reports.format(REPORT, FORMATS)
    width: int | None = reports.width(REPORT)
    full: bool = REPORT.switch("every row, and whole names, in text and markdown")
    top: int = REPORT.flag(
        "the number of rows of a list, in text and markdown (default: 20)",
        "N",
        type=flag_values.positive,
        default=20,
    )
    output: str | None = reports.output(REPORT, _STEM, FORMATS)
    force: bool = standing.force(REPORT, profiles=False)


def run(options: Options, report: Report) -> None:
    """Prints the sweep. Raises ReadError where there are fewer than two builds."""
    targets = reports.targets(options.output, options.format, _STEM, FORMATS)
    whose = lambda path: "" if origin.is_sweep(path) else standing.NO_OUTPUT  # noqa: E731
    standing.check(reports.files(targets), options.force, whose, read=options.file)
    looks = ReportOptions(options.top, full=options.full)
    reports.put_each(found(options, report), targets, FORMATS, looks, options.width, report)


def found(options: Options, report: Report) -> Sweep:
    """Returns the sweep. Raises ReadError (ELV606) where there are fewer than two builds."""
    return sweep_files.read(options.file, options.time, options.strict, report)
