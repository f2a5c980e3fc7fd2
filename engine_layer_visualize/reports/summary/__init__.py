"""Makes the summary of an engine: its sections, as data and as blocks of a page.

`sections` has all that is known of an engine, `brief` what fits on a screen. `cells` makes tables.
The modules `terminal`, `markdown`, `summary_json` and `csv` write the summary.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from engine_layer_visualize.core.build_info import Unassigned

if TYPE_CHECKING:
    from engine_layer_visualize.core.model import Engine
    from engine_layer_visualize.core.options import ReportOptions
    from engine_layer_visualize.documents.blocks import Block


def log_pages(
    engines: Iterable[Engine | Unassigned], options: ReportOptions
) -> Iterator[Iterator[Block]]:
    """A page for each engine, and one for the lines of the log that belong to none.

    With `brief` it is one page for all.
    """
    if options.brief:
        from engine_layer_visualize.reports.summary import brief

        yield brief.blocks(engines, options)
        return
    from engine_layer_visualize.analysis.costs import Costs
    from engine_layer_visualize.reports.summary import sources
    from engine_layer_visualize.reports.summary.sections import collected, pages

    left: list[Unassigned] = []
    for engine in engines:
        if isinstance(engine, Unassigned):
            if not options.sections:
                left.append(engine)
            continue
        if left:  # of the log before this one's
            yield sources.unassigned_blocks(left, options.several)
            left = []
        costs = Costs(engine, options.optimization_profile, options.time, options.peak)
        data = collected(costs, options.top, options.sections)
        yield pages(data, options.sections, options.top)
    if left:
        yield sources.unassigned_blocks(left, options.several)
