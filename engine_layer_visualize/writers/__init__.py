"""The output formats, and how a file is put down.

takes: an Engine, a path
gives: WRITERS, the tuple that the rest of the program goes by; `draw`
never: leaves half a file under a final name
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from engine_layer_visualize.errors import Place, Problem, ReadError
from engine_layer_visualize.model import Engine
from engine_layer_visualize.options import DEFAULT, ColorBy, Labels, Options, ThemeName
from engine_layer_visualize.view import whole
from engine_layer_visualize.writers import dot, html, json, picture, svg


class Writer(Protocol):
    """A module of this package: the suffixes that it writes, and how."""

    @property
    def FORMATS(self) -> tuple[str, ...]: ...  # noqa: N802

    def render(self, engine: Engine, format: str, options: Options) -> bytes:
        """Options that mean nothing in a format are passed over.

        Raises ReadError (ELV502, ELV503) where it needs a program that is not there.
        """


WRITERS: Final[tuple[Writer, ...]] = (dot, json, svg, picture, html)
PICTURES: Final = (*svg.FORMATS, *picture.FORMATS)
# One file of these holds all engines of a log: `html.piece` goes into a `Spool`.
WHOLE_LOG: Final = html.FORMATS
FORMATS: Final = tuple(format for writer in WRITERS for format in writer.FORMATS)


def draw(
    engine: Engine,
    path: str | Path,
    format: str | None = None,
    *,
    theme: ThemeName = "light",
    color_by: ColorBy = "time",
    labels: Labels = "short",
) -> Path:
    """Writes `engine` to `path`; the format is the path's suffix, if none is given.

    `theme` is light or dark, `color_by` time, type, precision or memory, `labels` short, full or
    none: the pictures svg, png and pdf heed them. Raises ValueError for a format that is none,
    ReadError (ELV502, ELV503) where what draws it is missing or fails, OSError where the file
    cannot be written.
    """
    path = Path(path)
    format = format or path.suffix.removeprefix(".")
    save(path, render(engine, format, Options(theme, color_by, labels)))
    return path


def remarks(engine: Engine, format: str) -> tuple[Problem, ...]:
    """Warnings for whoever asks for this drawing."""
    return svg.remarks(whole(engine)) if format in PICTURES else ()


def render(engine: Engine, format: str, options: Options = DEFAULT) -> bytes:
    """The drawing as bytes. Raises as `draw`."""
    for writer in WRITERS:
        if format in writer.FORMATS:
            return writer.render(engine, format, options)
    raise ValueError(f"no format {format!r}; there are {', '.join(FORMATS)}")


def save(path: Path, data: bytes) -> None:
    """Puts `data` under `path` whole or not at all: a temporary file beside it, then a rename."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)  # mkstemp's files are the owner's alone
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


class Spool:
    """A file that grows engine by engine, and appears under its name when it is complete.

    The name is asked for at the end. `close` gives it up if that did not come.
    """

    def __init__(self, folder: Path) -> None:
        handle, self._temporary = tempfile.mkstemp(dir=folder, prefix=".EngineLayers.")
        self._file: BinaryIO | None = open(handle, "wb")  # noqa: SIM115

    def write(self, pieces: Iterable[bytes]) -> None:
        assert self._file is not None
        self._file.writelines(pieces)

    def finish(self, path: Path) -> None:
        assert self._file is not None
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(self._temporary, 0o666 & ~mask)
        os.replace(self._temporary, path)
        self._file = None

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            os.unlink(self._temporary)
            self._file = None


def growing(path: Path) -> BinaryIO:
    """A file that is kept however its making ends: the log of a build."""
    return open(path, "wb")


def cannot_write(path: Path, error: OSError) -> ReadError:
    """ELV501 with the system's words."""
    reason = (error.strerror or str(error)).lower()
    return ReadError(Problem(Place(str(path), 1), "ELV501", f"cannot be written: {reason}"))
