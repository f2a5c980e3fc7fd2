"""Reads the files in `grammars/`, and parses texts by them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from lark import Lark


_PACKAGE: Final = os.path.dirname(os.path.dirname(__file__))
_DEFINITION: Final = re.compile(r"^\??(\w+)(?:\.[0-9]+)? *: (.*)$", re.MULTILINE)
# Of a terminal: a text, a pattern with its flags, the name of a terminal, an opening bracket.
_PART: Final = re.compile(r'"([^"]*)"|/((?:[^/\\]|\\.)*)/([a-z]*)|([A-Z_]+)([?*+]?)|(\()| ')


@cache
def grammar_text(file: str) -> str:
    """The text of `grammars/<file>`: installed inside the package, in a checkout beside it."""
    loader: Any = __spec__.loader  # a package may lie in a zip file
    try:
        text = loader.get_data(os.path.join(_PACKAGE, "grammars", file))
    except OSError:
        text = loader.get_data(os.path.join(os.path.dirname(_PACKAGE), "grammars", file))
    return str(text, "utf-8")


@cache
def _definitions(file: str) -> dict[str, str]:
    """What stands behind the colon of each terminal and rule, in the same line."""
    return dict(_DEFINITION.findall(grammar_text(file)))


def pattern(file: str, name: str) -> str:
    """The regular expression that lark makes of a terminal: its parts, one behind the other."""

    def part(match: re.Match[str]) -> str:
        text, regex, flags, other, often, bracket = match.groups()
        if text is not None:
            return re.escape(text)
        if regex is not None:
            return f"(?{flags}:{regex})" if flags else regex
        if other is not None:
            return f"(?:{pattern(file, other)}){often}" if often else pattern(file, other)
        return "(?:" if bracket else ""

    return _PART.sub(part, _definitions(file)[name])


def terminal(file: str, name: str) -> str:
    """What stands between the quotes or slashes of a terminal that is one text or one pattern."""
    return _definitions(file)[name][1:-1]


# The one module that knows lark. Importing lark and building a parser takes longer than reading a
# log of a megabyte, and nearly every record is a single token of its grammar; so such a record is
# matched by the regular expression that lark itself would make of that token, and lark is loaded
# for the other records alone.


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
        starts: the start rules, each with what makes the value of a text that is one token, the
            first of its alternatives; None: no text is.
        rules: has a method for each rule, which makes the value of its children.
    """

    def __init__(self, file: str, starts: Mapping[str, Made | None], rules: object) -> None:
        self._file, self._starts, self._rules = file, starts, rules
        tokens = {start: _definitions(file)[start].split()[0] for start in starts if starts[start]}
        self._alone = {start: self.pattern(token) for start, token in tokens.items()}

    @cached_property
    def lark(self) -> Lark:
        """Made for the first text that is not one token."""
        from lark import Lark

        rules: Any = self._rules
        return Lark(
            grammar_text(self._file),
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
        from lark.exceptions import UnexpectedCharacters, UnexpectedToken

        try:
            return self.lark.parse(text, start=start)
        except UnexpectedCharacters as error:
            raise Mismatch(error.pos_in_stream or 0, frozenset(error.allowed or ())) from None
        except UnexpectedToken as error:
            # At the end of the input lark reports where the last token started.
            at_end = error.token.type == "$END"
            offset = len(text) if at_end else error.token.start_pos or 0
            raise Mismatch(offset, frozenset(error.accepts or error.expected)) from None

    @cache  # noqa: B019 - there is one parser per grammar
    def pattern(self, terminal: str) -> re.Pattern[str]:
        """A terminal's own pattern, whose named groups are the parts of its token."""
        return re.compile(pattern(self._file, terminal))
