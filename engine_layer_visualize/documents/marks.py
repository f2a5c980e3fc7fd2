"""The mark that an output bears of its log, and how outputs begin that bear none.

So the next run knows what it may replace. Names of logs are those without folders.
"""

import json
import re
import zlib
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.model import Listing
from engine_layer_visualize.core.text import base_name, shorten, visible

MARK: Final = "[engine_layer_visualize] "  # our own lines of a recorded log begin so
_READ: Final = 1 << 20  # bytes at the start of a file, and at its end
_BRIEF: Final = 100  # characters of a name in the format brief
# The mark: a name as in a URL, or as in JSON, and the line where its listing begins.
_LOG: Final = lazy(
    r"Source log[:\0] ?([\w.~%-]+):(\d{1,18})\b"
    r'|"source": \{"file": ("(?:[^"\\]|\\.)*"), "first_line": (\d{1,18})',
    re.ASCII,
)
_SARIF: Final = r'\{"\$schema": "[^"\n]*sarif[^\n]{0,200}"engine_layer_visualize"[^\n]{0,99}: \['
_REPORT: Final = lazy(
    r"\s*(?:#+ )?(?:[A-Z], e|E)ngine \d+ of "
    r"|::\w+ (?:file=[^\n]{0,9999},line=\d+,)?title=[A-Z]\d\d "
    r'|\{"schema": 1, "(?:engines|comparisons)": |(?:file,)?engine,index,'
    r"|<!doctype html>[\s\S]{0,200000}<title>Two TensorRT engines"
    f'|{_SARIF}(?!{{"id": "gate-)'
)
# A report that names no log: a list of layers as CSV, or one that has nothing to tell.
_NAMELESS: Final = lazy(
    r'(?:file,)?engine,index,|::\w+ title=|\{[\s\S]*"(?:engines|comparisons|results)": \[\]'
)
_TABLE: Final = lazy(
    r'build_id,|\{"build_id": "|(?:PAR1|ARROW1)[\s\S]*elv\.table|[\s\S]*:keywords>build_id '
)
_BUILD: Final = lazy(r"[0-9a-f]{64}")
_RECORDED: Final = lazy(
    r"{0}engine_layer_visualize .*\n(?:.*\n)*?{0}record (.*?) --builder ".format(re.escape(MARK))
)
# What formats write in their own ways, what they write around names, and what only Markdown has.
_ODD: Final = lazy(r"(?:\\{1,4}(?:u\w{4}|x\w\w|[a-z])|&#?\w{1,9};|[^\w.\- \n\"'=/,:])+", re.ASCII)
_BETWEEN: Final = lazy(r"[ \n\"'=/,:]+")
_ESCAPED: Final = lazy(r"\\(?=[^\w\\]|_)")


# ---- what an output bears ------------------------------------------------------------------------


def in_words(listing: Listing) -> str:
    """Returns the mark of a drawing: ASCII, without signs of any markup."""
    return f"Source log: {quote(visible(listing.file), safe='')}:{listing.first_line}"


def in_png(data: bytes, listing: Listing) -> bytes:
    """Returns the picture with its mark in a chunk of text, behind the first chunk, its size."""
    text = b"tEXt" + in_words(listing).replace(": ", "\0", 1).encode() + b"\n"
    chunk = (len(text) - 4).to_bytes(4, "big") + text + zlib.crc32(text).to_bytes(4, "big")
    return data[:33] + chunk + data[33:]


def in_svg(listing: Listing) -> str:
    """Returns an element with the mark."""
    return f"<metadata>{in_words(listing)}</metadata>"


# ---- what a file is ------------------------------------------------------------------------------


class Mark(NamedTuple):
    """What an output was drawn from."""

    log: str
    line: int  # where the listing's header stands


def of(path: Path) -> Mark | None:
    """Returns what a drawing was drawn from; None where it does not say so."""
    match = _LOG.search(_text(path))
    try:
        if match is None or match[1]:
            return match and Mark(unquote(match[1]), int(match[2]))
        return Mark(str(json.loads(match[3])), int(match[4]))
    except ValueError:  # no JSON after all: another program's
        return None


def is_report(path: Path, logs: Iterable[str] | None = None) -> bool:
    """Returns whether a file is a report, and names all of these logs, if it can name any."""
    text = _text(path)
    if logs is None or not _REPORT.match(text) or _NAMELESS.match(text):
        return _REPORT.match(text) is not None
    told = [_plain(text), _plain(unquote(text))]
    names = [visible(base_name(log)) for log in logs]
    return all(
        any(_names(each, name) or _names(each, shorten(name, _BRIEF)) for each in told)
        for name in names
    )


def is_verdict(path: Path, name: str) -> bool:
    """Returns whether a file is the verdict of the gate of this name, as far as it has one."""
    of = r"\s+".join(map(re.escape, name.split()))
    begins = (
        rf"\s*Gate {of}\s+\w|<!-- elv-gate:{of} -->|::\w+ title=Gate {of} \w"
        rf'|<\?xml [^\n]*\n<testsuites [^\n]*\n<testsuite name="gate {of}"'
        rf'|\{{"schema": 1, "gate": \{{|{_SARIF}\{{"id": "gate-'
    )
    return re.match(begins, _text(path)) is not None


def of_recorded(log: Path) -> str | None:
    """Returns the model that a log of `record` is of; None of other files."""
    match = _RECORDED.match(_text(log))
    return match and match[1]


def is_table(path: Path, builds: Collection[str] | None = None) -> bool:
    """Returns whether a file is a table, and of one of these builds, if of any."""
    text = _text(path)
    if not _TABLE.match(text):
        return False
    return builds is None or not _BUILD.search(text) or any(build in text for build in builds)


def _text(path: Path) -> str:
    """Returns the start and the end of a file, of a workbook what it says of itself, or nothing."""
    if not path.is_file():
        return ""
    import zipfile  # slow to import

    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as packed:
                return packed.read("docProps/core.xml").decode("utf-8", "replace")
        with open(path, "rb") as file:
            data = file.read(_READ)
            file.seek(max(file.tell(), path.stat().st_size - _READ))
            return (data + file.read()).decode("utf-8", "replace")
    except (OSError, KeyError, zipfile.BadZipFile):
        return ""


def _names(plain: str, name: str) -> bool:
    """Returns whether a text has this name, not as a part of another; lines may break it."""
    letters = ("[ \n]" if letter == " " else re.escape(letter) for letter in _plain(name).strip())
    return re.search(r"(?<![\w.?-])" + "\n?".join(letters) + r"(?![\w?-]|\.\w)", plain) is not None


def _plain(text: str) -> str:
    """Returns the text without what formats escape."""
    text = _ODD.sub("?", _ESCAPED.sub("", text))
    return _BETWEEN.sub(lambda blank: "\n" if "\n" in blank[0] else " ", text)
