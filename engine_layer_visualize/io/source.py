"""Reads one byte stream, whatever it is kept in, in bounded memory.

A path, `-` or chunks of bytes; plain, gzip, xz or zstd; UTF-8, or UTF-16/32 with a BOM. It is given
as spans of whole lines in UTF-8, with the number of their first line.
"""

from __future__ import annotations

import codecs
import errno
import itertools
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from typing import BinaryIO, Final, NamedTuple

from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.problems import (
    MissingFileError,
    Place,
    Problem,
    ReadError,
    reason_of,
)
from engine_layer_visualize.io.input_files import FORMATS, Digest, Library, open_input

CHUNK: Final = 1 << 18  # fits the second-level cache: searching is then a third cheaper
MAX_LINE: Final = 16 << 20  # a record reaches 160 kB; past this, a line is no line
MAX_WHOLE: Final = 1 << 30  # of what is read as one text: 5,000,000 layers or rows have half of it
HEAD: Final = 1 << 16  # bytes by which a file's format is found
_KNOWN_BY: Final = 6  # bytes of a compression, or of a text's encoding
_KEPT: Final = 1 << 16  # what stays of a longer one
_HOPELESS: Final = 4 << 30  # after so much of one line nothing more is read: it is /dev/zero
# `[CONSTANT #11] …` is a row of times.
JSON: Final = lazy(rb'\s*(?:\{\s*["}]|\[\s*(?:[{"\[\]]|\Z))')
_COLOR: Final = lazy(rb"(?:\x1b\[[0-9;]{0,20}m)+\Z")

# UTF-32's little-endian mark begins with UTF-16's: longest first.
_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF8, "utf-8"),
)


_HALVES: Final = ((1, "utf-16-le"), (0, "utf-16-be"))


class Span(NamedTuple):
    """Whole lines: `buffer[start:stop]`, which is not copied out of what was read.

    Only the input's last line may lack its newline. `line` numbers the first from 1; `offset` is
    where it begins in the file, None where that cannot be read again (a pipe, a compressed file) or
    holds other bytes. `wrapped`: the same lines before anything was taken off; empty: nothing was.
    """

    line: int
    buffer: bytes
    start: int
    stop: int
    offset: int | None = None
    wrapped: bytes = b""

    @property
    def data(self) -> bytes:
        """The lines' bytes, copied."""
        return self.buffer[self.start : self.stop]


def mark_of(head: bytes) -> tuple[bytes, str]:
    """The byte order mark that a text begins with, and the text's encoding."""
    mark = next((m for m in _MARKS if head.startswith(m[0])), None)
    if mark is None and len(head) >= 4 and head[:4].count(0) == 2:  # half of each character
        mark = next(((b"", each) for at, each in _HALVES if not any(head[at:4:2])), None)
    return mark or (b"", "utf-8")


class Source:
    """An input, read once from front to back.

    `name` stands in places. `problems` grows while the spans are read. `progress` is called with
    the bytes read so far of the file itself (compressed ones count as such), and with `size`, that
    file's length, None where it cannot be known. `digest`: its SHA-256, when all is read.
    `unwrap`: what all spans go through.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        *,
        chunks: Iterable[bytes] | None = None,
        name: str | None = None,
        progress: Callable[[int, int | None], None] | None = None,
        max_line: int | None = None,
        unwrap: Callable[[Iterator[Span]], Iterator[Span]] = iter,
    ) -> None:
        self._max_line = MAX_LINE if max_line is None else max_line
        path = os.fspath(path) if isinstance(path, os.PathLike) else path
        self.name = name or ("<stdin>" if path in ("-", None) else str(path))
        self.problems: list[Problem] = []
        self.digest = Digest()
        self.size: int | None = None
        self._plain = False  # a file that can be read again, at any place
        self._path = path
        self._chunks = chunks
        self._progress = progress
        self._unwrap = unwrap
        self._raw: Iterator[bytes] | None = None
        self._spans: Iterator[Span] | None = None

    def head(self, size: int = HEAD) -> bytes:
        """The first `size` bytes, or all there are; `spans` and `text` give them again.

        Raises ReadError (ELV401): nothing to open.
        """
        head, self._spans = begun(self.spans(), size)
        return head

    def again(self) -> Source | None:
        """The source from its start; None where it can be read only once."""
        if self._chunks is not None or self._path in ("-", None) or not os.path.isfile(self._path):
            return None
        return Source(self._path, name=self.name, unwrap=self._unwrap)

    def spans(self) -> Iterator[Span]:
        """All spans, from where it stands. Raises ReadError (ELV401): nothing to open."""
        if self._spans is None:
            self._spans = self._unwrap(self._numbered(self._decoded(self._bytes())))
        return self._spans

    def start(self) -> bytes:
        """The first bytes, before a line is looked for: of a binary file that may have none."""
        chunks = self._bytes()
        first = next(chunks, b"")
        self._raw = itertools.chain([first], chunks)
        return first

    def _bytes(self) -> Iterator[bytes]:
        """Unpacked, as they stand in the file."""
        if self._raw is not None:
            return self._raw
        given = self._chunks
        return self._file_chunks() if given is None else self.digest.passed(iter(given))

    def text(self) -> str:
        """The whole source as text: for profiles, small by nature.

        Raises ReadError (ELV109) past MAX_WHOLE bytes, before more is read.
        """
        return decode(self.whole())

    def whole(self) -> bytes:
        """The same as bytes."""
        self._max_line = MAX_WHOLE
        parts, length = [], 0
        for span in self.spans():
            parts.append(span.data)
            length += len(parts[-1])
            if length > MAX_WHOLE:
                raise self.too_large()
        return b"".join(parts)

    def too_large(self) -> ReadError:
        """ELV109: of a file that cannot be read line by line."""
        message = f"larger than {MAX_WHOLE >> 20} MiB, and only a log of lines may be that large"
        return ReadError(self._problem("ELV109", message))

    def _problem(self, code: str, message: str, line: int = 1) -> Problem:
        return Problem(Place(self.name, line), code, message)

    def _file_chunks(self) -> Iterator[bytes]:
        """The file's bytes, unpacked. Raises ReadError (ELV401)."""
        begun = False
        try:
            is_stdin = self._path == "-"
            if is_stdin and sys.stdin is None:
                raise OSError(errno.EBADF, os.strerror(errno.EBADF))
            if not isinstance(self._path, str):
                given = type(self._path).__name__
                raise TypeError(f"a path is wanted (str or pathlib.Path), not {given}")
            path = self._path
            if "\n" in path and not os.path.exists(path):
                what = "no such file: this looks like the text of one"
                problem = Problem(Place(f"{path:.40}…", 1), "ELV401", what)
                raise ReadError(problem, "put the text into a file, and give that file's path")
            if not is_stdin and os.path.isdir(path):
                problem = self._problem("ELV401", "this is a folder, not a log")
                raise ReadError(problem, "name the log file inside it")
            with nullcontext(sys.stdin.buffer) if is_stdin else open_input(path) as file:
                chunks = self._in_chunks(file)
                if not is_stdin and os.path.isfile(path):
                    self.size = os.stat(path).st_size or None
                    self.digest.later(path, file)
                    self._plain = file.seekable()
                else:
                    chunks = self.digest.passed(chunks)
                for chunk in self._opened(chunks):
                    begun = True
                    yield chunk
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            reason = f"cannot be read: {reason_of(error)}"
            if not begun:
                kind = MissingFileError if isinstance(error, FileNotFoundError) else ReadError
                raise kind(self._problem("ELV401", reason)) from error
            # a disk or a network that fails half way: what came is kept
            self.problems.append(self._problem("ELV108", f"the rest {reason}"))

    def _in_chunks(self, file: BinaryIO) -> Iterator[bytes]:
        """A file's bytes, as they come."""
        read: Callable[[int], bytes] = getattr(file, "read1", file.read)
        count = 0
        while chunk := read(CHUNK):
            count += len(chunk)
            if self._progress is not None:
                self._progress(count, self.size)
            yield chunk

    def _opened(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """The bytes of an open file, unpacked where its first bytes name a compression."""
        head = _start(chunks)
        chunks = itertools.chain([head], chunks)
        library = next((library for _, magic, library in FORMATS if head.startswith(magic)), None)
        if library is None:
            yield from chunks
        else:
            self._plain = False
            yield from self._unpacked(chunks, library(self.name))

    def stretch(self, begin: int, end: int) -> Iterator[bytes]:
        """Whole lines of `[begin, end)` of a file whose spans have offsets, in pieces.

        Raises ReadError (ELV401) where the file is there no more.
        """
        try:
            with open_input(str(self._path)) as file:
                file.seek(begin)
                while begin < end and (piece := file.read(min(CHUNK, end - begin))):
                    if begin + len(piece) < end:
                        piece += file.readline(self._max_line)
                    begin += len(piece)
                    yield piece
        except OSError as error:
            reason = f"cannot be read: {reason_of(error)}"
            raise ReadError(self._problem("ELV401", reason)) from error

    def _unpacked(self, chunks: Iterator[bytes], library: Library) -> Iterator[bytes]:
        """In pieces of bounded size; what comes before damage is kept."""
        member = library.member()
        try:
            for data in chunks:
                while data:
                    if member.eof:  # files put one after another are one file
                        member = library.member()
                    piece, data = library.unpack(member, data)
                    if piece:
                        yield piece
                    if member.eof and not data.strip(b"\0"):  # padding
                        break
        except library.error as error:
            self._damaged(str(error))
            return
        if not member.eof:
            self._damaged("it ends in the middle")

    def _damaged(self, how: str) -> None:
        self.problems.append(self._problem("ELV108", f"the compressed file is damaged: {how}"))

    def _decoded(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """The chunks as UTF-8, without a byte order mark."""
        head = _start(chunks)
        mark, encoding = mark_of(head)
        self._plain = self._plain and not mark
        chunks = itertools.chain([head[len(mark) :]], chunks)
        if encoding == "utf-8":  # bad bytes are kept; `decode` spells them
            yield from chunks
            return
        for text in codecs.iterdecode(chunks, encoding, "replace"):
            yield text.encode("utf-8", "replace")

    def _numbered(self, chunks: Iterator[bytes]) -> Iterator[Span]:
        """Cuts the chunks at the ends of lines."""
        line, rest, length, offset = 1, [], 0, 0
        for chunk in chunks:
            if line == 1 and not length and JSON.match(chunk):
                self._max_line = MAX_WHOLE  # JSON may be one line
            first, cut = chunk.find(b"\n") + 1, chunk.rfind(b"\n") + 1
            if not cut:
                length += len(chunk)
                if length <= self._max_line:
                    rest.append(chunk)
                elif self._max_line == MAX_WHOLE:
                    raise self.too_large()
                if length > _HOPELESS:
                    break
                continue
            # The line that began in the chunk before this one, then the others where they are.
            data = self._bounded(rest, chunk[:first], length + first - 1, line)
            yield Span(line, data, 0, len(data), offset if self._plain else None)
            line, offset = line + 1, offset + length + first
            if first < cut:
                yield Span(line, chunk, first, cut, offset if self._plain else None)
                # len - replace counts newlines seven times faster than bytes.count before 3.13
                line += len(chunk) - len(chunk.replace(b"\n", b"")) - 1
                offset += cut - first
            rest, length = [chunk[cut:]], len(chunk) - cut
        if length:
            data = self._bounded(rest, b"", length, line)
            yield Span(line, data, 0, len(data), offset if self._plain else None)

    def _bounded(self, rest: list[bytes], end: bytes, length: int, line: int) -> bytes:
        """The line that the pieces make; only its start where it is longer than the limit."""
        if length <= self._max_line:
            return b"".join((*rest, end))
        how = f"a line of {length >> 20} MiB, over {self._max_line / (1 << 20):.3g}"
        self.problems.append(self._problem("ELV109", f"{how}: only its start was read", line))
        return b"".join(rest)[:_KEPT] + end[-1:]


def begun(spans: Iterator[Span], size: int) -> tuple[bytes, Iterator[Span]]:
    """The first `size` bytes, or all there are; and all spans."""
    ahead, parts, length = [], [], 0
    for span in spans:
        ahead.append(span)
        parts.append(span.buffer[span.start : min(span.stop, span.start + size - length)])
        length += len(parts[-1])
        if length >= size:
            break
    return b"".join(parts), itertools.chain(ahead, spans)


def _start(chunks: Iterator[bytes]) -> bytes:
    """Takes the first bytes, by which a file is known."""
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= _KNOWN_BY:
            break
    return head


def line_start(data: bytes, offset: int) -> int:
    """Where the line starts that holds this offset."""
    return data.rfind(b"\n", 0, offset) + 1


def line_end(data: bytes, offset: int) -> int:
    """Where the line ends that holds this offset, its newline included."""
    return data.find(b"\n", offset) + 1 or len(data)


def line_words(line: bytes) -> bytes:
    """The words of a line: without its end, and without the colour's that a terminal's log has."""
    line = line.rstrip(b"\r\n")
    return line[:-32] + _COLOR.sub(b"", line[-32:]) if b"\x1b" in line else line


def decode(data: bytes) -> str:
    r"""UTF-8; a byte that is none is spelled `\\xNN`, so that no two names fall together."""
    return data.decode("utf-8", "backslashreplace")
