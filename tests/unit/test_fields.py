"""Keys of fields are unique, and a further field stands everywhere without another change."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from paths import FIXTURES, ROOT
from rendered import page_data

from engine_layer_visualize.facts.engine import ENGINE
from engine_layer_visualize.facts.field import Field, of_place
from engine_layer_visualize.facts.layer import LAYER, TENSOR

LOG = FIXTURES / "facts" / "8.6-runs.log"
# A program of its own: outputs choose their fields when they are imported.
ONE_MORE = """
import sys
import engine_layer_visualize as elv
from engine_layer_visualize.facts import layer
from engine_layer_visualize.facts.field import DATA, INTEGER, Field, Objects
doc = "how many letters its name has"
value = lambda subject, one: len(one.name)
layer.LAYER = (*layer.LAYER, Field("facts.letters", "letters", "letters", "", doc, value))
from engine_layer_visualize.facts import engine as known
count = lambda subject, one: len(one.layers)
counted = Field("facts.counted", "counted", "", "", doc, count, kind=INTEGER, places=DATA)
known.ENGINE = (*known.ENGINE, counted)
known.HEAD = Objects(known.ENGINE, known.MAY_BE_NULL)  # as the module makes it of the table
build = elv.read(sys.argv[1])
engine = build.engines[0]
for format in ("json", "svg", "html", "trace"):
    elv.draw(engine, f"{sys.argv[2]}/engine.{format}", format=format)
table = build.tables["layers"]
print([row["counted"] for row in build.tables["engines"].rows()][0])
print([row["letters"] for row in table.rows() if row["engine"] == 0], table.columns[-1].doc)
"""


def test_keys_and_labels_are_told_once() -> None:
    every: tuple[tuple[Field[Any], ...], ...] = (LAYER, TENSOR, ENGINE)
    for fields in every:
        assert max(Counter(field.key for field in fields).values()) == 1
        assert max(Counter(field.name for field in of_place(fields, "table")).values()) == 1
    docs = [field.doc for fields in every for field in fields]
    assert all(docs) and not [doc for doc in docs if doc.endswith(".")]


def test_a_further_field_stands_everywhere(tmp_path: Path) -> None:
    command = [sys.executable, "-c", ONE_MORE, str(LOG), str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert ended.returncode == 0, ended.stderr
    document = json.loads((tmp_path / "engine.json").read_text("utf-8"))
    letters = [layer["facts"]["letters"] for layer in document["layers"]]
    assert letters == [len(layer["name"]) for layer in document["layers"]]
    count = document["engine"]["facts"]["counted"]
    assert count == len(letters)
    told = [str(one) for one in letters]
    assert ended.stdout == f"{count}\n{told} how many letters its name has\n"
    assert f"letters: {letters[0]}" in (tmp_path / "engine.svg").read_text("utf-8")
    [data] = page_data((tmp_path / "engine.html").read_text("utf-8"), "engine-data")
    assert "letters" in data["strings"]
    assert '"letters"' in (tmp_path / "engine.trace").read_text("utf-8")
