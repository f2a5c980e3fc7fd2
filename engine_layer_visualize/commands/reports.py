"""Declares the flags of a command that prints a report, and prints it, or writes it to files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from engine_layer_visualize.api import draw
from engine_layer_visualize.api.draw import OutputFormat
from engine_layer_visualize.commands import Answer, Report, inputs, standing
from engine_layer_visualize.commands.arguments import USAGE
from engine_layer_visualize.commands.flags import WRITTEN
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.io import atomic_file

if TYPE_CHECKING:
    from engine_layer_visualize.reports.gate import GateOptions

Looks = TypeVar("Looks", ReportOptions, "GateOptions")
T = TypeVar("T")
WITH_PATHS: Final = ("sarif", "github")  # a code host looks for the file under its path


class Output(NamedTuple):
    """What is written: a report in one format."""

    format: str
    path: Path | None  # None where it is printed


def output(stem: str, formats: Mapping[str, OutputFormat]) -> Any:
    """Declares the flag of the folder or the file of a report."""
    default = "" if all(entry.printed for entry in formats.values()) else "; of html: ."
    text = f"a folder for {stem}.txt …, or such a file (default: stdout{default})"
    return WRITTEN.flag(text, "PATH", short="-o", also=("--output_dir",))


def settled(
    options: inputs.Reading,
    stem: str,
    formats: Mapping[str, OutputFormat],
    whose: Callable[[Path], str],
) -> tuple[Output, ...]:
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
    paths = [output.path for output in asked if output.path is not None]
    standing.check(paths, options.force, whose, read=options.files_read)
    return asked


def _asked(
    output: str | None, given: Sequence[str], stem: str, formats: Mapping[str, OutputFormat]
) -> tuple[Output, ...]:
    wanted = tuple(given) or (next(iter(formats)),)

    def place(format: str) -> Path:
        return Path(output or "", draw.file_name(stem, format, formats))

    if output is None:
        places = [None if formats[wish].printed else place(wish) for wish in wanted]
        if len(wanted) > 1 and None in places:
            raise Answer("", f"{', '.join(wanted)}: several formats need --output DIR", USAGE)
        return tuple(map(Output, wanted, places))
    path = Path(output)
    endings = {draw.file_name("", format, formats): format for format in formats}
    ending = max(filter(path.name.endswith, endings), key=len, default="")
    if not ending or path.is_dir():
        return tuple(Output(wish, place(wish)) for wish in wanted)
    if len(given) > 1:
        raise Answer("", f"{output} is one file: {', '.join(given)} need a folder", USAGE)
    return (Output(given[0] if given else endings[ending], path),)


def whose(logs: Sequence[str]) -> Callable[[Path], str]:
    """Returns what tells why a file may not be replaced by a report about these logs."""
    known = [named.name for named in inputs.named_logs(logs)]

    def of_others(path: Path) -> str:
        from engine_layer_visualize.documents import marks

        if marks.is_report(path, known):
            return ""
        return standing.OF_OTHERS if marks.is_report(path) else standing.NO_OUTPUT

    return of_others


def write(
    outputs: Sequence[Output],
    looks: Looks,
    columns: int | None,
    report: Report,
    found: Iterable[T],
    render: Callable[[Iterable[T], str, Looks], Iterable[str]],
) -> None:
    """Prints each report text by text, or writes it to its file.

    Args:
        outputs: The formats, and where each goes.
        looks: How all of them look, but for the width and the colours: a file has none.
        columns: The width that was asked for.
        report: Knows the terminal.
        found: What they are about.
        render: Returns the texts of a report on that, in a format, which looks so.

    Raises:
        ReadError: Where a file cannot be written (ELV501).
    """
    if len(outputs) > 1:
        found = list(found)
    for format, path in outputs:
        wide, color = report.terminal()
        shown = looks._replace(width=columns or wide, color=color and path is None)
        told = (text for text in render(found, format, shown) if text.strip())
        if path is None:
            for text in told:
                report.page(text)
        else:
            whole = "\n".join(text.rstrip("\n") for text in told) + "\n"
            save(path, (whole.encode("utf-8", "backslashreplace"),), report)


def save(path: Path, pieces: Iterable[bytes], report: Report) -> None:
    """Writes a file, and makes its folder. Raises ReadError (ELV501)."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_file.save(path, pieces)
    except OSError as error:
        raise atomic_file.cannot_write(path, error) from None
    report.line(str(path))
