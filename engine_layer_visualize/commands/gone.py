"""Says what to use instead of a command, a flag or a value that 1.0 no longer has.

It answers for one release; then this file goes, with the two places that ask it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from engine_layer_visualize.commands import Answer

_QUERY: Final = "collect the logs, and query their tables (docs/tables.md)"
_PAGE: Final = "use html, whose page exports SVG and PNG"
_TRACE: Final = "use trace, which Perfetto and speedscope open"

COMMANDS: Final = {
    "history": _QUERY,
    "sweep": "use compare A B C, which compares each build with the first",
    "watch": "use tail -f",
    "snapshot": "use gate --save FILE LOG",
}
FLAGS: Final = {
    "--plan": "compare says what changed",
    "--upgrade": "compare says what changed",
    "--numbers": "polygraphy run compares the outputs of layers",
    "--facts": "use --format json",
    "--direction": "use dot -Grankdir=LR of Graphviz",
    "--max_layers": "1,000,000 layers are read",
    "--max_line": "16 MiB of a line are read",
    "--compact": "DuckDB writes small files together (docs/tables.md)",
}
_OF_COMMAND: Final[Mapping[str, Mapping[str, str]]] = {
    "draw": {"--labels": "use html, whose page has whole names"},
    "compare": {
        "--match": "layers are matched by names, and by structure where these differ",
        "--min_confidence": "the JSON has the confidence of each group of layers",
        "--per_sample": "the time of a sample is said where the batches differ",
    },
    "record": {
        "--format": "use --draw, then draw in other formats",
        "-f": "use --draw, then draw in other formats",
        "--verbosity": "an engine keeps all details of its layers",
    },
    "gate": {
        "--forbid": "use lint --select CODES --fail_on hint",
        "--max_chars": "a comment has at most 60,000 characters",
        "--max_reformats": "compare counts reformats",
        "--per_sample": "a gate compares engines of one batch; compare says the time of a sample",
    },
    "lint": {
        "--baseline": "compare says which findings are new and gone",
        "--min_ms": "the first screen leaves out what takes less than 1 % of the time",
        "--min_share": "the first screen leaves out what takes less than 1 % of the time",
        "--rules": "docs/findings.md has all rules, --explain CODE has one",
    },
    "cut": {
        "--group": "use --layer, or --slowest N",
        "--context": "cut each layer alone, with --layer",
    },
    "collect": {
        "--force": "a damaged file is read anew; --refresh reads all again",
        "--meta": "a query finds columns in the paths of logs (docs/tables.md)",
        "--pair": "a file of times is read with the log of its stem",
    },
}
_DRAWN: Final = {
    "pdf": "use svg, which a browser prints to PDF",
    "poster": "use svg",
    "poster-png": "use png",
    "roofline": "use html, whose page shows it",
    "build-trace": "use summary, which says how long the build took",
    "speedscope": _TRACE,
    "model-explorer": "use html, or onnx for Netron",
    "onnx-overlay": "use onnx",
}
_VALUES: Final[Mapping[tuple[str, str], Mapping[str, str]]] = {
    ("draw", "format"): _DRAWN,
    ("compare", "format"): {"svg": _PAGE, "model-explorer": _PAGE},
    ("gate", "format"): {"bmf": "use json"},
    ("summary", "sections"): {
        "higher_precision": "use lint",
        "sources": "use --format json",
    },
}
_SQLITE: Final = "a report of Nsight Systems in SQLite is gone: give the CSV of"


def word(word: str) -> str:
    """Returns what to use instead of a command; "" where it was never there."""
    return _told(word, COMMANDS)


def flag(command: str, flag: str) -> str:
    """Returns what to use instead of a flag of a command; "" where it was never there."""
    return _told(flag, {**FLAGS, **_OF_COMMAND.get(command, {})})


def value(command: str, flag: str, words: str) -> str:
    """Returns what to use instead of one of a flag's values; "" where none is gone."""
    known = _VALUES.get((command, flag), {})
    return next(filter(None, (_told(each.strip(), known) for each in words.split(","))), "")


def check_times(paths: Iterable[str]) -> None:
    """Raises Answer where a file of times is a report that is read no more."""
    from engine_layer_visualize.reading.file_kinds import NSYS_STATS, is_sqlite

    if any(map(is_sqlite, paths)):
        raise Answer("", f"{_SQLITE} `{NSYS_STATS}`", 2)


def _told(word: str, known: Mapping[str, str]) -> str:
    return f"{word} is gone: {known[word]}" if word in known else ""
