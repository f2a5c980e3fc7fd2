"""Marks outputs with their log, and tells which log, model or gate a file is of."""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from engine_layer_visualize.core.model import Listing
from engine_layer_visualize.core.text import base_name, visible

MARK: Final = "[engine_layer_visualize] "  # our own lines of a recorded log begin so
_START: Final = 1 << 20  # bytes at the start of a file, that are read
_TAIL: Final = 1 << 12  # bytes at the start of a verdict
# What drawings bear that are not JSON; the name is quoted as in a URL.
_WORDS: Final = re.compile(rb"Source log[:\0] ?([\w.~%-]{1,40000}):(\d{1,18})\b")
_JSON: Final = re.compile(rb'"source": \{"file": ("(?:[^"\\]|\\.)*"), "first_line": (\d{1,18})')
_IN_JSON: Final = ("json", "trace")  # formats
_PNG, _CHUNK = b"\x89PNG\r\n\x1a\n", b"Source log\0"
_BUILD: Final = re.compile(rb"[0-9a-f]{64}")
# How a summary, and findings, begin.
_REPORT: Final = re.compile(
    rb"\s*(?:#+ )?Engine \d+ of |\{\"schema\": 1, \"engines\": \[|engine,index,line,name,"
    rb"|::\w+ (?:file=[^\n]{0,9999},line=\d+,)?title=[A-Z]\d\d "
    rb'|\{"\$schema": "[^"\n]*sarif[^\n]{0,200}"engine_layer_visualize"'
)
_NOTHING_COMPARED: Final = b'{"schema": 1, "comparisons": []'
# How the verdict of a gate begins in each format, or names itself.
_VERDICT: Final = (
    r"\s*Gate {0}\s+\w|<!-- elv-gate:{0} -->|::\w+ title=Gate {0} \w"
    r'|\{{"schema": 1, "gate": \{{"verdict"'
    r'|<\?xml [^\n]*\n<testsuites [^\n]*\n<testsuite name="gate {0}"'
    r'|\{{"\$schema": "[^"\n]*sarif[^\n]{{0,200}}"engine_layer_visualize"[^\n]{{0,200}}"gate-'
)


class Origin(NamedTuple):
    """What an output was drawn from."""

    log: str
    line: int  # where the listing's header stands


def of(path: Path, format: str) -> Origin | None:
    """Returns what an output was drawn from; None where it does not say so."""
    data = _start(path)
    pattern = _JSON if format in _IN_JSON else _WORDS
    match = pattern.search(data)
    if match is None:
        return None
    name = match[1].decode("utf-8", "replace")
    if pattern is _WORDS:
        return Origin(unquote(name), int(match[2]))
    try:
        return Origin(str(json.loads(name)), int(match[2]))
    except ValueError:  # no JSON after all: another program's
        return None


def _start(path: Path) -> bytes:
    """Returns the first bytes of a file; none where it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(_START)
    except OSError:
        return b""


def is_of_others(path: Path, logs: Iterable[str]) -> bool:
    """Returns whether a file, such as a report, does not name all of these logs."""
    data = _start(path)
    if data.startswith(_NOTHING_COMPARED):
        return False
    before = _letters(data.decode("utf-8", "replace"))
    return any(_letters(base_name(log)) not in before for log in logs)


def is_verdict(path: Path, name: str) -> bool:
    """Returns whether a file is the verdict of the gate of this name."""
    head = _start(path)[:_TAIL].decode("utf-8", "replace")
    return re.match(_VERDICT.format(re.escape(name)), head) is not None


def is_report(path: Path) -> bool:
    """Returns whether a file is a summary, or the findings, of some engines."""
    return _REPORT.match(_start(path)) is not None


def of_recorded(log: Path) -> str | None:
    """Returns the model that a log of `record` is of; None of other files."""
    lines = _start(log).decode("utf-8", "replace").split("\n")
    start = f"{MARK}record "
    if not lines[0].startswith(f"{MARK}engine_layer_visualize "):
        return None
    line = next((line for line in lines if line.startswith(start)), None)
    return None if line is None else line.removeprefix(start).partition(" --builder ")[0]


def is_table(path: Path) -> bool:
    """Returns whether a file is a table of this program."""
    return b"build_id" in _table(path)


def is_of_other_builds(path: Path, builds: Collection[str]) -> bool:
    """Returns whether a table is of builds that are none of these."""
    data = _table(path)
    if any(build and build.encode() in data for build in builds):
        return False
    return _BUILD.search(data) is not None


def _table(path: Path) -> bytes:
    """Returns what a file says of its columns and builds; empty where it cannot be read."""
    try:
        with open(path, "rb") as file:
            data = file.read(_START)
            file.seek(max(0, path.stat().st_size - _START))
            data += file.read()
        if zipfile.is_zipfile(path):  # a workbook
            with zipfile.ZipFile(path) as packed:
                data = packed.read("docProps/core.xml")
    except (OSError, KeyError, zipfile.BadZipFile):
        return b""
    return data


def _letters(text: str) -> str:
    """Returns what no format escapes or breaks into lines."""
    return re.sub(r"[^A-Za-z0-9.]", "", text)


def in_words(listing: Listing) -> str:
    """Returns the mark of a drawing: ASCII, without signs of any markup."""
    return f"Source log: {quote(visible(listing.file), safe='')}:{listing.first_line}"


def in_png(data: bytes, listing: Listing) -> bytes:
    """Returns the picture with its origin in a chunk of text."""
    if not data.startswith(_PNG):
        return data
    name = in_words(listing).partition(": ")[2].encode()
    text = b"tEXt" + _CHUNK + name + b"\n"
    chunk = (len(text) - 4).to_bytes(4, "big") + text + zlib.crc32(text).to_bytes(4, "big")
    end = len(_PNG) + 25  # of the first chunk, the picture's size
    return data[:end] + chunk + data[end:]


def in_svg(listing: Listing) -> str:
    """Returns an element with its origin."""
    return f"<metadata>{in_words(listing)}</metadata>"
