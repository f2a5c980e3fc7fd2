"""The output formats, and how a file is put down.

takes: an Engine or a View of one, a path
gives: WRITERS, the tuple that the rest of the program goes by; `draw`
never: leaves half a file under a final name
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import BinaryIO, Final, Protocol
from weakref import finalize

from engine_layer_visualize.errors import Place, Problem, ReadError
from engine_layer_visualize.model import Engine
from engine_layer_visualize.options import (
    DEFAULT,
    ColorBy,
    Direction,
    Labels,
    Options,
    Statistic,
    ThemeName,
)
from engine_layer_visualize.view import View, whole


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
    ("dot", ("dot",), False),
    ("json", ("json",), True),
    ("svg", ("svg",), True),
    ("picture", ("png", "pdf"), True),
    ("html", ("html",), True),
)
PICTURES: Final = ("svg", "png", "pdf")
WHOLE: Final = ("json", "html")  # they hold all of the engine, whatever is asked to be shown
WHOLE_LOG: Final = ("html",)  # one file holds all engines of a log, as they go into a `Spool`
_BUFFER: Final = 1 << 18  # bytes; the pieces are small
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
    from engine_layer_visualize.writers import svg

    return svg.remarks(view)


class Spool:
    """A file that grows, and appears under its name when it is complete.

    It lies beside it under another name until then; `close` gives it up if it did not come to that.
    """

    def __init__(self, folder: Path, name: str = "EngineLayers") -> None:
        self._temporary = folder / f".{name[:64]}.{os.urandom(6).hex()}"
        # Also where a signal comes between the file and whoever would close it.
        self._gone = finalize(self, _remove, self._temporary)
        self._file: BinaryIO | None = open(self._temporary, "xb", buffering=_BUFFER)  # noqa: SIM115

    def write(self, data: Iterable[bytes]) -> None:
        assert self._file is not None
        self._file.writelines(data)

    def finish(self, path: Path) -> None:
        """On the disk, closed, then renamed."""
        assert self._file is not None
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        os.replace(self._temporary, path)
        self._file = None
        self._gone.detach()

    def close(self) -> None:
        if self._file is not None:
            try:
                self._file.close()  # writes what is left, where there is room
            except OSError:
                pass
            finally:
                self._file = None
                self._gone()


def _remove(temporary: Path) -> None:
    with suppress(OSError):  # its folder may be gone, or may be read only by now
        temporary.unlink()


def save(path: Path, data: Iterable[bytes]) -> None:
    """Puts `data` under `path` whole or not at all."""
    spool = Spool(path.parent, path.name)
    try:
        spool.write(data)
        spool.finish(path)
    finally:
        spool.close()


def growing(path: Path) -> BinaryIO:
    """A file that is kept however its making ends: the log of a build. What is in it stays until
    it is truncated."""
    return open(path, "ab")


def cannot_write(path: Path, error: OSError) -> ReadError:
    """ELV501 with the system's words."""
    reason = (error.strerror or str(error)).lower()
    return ReadError(Problem(Place(str(path), 1), "ELV501", f"cannot be written: {reason}"))
