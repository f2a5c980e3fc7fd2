"""Writes the HTML of a notebook's cell: a view, a comparison, or the engines of a log.

A cell is kept in the notebook's file: it has a bound, and says what it leaves out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison.result import Comparison
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.text import count, shorten
from engine_layer_visualize.core.words import Name, Words, safe
from engine_layer_visualize.documents import blocks
from engine_layer_visualize.drawing import svg
from engine_layer_visualize.facts import sentences
from engine_layer_visualize.facts.subgraph import View, whole, with_shown_names
from engine_layer_visualize.reports import compare as report
from engine_layer_visualize.reports.compare import MAX_NAME

LARGEST_PICTURE: Final = 2_000_000  # bytes
_MOST_ROWS: Final = 50  # of a table of engines
_MOST_PROBLEMS: Final = 5
_MOST_COMPARED: Final = 20  # rows of a list of a comparison
_LONGEST_PROBLEM: Final = 200  # characters
_LONGEST: Final = 4_000  # characters of a sentence
# Notebooks look for formulas between dollar signs, which a name may have.
_CELL: Final = '<div class="tex2jax_ignore mathjax_ignore">{}</div>'


def of_view(view: View) -> str:
    """Returns the picture, or the reason why there is none."""
    return _CELL.format(_picture(view))


def of_comparison(compared: Comparison) -> str:
    """Returns the report on two engines, with its tables."""
    told = report.blocks([compared], ReportOptions(_MOST_COMPARED))
    return _CELL.format("".join(_elements(told)))


def of_build(engines: Sequence[Engine], problems: Sequence[Problem]) -> str:
    """Returns a table of the engines, the problems, and the picture of the first engine."""
    parts = list(_elements(_listed(engines, problems)))
    if len(engines) > 1:
        parts.append(f"<p>Engine {engines[0].index}; <code>.engines</code> has the others:</p>")
    parts += [_picture(whole(engine)) for engine in engines[:1]]
    return _CELL.format("".join(parts))


def counted(problems: Iterable[Problem]) -> str:
    """Returns `1 error, 2 warnings`, or `no problems`."""
    counts = Counter(problem.severity for problem in problems)
    words = [count(counts[kind], kind) for kind in ("error", "warning") if counts[kind]]
    return ", ".join(words) or "no problems"


def _elements(told: Iterable[blocks.Block]) -> Iterator[str]:
    for block in told:
        if isinstance(block, blocks.Grid):
            yield from _table(block)
        else:
            tag = "blockquote" if isinstance(block, blocks.Advice) else "p"
            tag = f"h{block.level}" if isinstance(block, blocks.Heading) else tag
            yield f"<{tag}>{_words(block.text)}</{tag}>\n"


def _table(grid: blocks.Grid) -> Iterator[str]:
    sides = ("right" if right else "left" for right in grid.right)
    css = [f'<{{}} style="text-align:{side}">' for side in sides]
    yield "<table><thead><tr>"
    yield from (f"{tag.format('th')}{escape(head)}</th>" for tag, head in zip(css, grid.heads))
    yield "</tr></thead>\n"
    for row in grid.rows:
        yield "<tr>"
        yield from (f"{tag.format('td')}{_words(cell)}</td>" for tag, cell in zip(css, row))
        yield "</tr>\n"
    yield "</table>\n"


def _words(words: Words) -> str:
    """Names stand in an element of their own, so that a browser may break them anywhere."""
    return "".join(
        f"<code>{escape(part.text)}</code>" if isinstance(part, Name) else escape(part)
        for part in safe(words, MAX_NAME, _LONGEST)
    )


def _picture(view: View) -> str:
    picture = svg.draw(with_shown_names(view), inline=True)
    if len(picture.encode()) <= LARGEST_PICTURE:
        return picture
    words = (
        f"The picture of {count(len(view.layers), 'layer')} is too large for a notebook. "
        'elv.draw(engine, "engine.html") writes a page of them, elv.part(engine, …) chooses some.'
    )
    return f"<p>{escape(words)}</p>"


def _listed(engines: Sequence[Engine], problems: Sequence[Problem]) -> Iterator[blocks.Block]:
    yield from blocks.first_rows(
        engines,
        _MOST_ROWS,
        "engine",
        ("engine", lambda engine: f"{engine.index} of {sentences.name(engine)}"),
        ("TensorRT", lambda engine: engine.tensorrt or "version unknown"),
        (">layers", lambda engine: f"{len(engine.layers):,}"),
        (">edges", lambda engine: f"{len(engine.graph.between):,}"),
        ("time", lambda engine: _time(Costs(engine))),
    )
    if problems:
        yield blocks.Paragraph(counted(problems))
        yield from blocks.first_rows(problems, _MOST_PROBLEMS, "problem", ("problem", _line))


def _time(costs: Costs) -> str:
    return ", ".join(filter(None, (sentences.time(costs), sentences.coverage(costs))))


def _line(problem: Problem) -> str:
    """Returns a problem without the folders of the log: notebooks are given to others."""
    place = replace(problem.place, file=sentences.base(problem.place.file))
    return shorten(str(replace(problem, place=place, excerpt="")), _LONGEST_PROBLEM)
