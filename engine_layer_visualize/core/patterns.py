"""Regular expressions that are compiled at their first use: one log needs few of those it may."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def lazy(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, as far as its methods are concerned."""
    return cast("re.Pattern[AnyStr]", _Lazy(pattern, flags))


class _Lazy:
    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self._source: tuple[Any, int] = pattern, flags

    def __getattr__(self, name: str) -> Any:
        """Keeps the method of the compiled pattern, so that it is looked up once."""
        if name.startswith("_"):  # what `copy` asks for; a pattern has no such method
            raise AttributeError(name)
        method = getattr(re.compile(*self._source), name)
        setattr(self, name, method)
        return method
