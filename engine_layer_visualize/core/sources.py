"""Which lines of a log are the source of what is known of an engine."""

from typing import Final, NamedTuple


class Span(NamedTuple):
    """Lines of the log, the first and the last; `what` they are."""

    what: str
    first_line: int
    last_line: int


class Sources(NamedTuple):
    """Which lines of the log an engine's facts were taken from."""

    sections: tuple[Span, ...] = ()
    warnings: tuple[Span, ...] = ()
    autotuning: tuple[Span, ...] = ()
    memory: tuple[Span, ...] = ()


NO_SOURCES: Final = Sources()
