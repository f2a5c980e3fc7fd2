"""Parses texts by a grammar of `grammars/`; where a text does not follow it, says from where on.

The one module that knows lark. It is imported only when a listing was found.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from lark import Lark, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from engine_layer_visualize.inputs.grammars import grammar_text


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

    @cache  # noqa: B019 - there is one parser per grammar
    def pattern(self, terminal: str) -> re.Pattern[str]:
        """A terminal's own pattern, whose named groups are the parts of its token."""
        return re.compile(self._lark.get_terminal(terminal).pattern.to_regexp())

    @property
    def terminals(self) -> frozenset[str]:
        """Names of all terminals, each of which needs a phrase."""
        return frozenset(terminal.name for terminal in self._lark.terminals)
