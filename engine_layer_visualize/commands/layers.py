"""Lists the layers of every engine of a log: all, the slowest, or those that a query finds."""

from collections.abc import Iterator
from typing import Final, get_args

from engine_layer_visualize.api import draw
from engine_layer_visualize.commands import Report, flags, inputs, outputs
from engine_layer_visualize.facts.query import parse
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.reports import layers

_STEM: Final = "layers"
_WHICH: Final = flags.Group("which layers")


class Options(inputs.LogOptions):
    """Which layers are listed, of which logs."""

    query: str = _WHICH.flag(
        "only layers that match: prec:int8, -prec:int8 (all others), time>1%% (docs/reference.md)",
        "QUERY",
        default="",
    )
    sort: layers.Order = flags.REPORT.choice("order of the rows", get_args(layers.Order), "index")
    limit: int | None = flags.REPORT.flag(
        "at most N rows for each engine (default: all)", "N", type=flags.positive
    )
    format: tuple[str, ...] = flags.format(draw.LAYERS)
    output: str | None = outputs.output(_STEM, draw.LAYERS)
    width: int | None = flags.WIDTH
    full: bool = flags.FULL


def run(options: Options, report: Report) -> None:
    """Prints the lists of all logs. Raises ReadError for a query that cannot be read (ELV410)."""
    reports = outputs.Reports(options, _STEM, draw.LAYERS, outputs.whose(options.log_file))
    reports.write(report, _listed(options, report))


def _listed(options: Options, report: Report) -> Iterator[layers.Listed]:
    with inputs.reported(report):
        query = parse(options.query)
        for named, log in inputs.logs(options, report, facts=True):
            for costs in inputs.shown(named, log, options, report):
                found = layers.listed(
                    Subject(costs), query, options.sort, options.limit, options.optimization_profile
                )
                for sentence in found.missing:
                    report.remark(f"engine {costs.engine.index} of {named.name}: {sentence}")
                yield found
