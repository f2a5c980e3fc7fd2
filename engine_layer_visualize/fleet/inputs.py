"""Finds the files of folders, patterns, lists and URLs, each once."""

from __future__ import annotations

import errno
import glob
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final, Literal

from engine_layer_visualize.core.problems import Place, Problem, ReadError, reason_of
from engine_layer_visualize.io.decompression import FORMATS
from engine_layer_visualize.io.places import filesystem, is_url, lines_of, plain_name, real
from engine_layer_visualize.tables import SCHEMAS

Pairing = Literal["stem", "folder"]
_JOINTS: Final = "._-"  # between a log's stem and the rest of its profile's name
_TAKEN: Final = {"trt", *(name for schema in SCHEMAS.values() for name in schema.names)}


@dataclass(frozen=True, slots=True)
class File:
    """A log, or a file with times."""

    path: str
    name: str  # as rows call it
    size: int | None  # in bytes; None where it cannot be known
    mtime_ns: int | None  # when it was changed; None where that cannot be known


def files(sources: Iterable[str], output: str, problems: list[Problem]) -> list[File]:
    """Finds all files of the sources, but for those of the dataset itself.

    Args:
        sources: Folders, patterns, files, lists and URLs.
        output: The place of the dataset.
        problems: Takes what cannot be opened.

    Raises:
        ReadError: Where there is no file at all (ELV401).
    """
    known: dict[str, File] = {}
    dataset, folder_of, passed = real(output) + "/", cache(_real), False
    for source in sources:
        for file in _of(source, problems):
            if folder_of(os.path.dirname(file.path)).startswith(dataset):
                passed = True
            else:
                known.setdefault(file.path, file)
    if not known:
        raise _nothing(next(iter(sources), ""), passed)
    return [known[path] for path in sorted(known)]


def _nothing(source: str, of_dataset: bool) -> ReadError:
    """Returns the error; `of_dataset`: files of the dataset are there, and no others."""
    message, hint = "no file is there to be read", "name a folder that holds logs"
    if of_dataset:
        message, hint = "all files here are of the dataset itself", "name another --output_dir"
    elif glob.has_magic(source):
        message = "no file's path is as this pattern says"
        hint = "a pattern writes the signs *, ? and [ of a name as [*], [?] and [[]"
    return ReadError(Problem(Place(source, 1), "ELV401", message), hint)


def _real(folder: str) -> str:
    """Returns a folder's real path with a `/`. `_of_url` spells URLs always the same."""
    other = is_url(folder) and not folder.startswith("file:")
    return (folder if other else real(folder)) + "/"


def _of(source: str, problems: list[Problem]) -> Iterator[File]:
    if source == "-" or source.startswith("@"):
        try:
            listed = lines_of(source.removeprefix("@"))
        except OSError as error:
            raise ReadError(_unreadable(source.removeprefix("@"), error)) from error
        yield from _listed(listed)
    elif is_url(source):
        yield from _of_url(source)
    elif os.path.isdir(source):
        yield from _below(source, problems)
    elif glob.has_magic(source) and not os.path.lexists(source):
        for path in glob.iglob(source, recursive=True):
            if not os.path.isdir(path):
                yield _file(path, plain_name(path))
    elif os.path.lexists(source):
        yield _file(source, plain_name(source))
    else:  # a word that was mistyped is no log, other than a path that a list still has
        missing = OSError(errno.ENOENT, os.strerror(errno.ENOENT))
        problems.append(_unreadable(source, missing))


def _listed(lines: Iterable[str]) -> Iterator[File]:
    for line in lines:
        if path := line.rstrip("\r\n"):
            if is_url(path):
                yield from _of_url(path)
            else:
                yield _file(path, plain_name(path))


def _below(folder: str, problems: list[Problem]) -> Iterator[File]:
    def refused(error: OSError) -> None:
        problems.append(_unreadable(str(error.filename), error))

    for root, folders, names in os.walk(folder, onerror=refused):
        folders.sort()
        for name in names:
            path = os.path.join(root, name)
            yield _file(path, plain_name(os.path.relpath(path, folder)))


def _unreadable(path: str, error: OSError) -> Problem:
    return Problem(Place(path, 1), "ELV401", f"cannot be read: {reason_of(error)}")


def _file(path: str, name: str) -> File:
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return File(path, name, None, None)
    return File(path, name, state.st_size, state.st_mtime_ns)


def _of_url(url: str) -> Iterator[File]:
    system, inner = filesystem(url)
    try:
        if glob.has_magic(inner) and not system.exists(inner):
            details = system.glob(inner, detail=True)
        else:
            details = system.find(inner, detail=True)
    except OSError as error:
        raise ReadError(_unreadable(url, error)) from error
    root = inner.rstrip("/") + "/"
    for path, detail in details.items():
        if detail.get("type") == "directory":
            continue
        name = path[len(root) :] if path.startswith(root) else path.rpartition("/")[2]
        yield File(str(system.unstrip_protocol(path)), name, detail.get("size"), None)


# ---- what a path says ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Meta:
    """What paths say: the named groups of a pattern are columns of the tables."""

    pattern: re.Pattern[str] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self.pattern.groupindex) if self.pattern is not None else ()

    def of(self, path: str) -> dict[str, str | None]:
        """Returns the values that a path gives, by columns."""
        match = self.pattern.search(plain_name(path)) if self.pattern is not None else None
        return {name: match[name] if match else None for name in self.names}


def meta(text: str) -> Meta:
    """Reads `path=REGEX`. Raises ValueError."""
    start, _, regex = text.partition("=")
    if start != "path":
        raise ValueError("write path=REGEX, such as path=(?P<model>[^/]+)/(?P<gpu>[^/]+)/")
    try:
        pattern = re.compile(regex)
    except re.error as error:
        raise ValueError(f"not a pattern: {error}") from error
    if not pattern.groupindex:
        raise ValueError("the pattern has no named group, such as (?P<model>[^/]+)")
    for name in pattern.groupindex:
        if name.lower() in _TAKEN:  # to SQL it is the same name
            raise ValueError(f"a table has a column {name}; take another name")
    return Meta(pattern)


# ---- profiles ------------------------------------------------------------------------------------


def paired(
    logs: Sequence[str], times: Sequence[str], how: Pairing
) -> tuple[Mapping[str, list[str]], list[str]]:
    """Returns the files of times of each log, and those that are of none."""
    known: defaultdict[tuple[str, str], list[str]] = defaultdict(list)  # by folder and stem
    for log in logs:
        known[_folder(log), _stem(log) if how == "stem" else ""].append(log)
    pairs: defaultdict[str, list[str]] = defaultdict(list)
    left = []
    for profile in times:
        stems = _stems(profile) if how == "stem" else [""]
        folder = _folder(profile)
        beside = next((known[folder, stem] for stem in stems if (folder, stem) in known), [])
        if len(beside) == 1:
            pairs[beside[0]].append(profile)
        else:
            left.append(profile)
    return pairs, left


def _folder(path: str) -> str:
    return plain_name(path).rpartition("/")[0]


def _stem(path: str) -> str:
    """Returns `build` of `out/build.log.gz`."""
    name = PurePosixPath(plain_name(path)).name
    for packed in FORMATS:
        name = name.removesuffix(packed.suffix)
    return Path(name).stem


def _stems(profile: str) -> Iterator[str]:
    """Gives the stems of logs that a profile may be of, the longest first.

    `build.profile.json` is of `build.profile.log`, or of `build.log`.
    """
    name = PurePosixPath(plain_name(profile)).name
    yield name
    for end in range(len(name) - 1, -1, -1):
        if name[end] in _JOINTS:
            yield name[:end]
