"""One byte stream, whatever it is kept in.

takes: a path, `-` (stdin) or chunks of bytes; plain, gzip, xz or zstd; UTF-8, or UTF-16/32 with a BOM
gives: spans of whole lines in UTF-8 with the number of their first line, in bounded memory
never: knows what a line means
"""

from __future__ import annotations

import codecs
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from engine_layer_visualize.errors import Place, Problem, ReadError

CHUNK: Final = 1 << 18  # fits the second-level cache: searching is then a third cheaper
MAX_LINE: Final = 16 << 20  # a record reaches 160 kB; past this, a line is no line
_KEPT: Final = 1 << 16  # what stays of a longer one

_GZIP, _XZ, _ZSTD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
# UTF-32's little-endian mark begins with UTF-16's: longest first.
_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF8, "utf-8"),
)


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Span:
    """Whole lines; only the input's last may lack its `\\n`. `line` numbers the first from 1."""

    line: int
    data: bytes


class Source:
    """An input, read once from front to back.

    `name` stands in places. `problems` grows while the spans are read. `progress` is called with
    the bytes read so far of the file itself (compressed ones count as such); `size` is that file's
    length, None where it cannot be known.
    """

    def __init__(
        self,
        path: str | Path | None,
        *,
        chunks: Iterable[bytes] | None = None,
        name: str | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.name = name or ("<stdin>" if path in ("-", None) else str(path))
        self.problems: list[Problem] = []
        self.size: int | None = None
        self._path = path
        self._chunks = chunks
        self._progress = progress

    def spans(self) -> Iterator[Span]:
        """Raises ReadError (ELV401) where nothing can be opened."""
        chunks = iter(self._chunks) if self._chunks is not None else self._file_chunks()
        return self._numbered(_decoded(chunks))

    def text(self, limit: int = 1 << 30) -> str:
        """The whole stream as text; for inputs that are small by nature (a profile)."""
        data = b"".join(span.data for span in self.spans())
        if len(data) > limit:
            raise ReadError(Problem(Place(self.name, 1), "ELV109", f"larger than {limit} bytes"))
        return decode(data)

    def _file_chunks(self) -> Iterator[bytes]:
        try:
            if self._path == "-":
                yield from self._opened(sys.stdin.buffer)
                return
            path = Path(str(self._path))
            if path.is_dir():
                raise ReadError(
                    Problem(Place(self.name, 1), "ELV401", "this is a folder, not a log"),
                    "name the log file inside it",
                )
            with open(path, "rb") as file:
                self.size = path.stat().st_size or None
                yield from self._opened(file)
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            reason = getattr(error, "strerror", None) or str(error)
            raise ReadError(
                Problem(Place(self.name, 1), "ELV401", f"cannot be read: {reason.lower()}")
            ) from error

    def _opened(self, file: BinaryIO) -> Iterator[bytes]:
        head = b""
        while len(head) < 6 and (more := file.read(CHUNK)):
            head += more
        raw = _Raw(head, file, self._progress)
        if head.startswith(_GZIP):
            import gzip

            yield from self._unpacked(gzip.GzipFile(fileobj=raw))  # type: ignore[call-overload]
        elif head.startswith(_XZ):
            import lzma

            yield from self._unpacked(lzma.LZMAFile(raw))  # type: ignore[arg-type]
        elif head.startswith(_ZSTD):
            yield from self._unpacked(_zstd(raw, self.name))
        else:
            while chunk := raw.read(CHUNK):
                yield chunk

    def _unpacked(self, file: _Readable) -> Iterator[bytes]:
        import zlib
        from lzma import LZMAError

        # EOFError: cut short. zstandard's error class is an Exception of its own.
        errors: tuple[type[Exception], ...] = (EOFError, OSError, zlib.error, LZMAError)
        zstd = sys.modules.get("zstandard")
        if zstd is not None:
            errors = (*errors, zstd.ZstdError)
        try:
            while chunk := file.read(CHUNK):
                yield chunk
        except errors as error:
            self.problems.append(
                Problem(Place(self.name, 1), "ELV108", f"the compressed file is damaged: {error}")
            )

    def _numbered(self, chunks: Iterator[bytes]) -> Iterator[Span]:
        line, rest, length = 1, [], 0
        for chunk in chunks:
            cut = chunk.rfind(b"\n") + 1
            if not cut:
                length += len(chunk)
                if length <= MAX_LINE:
                    rest.append(chunk)
                continue
            data = self._first_whole(chunk[:cut], rest, length, line)
            yield Span(line, data)
            # len - replace counts newlines seven times faster than bytes.count before 3.13
            line += len(data) - len(data.replace(b"\n", b""))
            rest, length = [chunk[cut:]], len(chunk) - cut
        if length:
            yield Span(line, self._first_whole(b"", rest, length, line))

    def _first_whole(self, data: bytes, rest: list[bytes], length: int, line: int) -> bytes:
        end = data.find(b"\n")
        length += len(data) if end < 0 else end
        if length <= MAX_LINE:
            return b"".join((*rest, data))
        self.problems.append(
            Problem(
                Place(self.name, line),
                "ELV109",
                f"a line of {length >> 20} MiB, only its start was read (limit {MAX_LINE >> 20} MiB)",
            )
        )
        return b"".join(rest)[:_KEPT] + (data[end:] if end >= 0 else b"")


class _Raw:
    """A file whose first bytes were already read, counting what goes through."""

    def __init__(self, head: bytes, file: BinaryIO, progress: Callable[[int], None] | None) -> None:
        self._head, self._file, self._progress = head, file, progress
        self._count = 0

    def read(self, size: int = -1) -> bytes:
        if self._head:
            if 0 <= size < len(self._head):
                data, self._head = self._head[:size], self._head[size:]
            else:
                data, self._head = self._head, b""
        else:
            data = self._file.read(size)
        self._count += len(data)
        if self._progress is not None:
            self._progress(self._count)
        return data

    # what gzip and lzma ask of a file object
    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        pass

    @property
    def closed(self) -> bool:
        return False


def _zstd(raw: _Raw, name: str) -> _Readable:
    try:
        import zstandard
    except ImportError:
        raise ReadError(
            Problem(Place(name, 1), "ELV401", "a zstd file, and nothing here can unpack it"),
            "pip install 'engine_layer_visualize[zstd]', or unpack it and pipe it in: "
            "zstd -dc FILE | python -m engine_layer_visualize --log_file -",
        ) from None
    reader: _Readable = zstandard.ZstdDecompressor().stream_reader(
        raw,  # type: ignore[arg-type]
        read_across_frames=True,
    )
    return reader


def _decoded(chunks: Iterator[bytes]) -> Iterator[bytes]:
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= 4:
            break
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            head = head[len(mark) :]
            break
    else:
        encoding = "utf-8"
    if encoding == "utf-8":  # bad bytes are kept; `decode` spells them
        if head:
            yield head
        yield from chunks
        return
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    yield decoder.decode(head).encode("utf-8", "replace")
    for chunk in chunks:
        yield decoder.decode(chunk).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


def decode(data: bytes) -> str:
    """UTF-8; a byte that is none is spelled `\\xNN`, so that no two names fall together."""
    return data.decode("utf-8", "backslashreplace")
