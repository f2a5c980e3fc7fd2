"""Reads the files in `grammars/`: their text, and single terminals without lark."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, Final

_PACKAGE: Final = Path(__file__).parents[1]


@cache
def grammar_text(file: str) -> str:
    """The text of `grammars/<file>`: installed inside the package, in a checkout beside it."""
    installed = _PACKAGE / "grammars" / file
    loader: Any = __spec__.loader
    try:  # by the loader: a package may lie in a zip file
        return str(loader.get_data(str(installed)), "utf-8")
    except OSError:
        return (_PACKAGE.parent / "grammars" / file).read_text("utf-8")


def terminal(file: str, name: str) -> str:
    """What stands between the quotes or slashes of a terminal that is one text or one pattern."""
    found = re.search(rf'^{name} *: (["/])(.*)\1$', grammar_text(file), re.MULTILINE)
    assert found is not None, name
    return found[2]
