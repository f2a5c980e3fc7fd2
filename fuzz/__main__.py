"""`python -m fuzz [TARGET …] [--seconds N | --runs N] …`: the command line of the fuzzer.

Prints a table and writes each finding to fuzz/findings; exit code 1 where there is one.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

from fuzz import atheris_run, seeds, shaken
from fuzz.figures import Figures, table
from fuzz.targets import TARGETS


def main() -> int:
    """Returns 1 where a promise was broken, else 0."""
    options = _options()
    names = options.targets or list(TARGETS)
    if options.input:
        for name in names:
            TARGETS[name].run(Path(options.input).read_bytes())
        return 0
    how = "replay" if options.replay else "atheris" if find_spec("atheris") else "hypothesis"
    if how == "hypothesis":
        print("no atheris here (pip install -e '.[fuzz]'): hypothesis shuffles instead")

    def run(name: str) -> Figures:
        if how == "replay":
            return replay(name)
        if how == "atheris":
            return atheris_run.run(name, options.seconds, options.runs, options.grow)
        return shaken.run(name, options.seconds, options.runs)

    # Each child is a process of its own; what runs in this one runs alone.
    with ThreadPoolExecutor(options.jobs if how == "atheris" else 1) as pool:
        found = list(pool.map(run, names))
    print(table(found, how))
    for figures in found:
        for words in figures.findings:
            print(f"\n{figures.target}: {words}", file=sys.stderr)
    return 1 if any(figures.findings for figures in found) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m fuzz", description="Random inputs, grown towards what they reach."
    )
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=10, metavar="N", help="each (default: 10)")
    parser.add_argument("--runs", type=int, metavar="N", help="so many, the same ones each time")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="targets at a time")
    parser.add_argument("--grow", action="store_true", help="keep in fuzz/corpus what reaches more")
    parser.add_argument("--replay", action="store_true", help="every seed once, and nothing new")
    parser.add_argument("--input", metavar="FILE", help="run the targets on this file")
    options = parser.parse_args()
    if wrong := set(options.targets) - set(TARGETS):
        parser.error(f"no target {', '.join(sorted(wrong))}; there are {', '.join(TARGETS)}")
    return options


def replay(name: str) -> Figures:
    """Every seed of a target once."""
    target = TARGETS[name]
    inputs: Iterator[bytes] = chain(target.seeds(), seeds.kept(name))
    count, findings = 0, list[str]()
    for data in inputs:
        count += 1
        try:
            target.run(data)
        except Exception:
            findings.append(f"{data[:80]!r}\n{traceback.format_exc()}")
    return Figures(name, count, findings=tuple(findings))


if __name__ == "__main__":
    sys.exit(main())
