"""Finds the logs of folders and patterns, each once, and the files of times that are theirs."""

import glob
import os
import re
import stat
from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

from engine_layer_visualize.core.problems import Place, Problem, ReadError, reason_of
from engine_layer_visualize.export.columns import VERSION
from engine_layer_visualize.io.input_files import must_exist, unpacked_name
from engine_layer_visualize.reading import file_kinds

_JOINTS: Final = re.compile("[._-]")  # between a log's stem and the rest of its profile's name


class File(NamedTuple):
    """A log, or a file with times."""

    path: str  # whole
    name: str  # as rows call it
    size: int  # in bytes
    mtime_ns: int  # when it was changed

    def is_unchanged(self) -> bool:
        """Returns whether the file is as it was."""
        with suppress(OSError):
            state = os.stat(self.path)
            return (state.st_size, state.st_mtime_ns) == (self.size, self.mtime_ns)
        return False


def files(sources: Sequence[str], dataset: str, tell: Callable[[Problem], None]) -> list[File]:
    """Finds all files of the sources, folder by folder, but for those of the dataset itself.

    Args:
        sources: Folders, patterns and files.
        dataset: Its folder.
        tell: Takes what cannot be read.

    Raises:
        ReadError: Where a file is named and not there, or there is none at all (ELV401).
    """
    must_exist(source for source in sources if not glob.has_magic(source))
    known: dict[str, File] = {}
    real, own = cache(os.path.realpath), os.path.realpath(dataset) + os.sep
    for given, name in (found for source in sources for found in _of(source, tell)):
        try:
            state = os.stat(given)
            if not stat.S_ISREG(state.st_mode):
                raise ValueError("a pipe or a device, which can be read only once")
        except (OSError, ValueError) as error:
            tell(_unreadable(given, error))
            continue
        path = os.path.abspath(given)
        if not (real(os.path.dirname(path)) + os.sep).startswith(own):
            name = name.replace(os.sep, "/")
            known.setdefault(path, File(path, name, state.st_size, state.st_mtime_ns))
    if not known:
        hint = "name a folder or a pattern, in which `[*]` is a `*` of a name"
        raise ReadError(Problem(Place(dataset), "ELV401", "no file is there to be read"), hint)
    return [known[path] for path in sorted(known, key=os.path.split)]


def _of(source: str, tell: Callable[[Problem], None]) -> Iterator[tuple[str, str]]:
    """Gives the paths of a source, each with its name."""
    paths = [source]
    if glob.has_magic(source) and not os.path.lexists(source):
        paths = [path for path in glob.iglob(source, recursive=True) if not os.path.isdir(path)]
    for path in paths:
        if not os.path.isdir(path):
            yield path, path
            continue
        for root, _, names in os.walk(path, onerror=lambda e: tell(_unreadable(e.filename, e))):
            for inner in (os.path.join(root, name) for name in names):
                yield inner, os.path.relpath(inner, path)


def _unreadable(path: str, error: Exception) -> Problem:
    return Problem(Place(path, 1), "ELV401", f"cannot be read: {reason_of(error)}")


def local(path: str) -> str:
    """Returns the path. Raises ValueError for a URL."""
    if "://" in path and not os.path.lexists(path):
        raise ValueError(f"{path} is a URL: copy it to a folder, or mount it, and name that")
    return path


class Item(NamedTuple):
    """A log, and how it is read."""

    key: str  # names its files
    log: File
    profiles: Sequence[str]

    def problem(self, code: str, message: str) -> Problem:
        """Returns a problem of the whole log."""
        return Problem(Place(self.log.name, 1), code, message)


def items(files: Sequence[File], known: Container[str]) -> tuple[list[Item], list[str]]:
    """Returns all logs with their times, and the files of times of no log.

    Times belong to the log with their stem, else to the folder's only log. `known`: what the keys
    of logs that were read before begin with: these are not opened.
    """
    times: list[File] = []
    unread: list[str] = []
    logs: dict[File, list[File]] = {}  # with their times
    named: defaultdict[tuple[str, str], list[File]] = defaultdict(list)  # by folder and stem
    for file in files:
        folder, name = os.path.split(file.path)
        if _start(file) in known or not file_kinds.has_times_alone(file.path):
            logs[file] = []
            named[folder, ""].append(file)
            named[folder, Path(unpacked_name(name)).stem].append(file)
        elif file_kinds.has_times_of_runs(file.path):
            unread.append(file.name)
        else:
            times.append(file)
    for file in times:
        folder, name = os.path.split(file.path)
        keys = ((folder, stem) for stem in _stems(name))
        beside = next((named[key] for key in keys if key in named), [])
        if len(beside) == 1:
            logs[beside[0]].append(file)
        else:
            unread.append(file.name)
    return [_item(log, profiles) for log, profiles in logs.items()], unread


def _item(log: File, profiles: Sequence[File]) -> Item:
    key = f"{_start(log)}-{_digest(6, VERSION, *map(_start, profiles))}"
    return Item(key, log, [profile.path for profile in profiles])


def _start(file: File) -> str:
    """Returns what the keys of a file begin with."""
    return f"{_digest(8, file.path)}-{_digest(6, file.size, file.mtime_ns)}"


def _digest(size: int, *parts: object) -> str:
    return blake2b(repr(parts).encode(), digest_size=size).hexdigest()


def _stems(name: str) -> list[str]:
    """Returns the stems of logs that a profile may be of, the longest first; "" is that of any.

    `build.profile.json` is of `build.profile.log`, or of `build.log`.
    """
    ends = [joint.start() for joint in _JOINTS.finditer(name)]
    return [name, *(name[:end] for end in reversed(ends)), ""]
