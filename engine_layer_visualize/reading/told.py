"""Lines that a mark tells: a table of marks and of the methods that take their lines in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final, NamedTuple, TypeVar

from engine_layer_visualize.reading.markers import Stretch


class Line(NamedTuple):
    """A line with a mark: the words before it and behind it; the line's number."""

    before: bytes
    mark: bytes
    words: bytes
    number: int

    @property
    def text(self) -> bytes:
        """All of it."""
        return self.before + self.mark + self.words


_Told = TypeVar("_Told", bound="Told")
_Method = TypeVar("_Method", bound=Callable[[Any, Line], None])
_MARKS: Final[dict[Callable[[Any, Line], None], tuple[tuple[bytes, ...], bool]]] = {}


def line(*marks: bytes, late: bool = False) -> Callable[[_Method], _Method]:
    """Of a method that takes in each line with one of the marks; `late`: behind a listing, too."""

    def marked(method: _Method) -> _Method:
        _MARKS[method] = marks, late
        return method

    return marked


class Told:
    """What the lines of a log say, as attributes. Its methods that are a `line` fill them."""

    _table: ClassVar[tuple[tuple[bytes, Callable[[Any, Line], None], bool], ...]] = ()

    def __init_subclass__(cls) -> None:
        own = [(method, _MARKS[method]) for method in vars(cls).values() if method in _MARKS]
        cls._table = tuple((mark, method, late) for method, (marks, late) in own for mark in marks)

    def read(self, stretch: Stretch, late: bool = False) -> None:
        """Takes in the next lines, in their order. `late`: they stand behind a listing."""
        found = [
            (place, order)
            for order, (mark, _, of_late) in enumerate(self._table)
            if of_late or not late
            for place in stretch.places(mark)
        ]
        for place, order in sorted(found):
            mark, method, _ = self._table[order]
            words, before, number = stretch.around(place, mark)
            method(self, Line(before, mark, words, number))

    def joined(self: _Told, after: _Told) -> _Told:
        """Both as one: dicts, lists and counts of both; of another value the later one."""
        both = type(self)()
        for name, new in vars(both).items():
            values = vars(self)[name], vars(after)[name]
            setattr(both, name, _joined(new, *values))
        return both


def _joined(new: Any, first: Any, after: Any) -> Any:
    """`new`: the value in a reader that has read nothing."""
    if isinstance(new, Told):
        return first.joined(after)
    if isinstance(new, dict):
        return {**first, **after}
    return first + after if isinstance(new, (list, int)) else after or first
