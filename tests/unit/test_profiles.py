"""Which times an engine gets where there are several."""

from __future__ import annotations

import json
from pathlib import Path

from paths import FIXTURES

import engine_layer_visualize as elv


def test_a_file_that_knows_less_than_the_log_s_table_is_warned_of(tmp_path: Path) -> None:
    log = FIXTURES / "classic" / "8.2-trtexec-table.log"
    own = elv.read(log).engines[0]
    named = next(layer.name for layer in own.layers if layer.time is not None)
    file = tmp_path / "other.json"
    file.write_text(json.dumps([{"count": 1}, {"name": named, "averageMs": 0.5}]), "utf-8")
    build = elv.read(log, file)
    (problem,) = (one for one in build.problems if one.code == "ELV206")
    assert problem.place.file == str(log)
    assert problem.message.startswith("times are from other.json, for 1 of ")
    assert [la.name for la in build.engines[0].layers if la.time is not None] == [named]
