"""Snapshots of builds that were never made: one engine, with noise and a step."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from paths import FIXTURES

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison.gate import evidence
from engine_layer_visualize.pipeline import read
from engine_layer_visualize.reports.gate import snapshot

NUMBER: Final = 16
STEP: Final = 9  # the build that is slower than those before it
SLOWER: Final = range(1, 4)  # the layers that are: those of /stem and of /block1
NOISE: Final = 0.006  # of a layer
LABELS: Final = tuple(f"1.{number // 4}.{number % 4}" for number in range(NUMBER))


def document() -> dict[str, Any]:
    """The snapshot of a fixture, as a file has it."""
    engine = read(FIXTURES / "comparison" / "fp16.log").engines[0]
    found = evidence.of_engine([Costs(engine)], [], findings=False).snapshot
    document: dict[str, Any] = json.loads(b"".join(snapshot.written(found)))
    document["snapshot"] |= {"file": "fp16.log", "runs": []}
    return document


def write(
    folder: Path,
    number: int = NUMBER,
    *,
    labels: Sequence[str] = LABELS,
    slower: float = 0.15,
    at: int = STEP,
    seed: int = 7,
) -> list[Path]:
    """The files of the builds, in order."""
    folder.mkdir(parents=True, exist_ok=True)
    draw, text, paths = Random(seed), json.dumps(document()), []
    for build in range(number):
        made = json.loads(text)
        kept = made["snapshot"]
        kept["label"] = labels[build] if build < len(labels) else ""
        for place, row in enumerate(kept["listing"]):
            more = slower if build >= at and place in SLOWER else 0.0
            row[4] = [round(row[4][0] * (1 + more) * (1 + draw.gauss(0, NOISE)), 6)]
        (profile,) = kept["profiles"]
        profile["ms"] = round(sum(row[4][0] for row in kept["listing"]), 6)
        profile["digest"] = f"{seed:08x}{build:08x}"
        if build >= at:
            kept["reformats"] += 1
            kept["conditions"]["tensorrt"] = "10.3.0"
        paths.append(folder / f"build{build + 1}.snapshot.json")
        paths[-1].write_text(json.dumps(made), "utf-8")
    return paths
