"""The log and the cache of a search among build routes, which was never made.

Their lines are those that the sources of trtexec 11.1 print; the builds are those of two fixtures.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from paths import FIXTURES

CLOCK: Final = "[03/24/2026-12:57:38] "
FP16, INT8 = "fp16", "int8"


class Made(NamedTuple):
    """An iteration: its route, the fixture of its engine, its time, and how it failed."""

    route: str
    engine: str
    ms: float
    failure: str = ""


def route(mha: str, ppg: str, horizontal: str) -> str:
    return f"-match_ragged_mha={mha} -copy_ppg={ppg} -horizontal_fusion={horizontal}"


EIGHT: Final = (
    Made(route("off", "on", "on"), FP16, 0.4460),
    Made(route("off", "on", "off"), FP16, 0.4481),
    Made(route("off", "off", "on"), FP16, 0.4465),
    Made(route("off", "off", "off"), FP16, 0.4490),
    Made(route("on", "on", "on"), INT8, 0.2850),
    Made(route("on", "on", "off"), FP16, 0.0, "child killed by signal 9"),
    Made(route("on", "off", "on"), INT8, 0.2801),
    Made(route("on", "off", "off"), INT8, 0.2862),
)


def log(made: Iterable[Made] = EIGHT, *, ends: bool = True) -> str:
    made = list(made)
    said = [f"{CLOCK}[I] Expanded to {len(made)} build route configurations\n"]
    for number, one in enumerate(made):
        text = (FIXTURES / "comparison" / f"{one.engine}.log").read_text("utf-8")
        text = re.sub(r"(GPU Compute Time: .*median = )[\d.]+", rf"\g<1>{one.ms}", text)
        said.append(f"{CLOCK}[I] Tuning iteration [{number}]: {one.route}\n")
        said.append(f"{CLOCK}[I] Using tuning build route: {one.route}\n")
        said.append(text[: len(text) // 3] + "\n" if one.failure else text)
        if one.failure:
            said.append(f"{CLOCK}[E] Iteration [{number}] failed: {one.failure}\n")
    worked = [one for one in made if not one.failure]
    if ends:
        best = min(worked, key=lambda one: one.ms)
        said.append(f"{CLOCK}[I] Best iteration: {best.route} (gpu_time_ms={best.ms})\n")
        whole = f"{len(worked)} / {len(made)}"
        said.append(f"{CLOCK}[I] Tuning summary: {whole} iterations succeeded.\n")
    return "".join(said)


def cache(made: Iterable[Made] = EIGHT) -> str:
    header = {
        "command_line": "trtexec --onnx=model.onnx --tuneBuildRoutes=…",
        "default_build_route": EIGHT[0].route,
        "tuning_expr": "-match_ragged_mha=[on,off] -copy_ppg=[on,off] -horizontal_fusion=[on,off]",
        "argv": ["trtexec"],
    }
    rows: list[dict[str, object]] = [{**header}]
    for number, one in enumerate(made):
        rows.append(
            {
                "iter": number,
                "build_route": one.route,
                "crash": bool(one.failure),
                "error_message": one.failure,
                "accuracy_loss": None,
                "gpu_time": -1 if one.failure else one.ms,
            }
        )
    return "".join(json.dumps(row) + "\n" for row in rows)


def write(folder: Path) -> tuple[Path, Path]:
    """Its files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = folder / "tune.log", folder / "tune.jsonl"
    files[0].write_text(log(), "utf-8")
    files[1].write_text(cache(), "utf-8")
    return files
