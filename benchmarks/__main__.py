"""`python -m benchmarks [--short] [--markdown] [--size-mb N] [--only CASE]`.

Prints a table, and with --markdown writes benchmarks/RESULTS.md. It fails only where a measured
command fails, never because a machine is slow.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.cases import CASES, Bench, Row
from benchmarks.measure import CommandFailedError

_RESULTS = Path(__file__).parent / "RESULTS.md"
_HEADS = ("what", "CPU s", "peak MB", "ratio", "to", "")


def main() -> int:
    """Returns 1 where a command failed, else 0: a slow machine is no failure."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="elv-bench-") as folder:
        size = options.size_mb or (20 if options.short else 500)
        bench = Bench(Path(folder), size * 1_000_000, options.short)
        found: dict[str, list[Row]] = {}
        failed = False
        for name, case in CASES.items():
            if options.only and name not in options.only:
                continue
            print(f"measuring: {name}", file=sys.stderr, flush=True)
            try:
                found[name] = case.measure(bench)
            except CommandFailedError as error:
                print(f"failed: {error}", file=sys.stderr)
                failed = True
    for name, rows in found.items():
        print(f"\n{CASES[name].title.format(mb=size)}\n{_text(rows)}")
    if options.markdown:
        _RESULTS.write_text(_markdown(found, size), "utf-8")
    return 1 if failed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="What the program costs, side by side with plain baselines.",
    )
    parser.add_argument("--short", action="store_true", help="small inputs, under a minute")
    parser.add_argument("--markdown", action="store_true", help=f"write {_RESULTS.name} as well")
    parser.add_argument("--size-mb", type=int, metavar="N", help="of the big log (default: 500)")
    parser.add_argument("--only", action="append", choices=list(CASES), help="may be repeated")
    return parser.parse_args()


def _cells(row: Row) -> tuple[str, ...]:
    cost = row.cost
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    return row.what, f"{cost.cpu:.3f}", f"{cost.peak:.0f}", ratio, row.against or "", row.note


def _text(rows: list[Row]) -> str:
    lines = [_HEADS, *map(_cells, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADS))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in (1, 2, 3) else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths))
        ).rstrip()
        for line in lines
    )


def _markdown(found: dict[str, list[Row]], size: int) -> str:
    parts = [
        "# What it costs\n\n"
        "Written by `python -m benchmarks --markdown`. CPU seconds are user and system together, "
        "of the whole process with its start-up, the median of the rounds; peak MB is the largest "
        "resident size. All commands of a table ran in turns, on the same files, in one run. "
        "A ratio is to the row that is named beside it.\n\n"
        f"{_machine()}\n"
    ]
    for name, rows in found.items():
        lines = ["| " + " | ".join(_HEADS) + " |", "|---|--:|--:|--:|---|---|"]
        lines += [
            "| " + " | ".join(cell.replace("|", "\\|") for cell in _cells(row)) + " |"
            for row in rows
        ]
        words = f"{CASES[name].words}\n\n" if CASES[name].words else ""
        title = CASES[name].title.format(mb=size)
        parts.append(f"## {title}\n\n{words}" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def _machine() -> str:
    packages = []
    for name in ("lark", "pydot"):
        try:
            packages.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            packages.append(f"no {name}")
    return (
        f"{datetime.now(timezone.utc):%Y-%m-%d} · {os.cpu_count()} cores, {platform.machine()}, "
        f"{platform.system()} · Python {platform.python_version()} · {', '.join(packages)}"
    )


if __name__ == "__main__":
    sys.exit(main())
