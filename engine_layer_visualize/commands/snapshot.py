"""`snapshot`: a log with its times in; the baseline of a gate out, on stdout or in a file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from engine_layer_visualize.commands import (
    Report,
    gate_sides,
    given_logs,
    inputs,
    log_names,
    standing,
)
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import base_name
from engine_layer_visualize.documents import origin
from engine_layer_visualize.io.atomic_file import cannot_write, save
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
EXIT_CODES: Final = {
    0: "everything was read",
    1: "the snapshot is written but something could not be read",
    2: "wrong usage",
    3: "nothing to keep",
    4: "the snapshot could not be written",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the flags."""
    read = parser.add_argument_group("what is read")
    given_logs.add_log(
        read,
        "the engine's log, or the inspector's JSON. A word that is a file stands for this "
        "flag, or for --profile_file or --times where the file holds times",
    )
    given_logs.add_runs(read, "such as A:1")
    written = parser.add_argument_group("what is written")
    written.add_argument(
        "-o", "--output", metavar="FILE", help="the file of the snapshot (default: stdout)"
    )
    standing.add_force(written, profiles=True)
    inputs.add_limits(parser)


def run(options: argparse.Namespace, report: Report) -> None:
    """Writes the snapshot. Raises ReadError where there is none."""
    one = options.log_file[0]
    path = None if options.output is None else Path(options.output)
    if path is not None:
        _check(path, one, options)
    found = gate_sides.side(options.log_file, 0, options, report, findings=True)
    if found is None:  # it has been said why
        return
    if path is None:
        report.data(snapshot.written(found.snapshot))
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save(path, snapshot.written(found.snapshot))
    except OSError as error:
        raise cannot_write(path, error) from None
    report.line(str(path))


def _check(path: Path, one: given_logs.Given, options: argparse.Namespace) -> None:
    """Raises ReadError (ELV605, ELV505) where the snapshot may not be written there."""
    if standing.is_read(path, one.files):
        message = "the snapshot would be written over a file that is read"
        raise ReadError(Problem(Place(str(path)), "ELV605", message), "name another --output")
    name = log_names.named([one.path])[0].name

    def whose(path: Path) -> str:
        log = origin.of_snapshot(path)
        if log is None:
            return "this was there before, and is no snapshot"
        return "" if base_name(log) == base_name(name) else f"this is of another log, {log}"

    standing.check([path], options.force, whose, "--force replaces it")
