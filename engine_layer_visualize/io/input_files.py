"""Opens files to be read: those that may be, packed ones too; and computes their SHA-256."""

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from engine_layer_visualize.core.problems import MissingFileError, Place, Problem, ReadError

if TYPE_CHECKING:
    from pathlib import Path

Identity = tuple[int, int]  # device and inode: of no other file while it is open
_ALLOWED: Final[ContextVar[frozenset[Identity] | None]] = ContextVar("allowed", default=None)
_NO_WAIT: Final = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # not at a FIFO
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_FOLDER: Final = getattr(os, "O_DIRECTORY", 0)


def must_exist(files: Iterable[str]) -> None:
    """Raises MissingFileError (ELV401) for a file that is not there: then nothing is read."""
    for file in files:
        if file != "-" and not os.path.lexists(file):
            message = "cannot be read: no such file or directory"
            raise MissingFileError(Problem(Place(file, 1), "ELV401", message))


def open_input(path: "str | Path") -> BinaryIO:
    """Opens a file to read bytes. Raises OSError; FileNotFoundError for one that is not allowed."""
    allowed = _ALLOWED.get()
    if allowed is None:
        return open(path, "rb")
    descriptor = os.open(path, os.O_RDONLY | _NO_WAIT)
    if _identity(descriptor) not in allowed:
        os.close(descriptor)
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    return open(descriptor, "rb")


@contextmanager
def _kept_open(folder: "Path", file: "Path") -> Iterator[Identity]:
    """Keeps a file of a folder open, so that no other one can be taken for it meanwhile.

    It is opened by each folder on the way, none of which may be a link.

    Raises:
        OSError: it cannot be opened so, or is no regular file.
    """
    parts = (str(folder), *file.relative_to(folder).parts)
    if os.open not in os.supports_dir_fd:  # Windows, where to make a link needs a right
        parts = (str(file),)
    with ExitStack() as held:
        at = None
        for number, part in enumerate(parts, 1):
            kind = _NO_WAIT if number == len(parts) else _FOLDER
            at = os.open(part, os.O_RDONLY | _NO_LINK | kind, dir_fd=at)
            held.callback(os.close, at)
        known = None if at is None else _identity(at)
        if known is None or os.path.realpath(file) != str(file):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        yield known


def _identity(descriptor: int) -> Identity | None:
    """Returns which file is open there; None where it is no regular one."""
    state = os.fstat(descriptor)
    return (state.st_dev, state.st_ino) if stat.S_ISREG(state.st_mode) else None


# ---- the files of some folders, which `mcp` may read ---------------------------------------------


class Folders:
    """Folders, in which alone files may be read.

    Raises:
        ReadError: ELV401, where one of them is no folder.
    """

    def __init__(self, folders: Sequence[str]) -> None:
        from pathlib import Path  # slow to import

        self._given = [Path(os.path.realpath(folder)) for folder in folders]
        for given, folder in zip(folders, self._given):
            if not folder.is_dir():
                raise ReadError(Problem(Place(given), "ELV401", "this is no folder"))

    @contextmanager
    def files(self, *paths: str) -> Iterator[list[str]]:
        """Gives the files that paths lead to, with all links followed; no other can be opened.

        A path that is not absolute is looked for in each folder.

        Raises:
            ValueError: one leads out of the folders, or to no regular file. What stands outside is
                not told.
        """
        with ExitStack() as held:
            found = [self._found(path, held) for path in paths]
            # This thread opens no other files, whatever stands at a path meanwhile.
            before = _ALLOWED.set(frozenset(known for _, known in found))
            held.callback(_ALLOWED.reset, before)
            yield [path for path, _ in found]

    def _found(self, path: str, held: ExitStack) -> tuple[str, Identity]:
        """Opens a file and keeps it open: no other file is taken for it meanwhile."""
        why = "this path leads out of the folders of this server"
        for given in self._given:
            try:
                real = type(given)(os.path.realpath(given / path))
                for folder in self._given:
                    if real.is_relative_to(folder):
                        why = "there is no such file in the folders of this server"
                        return str(real), held.enter_context(_kept_open(folder, real))
            except (OSError, ValueError):  # such as a name that is too long, or has a NUL
                continue
        raise ValueError(why)

    def listed(self) -> Iterator[tuple[str, os.stat_result]]:
        """Yields the regular files of the folders, with what the system knows of each."""
        for given in self._given:
            for folder, folders, names in os.walk(given):
                folders.sort()
                for name in sorted(names):
                    path = os.path.join(folder, name)
                    with suppress(OSError):
                        if stat.S_ISREG((state := os.lstat(path)).st_mode):
                            yield path, state


# ---- packed files --------------------------------------------------------------------------------

_PIECE: Final = 1 << 18
_STEP: Final = 1 << 10
_XZ_MEMORY: Final = 1 << 28  # bytes; `xz -9` needs a quarter, a header may ask for 4 GiB
_DIGEST_PIECE: Final = 1 << 20


class Library(NamedTuple):
    """What unpacks a compression, member by member of a file."""

    #: Begins a member, whose `eof` tells that it has ended.
    member: Callable[[], Any]
    #: What a damaged one raises.
    error: type[Exception]
    #: Of a member and data: a piece of bounded size, and what is left for the next call.
    unpack: Callable[[Any, bytes], tuple[bytes, bytes]]


def _zlib_piece(member: Any, data: bytes) -> tuple[bytes, bytes]:
    piece = member.decompress(data, _PIECE)
    return piece, member.unused_data if member.eof else member.unconsumed_tail


def _kept_piece(member: Any, data: bytes) -> tuple[bytes, bytes]:
    """Of what keeps itself what it has not read."""
    piece = member.decompress(data if member.needs_input else b"", _PIECE)
    if member.eof:
        return piece, member.unused_data
    return piece, b"" if member.needs_input else data


def _step_piece(member: Any, data: bytes) -> tuple[bytes, bytes]:
    """Of what takes no limit; small steps bound a piece by zstd's largest ratio instead."""
    piece, rest = member.decompress(data[:_STEP]), data[_STEP:]
    return piece, member.unused_data + rest if member.eof else rest


def _gzip(name: str) -> Library:
    import zlib

    return Library(lambda: zlib.decompressobj(31), zlib.error, _zlib_piece)


def _xz(name: str) -> Library:
    import lzma

    return Library(lambda: lzma.LZMADecompressor(memlimit=_XZ_MEMORY), lzma.LZMAError, _kept_piece)


def _zstd(name: str) -> Library:
    with suppress(ImportError):  # of Python 3.14, and so of the browser's
        zstd = import_module("compression.zstd")
        return Library(zstd.ZstdDecompressor, zstd.ZstdError, _kept_piece)
    try:
        import zstandard
    except ImportError:
        problem = Problem(Place(name, 1), "ELV401", "a zstd file, and nothing here can unpack it")
        raise ReadError(problem, "pip install zstandard, or unpack it: zstd -d FILE") from None
    return Library(
        lambda: zstandard.ZstdDecompressor().decompressobj(), zstandard.ZstdError, _step_piece
    )


# The end of the names of such files, the first bytes of one, and what imports its library, for the
# file's name; that raises ReadError (ELV401) where it is missing.
FORMATS: Final = (
    (".gz", b"\x1f\x8b", _gzip),
    (".xz", b"\xfd7zXZ\x00", _xz),
    (".zst", b"\x28\xb5\x2f\xfd", _zstd),
)


def unpacked_name(name: str) -> str:
    """`build.log` of `build.log.gz`."""
    for suffix, _, _ in FORMATS:
        name = name.removesuffix(suffix)
    return name


class Digest:
    """The SHA-256 of a log as it lies on the disk, compressed or not. None: it is not known.

    A file is read for it only where somebody asks; a pipe, which can be read once, while it is
    read.
    """

    def __init__(self) -> None:
        self._hex: str | None = None
        self._file: tuple[str, tuple[int, ...]] | None = None

    def __call__(self) -> str | None:
        """The hex digits of the log.

        None where a pipe was not read to its end, or where the file is another one by now.
        """
        if self._file is not None:
            (path, state), self._file = self._file, None
            with suppress(OSError), open_input(path) as file:
                digest = _hashed(file)
                self._hex = digest if _state(file) == state else None
        return self._hex

    def later(self, path: str, file: IO[bytes]) -> None:
        """The log is this file, which is open now."""
        # `abspath` would take `..` behind a link away; the folder may be gone.
        whole = path if os.path.isabs(path) else os.path.join(os.getcwd(), path)
        self._file = whole, _state(file)

    def passed(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Gives the chunks on, which are all of the log."""
        from hashlib import sha256  # slow to import

        digest = sha256()
        for chunk in filter(None, chunks):
            digest.update(chunk)
            yield chunk
        self._hex = digest.hexdigest()

    def __eq__(self, other: object) -> bool:
        """Engines are equal where they hold the same, of whichever file."""
        return isinstance(other, Digest)

    def __hash__(self) -> int:
        return hash(Digest)


def of_file(path: "str | Path") -> str:
    """The SHA-256 of a file. Raises OSError."""
    with open_input(path) as file:
        return _hashed(file)


def _hashed(file: IO[bytes]) -> str:
    from hashlib import sha256  # slow to import

    digest = sha256()
    while piece := file.read(_DIGEST_PIECE):
        digest.update(piece)
    return digest.hexdigest()


def _state(file: IO[bytes]) -> tuple[int, ...]:
    """What changes with the content."""
    status = os.fstat(file.fileno())
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
