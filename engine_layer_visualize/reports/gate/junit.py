"""Writes a verdict as JUnit's XML.

A test case is a thing that was looked at, or a group of layers that a limit holds for. What cannot
be told is skipped, what is not comparable is an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from xml.sax.saxutils import quoteattr

from engine_layer_visualize.comparison.gate.layers import Verdict
from engine_layer_visualize.comparison.gate.verdict import Judgement
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.core.words import plain
from engine_layer_visualize.reports.gate import page
from engine_layer_visualize.reports.gate.options import GateOptions

_ELEMENTS: Final[dict[Verdict, str]] = {
    "fail": "failure", "unsure": "skipped", "not_comparable": "error",
}  # fmt: skip


def render(judgement: Judgement, options: GateOptions) -> Iterator[str]:
    """One suite. Signs that XML cannot have are spelled."""
    cases: list[tuple[str, Verdict, str]] = [
        (page.CHECKED[check.name], check.verdict, " ".join(map(plain, check.reasons)))
        for check in judgement.checks
    ]
    cases += (
        (f"layers: {plain(page.named(group))}", group.verdict, page.sentence(group))
        for group in page.tabled(judgement)
        if group.verdict is not None
    )
    verdicts = [verdict for _, verdict, _ in cases]
    counts = f'tests="{len(cases)}" failures="{verdicts.count("fail")}" '
    counts += f'errors="{verdicts.count("not_comparable")}" skipped="{verdicts.count("unsure")}"'
    name = quoteattr(visible(f"gate {options.name}"))
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {counts}>\n'
    yield f"<testsuite name={name} {counts}>\n"
    for title, verdict, reason in cases:
        start = f"<testcase classname={name} name={quoteattr(visible(title))}"
        if element := _ELEMENTS.get(verdict):
            yield f"{start}><{element} message={quoteattr(visible(reason))}/></testcase>\n"
        else:
            yield f"{start}/>\n"
    yield "</testsuite>\n</testsuites>\n"
