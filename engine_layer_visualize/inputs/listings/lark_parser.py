"""Parses texts by a grammar of `grammars/`; where a text does not follow it, says from where on.

The one module that knows lark. It is imported only when a listing was found.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from hashlib import sha256
from io import BytesIO
from typing import Any

from lark import Lark, Transformer
from lark import __version__ as lark_version
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from engine_layer_visualize.inputs.grammars import grammar_text
from engine_layer_visualize.io import user_cache


class Mismatch(Exception):
    """The text does not follow the grammar from `offset` (0-based) on; `expected`: terminals."""

    def __init__(self, offset: int, expected: frozenset[str]) -> None:
        super().__init__(offset, expected)
        self.offset = offset
        self.expected = expected


class Parser:
    """One grammar file, LALR with a contextual lexer; `rules` makes values while it parses."""

    def __init__(self, file: str, starts: tuple[str, ...], rules: Transformer[Any, Any]) -> None:
        text = grammar_text(file)
        # All that the tables are made of: of other versions, nothing is kept under this name.
        made_of = repr((text, starts, type(rules).__module__, lark_version, sys.version_info))
        name = f"{file}.{sha256(made_of.encode()).hexdigest()}"
        self._lark = _loaded(name) or _built(name, text, starts, rules)

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


def _loaded(name: str) -> Lark | None:
    """The parser that an earlier run kept: to build it takes ten times as long."""
    data = user_cache.kept(name)
    try:
        return Lark.load(BytesIO(data)) if data else None
    except Exception:  # a file that is cut or damaged may raise any error
        return None


def _built(name: str, text: str, starts: tuple[str, ...], rules: Transformer[Any, Any]) -> Lark:
    """The parser of a grammar, which is kept for later runs."""
    parser = Lark(
        text,
        parser="lalr",
        lexer="contextual",
        start=list(starts),
        transformer=rules,
        maybe_placeholders=False,
    )
    saved = BytesIO()
    parser.save(saved)
    user_cache.keep(name, saved.getvalue())
    return parser
