"""Blocks in; GitHub's Markdown out, such as for a comment on a pull request.

A name, and what is quoted, is a code span, in which nothing acts as markup, as a mention or as a
link; in all other words such signs are escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.words import Name, Words, plain, safe, shown
from engine_layer_visualize.documents.blocks import Advice, Block, Grid, Heading
from engine_layer_visualize.reports.summary import log_pages

_LONGEST: Final = 200  # characters of a name
_CELL: Final = 1_000  # of a sentence in a cell, which ends there
_PARAGRAPH: Final = 4_000
_LIMIT: Final = 65_536  # characters of a comment on GitHub, which --brief keeps to
_CUT: Final = (
    "The report ends here: with `--brief` it has at most 65,536 characters, as a comment may have. "
    "Of its {whole:,} rows and paragraphs these are the first {shown:,}."
)
# What is markup in GitHub's Markdown. An underscore inside a word is none, nor is a bracket that
# no link, footnote or definition begins with.
_MARKUP: Final = re.compile(r"[\\`*|~$]|(?<!\w)_+|_+(?!\w)|\](?=[(\[:])|\[(?=[\^!])")
# Entities where a backslash would not do: mentions, references, tags, pictures of `:words:`, and
# links that start by themselves at a colon or a dot.
_ENTITY: Final = re.compile(
    r"[@#<>&]|:(?=//|[\w+-]+:)|(?<=mailto):|(?<=xmpp):|(?<=www)\.", re.IGNORECASE
)
_ENDING: Final = "aero|asia|biz|com|coop|edu|gov|info|museum|name|net|org|pro|shop|web|xxx|рф"
_DOMAIN: Final = re.compile(
    rf"(?<=\w)\.(?=(?:[^\W\d_]{{2}}|{_ENDING})(?![^\W_])|xn--)", re.IGNORECASE
)
# Signs that mention somebody, an issue or a change. GitHub looks for them in the rendered text,
# where an entity is the sign again: a space of no width after it ends the mention.
_MENTION: Final = re.compile(r"(&#64;|&#35;|(?<!\w)GH-)(?=\w)", re.IGNORECASE)
_QUOTE: Final = "`"
_QUOTES: Final = re.compile("`+")
_START: Final = re.compile(r"^(\d*)(?=[-+=.)])")  # of a list or a line, in a paragraph


def render(found: Iterable[Engine | Unassigned], options: ReportOptions) -> Iterator[str]:
    """A page for each engine; one for all with `brief`."""
    for blocks in log_pages(found, options):
        yield set_page(blocks, options.full, _LIMIT if options.brief else None)


def set_page(blocks: Iterable[Block], full: bool = False, limit: int | None = None) -> str:
    """The page, a blank line between its blocks; `full`: names and cells whole, however long;
    `limit`: the most characters, at which it ends with a sentence that says so."""
    longest = None if full else _LONGEST
    pieces = [piece for block in blocks for piece in _pieces(block, longest)]
    size = sum(map(len, pieces))
    if limit is not None and size >= limit:
        whole = sum(not piece.startswith(_RULE) for piece in pieces)
        room = limit - len(_CUT) - 32  # of its numbers and blank lines
        while size > room:
            size -= len(pieces.pop())
        shown = sum(not piece.startswith(_RULE) for piece in pieces)
        pieces.append("\n\n" + _CUT.format(whole=whole, shown=shown))
    return "".join(pieces).lstrip("\n") + "\n"


_RULE: Final = "\n| -"  # below the heads of a table


def _pieces(block: Block, longest: int | None) -> Iterator[str]:
    """The block, row by row, with the line breaks before each of them."""
    if isinstance(block, Heading):
        title = _escaped(shown(block.text, longest, _CELL))  # it may be a name
        yield f"\n\n{'#' * (block.level + 1)} {title}"
    elif isinstance(block, Grid):
        rule = tuple("--:" if right else "---" for right in block.right)
        rows = (tuple(escaped(one, longest, cell=True) for one in row) for row in block.rows)
        for number, cells in enumerate((block.heads, rule, *rows)):
            yield ("\n" if number else "\n\n") + "| " + " | ".join(cells) + " |"
    elif isinstance(block, Advice):  # our own words
        yield f"\n\n> {block.text}"
    else:
        text = escaped(block.text, longest, _PARAGRAPH).lstrip()
        yield "\n\n" + _START.sub(r"\1\\", text)


def escaped(
    words: Words, longest: int | None = _LONGEST, most: int = _CELL, cell: bool = False
) -> str:
    """`words` with each name as a code span in place of its quotes, and every other sign of
    markup escaped. `cell`: of a table."""
    several = groupby(safe(words, longest, most), _is_name)
    runs = [(plain(tuple(run)), named) for named, run in several]
    ends = [("", False), *runs, ("", False)]
    quoted = {
        at
        for at, ((before, _), (name, named), (after, _)) in enumerate(zip(ends, runs, ends[2:]))
        if named and name and before.endswith(_QUOTE) and after.startswith(_QUOTE)
    }
    out: list[str] = []
    for at, (text, named) in enumerate(runs):
        if named and text:
            out.append(_code(text, cell))
        else:
            first, last = at - 1 in quoted, at + 1 in quoted
            own = _quoted(text[first : len(text) - last], cell)
            out.append(own or (" " if first and last else ""))
    return "".join(out)


def _is_name(part: str | Name) -> bool:
    return isinstance(part, Name)


def _code(name: str, cell: bool) -> str:
    """A span whose fence is longer than all backticks in it. A table ends a cell at a pipe in a
    span, too."""
    fence = _QUOTE * (max(map(len, _QUOTES.findall(name)), default=0) + 1)
    ends = name[0] + name[-1]
    pad = " " if _QUOTE in ends or (ends == "  " and name.strip()) else ""  # it is not shown
    text = name.replace("|", "\\|") if cell else name
    return f"{fence}{pad}{text}{pad}{fence}"


def _quoted(text: str, cell: bool) -> str:
    """Words that may quote others: `lint`. What is quoted is a code span."""
    pieces = text.split(_QUOTE)
    if len(pieces) % 2 == 0 or not all(pieces[1::2]):
        return _escaped(text)
    return "".join(
        _code(piece, cell) if at % 2 else _escaped(piece) for at, piece in enumerate(pieces)
    )


def _escaped(text: str) -> str:
    text = _MARKUP.sub(_backslashes, text)
    text = _ENTITY.sub(lambda sign: f"&#{ord(sign[0])};", text)
    return _MENTION.sub(r"\1&#8203;", _DOMAIN.sub(r"\.", text))


def _backslashes(signs: re.Match[str]) -> str:
    return "".join("\\" + sign for sign in signs[0])
