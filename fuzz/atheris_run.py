"""Runs atheris in processes of its own, again after each finding, until the time is over.

A target and seconds in; figures, findings in fuzz/findings, and with `grow` new files in
fuzz/corpus out. atheris is not imported here, so that a crash of the interpreter is a finding, too.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from functools import cache
from hashlib import sha256
from itertools import chain
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext
from multiprocessing.forkserver import ensure_running
from pathlib import Path
from typing import Final
from unittest.mock import patch

from fuzz import seeds
from fuzz.figures import Figures
from fuzz.targets import TARGETS
from fuzz.words import dictionary

FINDINGS: Final = Path(__file__).parent / "findings"
_LONGEST: Final = 600  # seconds, where runs are counted instead
_ONE: Final = 25  # seconds for one input: some read their text a hundred times
_MEMORY: Final = 3000  # MB
_MOST: Final = 5  # findings of one run
_KEPT: Final = 4096  # bytes of an input that is worth keeping
_ROOM: Final = 40  # inputs that one run may keep, the shortest
_EXECUTED: Final = re.compile(r"stat::number_of_executed_units:\s*(\d+)")
_PLACES: Final = re.compile(r"\bcov: (\d+)")
_STOP: Final = re.compile(r"=== Uncaught Python exception: ===\n(.*?)\n==", re.DOTALL)


def run(name: str, seconds: float, runs: int | None, grow: bool) -> Figures:
    """Figures of one target: of so many seconds, or of `runs`, always the same ones."""
    with tempfile.TemporaryDirectory(prefix=f"fuzz-{name}-") as folder:
        place = Path(folder)
        begin, grown = place / "seeds", place / "grown"
        begin.mkdir()
        grown.mkdir()
        for data in chain(TARGETS[name].seeds(), seeds.kept(name)):
            _put(begin, data)
        (place / "words").write_text(dictionary())
        executions, places, spent, findings = 0, 0, 0.0, list[str]()
        end = time.monotonic() + seconds
        while len(findings) < (1 if runs else _MOST):
            left = _LONGEST if runs else int(end - time.monotonic())
            if left <= 0:
                break
            amount = [f"-runs={runs}", "-seed=1"] if runs else [f"-max_total_time={left}"]
            words = [
                *(str(grown), str(begin), *amount, "-print_final_stats=1"),
                *(
                    f"-max_len={seeds.LONGEST}",
                    f"-timeout={_ONE}",
                    f"-rss_limit_mb={_MEMORY}",
                    f"-report_slow_units={_ONE}",
                ),
                *(f"-dict={place / 'words'}", f"-artifact_prefix={place}/found-"),
            ]
            code, said, took = _child(name, words, left + 4 * _ONE)
            spent += took
            executions += sum(map(int, _EXECUTED.findall(said)))
            places = max([places, *map(int, _PLACES.findall(said))])
            artefacts = sorted(place.glob("found-*"))
            if code == 0 and not artefacts:
                if runs:
                    break
                continue
            findings.append(_told(name, artefacts, said))
            if not artefacts:
                break  # it does not even begin
        kept = _keep(name, place, begin, grown) if grow else None
    return Figures(name, executions, spent, places, kept, tuple(findings))


def _command(name: str) -> list[str]:
    return [sys.executable, "-m", "fuzz.atheris_child", name]


def _child(name: str, words: list[str], limit: float) -> tuple[int, str, float]:
    """Its exit code, what it said, and its seconds."""
    start = time.monotonic()
    with tempfile.NamedTemporaryFile() as said:
        child = _server().Process(target=_begin, args=(name, words, said.name))
        child.start()
        child.join(limit)
        code = 124 if child.exitcode is None else child.exitcode
        child.kill()
        child.join()
        return code, said.read().decode("utf-8", "replace"), time.monotonic() - start


@cache
def _server() -> ForkServerContext:
    """Its processes are forks of one that has instrumented the program, which takes seconds."""
    server = get_context("forkserver")
    server.set_forkserver_preload(["fuzz.atheris_child"])
    with patch.dict(os.environ, PYTHONHASHSEED="0"):  # the same runs for the same seed
        ensure_running()
    return server


def _begin(name: str, words: list[str], said: str) -> None:
    from fuzz.atheris_child import begin

    with open(said, "wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    begin(name, ["fuzz", *words])


def _told(name: str, artefacts: list[Path], said: str) -> str:
    """What broke, and where its input lies now."""
    stop = _STOP.search(said)
    words = stop[1].partition("\nINFO: ")[0] if stop else said[-1500:]
    for artefact in artefacts:
        FINDINGS.mkdir(exist_ok=True)
        data = artefact.read_bytes()
        place = FINDINGS / f"{name}-{sha256(data).hexdigest()[:12]}"
        place.write_bytes(data)
        artefact.unlink()
        words += f"\npython -m fuzz {name} --input {place.relative_to(seeds.ROOT)}"
    return words


def _put(folder: Path, data: bytes) -> Path:
    place = folder / sha256(data).hexdigest()[:16]
    place.write_bytes(data)
    return place


def _keep(name: str, place: Path, begin: Path, grown: Path) -> int:
    """Of the inputs that reached more, those that together reach all of it, into the corpus."""
    before = {path.name for path in begin.iterdir()}
    for path in grown.iterdir():
        if _size(path) > _KEPT:
            path.unlink()
    again = place / "again"
    again.write_text(f'#!/bin/sh\nexec {shlex.join(_command(name))} "$@"\n')
    again.chmod(0o700)
    # Into the seeds, so that none is kept for what a seed reaches.
    merge = [*_command(name), "-merge=1", str(begin), str(grown)]
    same = {**os.environ, "PYTHONHASHSEED": "0", "FUZZ_AGAIN": str(again)}
    subprocess.run(merge, cwd=seeds.ROOT, env=same, capture_output=True, check=False, timeout=900)
    corpus = seeds.CORPUS / name
    new = sorted((path for path in begin.iterdir() if path.name not in before), key=_size)[:_ROOM]
    for path in new:
        corpus.mkdir(parents=True, exist_ok=True)
        _put(corpus, path.read_bytes())
    return len(new)


def _size(path: Path) -> int:
    return path.stat().st_size
