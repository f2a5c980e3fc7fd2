"""Prints or writes what a gate compares a later build with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine_layer_visualize.commands import (
    Report,
    gate_sides,
    given_logs,
    inputs,
    log_names,
    reports,
    standing,
)
from engine_layer_visualize.commands.flags import WRITTEN
from engine_layer_visualize.commands.given_logs import Given
from engine_layer_visualize.core.model import Statistic
from engine_layer_visualize.core.onnx_model import OnnxModel
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import base_name
from engine_layer_visualize.documents import origin
from engine_layer_visualize.reports.gate import snapshot

ABOUT: Final = (
    "Keeps of an engine what the command gate compares a later build with: times, memory, "
    "reformats, findings, device and versions, in a small file of JSON that can stand beside the "
    "sources."
)
EXAMPLES: Final = (
    "--log_file build.log --profile_file prof.json --output base.json",
    "--log_file build.log --times run1.json --times run2.json --output base.json",
)
EXIT_CODES: Final = inputs.exit_codes("the snapshot is written", "nothing to keep", "the snapshot")


@dataclass(frozen=True, kw_only=True)
class Options(given_logs.SidesOptions):
    """What is kept of which engine."""

    log_file: tuple[Given, ...] = given_logs.log(
        "the engine's log, or the inspector's JSON. A word that is a file stands for this flag, or "
        "for --profile_file or --times where the file holds times"
    )
    profile_file: None = given_logs.profile_file("; each is a run")  # is kept with its log
    times: None = given_logs.times()
    onnx: str | OnnxModel | None = inputs.onnx()
    engine: tuple[tuple[int, int], ...] = given_logs.engine("such as A:1", "the first")
    optimization_profile: int | None = inputs.optimization_profile()
    time: Statistic = inputs.time()
    full_paths: bool = inputs.full_paths()
    label: str = WRITTEN.flag(
        "what the command history calls this build, such as its commit", "TEXT", default=""
    )
    output: str | None = WRITTEN.flag(
        "the file of the snapshot, or a folder that is there, for snapshot.json (default: stdout)",
        "PATH",
        short="-o",
        also=("--output_dir",),
    )
    force: bool = standing.force(WRITTEN)


def run(options: Options, report: Report) -> None:
    """Writes the snapshot. Raises ReadError where there is none."""
    (log,) = options.log_file
    path = None if options.output is None else Path(options.output)
    if path is not None and path.is_dir():
        path /= "snapshot.json"
    if path is not None:
        _check(path, log, options.force)
    side = gate_sides.side(options.log_file, 0, options, report, findings=True)
    if side is None:  # it has been said why
        return
    pieces = snapshot.written(side.snapshot._replace(label=options.label))
    if path is None:
        report.data(pieces)
    else:
        reports.write(path, pieces, report)


def _check(path: Path, log: Given, force: bool) -> None:
    """Raises ReadError (ELV605, ELV505) where the snapshot may not be written there."""
    if standing.is_read(path, log.files):
        message = "the snapshot would be written over a file that is read"
        raise ReadError(Problem(Place(str(path)), "ELV605", message), "name another --output")
    name = log_names.named([log.path])[0].name

    def whose(path: Path) -> str:
        before = origin.of_snapshot(path)
        if before is None:
            return "this was there before, and is no snapshot"
        return "" if base_name(before) == base_name(name) else f"this is of another log, {before}"

    standing.check([path], force, whose, "--force replaces it")
