"""Says where outputs go, refuses what may not be replaced there, prints and writes reports.

Nothing but outputs of this program, and those of the same log, is replaced without `--force`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from engine_layer_visualize.commands import Misuse, Report, flags
from engine_layer_visualize.core import __version__
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io import atomic_file

if TYPE_CHECKING:
    from pathlib import Path

    from engine_layer_visualize.api.draw import OutputFormat
    from engine_layer_visualize.commands import inputs

WITH_PATHS: Final = ("sarif", "github")  # a code host looks for the file under its path
ELSEWHERE: Final = "--output names another place, --force replaces it"
NO_OUTPUT: Final = "this was there before, and is no output of this program"
OF_OTHERS: Final = "this was there before, and not of these logs"
# Says what a file is that may not be replaced; "" of others.
Whose: TypeAlias = "Callable[[Path], str]"


class Refused(ReadError):
    """An output may not replace what stands there, so that nothing is written at all."""


def check(
    paths: Iterable[Path],
    force: bool,
    whose: Whose,
    hint: str = ELSEWHERE,
    folders: bool = True,
    *,
    read: Sequence[str] = (),
) -> None:
    """Refuses the first file that may not be replaced.

    Args:
        paths: The places of the outputs.
        force: Whether files of others are replaced, too.
        whose: Returns what a file is that is none of ours; "" where it may be replaced.
        hint: What to do instead.
        folders: Whether a folder in the way stops all; else writing says so.
        read: Files that are read, and so never replaced.

    Raises:
        Refused: With ELV505 or ELV501.
    """
    for path in paths:
        if _is_read(path, read):
            raise refused(path, "this is a file that is read", "name another place for the output")
        if folders and os.path.isdir(path) and not os.path.islink(path):
            folder = IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            raise Refused(atomic_file.cannot_write(path, folder).problem)
        if said := _foreign(path, force, whose):
            raise refused(path, said, hint)


def _is_read(path: Path, files: Iterable[str]) -> bool:
    """Returns whether what stands there is one of these files."""
    # Those of os.path raise nothing, where a folder may not be looked into or a name is too long.
    return os.path.exists(path) and any(
        os.path.exists(file) and os.path.samefile(path, file) for file in files
    )


def refused(path: Path, said: str, hint: str = ELSEWHERE) -> Refused:
    """Returns the error ELV505; `said` is what stands there."""
    return Refused(Problem(Place(str(path)), "ELV505", f"{said}; it is not replaced"), hint)


def _foreign(path: Path, force: bool, whose: Whose) -> str:
    try:
        state = os.lstat(path)
    except (OSError, ValueError):
        return ""  # nothing is there, or writing will say what is wrong
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        # Not with `--force` either: whoever may write everywhere would lose /dev/null.
        pipe = OSError(errno.EINVAL, "it is a pipe or a device")
        raise Refused(atomic_file.cannot_write(path, pipe).problem)
    if force or stat.S_ISDIR(state.st_mode):
        return ""
    if stat.S_ISLNK(state.st_mode):
        return f"this is a link to {os.readlink(path)}"
    return whose(path) if state.st_size > 1 else ""  # a report of nothing is an empty line


def is_newer(log: Path, path: Path) -> bool:
    """Returns whether the log was written after the file: it may have been another one then."""
    try:
        return log.is_file() and log.stat().st_mtime_ns > path.stat().st_mtime_ns
    except OSError:
        return True


# ---- reports -------------------------------------------------------------------------------------


def output(stem: str, formats: Mapping[str, OutputFormat]) -> Any:
    """Declares the flag of the folder or the file of a report."""
    default = "" if all(entry.printed for entry in formats.values()) else "; of html: ."
    text = f"a folder, or a file such as {stem}.txt (default: stdout{default})"
    return flags.WRITTEN.flag(text, "PATH", short="-o", also=("--output_dir",))


def whose(logs: Sequence[str]) -> Whose:
    """Returns what tells why a file may not be replaced by a report about these logs."""
    from engine_layer_visualize.commands import inputs

    known = [named.name for named in inputs.named_logs(logs)]

    def of_others(path: Path) -> str:
        from engine_layer_visualize.documents import marks

        if marks.is_report(path, known):
            return ""
        return OF_OTHERS if marks.is_report(path) else NO_OUTPUT

    return of_others


class Reports:
    """The reports that a command line asks for; the places where they go are free.

    Args:
        options: Which are asked for, where they go, how they look, and what is read.
        stem: How a file in a folder is called, without its ending.
        formats: All formats of the command.
        whose: Says why a file may not be replaced; "" where it may.

    Attributes:
        asked: The file of each format; None where it is printed.

    Raises:
        Misuse: Where several reports would be printed one after the other, or be one file.
        ReadError: Where a file may not be replaced (ELV505, ELV501).
    """

    def __init__(
        self, options: inputs.Reading, stem: str, formats: Mapping[str, OutputFormat], whose: Whose
    ) -> None:
        from engine_layer_visualize.api import draw

        self._options, self._formats = options, formats
        given, output = options.format, options.output or ""
        by_name = "" if os.path.isdir(output) else draw.by_name(output, formats)
        if by_name and len(given) > 1:
            raise Misuse(f"{options.output} is one file: {', '.join(given)} need a folder")
        self.asked: dict[str, Path | None] = {}
        for format in given or [by_name or next(iter(formats))]:
            is_printed = options.output is None and formats[format].printed
            name = "" if by_name else draw.file_name(stem, format, formats)
            self.asked[format] = None if is_printed else _in_folder(output, name)
        paths = [path for path in self.asked.values() if path is not None]
        if len(self.asked) > max(1, len(paths)):
            raise Misuse(f"{', '.join(given)}: several formats need --output DIR")
        check(paths, options.force, whose, read=options.files_read)

    def write(
        self, report: Report, found: Any, render: Callable[[str, ReportOptions], str] | None = None
    ) -> None:
        """Prints each report text by text, or writes it to its file.

        They look as those flags say that `ReportOptions` has; a file has no colours.

        Args:
            report: Knows the terminal.
            found: What they are about, for the functions of the formats.
            render: Returns the report in a format, in place of these.

        Raises:
            ReadError: Where a file cannot be written (ELV501).
        """
        if len(self.asked) > 1 and isinstance(found, Iterator):
            found = list(found)
        options, names = self._options, ReportOptions._fields
        given = {name: getattr(options, name) for name in names if hasattr(options, name)}
        looks = ReportOptions(**given, several=len(options.log_file) > 1, version=__version__)
        for format, path in self.asked.items():
            wide, color = report.terminal()
            shown = looks._replace(width=options.width or wide, color=color and path is None)
            load = self._formats[format].load
            texts = [render(format, shown)] if render else load()(found, shown)
            told = (text for text in texts if text.strip())
            if path is None:
                for text in told:
                    report.page(text)
            else:
                whole = "\n".join(text.rstrip("\n") for text in told) + "\n"
                save(path, (whole.encode("utf-8", "backslashreplace"),), report)


def _in_folder(folder: str, name: str) -> Path:
    from pathlib import Path  # slow to import

    return Path(folder) / name


def save(path: Path, pieces: Iterable[bytes], report: Report) -> None:
    """Writes a file, and makes its folder. Raises ReadError (ELV501)."""
    with atomic_file.writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_file.save(path, pieces)
    report.line(str(path))
