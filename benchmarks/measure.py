"""Runs commands and measures them: CPU seconds (user and system) and peak resident memory.

Values are medians of several rounds, each command in its own process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

# A child's peak begins at that of the process that started it (Linux folds it in at exec), so a
# process of a few MB stands between; 0 as its last word means that the command was found.
_BETWEEN: Final = """
import json, os, sys, time
end, keep, *command = sys.argv[1:]
actions = [] if keep == "1" else [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
begun = time.monotonic()
pid = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
_, status, usage = os.wait4(pid, 0)
code = os.waitstatus_to_exitcode(status)
wall = time.monotonic() - begun
told = [usage.ru_utime + usage.ru_stime, usage.ru_maxrss, code, wall]
os.write(int(end), json.dumps(told).encode())
"""
_UNIT: Final = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, in bytes


class CommandFailedError(Exception):
    """`command` did not do what it was measured for."""


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds and peak MB (10^6 bytes); `output`: what a kept stdout said; `wall`: seconds by
    the clock, 0 where they were not measured."""

    cpu: float
    peak: float
    output: str = ""
    wall: float = 0.0


@dataclass(frozen=True, slots=True)
class Command:
    """`name` as a table shows it. `good`: exit codes of success, with `says` on stdout.

    `keep`: stdout is wanted; else it goes nowhere.
    """

    name: str
    argv: tuple[str, ...]
    good: tuple[int, ...] = (0,)
    keep: bool = False
    says: str = ""


def once(command: Command, folder: Path, environment: Mapping[str, str] | None = None) -> Cost:
    """Runs it in `folder`. Raises CommandFailedError."""
    here, there = os.pipe()
    try:
        done = subprocess.run(
            [
                *(sys.executable, "-I", "-S", "-c", _BETWEEN),
                *(str(there), "1" if command.keep else "0"),
                *command.argv,
            ],
            pass_fds=(there,),
            capture_output=True,
            cwd=folder,
            env=dict(os.environ, **(environment or {})),
        )
        os.close(there)
        there = -1
        told = os.read(here, 4096)
    finally:
        os.close(here)
        if there >= 0:
            os.close(there)
    last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
    if not told:
        raise CommandFailedError(f"{command.name}: {' '.join(last)}")
    cpu, peak, code, wall = json.loads(told)
    if code not in command.good:
        raise CommandFailedError(f"{command.name}: exit code {code} {' '.join(last)}")
    output = done.stdout.decode("utf-8", "replace")
    if command.says not in output:  # a traceback's exit code is 1, too
        raise CommandFailedError(f"{command.name}: {' '.join(last)}")
    return Cost(cpu, peak * _UNIT / 1e6, output, wall)


def side_by_side(
    commands: Sequence[Command],
    folder: Path,
    rounds: int,
    environment: Mapping[str, str] | None = None,
) -> dict[str, Cost]:
    """All commands, one after the other, `rounds` times: a slow minute is everybody's."""
    costs: dict[str, list[Cost]] = {command.name: [] for command in commands}
    for _ in range(rounds):
        for command in commands:
            costs[command.name].append(once(command, folder, environment))
    return {
        name: Cost(
            median(c.cpu for c in found),
            max(c.peak for c in found),
            found[-1].output,
            median(c.wall for c in found),
        )
        for name, found in costs.items()
    }
