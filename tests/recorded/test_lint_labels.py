"""Rules against decisions that were made by reading the recorded logs.

labels/findings.tsv: file, profile, line of the listing's header, position of the record in it
(empty: the whole engine), line of the record, rule, yes or no, why. They were written before the
rules, from the logs and the rules' definitions alone. labels/kernels.tsv: every kernel of these
logs, and whether it runs on tensor cores.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from paths import RECORDED

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.findings import of
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.trt.kernel_names import on_tensor_cores

LABELS = Path(__file__).parent / "labels"
pytestmark = pytest.mark.skipif(
    not RECORDED.is_dir(), reason="no recorded logs beside the checkout"
)


class Label(NamedTuple):
    file: str
    profile: str
    listing: str
    position: str
    line: str
    rule: str
    fires: str
    reason: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line or self.listing}"
        return f"{where} [{self.position or 'engine'}] {self.rule} {self.fires}: {self.reason}"


def rows(name: str) -> list[list[str]]:
    with (LABELS / name).open(encoding="utf-8", newline="") as file:
        _, *found = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    return found


@cache
def engines(file: str, profile: str) -> list[tuple[Engine, Mapping[str, set[int]]]]:
    """The engines of a log, with the layers that each rule names; -1 for the whole engine."""
    build = elv.read(RECORDED / file, [RECORDED / profile] if profile else [], facts=True)
    result: list[tuple[Engine, Mapping[str, set[int]]]] = []
    for engine in build.engines:
        found: dict[str, set[int]] = {}
        for one in of(Costs(engine)):
            found.setdefault(one.code, set()).update((-1, *one.layers))
        result.append((engine, found))
    return result


def fires(label: Label) -> bool:
    """Whether the rule names the label's layer. Raises LookupError where there is no such layer."""
    for engine, found in engines(label.file, label.profile):
        headers = {engine.source.first_line, *(one.first_line for one in engine.also)}
        layers = engine.layers
        if label.line:
            number = int(label.line)
            own = [la.index for la in layers if number in (la.place.line, la.also_line)]
        elif label.position:
            own = [la.index for la in layers if la.position == int(label.position)]
        else:
            own = [-1]
        alone = len(engines(label.file, label.profile)) == 1
        if own and ((label.line and label.position) or alone or int(label.listing) in headers):
            return bool(found.get(label.rule, set()).intersection(own))
    raise LookupError(str(label))


def test_findings_agree_with_readers(record_property: Callable[[str, object], None]) -> None:
    labels = [Label(*row) for row in rows("findings.tsv")]
    assert len(labels) >= 500
    right: Counter[str] = Counter()
    wrong: list[str] = []
    missed: list[str] = []
    for label in labels:
        found = fires(label)
        if found and label.fires == "yes":
            right[label.rule] += 1
        elif found:
            wrong.append(str(label))
        elif label.fires == "yes":
            missed.append(str(label))
    hits = sum(right.values())
    precision = hits / max(1, hits + len(wrong))
    recall = hits / max(1, hits + len(missed))
    figures = f"{len(labels)} decisions: precision {precision:.3f}, recall {recall:.3f}"
    record_property("labels", figures)
    lines = [figures, *map("false: {}".format, wrong), *map("missed: {}".format, missed)]
    sys.stdout.write("\n".join(lines) + "\n")  # shown with -s, and where it fails
    assert precision >= 0.98, figures
    assert recall >= 0.95, figures


def test_kernel_names_agree_with_readers(record_property: Callable[[str, object], None]) -> None:
    labels = rows("kernels.tsv")
    said = {"yes": True, "no": False, "unknown": None}
    differing = [
        f"{kernel}: {label}, by the name {on_tensor_cores(kernel)}: {reason}"
        for kernel, label, reason in labels
        if on_tensor_cores(kernel) is not said[label]
    ]
    wrong = [line for line in differing if "by the name None" not in line]
    figures = f"{len(labels)} kernels: {len(wrong)} wrong, {len(differing) - len(wrong)} untold"
    record_property("kernels", figures)
    sys.stdout.write("\n".join([figures, *differing]) + "\n")
    assert len(wrong) <= 0.005 * len(labels) and len(differing) <= 0.02 * len(labels), figures
