"""Writes a file whole or not at all, and locks one."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from time import sleep
from typing import IO, TYPE_CHECKING, BinaryIO, Final

from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.problems import Place, Problem, ReadError, reason_of
from engine_layer_visualize.io.processes import signals_wait

if TYPE_CHECKING:
    from pathlib import Path

_PAUSE: Final = 0.1  # seconds, while another process holds a lock
_BUFFER: Final = 1 << 16  # bytes; the pieces are small
_UNFINISHED: Final = lazy(r"\..*\.[0-9a-f]{12}", re.DOTALL)


class Spool:
    """A file that appears at its path when it is complete.

    Until then it lies in the same folder under another name; `close` removes it there.
    """

    def __init__(self, path: Path) -> None:
        from weakref import finalize  # slow to import

        self.path = path
        self._temporary = path.parent / f".{path.name[:48]}.{os.urandom(6).hex()}"
        # Removed also where a signal ends the program before `close`.
        self._gone = finalize(self, _remove, self._temporary)
        try:
            self.file: BinaryIO = open(self._temporary, "xb", buffering=_BUFFER)  # noqa: SIM115
        except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
            error.filename = str(path.parent)  # nobody has asked for the temporary name
            raise

    def write(self, data: Iterable[bytes]) -> None:
        """Appends the pieces. Raises OSError."""
        self.file.writelines(data)

    def complete(self, sync: bool = True) -> None:
        """Writes all to the disk and closes: `finish` then only renames. Raises OSError."""
        if sync and not self.file.closed:
            self.file.flush()
            os.fsync(self.file.fileno())
        self.file.close()

    def finish(self, sync: bool = True) -> None:
        """Writes to the disk, closes, renames. Raises OSError."""
        self.complete(sync)
        os.replace(self._temporary, self.path)
        self._gone.detach()

    def close(self) -> None:
        """Deletes the file, unless `finish` has given it its name."""
        if self._gone.alive:
            with suppress(OSError):  # it writes what is left, and the disk may be full
                self.file.close()
            self._gone()


class Together(ExitStack):
    """Files that get their names together, as a context manager.

    What `finish` has not named is deleted.

    Args:
        failed: is told of a file that cannot get its name; None: that is an error.
    """

    def __init__(self, failed: Callable[[Problem], None] | None = None) -> None:
        super().__init__()
        self._failed = failed
        self._complete: list[Spool] = []

    def spool(self, path: Path) -> Spool:
        """A file to write. Raises OSError."""
        return self.enter_context(closing(Spool(path)))

    def add(self, spool: Spool) -> None:
        """One that is written. Raises OSError."""
        spool.complete()
        self._complete.append(spool)

    def write(self, path: Path, data: Iterable[bytes]) -> None:
        """Writes a whole file. Raises ReadError (ELV501), and what `data` raises."""
        with writing(path), ExitStack() as failed:
            spool = self.spool(path)
            failed.callback(spool.close)  # others may have the room
            spool.write(data)
            self.add(spool)
            failed.pop_all()

    def finish(self) -> list[Path]:
        """Gives all their names; signals wait until that is done. Raises ReadError (ELV501)."""
        named = []
        with signals_wait():
            for spool in self._complete:
                try:
                    spool.finish()
                    named.append(spool.path)
                except OSError as error:
                    if self._failed is None:
                        raise cannot_write(spool.path, error) from error
                    self._failed(cannot_write(spool.path, error).problem)
        self._complete.clear()
        return named


def is_unfinished(path: Path) -> bool:
    """Whether it is a file that a `Spool` of a killed run left."""
    return _UNFINISHED.fullmatch(path.name) is not None and path.is_file()


def _remove(temporary: Path) -> None:
    with suppress(OSError):  # its folder may be gone, or may be read only by now
        temporary.unlink()


def save(path: Path, data: Iterable[bytes], sync: bool = True) -> None:
    """Puts `data` under `path` whole or not at all; without `sync`, unless the power fails."""
    with closing(Spool(path)) as spool:
        spool.write(data)
        spool.finish(sync)


def as_before(path: Path, data: Iterable[bytes], other: Exception) -> Iterator[bytes]:
    """Gives `data`. Raises `other` as soon as a file that is there holds anything else."""
    is_there = path.is_file() and path.stat().st_size > 0
    with open(path, "rb") if is_there else nullcontext() as before:
        for piece in data:
            if before is not None and before.read(len(piece)) != piece:
                raise other
            yield piece
        if before is not None and before.read(1):
            raise other


def new(path: Path) -> BinaryIO:
    """A file to write, where there is none. Raises OSError."""
    return open(path, "xb")


def settle(path: Path, time: int) -> None:
    """Writes a file to the disk, and gives it this time of change, in nanoseconds.

    Raises:
        OSError: the file cannot be written.
    """
    with open(path, "rb") as file:
        os.fsync(file.fileno())
    os.utime(path, ns=(time, time))


def make_folder(folder: Path, of: Path | None = None) -> None:
    """Makes a folder, where there is none. Raises ReadError (ELV501), which names the file `of`."""
    with writing(of or folder):
        folder.mkdir(parents=True, exist_ok=True)


@contextmanager
def writing(path: Path | str) -> Iterator[None]:
    """Raises ReadError (ELV501) where the block, which writes there, raises OSError."""
    try:
        yield
    except OSError as error:
        raise cannot_write(path, error) from error


def cannot_write(path: Path | str, error: OSError) -> ReadError:
    """ELV501 with the system's words, but where these do not say what is wrong."""
    if isinstance(error, ReadError):  # of a file that is read
        return error
    reason = reason_of(error)
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        reason = "a file stands in the place of the folder"
    return ReadError(Problem(Place(str(path)), "ELV501", f"cannot be written: {reason}"))


@contextmanager
def alone(path: Path, wait: Callable[[], None]) -> Iterator[None]:
    """Holds the lock of a file, which is made. The system gives it back with the process' end.

    Args:
        path: the file.
        wait: is called once where another process holds it, before that is waited for.

    Raises:
        OSError: the file cannot be made.
    """
    with open(path, "ab") as file:
        if not _locked(file):
            wait()
            while not _locked(file):
                sleep(_PAUSE)
        yield


def _locked(file: IO[bytes]) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
