"""Writes blocks as HTML, and texts for CI systems and CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import PurePath
from typing import Final, Literal, TypeAlias
from urllib.parse import quote

from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.problems import Place
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.core.words import Name, Words, safe
from engine_layer_visualize.documents.blocks import Advice, Block, Grid, Heading

_MOST: Final = 4_000  # characters of a sentence


def elements(blocks: Iterable[Block], longest_name: int) -> Iterator[str]:
    """Yields the blocks as elements of a page; a name has at most so many characters."""
    for block in blocks:
        if isinstance(block, Heading):
            yield f"<h{block.level}>{_words(block.text, longest_name)}</h{block.level}>\n"
        elif isinstance(block, Grid):
            yield from _table(block, longest_name)
        else:
            tag = "blockquote" if isinstance(block, Advice) else "p"
            yield f"<{tag}>{_words(block.text, longest_name)}</{tag}>\n"


def _table(grid: Grid, longest_name: int) -> Iterator[str]:
    sides = ("right" if right else "left" for right in grid.right)
    css = [f'<{{}} style="text-align:{side}">' for side in sides]
    yield "<table><thead><tr>"
    yield from (f"{tag.format('th')}{escape(head)}</th>" for tag, head in zip(css, grid.heads))
    yield "</tr></thead>\n"
    for row in grid.rows:
        yield "<tr>"
        yield from (
            f"{tag.format('td')}{_words(cell, longest_name)}</td>" for tag, cell in zip(css, row)
        )
        yield "</tr>\n"
    yield "</table>\n"


def _words(words: Words, longest_name: int) -> str:
    """Names stand in an element of their own, so that a browser may break them anywhere."""
    return "".join(
        f"<code>{escape(part.text)}</code>" if isinstance(part, Name) else escape(part)
        for part in safe(words, longest_name, _MOST)
    )


# ---- what CI systems read: commands of GitHub, texts and URIs of SARIF ---------------------------

MOST_RESULTS: Final = 5_000  # results of a run of SARIF that GitHub shows
_SARIF: Final = "https://json.schemastore.org/sarif-2.1.0.json"
Level: TypeAlias = Literal["notice", "warning", "error"]
# As `@actions/core` escapes: data first, then what would end a property.
_DATA: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY: Final = str.maketrans({"%": "%25", ":": "%3A", ",": "%2C"})
_BRACKETS: Final = re.compile(r"[\\\[\]]")


def annotation(level: Level, text: str, **properties: str) -> str:
    """Returns `::error file=build.log,title=…::text`; only newlines stay as they are."""
    told = ",".join(
        f"{key}={visible(value).translate(_PROPERTY)}" for key, value in properties.items() if value
    )
    lines = "\n".join(map(visible, text.split("\n")))
    return f"::{level}{' ' if told else ''}{told}::{lines.translate(_DATA)}"


def unlinked(text: str) -> str:
    """Returns the text of a message of SARIF, where `[text](target)` would be a link."""
    return _BRACKETS.sub(r"\\\g<0>", text) if "](" in text else text


def sarif(
    version: str, rules: list[JsonValue], results: list[JsonValue], **more: JsonValue
) -> JsonValue:
    """Returns a log of SARIF 2.1.0 with one run of this program's version; `more` is of the run."""
    driver: JsonValue = {"name": "engine_layer_visualize", "version": version, "rules": rules}
    head: dict[str, JsonValue] = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints"}
    run: JsonValue = {**head, **more, "results": results}
    return {"$schema": _SARIF, "version": "2.1.0", "runs": [run]}


def sarif_location(place: Place) -> JsonValue:
    """Returns a place in a file as SARIF has it."""
    where: dict[str, JsonValue] = {"artifactLocation": {"uri": artifact_uri(place.file)}}
    if place.line:
        where["region"] = {"startLine": place.line}
    return {"physicalLocation": where}


def artifact_uri(path: str) -> str:
    """Returns the path as a reference; an absolute one with `file:`."""
    plain = PurePath(path).as_posix().encode("utf-8", "backslashreplace")
    absolute = PurePath(path).is_absolute()
    return ("file://" + "/" * (not plain.startswith(b"/")) if absolute else "") + quote(plain)


# ---- CSV in which no cell is a formula -----------------------------------------------------------

# A text that would start one gets an apostrophe. So does what follows a semicolon, at which
# spreadsheets of some countries split.
# Full-width forms too, and the apostrophe itself, so that one at the start never belongs to a name.
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", *"＝＋－＠", "'")
_INTEGER: Final = re.compile(r"-?[0-9]{1,20}")
_FORMULA_AFTER: Final = re.compile(r""";(?="*[-=+@＝＋－＠'])""")


def table(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Returns rows with their columns' names above, if these are given."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if columns:
        writer.writerow(columns)
    for row in rows:
        writer.writerow(map(_cell, row))
    return out.getvalue()


def _cell(value: object) -> object:
    """Returns a number as it is, and a text as one that no spreadsheet computes."""
    if not isinstance(value, str):
        return value
    if _INTEGER.fullmatch(value):  # a tactic
        return value
    shown = visible(value)
    if ";" in shown:
        shown = _FORMULA_AFTER.sub(";'", shown)
    return "'" + shown if value.startswith(_FORMULA_STARTS) else shown
