"""The queries that Python and the page must answer alike, and the engine that they are asked of."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engine_layer_visualize import read
from engine_layer_visualize.display import Engine

_TABLE: dict[str, Any] = json.loads(
    (Path(__file__).parent / "viewer" / "queries.json").read_text("utf-8")
)
CASES: list[tuple[str, list[int]]] = [(query, found) for query, found in _TABLE["cases"]]
ERRORS: list[tuple[str, int, str]] = [(query, at, said) for query, at, said in _TABLE["errors"]]
REGEXES: list[tuple[str, str]] = [(query, regex) for query, regex in _TABLE["regexes"]]


@cache
def engine() -> Engine:
    with TemporaryDirectory() as folder:
        log, profile = Path(folder, "queries.log"), Path(folder, "queries.json")
        log.write_text("\n".join(_TABLE["log"]) + "\n", "utf-8", newline="\n")
        profile.write_text(json.dumps(_TABLE["profile"]), "utf-8")
        build = read(log, profiles=[profile], facts=True)
    assert build.problems == ()
    return build.engines[0]
