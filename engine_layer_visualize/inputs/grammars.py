"""Reads the files in `grammars/` without lark: their text, their terminals' patterns."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, Final

_PACKAGE: Final = Path(__file__).parents[1]
# Of a terminal: a text, a pattern with its flags, the name of a terminal, an opening bracket.
_PART: Final = re.compile(r'"([^"]*)"|/((?:[^/\\]|\\.)*)/([a-z]*)|([A-Z_]+)([?*+]?)|(\()| ')


@cache
def grammar_text(file: str) -> str:
    """The text of `grammars/<file>`: installed inside the package, in a checkout beside it."""
    installed = _PACKAGE / "grammars" / file
    loader: Any = __spec__.loader
    try:  # by the loader: a package may lie in a zip file
        return str(loader.get_data(str(installed)), "utf-8")
    except OSError:
        return (_PACKAGE.parent / "grammars" / file).read_text("utf-8")


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

    definition = re.search(rf"^{name}(?:\.[0-9]+)? *: (.*)$", grammar_text(file), re.MULTILINE)
    assert definition is not None, name
    return _PART.sub(part, definition[1])


def alone(file: str, rule: str) -> str | None:
    """The terminal that a rule may consist of, where that is the first of its alternatives."""
    definition = re.search(rf"^{rule} *: ([A-Z_]+) \|", grammar_text(file), re.MULTILINE)
    return definition and definition[1]


def terminal(file: str, name: str) -> str:
    """What stands between the quotes or slashes of a terminal that is one text or one pattern."""
    definition = re.search(rf'^{name} *: (["/])(.*)\1$', grammar_text(file), re.MULTILINE)
    assert definition is not None, name
    return definition[2]
