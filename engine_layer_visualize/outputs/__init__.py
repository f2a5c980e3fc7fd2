"""The output formats, and how a file is put down.

takes: an Engine or a View of one, a path
gives: WRITERS, the tuple that the rest of the program goes by; `draw`
never: leaves half a file under a final name
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Final, Protocol

from engine_layer_visualize.analysis.subgraph import View, whole
from engine_layer_visualize.core.model import Engine, Statistic
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.io.atomic_file import save
from engine_layer_visualize.outputs.options import (
    DEFAULT,
    ColorBy,
    Direction,
    Labels,
    Options,
    ThemeName,
)


class Writer(Protocol):
    """A module of this package: the suffixes that it writes, and how."""

    @property
    def FORMATS(self) -> tuple[str, ...]: ...  # noqa: N802

    @property
    def FACTS(self) -> bool:  # noqa: N802
        """Whether it shows what the log says besides the listing (`facts`)."""

    def render(self, view: View, format: str, options: Options = ...) -> Iterable[bytes]:
        """The drawing in pieces, so that a large one is never held whole.

        Options that mean nothing in a format are passed over. Raises ReadError (ELV502, ELV503)
        where it needs a program that is not there.
        """


# Modules of this package, entered when they are written with, their formats, their FACTS.
WRITERS: Final = (
    ("dot.writer", ("dot",), False),
    ("data.engine_json", ("json",), True),
    ("picture.svg", ("svg",), True),
    ("picture.png_pdf", ("png", "pdf"), True),
    ("html.page", ("html",), True),
)
PICTURES: Final = ("svg", "png", "pdf")
WHOLE: Final = ("json", "html")  # they hold all of the engine, whatever is asked to be shown
WHOLE_LOG: Final = ("html",)  # one file holds all engines of a log, as they go into a `Spool`
FORMATS: Final = tuple(format for _, formats, _ in WRITERS for format in formats)


def want_facts(formats: Iterable[str]) -> bool:
    """Whether one of the formats shows facts: reading them costs a look at every line."""
    wanted = set(formats)
    return any(facts and wanted & set(formats) for _, formats, facts in WRITERS)


def draw(
    shown: Engine | View,
    path: str | Path,
    format: str | None = None,
    *,
    theme: ThemeName = DEFAULT.theme,
    color_by: ColorBy = DEFAULT.color_by,
    labels: Labels = DEFAULT.labels,
    direction: Direction = DEFAULT.direction,
    optimization_profile: int | None = DEFAULT.optimization_profile,
    time: Statistic = DEFAULT.time,
) -> Path:
    """Writes `shown` to `path`; the format is the path's suffix, if none is given.

    `theme` is light or dark, `color_by` time, type, precision or memory, `labels` short, full or
    none, `direction` TB or LR, `optimization_profile` the one that totals are of (None: the
    first), `time` mean or median. Raises ValueError for a format that is none, ReadError (ELV502,
    ELV503) where what draws it is missing or fails, ELV408 where there is no such optimisation
    profile, OSError where the file cannot be written.
    """
    path = Path(path)
    format = format or path.suffix.removeprefix(".")
    look = Options(theme, color_by, labels, direction, optimization_profile, time)
    save(path, pieces(shown, format, look))
    return path


def render(shown: Engine | View, format: str, options: Options = DEFAULT) -> bytes:
    """The drawing as bytes. Raises as `draw`."""
    return b"".join(pieces(shown, format, options))


def pieces(shown: Engine | View, format: str, options: Options = DEFAULT) -> Iterable[bytes]:
    """The drawing, piece by piece. Raises as `draw`, but for OSError."""
    view = whole(shown) if isinstance(shown, Engine) else shown
    for name, formats, _ in WRITERS:
        if format in formats:
            writer: Writer = import_module(f"{__name__}.{name}")
            return writer.render(view, format, options)
    raise ValueError(f"no format {format!r}; there are {', '.join(FORMATS)}")


def remarks(view: View, format: str) -> tuple[Problem, ...]:
    """Warnings for whoever asks for this drawing."""
    if format not in PICTURES:
        return ()
    from engine_layer_visualize.outputs.picture import drawing

    return drawing.remarks(view)
