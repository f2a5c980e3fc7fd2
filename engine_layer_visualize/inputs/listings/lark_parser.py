"""Parses texts by a grammar of `grammars/`; where a text does not follow it, says from where on.

The one module that knows lark. Importing lark and building a parser takes longer than reading a log
of a megabyte, and nearly every record is a single token of its grammar; so such a record is matched
by the regular expression that lark itself would make of that token, and lark is loaded for the
other records alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from engine_layer_visualize.inputs import grammars

if TYPE_CHECKING:
    from lark import Lark

# The value of a text that is one token, by the token's parts.
Made: TypeAlias = Callable[[re.Match[str]], Any]


class Mismatch(Exception):
    """The text does not follow the grammar from `offset` (0-based) on; `expected`: terminals."""

    def __init__(self, offset: int, expected: frozenset[str]) -> None:
        super().__init__(offset, expected)
        self.offset = offset
        self.expected = expected


class Parser:
    """Parses by one grammar file, LALR with a contextual lexer.

    Args:
        file: its name in `grammars/`.
        starts: the start rules, with what makes the value of a text that is one token.
        rules: has a method for each rule, which makes the value of its children.
    """

    def __init__(self, file: str, starts: Mapping[str, Made | None], rules: object) -> None:
        self._file, self._starts, self._rules = file, starts, rules
        terminals = {start: grammars.alone(file, start) for start in starts}
        self._alone = {start: self.pattern(name) for start, name in terminals.items() if name}

    @cached_property
    def lark(self) -> Lark:
        """Made for the first text that is not one token."""
        from lark import Lark

        rules: Any = self._rules
        return Lark(
            grammars.grammar_text(self._file),
            parser="lalr",
            lexer="contextual",
            start=list(self._starts),
            transformer=rules,
            maybe_placeholders=False,
        )

    def parse(self, text: str, start: str) -> Any:
        """The value of a text by a start rule. Raises Mismatch."""
        made = self._starts[start]
        if made is not None and (match := self._alone[start].match(text)):
            return made(match)
        return self._in_pieces(text, start)

    def _in_pieces(self, text: str, start: str) -> Any:
        from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

        try:
            return self.lark.parse(text, start=start)
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
        return re.compile(grammars.pattern(self._file, terminal))

    @property
    def terminals(self) -> frozenset[str]:
        """Names of all terminals, each of which needs a phrase."""
        return frozenset(terminal.name for terminal in self.lark.terminals)
