"""CPU seconds of a comparison and of its reports, as JSON, for two logs, each with its profile.

One pair per process.
"""

from __future__ import annotations

import json
import sys
import time


def main(log_a: str, times_a: str, log_b: str, times_b: str) -> str:
    """`compare`: groups of layers and what explains the difference; then each report of them."""
    import engine_layer_visualize as elv
    from engine_layer_visualize.analysis.costs import Costs
    from engine_layer_visualize.api.draw import render_comparison
    from engine_layer_visualize.comparison.compare import compare
    from engine_layer_visualize.core.options import ReportOptions

    files = ((log_a, times_a), (log_b, times_b))
    a, b = (Costs(elv.read(log, times).engines[0]) for log, times in files)
    seconds: dict[str, float] = {}
    begin = time.process_time()
    found = compare(a, b)
    seconds["compare"] = time.process_time() - begin
    for format in ("text", "json", "html"):
        begin = time.process_time()
        render_comparison([found], [], format, ReportOptions(20))
        seconds[format] = time.process_time() - begin
    return json.dumps(seconds)


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
