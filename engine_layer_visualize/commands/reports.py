"""Declares the flags of a command that prints a report, and prints it, or writes it to a folder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from engine_layer_visualize.commands import Report, flag_values
from engine_layer_visualize.commands.flags import Group
from engine_layer_visualize.core.options import NARROWEST
from engine_layer_visualize.io.atomic_file import cannot_write, save

WITH_PATHS: Final = ("sarif", "github")  # a code host looks for the file under its path
_ENDINGS: Final = {
    "text": "txt", "markdown": "md", "junit": "xml", "github": "github.txt", "bmf": "bmf.json",
    "model-explorer": "sync.json",
}  # fmt: skip


# ---- flags ---------------------------------------------------------------------------------------


def format(group: Group, formats: Sequence[str], default: str = "text") -> Any:
    """Declares the flag of the format."""
    text = f"of {', '.join(formats)} (default: {default})"
    return group.flag(text, "FORMAT", short="-f", choices=formats, default=default)


def width(group: Group) -> Any:
    """Declares the flag of the width."""
    text = (
        f"width of the text in columns, at least {NARROWEST} (default: the variable COLUMNS, else "
        "the terminal, else 140)"
    )
    return group.flag(text, "N", type=flag_values.width)


def output_dir(group: Group, stem: str, formats: Sequence[str], default: str = "stdout") -> Any:
    """Declares the flag of the folder of a report, which else goes to `default`."""
    endings = ", ".join(f".{_ending(format)}" for format in formats[1:])
    text = (
        f"write {stem}.{_ending(formats[0])}, {endings} there; the folder is created if absent "
        f"(default: {default})"
    )
    return group.flag(text, "DIR", short="-o")


# ---- writing -------------------------------------------------------------------------------------


def path(folder: str | None, stem: str, format: str) -> Path | None:
    """Returns the file that a report is written to; None where it is printed."""
    return None if folder is None else Path(folder) / f"{stem}.{_ending(format)}"


def put(text: str, path: Path | None, report: Report) -> None:
    """Prints a report, or writes it to a file."""
    if path is None:
        report.page(text)
    else:
        write(path, (text.encode("utf-8", "backslashreplace"),), report)


def write(path: Path, pieces: Iterable[bytes], report: Report) -> None:
    """Writes a file, and makes its folder. Raises ReadError (ELV501)."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save(path, pieces)
    except OSError as error:
        raise cannot_write(path, error) from None
    report.line(str(path))


def looks(width: int | None, path: Path | None, report: Report) -> tuple[int, bool]:
    """Returns the columns of a report, and whether it has colours: a file has none."""
    columns, color = report.terminal()
    return width or columns, color and path is None


def _ending(format: str) -> str:
    return _ENDINGS.get(format, format)
