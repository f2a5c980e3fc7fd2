"""Rules against decisions that were made by reading the recorded logs.

labels/findings.tsv: file, profile, line of the listing's header, position of the record in it
(empty: the whole engine), line of the record, rule, yes or no, why. They were written before the
rules, from the logs and the rules' definitions alone. labels/kernels.tsv: every kernel of these
logs, and whether it runs on tensor cores.
"""

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from paths import RECORDED

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.linting import rules, seen, subject
from engine_layer_visualize.trt.names import on_tensor_cores

LABELS = Path(__file__).parent / "labels"


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
        for one in seen(subject.Subject(Costs(engine))):
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
            return not found.get(label.rule, set()).isdisjoint(own)
    raise LookupError(str(label))


def test_findings_agree_with_readers() -> None:
    labels = [Label(*row) for row in rows("findings.tsv")]
    assert len(labels) >= 418
    assert {label.rule for label in labels} <= {*rules.all_rules()}
    right, wrong, missed = list[Label](), list[Label](), list[Label]()
    for label in labels:
        found, wanted = fires(label), label.fires == "yes"
        if found or wanted:
            (right if found and wanted else wrong if found else missed).append(label)
    told = "\n".join([*map("false: {}".format, wrong), *map("missed: {}".format, missed)])
    assert len(right) >= 0.98 * len([*right, *wrong]), told  # precision
    assert len(right) >= 0.95 * len([*right, *missed]), told  # recall


def test_kernel_names_agree_with_readers() -> None:
    labels = rows("kernels.tsv")
    said = {"yes": True, "no": False, "unknown": None}
    differing = [
        f"{kernel}: {label}, by the name {on_tensor_cores(kernel)}: {reason}"
        for kernel, label, reason in labels
        if on_tensor_cores(kernel) is not said[label]
    ]
    wrong = [line for line in differing if "by the name None" not in line]
    told = "\n".join(differing)
    assert len(wrong) <= 0.005 * len(labels) and len(differing) <= 0.02 * len(labels), told
