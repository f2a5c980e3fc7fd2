"""Compares engines layer by layer: how much faster one is, and why.

The first engine is A; each of the others is a B.
"""

from collections.abc import Iterator
from functools import partial
from itertools import count
from string import ascii_uppercase
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api import draw
from engine_layer_visualize.commands import Report, flags, inputs, outputs
from engine_layer_visualize.comparison import sentences
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.comparison.result import Comparison
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.problems import Place, Problem, ReadError

_STEM: Final = "comparison"
_SAYING_WHY: Final = ("json", "brief")  # there is no comparison
_LETTERS: Final = ascii_uppercase[1:]  # of the engines that are compared with A


class Options(inputs.SidesOptions):
    """How which engines are compared."""

    log_file: tuple[flags.Given, ...] = flags.log(f"{flags.LOG}; the first is A", once=False)
    profile_file: None = flags.times(
        "times of layers, for the log that they match, or the one before", early=True, short="-p"
    )  # is kept with a log
    format: tuple[str, ...] = flags.format(draw.COMPARISONS)
    output: str | None = outputs.output(_STEM, draw.COMPARISONS)
    width: int | None = flags.WIDTH
    full: bool = flags.FULL
    top: int = flags.rows("of a list", 20)


def run(options: Options, report: Report) -> None:
    """Prints the comparison of all engines with the first; as JSON also why there is none.

    Raises:
        ReadError: Where what is in its file's place may not be replaced.
    """
    whose = outputs.whose([log.path for log in options.log_file])
    reports = outputs.Reports(options, _STEM, draw.COMPARISONS, whose)
    comparisons: list[Comparison] = []
    with inputs.reported(report):
        comparisons = _compared(options, report)
    failures = list(inputs.failures(options.full_paths, report))
    render = partial(draw.render_comparison, comparisons, failures)
    if not comparisons:
        asked = reports.asked.items()
        reports.asked = {format: path for format, path in asked if format in _SAYING_WHY}
    reports.write(report, (), render)


def _names() -> Iterator[str]:
    """Names engines after A: B, C, …, Z, B2, C2 and so on."""
    yield from _LETTERS
    yield from (f"{letter}{number}" for number in count(2) for letter in _LETTERS)


def _compared(options: Options, report: Report) -> list[Comparison]:
    """Compares the engines with the first; none where the first log cannot be read.

    Raises:
        ReadError: Where there is but one engine (ELV606).
    """
    engines: list[Engine] = []
    for found in inputs.Sides(options.log_file, options, report).all():
        engines += found
        if not engines:  # no other log stands for A
            return []
    if len(engines) < 2:
        place = Place(engines[0].source.file)
        message = "this is the only engine that was read; a comparison needs two"
        raise ReadError(Problem(place, "ELV606", message))
    a, *others = [Costs(engine, options.optimization_profile) for engine in engines]
    comparisons = [compare(a, b, called=called) for called, b in zip(_names(), others)]
    for comparison in comparisons:
        inputs.tell(sentences.remarks(comparison), False, report)
    return comparisons
