"""Declares the flags of a command that prints a report, and prints it, or writes it to files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from engine_layer_visualize.api.draw import OutputFormat
from engine_layer_visualize.commands import Answer, Report, inputs, names, standing
from engine_layer_visualize.commands.arguments import USAGE
from engine_layer_visualize.commands.flags import WRITTEN
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.documents import marks
from engine_layer_visualize.io.atomic_file import cannot_write, save

if TYPE_CHECKING:
    from engine_layer_visualize.reports.gate import GateOptions

Looks = TypeVar("Looks", ReportOptions, "GateOptions")
WITH_PATHS: Final = ("sarif", "github")  # a code host looks for the file under its path
_ENDINGS: Final = {
    "text": "txt", "markdown": "md", "junit": "xml", "github": "github.txt", "brief": "brief.json",
}  # fmt: skip


class Target(NamedTuple):
    """A report in one format."""

    format: str
    path: Path | None  # None where it is printed


def output(stem: str, formats: Mapping[str, OutputFormat]) -> Any:
    """Declares the flag of the folder or the file of a report."""
    default = "" if all(entry.printed for entry in formats.values()) else "; of html: ."
    text = f"a folder for {stem}.txt …, or such a file (default: stdout{default})"
    return WRITTEN.flag(text, "PATH", short="-o", also=("--output_dir",))


def targets(
    options: inputs.Reading,
    stem: str,
    formats: Mapping[str, OutputFormat],
    whose: Callable[[Path], str],
) -> tuple[Target, ...]:
    """Returns the reports that are asked for, and where each goes; these places are free.

    Args:
        options: Which are asked for, where they go, and what is read.
        stem: How a file in a folder is called, without its ending.
        formats: All formats of the command.
        whose: Says why a file may not be replaced; "" where it may.

    Raises:
        Answer: Where several reports would be printed one after the other, or be one file.
        ReadError: Where a file may not be replaced (ELV505, ELV501).
    """
    asked = _asked(options.output, options.format, stem, formats)
    paths = [target.path for target in asked if target.path is not None]
    standing.check(paths, options.force, whose, read=options.files_read)
    return asked


def _asked(
    output: str | None, given: Sequence[str], stem: str, formats: Mapping[str, OutputFormat]
) -> tuple[Target, ...]:
    wanted = tuple(given) or (next(iter(formats)),)
    if output is None:
        here = Path()
        places = [None if formats[wish].printed else _place(here, stem, wish) for wish in wanted]
        if len(wanted) > 1 and None in places:
            raise Answer("", f"{', '.join(wanted)}: several formats need --output DIR", USAGE)
        return tuple(map(Target, wanted, places))
    path = Path(output)
    endings = {_ending(format): format for format in formats}
    ending = max((end for end in endings if path.name.endswith(f".{end}")), key=len, default="")
    if not ending or path.is_dir():
        return tuple(Target(wish, _place(path, stem, wish)) for wish in wanted)
    if len(given) > 1:
        raise Answer("", f"{output} is one file: {', '.join(given)} need a folder", USAGE)
    return (Target(given[0] if given else endings[ending], path),)


def whose(logs: Sequence[str]) -> Callable[[Path], str]:
    """Returns what tells why a file may not be replaced by a report about these logs."""
    known = [named.name for named in names.of(logs)]

    def of_others(path: Path) -> str:
        if marks.is_report(path, known):
            return ""
        return standing.OF_OTHERS if marks.is_report(path) else standing.NO_OUTPUT

    return of_others


def _place(folder: Path, stem: str, format: str) -> Path:
    return folder / f"{stem}.{_ending(format)}"


def each(
    targets: Iterable[Target], options: Looks, columns: int | None, report: Report
) -> Iterator[tuple[str, Path | None, Looks]]:
    """Gives each format with its place and how it looks: a file has no colours.

    Args:
        targets: The formats, and where each goes.
        options: How all of them look, but for the width and the colours.
        columns: The width that was asked for.
        report: Knows the terminal.
    """
    for format, path in targets:
        wide, color = report.terminal()
        color = color and path is None
        yield format, path, options._replace(width=columns or wide, color=color)


def put_all(texts: Iterable[str], path: Path | None, report: Report) -> None:
    """Prints a report text by text, or writes it to a file."""
    if path is not None:
        put("\n".join(text.rstrip("\n") for text in texts if text.strip()) + "\n", path, report)
        return
    for text in texts:
        if text.strip():
            report.page(text)


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


def _ending(format: str) -> str:
    return _ENDINGS.get(format, format)
