"""Blocks in; GitHub's Markdown out, such as for a comment on a pull request.

No name acts as markup, as a mention or as a link.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.words import Words, shown
from engine_layer_visualize.outputs.options import ReportOptions
from engine_layer_visualize.outputs.report import log_pages
from engine_layer_visualize.outputs.report.page import Advice, Block, Grid, Heading

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
_ENTITY: Final = re.compile(r"[@#<>&]|:(?=\S)|(?<=www)\.", re.IGNORECASE)
_ENDING: Final = "aero|asia|biz|com|coop|edu|gov|info|museum|name|net|org|pro|shop|web|xxx|рф"
_DOMAIN: Final = re.compile(
    rf"(?<=\w)\.(?=(?:[^\W\d_]{{2}}|{_ENDING})(?![^\W_])|xn--)", re.IGNORECASE
)
# Signs that mention somebody, an issue or a change. GitHub looks for them in the rendered text,
# where an entity is the sign again: a space of no width after it ends the mention.
_MENTION: Final = re.compile(r"(&#64;|&#35;|(?<!\w)GH-)(?=\w)", re.IGNORECASE)
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
        yield f"\n\n{'#' * (block.level + 1)} {escaped(block.text, longest)}"
    elif isinstance(block, Grid):
        rule = tuple("--:" if right else "---" for right in block.right)
        rows = (tuple(escaped(cell, longest) for cell in row) for row in block.rows)
        for number, cells in enumerate((block.heads, rule, *rows)):
            yield ("\n" if number else "\n\n") + "| " + " | ".join(cells) + " |"
    elif isinstance(block, Advice):  # our own words
        yield f"\n\n> {block.text}"
    else:
        text = escaped(block.text, longest, _PARAGRAPH).lstrip()
        yield "\n\n" + _START.sub(r"\1\\", text)


def escaped(words: Words, longest: int | None = _LONGEST, most: int = _CELL) -> str:
    """`words` with every sign of markup escaped."""
    text = _MARKUP.sub(_backslashes, shown(words, longest, most))
    text = _ENTITY.sub(lambda sign: f"&#{ord(sign[0])};", text)
    return _MENTION.sub(r"\1&#8203;", _DOMAIN.sub(r"\.", text))


def _backslashes(signs: re.Match[str]) -> str:
    return "".join("\\" + sign for sign in signs[0])
