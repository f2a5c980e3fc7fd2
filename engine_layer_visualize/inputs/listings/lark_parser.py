"""The grammars, loaded once each.

takes: the name of a file in `grammars/`, its start rules, and what to make of each rule
gives: `Parser.parse(text, start)` -> what the rules made, or a `Mismatch` (where, what instead)
never: lets a lark type out, knows a format, or is imported before a listing was found
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

from lark import Lark, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

_PACKAGE: Final = Path(__file__).parents[2]


class Mismatch(Exception):
    """The text does not follow the grammar from `offset` (0-based) on; `expected`: terminals."""

    def __init__(self, offset: int, expected: frozenset[str]) -> None:
        super().__init__(offset, expected)
        self.offset = offset
        self.expected = expected


class Parser:
    """One grammar file, LALR with a contextual lexer; `rules` makes values while it parses."""

    def __init__(self, file: str, starts: tuple[str, ...], rules: Transformer[Any, Any]) -> None:
        self._lark = Lark(
            grammar_text(file),
            parser="lalr",
            lexer="contextual",
            start=list(starts),
            transformer=rules,
            maybe_placeholders=False,
        )

    def parse(self, text: str, start: str) -> Any:
        """Raises Mismatch."""
        try:
            return self._lark.parse(text, start=start)
        except UnexpectedCharacters as error:
            raise Mismatch(error.pos_in_stream or 0, frozenset(error.allowed or ())) from None
        except UnexpectedToken as error:
            # At the end of the input lark reports where the last token started.
            at_end = error.token.type == "$END"
            offset = len(text) if at_end else error.token.start_pos or 0
            raise Mismatch(offset, frozenset(error.accepts or error.expected)) from None
        except UnexpectedInput as error:
            raise Mismatch(error.pos_in_stream or 0, frozenset()) from None

    @property
    def terminals(self) -> frozenset[str]:
        """Names of all terminals, each of which needs a phrase."""
        return frozenset(terminal.name for terminal in self._lark.terminals)


@cache
def grammar_text(file: str) -> str:
    """The text of `grammars/<file>`: installed inside the package, in a checkout beside it."""
    installed = _PACKAGE / "grammars" / file
    loader: Any = __spec__.loader
    try:  # by the loader: a package may lie in a zip file
        return str(loader.get_data(str(installed)), "utf-8")
    except OSError:
        return (_PACKAGE.parent / "grammars" / file).read_text("utf-8")
