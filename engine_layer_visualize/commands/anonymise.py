"""Replaces the names and paths in a log and its profiles, alike in all of them.

Lines that this program does not read are removed. Look at the result before you send it.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from engine_layer_visualize.commands import Report, flags, outputs
from engine_layer_visualize.commands.inputs import tell
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.atomic_file import Together, as_before, make_folder
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.reading.anonymise import Anonymiser, is_json

_OTHER: Final = "this was there before, and is not what this run writes"
_HINT: Final = "name another -o; --force replaces it"


class Options(flags.Options):
    """Which files are anonymised, and where the results go."""

    files: tuple[str, ...] = flags.READ.words("a log, a listing in JSON, or a profile; - is stdin")
    log_file: tuple[str, ...] = flags.READ.several("the same as a FILE without a flag")
    profile_file: tuple[str, ...] = flags.READ.several("the same as a FILE without a flag")
    output: str | None = flags.WRITTEN.flag(
        "the file to write (default: stdout), or a folder",
        "FILE_OR_DIR",
        short="-o",
        also=("--output_dir",),
    )
    force: bool = flags.REPLACE


def run(options: Options, report: Report) -> None:
    """Writes the files, all of them or none.

    Raises:
        ReadError: Where one cannot be read or written.
    """
    files = [*options.log_file, *options.files, *options.profile_file]
    target = None if options.output is None else Path(options.output)
    _check(files, target)
    anonymiser = Anonymiser()
    with Together() as written:
        for number, file in enumerate(files):
            source = Source(file, progress=report.progress)
            pieces = anonymiser.read(source)
            if target is None:
                report.data(pieces)
            else:
                path = target
                if len(files) > 1 or os.path.isdir(target) or str(options.output).endswith("/"):
                    path = target / f"anonymised_{number}.{'json' if is_json(source) else 'log'}"
                outputs.check([path], options.force, lambda _: "", _HINT, read=files)
                make_folder(path.parent, of=path)
                if not options.force:  # nothing in such a file tells of which log it is
                    pieces = as_before(path, pieces, outputs.refused(path, _OTHER, _HINT))
                written.write(path, pieces)
            tell(source.problems, options.strict, report)
        for path in written.finish():
            report.wrote(str(path))
    report.remark(
        f"{anonymiser.replaced} words and paths replaced, {anonymiser.removed} of "
        f"{anonymiser.lines} lines removed; look at the result before you send it"
    )


def _check(files: Sequence[str], target: Path | None) -> None:
    """Raises ReadError (ELV605) where it is not clear what to read, or where to write."""
    if not files:
        message, hint = "no file is given", "anonymise build.log"
    elif len(files) > 1 and target is None:
        message, hint = "several files, and stdout takes one", "name a folder: -o DIR"
    else:
        return
    raise ReadError(Problem(Place(str(target or "<stdout>")), "ELV605", message), hint)
