"""Reads and writes the files of a dataset, in a folder or at a URL that fsspec knows.

A file appears under its name when it is complete.
"""

from __future__ import annotations

import codecs
import errno
import os
import sys
import tempfile
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import has_magic
from pathlib import Path
from typing import IO, Any, BinaryIO, Final, Protocol, cast

from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import base_name
from engine_layer_visualize.io.atomic_file import Spool, is_unfinished
from engine_layer_visualize.io.digest import hashed
from engine_layer_visualize.io.extras import install
from engine_layer_visualize.io.marks import Mark

_LOCK: Final = ".lock"


class Store(Protocol):
    """A place of files. Names have `/` between folders. All raise OSError."""

    def names(self, folder: str) -> list[str]:
        """The names of all files in a folder and below; none where it is not there."""
        return list(self.sizes(folder))

    @abstractmethod
    def sizes(self, folder: str) -> dict[str, int]:
        """The sizes in bytes of all files in a folder and below."""

    @abstractmethod
    def contents(self, folder: str) -> dict[str, bytes]:
        """The contents of all files in a folder."""

    @abstractmethod
    def reader(self, name: str) -> IO[bytes]:
        """A file to read, at any place."""

    @abstractmethod
    def writer(self, name: str, sync: bool = True) -> Any:
        """A context with a file to write to, which is there when the context ends without an error.

        Args:
            name: the file's.
            sync: whether it is whole even if the machine loses its power in the next moment.
        """

    @abstractmethod
    def delete(self, name: str) -> None:
        """Deletes a file; no error where it is not there."""

    def settle(self) -> None:
        """Sees to it that all is whole even if the machine loses its power."""
        return  # a remote file is whole, or it is not there

    def clean(self, folder: str) -> None:
        """Deletes what a killed run left half-written there; only while it is locked."""
        return

    @abstractmethod
    def locked(self) -> Any:
        """A context in which no other run writes. Raises ReadError (ELV506) where one does."""


def is_url(path: str) -> bool:
    """Whether a path is a URL."""
    return "://" in path


def filesystem(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path in it. Raises ReadError (ELV401, ELV502)."""
    try:
        from fsspec.core import url_to_fs

        system, path = url_to_fs(url)
    except ImportError as error:
        what = f"{error}" if "fsspec" not in str(error) else install("dask")
        message = f"a URL is read and written by fsspec: {what}"
        raise ReadError(Problem(Place(url), "ELV502", message)) from error
    except ValueError as error:
        raise ReadError(Problem(Place(url), "ELV401", f"cannot be opened: {error}")) from error
    return system, str(path)


def store(path: str) -> Store:
    """The place of a dataset. Raises ReadError."""
    if not is_url(path):
        return Folder(Path(path))
    system, inner = filesystem(path)
    return Folder(Path(inner)) if _is_of_this_machine(system) else Remote(system, inner)


def real(path: str) -> str:
    """What all spellings of a place have in common: `file:///logs`, `/logs`, a link to it.

    Raises:
        ReadError: a package is missing, or the URL cannot be opened.
    """
    if is_url(path):
        system, inner = filesystem(path)
        if not _is_of_this_machine(system):
            return str(system.unstrip_protocol(inner)).rstrip("/")
        path = inner
    with suppress(ValueError):  # a NUL in it
        path = os.path.realpath(path)
    return plain_name(path)


def _is_of_this_machine(system: Any) -> bool:
    from fsspec.implementations.local import LocalFileSystem

    return isinstance(system, LocalFileSystem)


class Folder(Store):
    """A folder of this machine."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def settle(self) -> None:
        """Writes all to the disk."""
        if hasattr(os, "sync"):  # Windows has no such call
            os.sync()  # one for 100,000 small files, each of which would wait by itself

    def clean(self, folder: str) -> None:
        """Deletes what a killed run left half-written there; only while it is locked."""
        for path in filter(is_unfinished, (self._path / folder).rglob(".*")):
            path.unlink(missing_ok=True)

    def sizes(self, folder: str) -> dict[str, int]:
        """The sizes in bytes of all files in a folder and below."""
        root = self._path / folder
        sizes = {}
        for path in root.rglob("*"):
            with suppress(FileNotFoundError):  # a run that is at work gives it its name
                if path.is_file():
                    sizes[path.relative_to(self._path).as_posix()] = path.stat().st_size
        return sizes

    def contents(self, folder: str) -> dict[str, bytes]:
        """The contents of all files in a folder."""
        contents = {}
        for name in self.names(folder):
            with suppress(FileNotFoundError):
                contents[name] = (self._path / name).read_bytes()
        return contents

    def reader(self, name: str) -> IO[bytes]:
        """A file to read, at any place."""
        return open(self._path / name, "rb")

    @contextmanager
    def writer(self, name: str, sync: bool = True) -> Iterator[BinaryIO]:
        """A context with a file to write to."""
        path = self._path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        spool = Spool(path.parent, path.name)
        try:
            yield spool.file
            spool.finish(path, sync)
        finally:
            spool.close()

    def delete(self, name: str) -> None:
        """Deletes a file; no error where it is not there."""
        (self._path / name).unlink(missing_ok=True)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """A context in which no other run writes.

        The system ends the lock with the process, however that ends.
        """
        self._path.mkdir(parents=True, exist_ok=True)
        with open(self._path / _LOCK, "ab") as file:
            try:
                _lock(file)
            except BlockingIOError:
                message = "another run writes into this dataset"
                hint = "start this one again when that one has ended"
                raise ReadError(Problem(Place(str(self._path)), "ELV506", message), hint) from None
            yield


if sys.platform == "win32":

    def _lock(file: IO[bytes]) -> None:
        import msvcrt

        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError from error

else:

    def _lock(file: IO[bytes]) -> None:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Remote(Store):
    """What fsspec reads and writes. There a file appears when it is closed."""

    def __init__(self, system: Any, root: str) -> None:
        self._system, self._root = system, root.rstrip("/")
        self._mark = Mark(system, self._root)

    def sizes(self, folder: str) -> dict[str, int]:
        """The sizes in bytes of all files in a folder and below."""
        self._system.invalidate_cache()
        try:
            files = self._system.find(f"{self._root}/{folder}", detail=True)
        except FileNotFoundError:
            return {}
        return {path[len(self._root) + 1 :]: int(file["size"] or 0) for path, file in files.items()}

    def contents(self, folder: str) -> dict[str, bytes]:
        """The contents of all files in a folder."""
        paths = [f"{self._root}/{name}" for name in self.names(folder)]
        if has_magic(self._root):  # `cat` would take the paths for patterns
            contents = {path: self._system.cat_file(path) for path in paths}
        else:
            contents = self._system.cat(paths) if paths else {}
        return {path[len(self._root) + 1 :]: data for path, data in contents.items()}

    def reader(self, name: str) -> IO[bytes]:
        """A file to read, at any place."""
        return cast("IO[bytes]", self._system.open(f"{self._root}/{name}", "rb"))

    @contextmanager
    def writer(self, name: str, sync: bool = True) -> Iterator[BinaryIO]:
        """A context with a file to write to."""
        path = f"{self._root}/{name}"
        self._system.makedirs(path.rpartition("/")[0], exist_ok=True)
        from io import BytesIO

        data = BytesIO()  # a file that is closed half-written would be there
        yield data
        self._mark.check()
        self._system.pipe_file(path, data.getvalue())

    def delete(self, name: str) -> None:
        """Deletes a file; no error where it is not there."""
        self._mark.check()
        try:
            self._system.rm_file(f"{self._root}/{name}")
        except FileNotFoundError:
            return

    def locked(self) -> Any:
        """A context in which no other run writes."""
        return self._mark.held()


def plain_name(path: str) -> str:
    """A path of this system with `/` between its folders."""
    return path.replace(os.sep, "/")


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, as `sha256sum` prints it. Raises OSError."""
    with open(path, "rb", buffering=0) as file:
        return hashed(file)


@contextmanager
def local(path: str) -> Iterator[tuple[Path, str | None]]:
    """A file of this machine: itself, or a copy of what a URL names, with its SHA-256.

    Raises:
        OSError: the file cannot be copied.
        ReadError: it can be read only once, a package is missing, or the URL cannot be opened.
    """
    if not is_url(path):
        if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
            message = "cannot be read: a pipe or a device, which can be read only once"
            raise ReadError(Problem(Place(path, 1), "ELV401", message))
        yield Path(path), None
        return
    system, inner = filesystem(path)
    with tempfile.TemporaryDirectory(prefix="elv-") as folder:
        copy = Path(folder) / (base_name(inner) or "log")
        with system.open(inner, "rb") as source, open(copy, "wb") as file:
            digest = hashed(source, file)
        yield copy, digest


def lines_of(path: str) -> list[str]:
    """The lines of a list of paths, which may be in any encoding; `-`: of stdin. Raises OSError."""
    if path == "-" and sys.stdin is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    return data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape").split("\n")
