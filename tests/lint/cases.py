"""Reads fixtures/lint: one file per rule, `p01.txt`, with several short logs.

A log begins behind a line `=== fires 0 3: why` (indices of all layers that the rule's findings
name; `fires engine`: a finding that counts no layer's time) or `=== silent: why not`. Lines
`@ms 0.5 name` in front of the log are a profile: milliseconds and a layer's name.

Behind the heading, `@finds 0 3; 0.25 ms; words` may stand for each finding, in their order: its
layers (or `engine`), the ms at stake (or `unknown`), and words of its sentence; `@try words` behind
it: words of its advice. Then there are these findings and no others.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from paths import FIXTURES

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.api.read import Log
from engine_layer_visualize.linting.rules import Finding, all_rules
from engine_layer_visualize.linting.subject import Subject

FOLDER = FIXTURES / "lint"
_HEAD = re.compile(r"=== (?:(fires) ([\d ]+|engine)|(silent)): (.+)")
_FINDS = re.compile(
    r"^@finds ([\d ]+|engine); (?:([\d.e-]+) ms|unknown); (.+)\n(?:@try (.+)\n)?", re.MULTILINE
)
_MS = re.compile(r"^@ms (\S+) (.*)\n", re.MULTILINE)


class Told(NamedTuple):
    """One finding. `ms`: None where it is unknown; `words` stand in its sentence, `advice` in its
    advice."""

    layers: tuple[int, ...]
    ms: float | None
    words: str
    advice: str = ""


class Case(NamedTuple):
    """A short log, and what a rule finds in it. `layers`: None where it finds nothing; `told`:
    empty where it does not matter how that is told."""

    code: str
    why: str
    layers: frozenset[int] | None
    log: str
    profile: str
    told: tuple[Told, ...] = ()

    def engine(self, folder: Path) -> Engine:
        profiles = []
        if self.profile:
            (folder / "profile.txt").write_text(self.profile, "utf-8")
            profiles.append(folder / "profile.txt")
        log = folder / "build.log"  # times alone are looked for in files
        log.write_text(self.log, "utf-8")
        (engine,) = Log(log, profiles, force=True).engines()
        assert not [one for one in engine.problems if one.severity == "error"]
        return engine

    def found(self, folder: Path) -> list[Finding]:
        return list(all_rules()[self.code].check(Subject(Costs(self.engine(folder))).in_inference))


def cases() -> Iterator[Case]:
    """All of them. Raises ValueError for a line that cannot be read."""
    for path in sorted(FOLDER.glob("*.txt")):
        _, *parts = re.split(r"^(?==== )", path.read_text("utf-8"), flags=re.MULTILINE)
        for part in parts:
            head, _, text = part.partition("\n")
            match, log = _HEAD.fullmatch(head), _MS.sub("", _FINDS.sub("", text))
            if match is None or "\n@" in f"\n{log}":
                raise ValueError(f"{path.name}: {head}")
            told = tuple(
                Told(_layers(numbers), float(ms) if ms else None, words, advice)
                for numbers, ms, words, advice in _FINDS.findall(text)
            )
            profile = "".join(f"{name}: {ms}ms\n" for ms, name in _MS.findall(text))
            found = frozenset(_layers(match[2])) if match[1] else None
            yield Case(path.stem.upper(), match[4], found, log, profile, told)


def _layers(numbers: str) -> tuple[int, ...]:
    return () if numbers == "engine" else tuple(map(int, numbers.split()))
