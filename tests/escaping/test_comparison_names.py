"""Names in comparisons: each format escapes them as the reports do."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

from engine_layer_visualize.api.compare import compare
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.model import Join, Timing
from engine_layer_visualize.core.text import visible
from escaping.poison import POISON
from escaping.test_csv_names import FORMULA
from escaping.test_markdown_names import MARKUP, tokens


def test_no_name_of_a_comparison_is_markup_or_control(poisoned: Engine) -> None:
    number = len(poisoned.layers)
    join = Join("p.json", number, number, number, (), ())
    each = [replace(la, time=Timing(la.index + 1.0)) for la in poisoned.layers]
    one = replace(poisoned, profile=join, layers=tuple(each))
    changed = [replace(la, kernel=f"{la.name} 2", time=Timing(9.0)) for la in each]
    found = compare(one, replace(one, layers=tuple(changed)))
    assert found.groups
    markup = MARKUP - {"code_inline"}  # of the advice how to get times
    assert not {token.type for token in tokens(found.to("markdown", top=999))} & markup
    text = found.to("text", top=999)
    assert all(line.isprintable() for line in text.split("\n"))


def test_every_name_of_a_comparison_comes_back(poisoned: Engine) -> None:
    found = compare(poisoned, poisoned)
    table = found.to("csv")
    rows = list(csv.DictReader(io.StringIO(table, newline=""), strict=True))
    named = " ".join(row["a_names"] for row in rows)
    assert all(visible(name) in named for name in POISON)
    for row in rows:
        assert None not in row
        assert not any(cell.startswith(FORMULA) for cell in (row["a_names"], row["b_kernel"]))
    places = [i for group in json.loads(found.to("json"))["comparisons"][0]["groups"]
              for i in (*group["a"], *group["a_reformats"])]  # fmt: skip
    assert len(places) == len(set(places))
