"""Writes blocks as GitHub's Markdown, and texts for CI systems and CSV.

A name, and what is quoted, is a code span, in which nothing acts as markup, as a mention or as a
link; in all other words such signs are escaped.
"""

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, Literal, TypeAlias

from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.problems import Place
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.core.words import Name, Words, plain, safe, shown
from engine_layer_visualize.documents.blocks import Advice, Block, Grid, Heading

# ---- what CI systems read: commands of GitHub, texts and URIs of SARIF ---------------------------

_SARIF: Final = "https://json.schemastore.org/sarif-2.1.0.json"
Level: TypeAlias = Literal["notice", "warning", "error"]
# As `@actions/core` escapes: data first, then what would end a property.
_DATA: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY: Final = str.maketrans({"%": "%25", ":": "%3A", ",": "%2C"})
_BRACKETS: Final = lazy(r"[\\\[\]]")


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
    from pathlib import PurePath  # slow to import
    from urllib.parse import quote

    plain = PurePath(path).as_posix().encode("utf-8", "backslashreplace")
    absolute = PurePath(path).is_absolute()
    return ("file://" + "/" * (not plain.startswith(b"/")) if absolute else "") + quote(plain)


# ---- CSV in which no cell is a formula -----------------------------------------------------------

# A text that would start one gets an apostrophe. So does what follows a semicolon, at which
# spreadsheets of some countries split.
# Full-width forms too, and the apostrophe itself, so that one at the start never belongs to a name.
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", *"＝＋－＠", "'")
_INTEGER: Final = lazy(r"-?[0-9]{1,20}")
_FORMULA_AFTER: Final = lazy(r""";(?="*[-=+@＝＋－＠'])""")


def table(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Returns rows with their columns' names above, if these are given."""
    import csv  # slow to import

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if columns:
        writer.writerow(columns)
    for row in rows:
        writer.writerow(map(_cell, row))
    return out.getvalue()


def _cell(value: object) -> object:
    """Returns a number as it is, and a text as one that no spreadsheet computes."""
    if not isinstance(value, str) or _INTEGER.fullmatch(value):  # a tactic
        return value
    shown = _FORMULA_AFTER.sub(";'", visible(value))
    return "'" + shown if value.startswith(_FORMULA_STARTS) else shown


# ---- Markdown ------------------------------------------------------------------------------------

_LONGEST_NAME: Final = 200  # characters
_LONGEST_CELL: Final = 1_000  # characters of a sentence in a cell
_LONGEST_PARAGRAPH: Final = 4_000  # characters
# What is markup in GitHub's Markdown. An underscore inside a word is none, nor is a bracket that
# no link, footnote or definition begins with.
_MARKUP: Final = lazy(r"[\\`*|~$]|(?<!\w)_+|_+(?!\w)|\](?=[(\[:])|\[(?=[\^!])")
# Entities where a backslash would not do: mentions, references, tags, pictures of `:words:`, and
# links that start by themselves at a colon or a dot.
_ENTITY: Final = lazy(r"[@#<>&]|:(?=//|[\w+-]+:)|(?<=mailto):|(?<=xmpp):|(?<=www)\.", re.IGNORECASE)
_ENDING: Final = "aero|asia|biz|com|coop|edu|gov|info|museum|name|net|org|pro|shop|web|xxx|рф"
_DOMAIN: Final = lazy(rf"(?<=\w)\.(?=(?:[^\W\d_]{{2}}|{_ENDING})(?![^\W_])|xn--)", re.IGNORECASE)
# Signs that mention somebody, an issue or a change. GitHub looks for them in the rendered text,
# where an entity is the sign again: a space of no width after it ends the mention.
_MENTION: Final = lazy(r"(&#64;|&#35;|(?<!\w)GH-)(?=\w)", re.IGNORECASE)
_COMMIT: Final = lazy(r"(?<!\w)([0-9a-f])(?=[0-9a-f]{39}(?!\w))", re.IGNORECASE)
_QUOTE: Final = "`"
_QUOTES: Final = lazy("`+")
_START: Final = lazy(r"^(\d*)(?=[-+=.)])")  # of a list or a line, in a paragraph


def set_page(blocks: Iterable[Block], full: bool = False) -> str:
    """Returns the text of a page, with a blank line between its blocks.

    `full`: names and cells are whole, however long.
    """
    longest = None if full else _LONGEST_NAME
    pieces = (piece for block in blocks for piece in _pieces(block, longest))
    return "".join(pieces).lstrip("\n") + "\n"


def _pieces(block: Block, longest: int | None) -> Iterator[str]:
    """Yields the block, row by row, each with the line breaks before it."""
    if isinstance(block, Heading):
        title = _escaped(shown(block.text, longest, _LONGEST_CELL))  # it may be a name
        yield f"\n\n{'#' * (block.level + 1)} {title}"
    elif isinstance(block, Grid):
        rule = tuple("--:" if right else "---" for right in block.right)
        rows = (tuple(escaped(cell, longest, cell=True) for cell in row) for row in block.rows)
        for number, cells in enumerate((block.heads, rule, *rows)):
            yield ("\n" if number else "\n\n") + "| " + " | ".join(cells) + " |"
    elif isinstance(block, Advice):  # our own words
        yield f"\n\n> {block.text}"
    else:
        text = escaped(block.text, longest, _LONGEST_PARAGRAPH).lstrip()
        yield "\n\n" + _START.sub(r"\1\\", text)


def escaped(
    words: Words, longest: int | None = _LONGEST_NAME, most: int = _LONGEST_CELL, cell: bool = False
) -> str:
    """Returns `words` with every sign of markup escaped.

    Each name becomes a code span, in place of the quotes around it.

    Args:
        words: The text, in which names are marked.
        longest: The most characters of a name; None for no bound.
        most: The most characters of the words between names.
        cell: Whether they stand in a table.
    """
    several = groupby(safe(words, longest, most), lambda part: isinstance(part, Name))
    runs = [(plain(tuple(run)), named) for named, run in several]
    ends = [("", False), *runs, ("", False)]
    quoted = {
        number
        for number, ((before, _), (name, named), (after, _)) in enumerate(zip(ends, runs, ends[2:]))
        if named and name and before.endswith(_QUOTE) and after.startswith(_QUOTE)
    }
    out: list[str] = []
    for number, (text, named) in enumerate(runs):
        if named and text:
            out.append(_code(text, cell))
        else:
            first, last = number - 1 in quoted, number + 1 in quoted
            between = _quoted(text[first : len(text) - last], cell)
            out.append(between or (" " if first and last else ""))
    return "".join(out)


def _code(name: str, cell: bool) -> str:
    """Returns a span whose fence is longer than all backticks in the name."""
    fence = _QUOTE * (max(map(len, _QUOTES.findall(name)), default=0) + 1)
    ends = name[0] + name[-1]
    pad = " " if _QUOTE in ends or (ends == "  " and name.strip()) else ""  # it is not shown
    text = name.replace("|", "\\|") if cell else name  # a pipe ends a cell even in a span
    return f"{fence}{pad}{text}{pad}{fence}"


def _quoted(text: str, cell: bool) -> str:
    """Returns words of which those between backticks become code spans."""
    pieces = text.split(_QUOTE)
    if len(pieces) % 2 == 0 or not all(pieces[1::2]):
        return _escaped(text)
    return "".join(
        _code(piece, cell) if number % 2 else _escaped(piece) for number, piece in enumerate(pieces)
    )


def _escaped(text: str) -> str:
    text = _MARKUP.sub(lambda signs: "".join("\\" + sign for sign in signs[0]), text)
    text = _ENTITY.sub(lambda sign: f"&#{ord(sign[0])};", text)
    text = _MENTION.sub(r"\1&#8203;", _DOMAIN.sub(r"\.", text))
    return _COMMIT.sub(r"\1&#8203;", text)
