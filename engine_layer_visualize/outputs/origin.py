"""Tells whose output a file is: a path in; the name of the log that the file shows, out."""

from __future__ import annotations

import json
import re
import zlib
from html import unescape
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote

_LOOKED_AT: Final = 1 << 24  # bytes at the start of a file
_TAIL: Final = 1 << 12
_JSON: Final = re.compile(rb'"source": \{"file": ("(?:[^"\\]|\\.)*")')
_HTML: Final = re.compile(rb'class="engine-head">\{[^\n]*?"file":("(?:[^"\\]|\\.)*"),"lines":')
# A layer's tooltip: `Scale, layer 0, build.log:14`.
_TOOLTIP: Final = rb", layer \d+(?:, not listed)?, ([^\n]+?):\d+(?:\\n|\n|\"|<)"
_DOT: Final = re.compile(rb'tooltip="[^\n]*?' + _TOOLTIP)
_SVG: Final = re.compile(rb"<title>[^<\n]*\n[^<\n]*?" + _TOOLTIP)
_PNG, _CHUNK = b"\x89PNG\r\n\x1a\n", b"Source log\0"
_TEXT: Final = re.compile(rb"tEXt" + _CHUNK + rb"([!-~]+)\n")
_COMMENT: Final = re.compile(rb"\n% Source log: ([!-~]+)\n\Z")


def log_of(path: Path, format: str) -> str | None:
    """The name of the log that an output shows; None where it names none, or cannot be read."""
    try:
        with open(path, "rb") as file:
            data = file.read(_LOOKED_AT)
            if format == "pdf":
                file.seek(max(0, path.stat().st_size - _TAIL))
                data = file.read()
    except OSError:
        return None
    pattern = {"dot": _DOT, "json": _JSON, "svg": _SVG, "html": _HTML, "png": _TEXT}.get(
        format, _COMMENT
    )
    match = pattern.search(data)
    if match is None:
        return None
    name = match[1].decode("utf-8", "replace")
    if format in ("json", "html"):
        value = json.loads(name)
        return value if isinstance(value, str) else None
    if format == "svg":
        return unescape(name)
    if format == "dot":
        return name.replace('\\"', '"').replace("\\\\", "\\")
    return unquote(name) if format in ("png", "pdf") else name


def in_png(data: bytes, log: str) -> bytes:
    """The picture with the log's name in a chunk of text."""
    if not data.startswith(_PNG):
        return data
    text = b"tEXt" + _CHUNK + quote(log, safe="").encode() + b"\n"
    chunk = (len(text) - 4).to_bytes(4, "big") + text + zlib.crc32(text).to_bytes(4, "big")
    end = len(_PNG) + 25  # of the first chunk, the picture's size
    return data[:end] + chunk + data[end:]


def in_pdf(data: bytes, log: str) -> bytes:
    """The document with the log's name in a comment at its end."""
    return data.rstrip(b"\n") + b"\n% Source log: " + quote(log, safe="").encode() + b"\n"
