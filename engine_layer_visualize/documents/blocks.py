"""Defines the blocks of a report: headings, paragraphs, tables, advice; and texts of cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

from engine_layer_visualize.core.text import count, dims, milliseconds, percent
from engine_layer_visualize.core.words import Name, Words


class Heading(NamedTuple):
    """The title of a section."""

    text: str
    level: int = 2  # 1: of an engine
    is_good: bool | None = None  # of a verdict: it is green or red in a terminal


class Paragraph(NamedTuple):
    """Sentences."""

    text: Words


class Advice(NamedTuple):
    """What to run to get data that is missing."""

    text: str


class Grid(NamedTuple):
    """A table."""

    columns: tuple[str, ...]  # the heads; a column whose head begins with `>` is set to the right
    rows: tuple[tuple[Words, ...], ...]

    def filled(self) -> Grid:
        """Returns the table without empty columns; the first one stays."""
        cells = [{row[column] for row in self.rows} for column in range(len(self.columns))]
        return self._of([n for n, texts in enumerate(cells) if not n or texts - {"–", ""}])

    def only(self, *heads: str) -> Grid:
        """Returns only the columns whose heads begin with one of these words."""
        return self._of([n for n, head in enumerate(self.heads) if head.split(" ")[0] in heads])

    def _of(self, kept: list[int]) -> Grid:
        rows = tuple(tuple(row[column] for column in kept) for row in self.rows)
        return Grid(tuple(self.columns[column] for column in kept), rows)

    @property
    def heads(self) -> tuple[str, ...]:
        """The texts above the columns."""
        return tuple(column.removeprefix(">") for column in self.columns)

    @property
    def right(self) -> tuple[bool, ...]:
        """Which columns are set to the right."""
        return tuple(column.startswith(">") for column in self.columns)


Block: TypeAlias = Heading | Paragraph | Advice | Grid
_Row = TypeVar("_Row")


def grid(rows: Iterable[_Row], *columns: tuple[str, Callable[[_Row], Words]] | None) -> Grid:
    """Returns a table whose rows have a cell of each column; one that is None is left out."""
    kept = [column for column in columns if column is not None]
    cells = tuple(tuple(cell(row) for _, cell in kept) for row in rows)
    return Grid(tuple(head for head, _ in kept), cells)


def first_rows(
    rows: Sequence[_Row], most: int, noun: str, *columns: tuple[str, Callable[[_Row], Words]]
) -> Iterator[Block]:
    """Yields a table of the first rows, and how many more there are."""
    yield grid(rows[:most], *columns).filled()
    if (more := len(rows) - most) > 0:
        yield Paragraph(f"… and {count(more, f'more {noun}')}.")


def ms(value: float | None) -> str:
    """Returns a time in ms for a cell; `–` where there is none."""
    return "–" if value is None else milliseconds(value)


def part(value: float | None) -> str:
    """Returns a share from 0 to 1 for a cell; `–` where there is none."""
    return "–" if value is None else percent(value)


def word(value: object) -> str:
    """Returns any value for a cell; `–` where there is none."""
    return "–" if value is None or value == "" else str(value)


def shapes(value: str | None) -> str:
    """Returns `[1×64×56×56] [1×64]`, dims of tensors for a cell; `–` where there is none."""
    return word(dims(value or ""))


def called(value: str | None) -> Words:
    """Returns a name for a cell; `–` where there is none."""
    return "–" if value is None or value == "" else Name(value)
