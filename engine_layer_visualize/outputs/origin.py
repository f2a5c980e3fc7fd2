"""Tells whose output a file is: a path in; the log, model or gate that it is of, out."""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from collections.abc import Collection, Iterable
from html import unescape
from pathlib import Path
from typing import Final, NamedTuple

from engine_layer_visualize.core.text import base_name

MARK: Final = "[engine_layer_visualize] "  # our own lines of a recorded log begin so
_LOOKED_AT: Final = 1 << 20  # bytes at the start of a file
_TAIL: Final = 1 << 12
_JSON: Final = re.compile(rb'"source": \{"file": ("(?:[^"\\]|\\.)*"), "first_line": (\d{1,18})')
_HTML: Final = re.compile(
    rb'class="engine-head">\{[^\n]{0,4096}?"file":("(?:[^"\\]|\\.)*"),"lines":\[(\d{1,18})'
)
# A layer's tooltip: `Scale, layer 0, build.log:14`.
_TOOLTIP: Final = (
    rb", layer (?P<layer>\d{1,9})(?:, not listed)?, ([^\n]{1,4096}?):(\d{1,18})(?:\\n|\n|\"|<)"
)
_DOT: Final = re.compile(rb'tooltip="[^\n"]{0,4096}?' + _TOOLTIP)
_SVG: Final = re.compile(rb"<title>[^<\n]{0,4096}\n[^<\n]{0,4096}?" + _TOOLTIP)
_PNG, _CHUNK = b"\x89PNG\r\n\x1a\n", b"Source log\0"
_TEXT: Final = re.compile(rb"tEXt" + _CHUNK + rb"([!-~]+):(\d{1,18})\n")
_METADATA: Final = re.compile(rb"<metadata>Source log: ([!-~]{1,40000}):(\d{1,18})</metadata>")
_WORDS: Final = re.compile(rb"Source log: ([!-~]+):(\d{1,18})[^!-~]")
_COMMENT: Final = re.compile(rb"\n% Source log: ([!-~]+):(\d{1,18})\n\Z")
# The id of a graph: `build.log:1008 engine 0`.
_GRAPH: Final = re.compile(rb'("(?:[^"\\]|\\.){0,4096}?):(\d{1,18}) engine \d{1,9}"')
_BUILD: Final = re.compile(rb"[0-9a-f]{64}")
_NOTHING_COMPARED: Final = b'{"schema": 1, "comparisons": []'
_SNAPSHOT: Final = re.compile(rb'\{"schema": \d+, "snapshot": \{\s*"file": ("(?:[^"\\]|\\.)*"),')
# How the verdict of a gate begins in each format, or names itself.
_VERDICT: Final = (
    r"\s*Gate {0}\s+\w|<!-- elv-gate:{0} -->|::\w+ title=Gate {0} \w"
    r'|\{{"schema": 1, "gate": \{{"verdict"|\{{"{0}": \{{"latency"|\{{\}}\s*\Z'
    r'|<\?xml [^\n]*\n<testsuites [^\n]*\n<testsuite name="gate {0}"'
    r'|\{{"\$schema": "[^"\n]*sarif[^\n]{{0,200}}"engine_layer_visualize"[^\n]{{0,200}}"gate-'
)
_NAMED: Final = {
    **{"dot": _DOT, "json": _JSON, "svg": _SVG, "roofline": _METADATA, "html": _HTML},
    **{"png": _TEXT, "pdf": _COMMENT, "trace": _JSON, "speedscope": _JSON, "onnx": _WORDS},
    "build-trace": _JSON,
    "model-explorer": _GRAPH,
    "onnx-overlay": _WORDS,
}


class Origin(NamedTuple):
    """A log, and a line of it: of this layer's record, or of the listing's header (None)."""

    log: str
    line: int
    layer: int | None = None


def of(path: Path, format: str) -> Origin | None:
    """What an output was drawn from; None where it does not say so, or cannot be read."""
    try:
        with open(path, "rb") as file:
            data = file.read(_LOOKED_AT)
            if format == "pdf":
                file.seek(max(0, path.stat().st_size - _TAIL))
                data = file.read()
    except OSError:
        return None
    match = _NAMED[format].search(data)
    if match is None:
        return None
    *_, name, line = match.groups()
    layer = match.groupdict().get("layer")
    try:
        log = _spelled(name.decode("utf-8", "replace"), format)
    except ValueError:  # no JSON after all: another program's
        return None
    return Origin(log, int(line), None if layer is None else int(layer))


def is_of_others(path: Path, logs: Iterable[str]) -> bool:
    """Whether a file, such as a report, does not name all of these logs."""
    try:
        with open(path, "rb") as file:
            data = file.read(_LOOKED_AT)
    except OSError:
        return True
    if data.startswith(_NOTHING_COMPARED):
        return False
    before = _letters(data.decode("utf-8", "replace"))
    return any(_letters(base_name(log)) not in before for log in logs)


def is_verdict(path: Path, name: str) -> bool:
    """Whether a file is the verdict of the gate of this name."""
    try:
        with open(path, "rb") as file:
            head = file.read(_TAIL).decode("utf-8", "replace")
    except OSError:
        return False
    return re.match(_VERDICT.format(re.escape(name)), head) is not None


def of_snapshot(path: Path) -> str | None:
    """The log that a snapshot is of; None where a file is none."""
    try:
        with open(path, "rb") as file:
            match = _SNAPSHOT.match(file.read(_LOOKED_AT))
        return None if match is None else str(json.loads(match[1]))
    except (OSError, ValueError):
        return None


def of_recorded(log: Path) -> str | None:
    """The model that a log of `record` is of, as a word of its command; None of other files."""
    try:
        with open(log, "rb") as file:
            lines = file.read(_LOOKED_AT).decode("utf-8", "replace").split("\n")
    except OSError:
        return None
    start = f"{MARK}record "
    if not lines[0].startswith(f"{MARK}engine_layer_visualize "):
        return None
    line = next((line for line in lines if line.startswith(start)), None)
    return None if line is None else line.removeprefix(start).partition(" --builder ")[0]


def is_table(path: Path) -> bool:
    """Whether a file is a table of this program."""
    return b"build_id" in _table(path)


def is_of_other_builds(path: Path, builds: Collection[str]) -> bool:
    """Whether a table is of builds that are none of these."""
    data = _table(path)
    if any(build and build.encode() in data for build in builds):
        return False
    return _BUILD.search(data) is not None


def _table(path: Path) -> bytes:
    """What a file says of its columns and builds; empty where it cannot be read."""
    try:
        with open(path, "rb") as file:
            data = file.read(_LOOKED_AT)
            file.seek(max(0, path.stat().st_size - _LOOKED_AT))
            data += file.read()
        if zipfile.is_zipfile(path):  # a workbook
            with zipfile.ZipFile(path) as packed:
                data = packed.read("docProps/core.xml")
    except (OSError, KeyError, zipfile.BadZipFile):
        return b""
    return data


def _letters(text: str) -> str:
    """What no format escapes or breaks into lines."""
    return re.sub(r"[^A-Za-z0-9.]", "", text)


def _spelled(name: str, format: str) -> str:
    """A name without the escapes of the format."""
    if _NAMED[format] in (_JSON, _HTML):
        return str(json.loads(name))
    if _NAMED[format] is _GRAPH:
        return str(json.loads(f'{name}"'))
    if format == "svg":
        return unescape(name)
    if format == "dot":
        return unescape(name.replace('\\"', '"').replace("\\\\", "\\"))
    from urllib.parse import unquote

    return unquote(name)


def in_png(data: bytes, origin: Origin) -> bytes:
    """The picture with its origin in a chunk of text."""
    if not data.startswith(_PNG):
        return data
    text = b"tEXt" + _CHUNK + _quoted(origin)
    chunk = (len(text) - 4).to_bytes(4, "big") + text + zlib.crc32(text).to_bytes(4, "big")
    end = len(_PNG) + 25  # of the first chunk, the picture's size
    return data[:end] + chunk + data[end:]


def in_metadata(origin: Origin) -> str:
    """Its origin as an element of SVG."""
    return f"<metadata>Source log: {_quoted(origin).decode().strip()}</metadata>"


def in_text(origin: Origin) -> str:
    """Its origin as words."""
    return f"Source log: {_quoted(origin).decode().strip()}"


def in_pdf(data: bytes, origin: Origin) -> bytes:
    """The document with its origin in a comment at its end."""
    return data.rstrip(b"\n") + b"\n% Source log: " + _quoted(origin)


def _quoted(origin: Origin) -> bytes:
    from urllib.parse import quote

    return f"{quote(origin.log, safe='')}:{origin.line}\n".encode()
