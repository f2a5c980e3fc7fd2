"""One byte stream, whatever it is kept in; and files that appear whole."""

import gzip
import io
import itertools
import lzma
import os
import random
import sys
import threading
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import zstandard
from factories import chain
from logtext import ENCODINGS, file_of, pieces
from program import Patch, Program

from engine_layer_visualize.api import draw
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.io import atomic_file, source
from engine_layer_visualize.io.input_files import Folders
from engine_layer_visualize.io.source import Source, Span, decode

TEXT = "first\nzweite Zeile, länger\n\n\x1b[1mfourth\x1b[0m\r\n日本 fifth\nlast".encode()


def checked(spans: Iterator[Span]) -> bytes:
    """All data; asserts what every span promises."""
    data = b""
    for span in spans:
        assert span.data, "an empty span"
        assert not data or data.endswith(b"\n"), "only the input's last line may lack its newline"
        assert span.line == data.count(b"\n") + 1
        data += span.data
    return data


# ---- what it is kept in ------------------------------------------------------------------------


Pack = Callable[[bytes], bytes]
ONE: list[Pack] = [bytes, gzip.compress, lzma.compress, zstandard.compress]


def in_two(pack: Pack) -> Pack:
    """Members, streams or frames one after the other."""
    return lambda data: pack(data[:17]) + pack(data[17:])


PACKERS = [*ONE, *map(in_two, ONE[1:])]


@pytest.mark.parametrize("name", ["input", "build.log", "build.zst", "build.gz", "build.xz"])
@pytest.mark.parametrize("pack", PACKERS)
def test_told_by_content_and_not_by_name(tmp_path: Path, pack: Pack, name: str) -> None:
    packed = file_of(tmp_path, pack(TEXT), name)
    opened = Source(packed)
    assert checked(opened.spans()) == TEXT
    assert opened.problems == []
    assert opened.name == str(packed)
    assert opened.size == packed.stat().st_size


@pytest.mark.parametrize("pack", ONE)
def test_a_pipe_that_gives_byte_by_byte(monkeypatch: Patch, pack: Pack) -> None:
    data = io.BytesIO(pack(TEXT))
    pipe = SimpleNamespace(read=lambda size: data.read(1))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=pipe))
    assert checked(Source("-").spans()) == TEXT


def noise(lines: int) -> bytes:
    """Lines that no compressor makes small."""
    chance = random.Random(7)
    return b"".join(b"%064x\n" % chance.getrandbits(256) for _ in range(lines))


UNPACKERS: list[tuple[Pack, Pack]] = [
    (gzip.compress, lambda cut: zlib.decompressobj(wbits=31).decompress(cut)),
    (lzma.compress, lambda cut: lzma.LZMADecompressor().decompress(cut)),
    (zstandard.compress, lambda cut: zstandard.ZstdDecompressor().decompressobj().decompress(cut)),
]


@pytest.mark.slow
@pytest.mark.parametrize("lines", [6000, 20_000])
@pytest.mark.parametrize(("pack", "unpack"), UNPACKERS, ids=["gzip", "xz", "zstd"])
def test_a_cut_file_keeps_its_start(tmp_path: Path, pack: Pack, unpack: Pack, lines: int) -> None:
    data = noise(lines)
    packed = pack(data)
    cut = packed[: len(packed) * 2 // 3]
    readable = unpack(cut)
    assert len(data) // 4 < len(readable) < len(data)
    opened = Source(file_of(tmp_path, cut))
    assert checked(opened.spans()) == readable
    (problem,) = opened.problems
    assert (problem.code, problem.severity) == ("ELV108", "error")
    assert problem.place.file == str(tmp_path / "build.log")


DAMAGED = gzip.compress(noise(4000))


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        (gzip.compress(TEXT)[:-8], TEXT),  # without its check sum
        (b"\x1f\x8b", b""),
        (b"\xfd7zXZ\x00", b""),
        (b"\x28\xb5\x2f\xfd", b""),
        (DAMAGED[:9000] + bytes([DAMAGED[9000] ^ 0xFF]) + DAMAGED[9001:], None),
    ],
    ids=("no check sum", "gzip", "xz", "zstd", "one byte"),
)
def test_a_packed_file_that_is_damaged(tmp_path: Path, data: bytes, kept: bytes | None) -> None:
    opened = Source(file_of(tmp_path, data))
    assert checked(opened.spans()) == kept or kept is None
    assert [problem.code for problem in opened.problems] == ["ELV108"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_progress_counts_the_bytes_of_the_file(tmp_path: Path, pack: Pack) -> None:
    counts: list[int] = []
    path = file_of(tmp_path, pack(noise(20_000)))
    checked(Source(path, progress=lambda count, _: counts.append(count)).spans())
    assert counts == sorted(counts)
    assert counts[-1] == path.stat().st_size
    assert len(set(counts)) > 2


# ---- encodings ---------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_byte_order_marks(encoding: str, size: int) -> None:
    # U+0A0A and U+0A41 hold the byte of a newline, U+1F600 takes two units.
    text = "Layer(Conv): \u0a0a\u0a41, naïve \U0001f600\nsecond\n日本\n"
    opened = Source("build.log", chunks=pieces(f"\ufeff{text}".encode(encoding), size))
    assert checked(opened.spans()).decode() == text
    assert opened.problems == []


def test_bad_bytes_are_kept_apart() -> None:
    spellings = {decode(b"name " + bytes([byte])) for byte in range(256)}
    assert len(spellings) == 256
    assert decode(b"\xff\xfe caf\xe9 caf\xc3\xa9") == r"\xff\xfe caf\xe9 café"
    assert checked(Source("x", chunks=[b"a\xff\n", b"\xe9\n"]).spans()) == b"a\xff\n\xe9\n"


# ---- lines -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1000, 4096, 30_000])
@pytest.mark.parametrize("end", [b"\nafter\nmore\n", b"\nafter", b"\n", b""])
def test_a_line_over_the_limit(monkeypatch: Patch, size: int, end: bytes) -> None:
    monkeypatch.setattr(source, "MAX_LINE", 200_000)
    long = b"0123456789" * 30_000
    opened = Source("build.log", chunks=pieces(b"one\ntwo\n" + long + end, size))
    lines = checked(opened.spans()).split(b"\n")
    assert lines[:2] == [b"one", b"two"]
    assert long.startswith(lines[2]), "its start is kept"
    assert 0 < len(lines[2]) <= 200_000
    assert lines[3:] == end.split(b"\n")[1:], "and what comes after it"
    (problem,) = opened.problems
    assert (problem.code, problem.place.line) == ("ELV109", 3)


# ---- what cannot be opened ---------------------------------------------------------------------


UNOPENED = (".", "absent.log", "file/a.log", "loop", "a\0b", "x" * 5000, "/proc/self/mem")


@pytest.mark.parametrize("name", UNOPENED)
def test_what_cannot_be_opened(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    file_of(tmp_path, b"x", "file")
    with pytest.raises(ReadError) as caught:
        list(Source(path).spans())
    problem = caught.value.problem
    assert problem.code == "ELV401"
    assert (problem.place.line, problem.place.column) == (1, 1)
    assert str(path).startswith(problem.place.file.rstrip("…"))
    assert "\n" not in problem.message


def test_zstd_without_its_library(monkeypatch: Patch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(ReadError) as caught:
        list(Source(file_of(tmp_path, zstandard.compress(TEXT))).spans())
    assert caught.value.problem.code == "ELV401"
    assert "pip install zstandard, " in caught.value.hint


# ---- small inputs as text ----------------------------------------------------------------------


def test_text_has_a_limit(monkeypatch: Patch) -> None:
    """It is held where it is passed, not when all has been read."""
    monkeypatch.setattr(source, "MAX_WHOLE", 1_000)
    asked = itertools.count()
    with pytest.raises(ReadError, match="ELV109"):
        Source("x", chunks=(b"x\n" * 60 for _ in asked)).text()
    assert next(asked) < 12


@pytest.mark.parametrize("blank", [b"", b" \r\n\t"])
def test_json_may_be_one_long_line(blank: bytes) -> None:
    text = blank + b'{"a": "' + b"x" * source.MAX_LINE + b'"}'
    opened = Source("x", chunks=pieces(text, 1_000_000))
    assert b"".join(span.data for span in opened.spans()) == text
    assert Source("x", chunks=[b"[" + text]).text() == "[" + text.decode()
    assert opened.problems == []


def test_a_line_without_an_end_ends_the_reading(monkeypatch: Patch) -> None:
    monkeypatch.setattr(source, "MAX_LINE", 100)
    monkeypatch.setattr(source, "_HOPELESS", 1_000)

    def endless() -> Iterator[bytes]:
        while True:
            yield b"\0" * 50

    read = Source("zero", chunks=endless())
    (span,) = read.spans()
    assert (span.line, len(span.data)) == (1, 100)
    assert [problem.code for problem in read.problems] == ["ELV109"]


def test_an_xz_file_may_not_ask_for_all_memory(tmp_path: Path) -> None:
    """What a header asks for is taken before a byte is unpacked."""
    # Packing takes ten times as much, so it is a small one of which the header is changed.
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 16}]
    small = lzma.compress(TEXT, filters=filters)
    at = small.index(b"\x21\x01") + 2  # the filter's number, the length of its words, the size
    head = bytearray(small[12:24])
    head[at - 12] = 36  # 1 GiB
    crc = zlib.crc32(bytes(head[:8])).to_bytes(4, "little")
    source = Source(file_of(tmp_path, small[:12] + bytes(head[:8]) + crc + small[24:]))
    assert list(source.spans()) == []
    (problem,) = source.problems
    assert problem.code == "ELV108"
    assert "memory usage limit" in problem.message.lower()
    assert b"".join(s.data for s in Source(file_of(tmp_path, small)).spans()) == TEXT


# ---- no output is held whole where it needs not be ----------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("format", ["dot", "json"])
def test_text_goes_out_layer_by_layer(format: str) -> None:
    of = chain(*(f"Conv_{i}" for i in range(2_000)))
    pieces = list(draw.pieces(of, format))
    assert b"".join(pieces) == draw.render(of, format)
    assert max(map(len, pieces)) < sum(map(len, pieces)) / 100


@pytest.mark.skipif(sys.platform != "linux", reason="names of 255 bytes")
def test_a_name_as_long_as_the_system_has_them(tmp_path: Path) -> None:
    path = tmp_path / ("\N{GREEN HEART}" * 62 + ".svg")  # 252 bytes
    atomic_file.save(path, [b"whole"])
    assert path.read_bytes() == b"whole"


# ---- which files `mcp` may read: this holds without the SDK, too ---------------------------------


def _read(folders: Folders, path: str) -> bytes:
    with folders.files(path) as (file,):
        return Source(file).whole()


def test_no_path_leads_out_of_the_folders(tmp_path: Path) -> None:
    inside, secret = tmp_path / "in", tmp_path / "secret.log"
    (inside / "sub").mkdir(parents=True)
    secret.write_text("password")
    (inside / "link.log").symlink_to(secret)
    (inside / "up").symlink_to(tmp_path)
    (inside / "own.log").write_text("mine")
    folders = Folders([str(inside)])
    for path in ("../secret.log", str(secret), "link.log", "up/secret.log", "/proc/self/environ"):
        with pytest.raises(ValueError, match="leads out of the folders"):
            _read(folders, path)
    for path in ("nothing.log", "sub", "", "a\0b", "lone \ud800"):
        with pytest.raises(ValueError):
            _read(folders, path)
    assert _read(folders, "sub/../own.log") == b"mine"
    with folders.files("own.log"), pytest.raises(ReadError):  # another one, whatever was checked
        Source(secret).whole()
    assert [path for path, _ in folders.listed()] == [str(inside / "own.log")]


@pytest.mark.parametrize("what", ["file", "folder", "pipe"])
def test_what_is_swapped_meanwhile_is_never_read(tmp_path: Path, what: str) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    for folder, text in ((inside / "sub", "mine"), (outside, "password")):
        folder.mkdir(parents=True)
        (folder / "a.log").write_text(text)
    spare, place = tmp_path / "spare", inside / "sub" / "a.log"
    if what == "folder":
        place = inside / "sub"
        spare.symlink_to(outside)
    elif what == "file":
        spare.symlink_to(outside / "a.log")
    else:
        os.mkfifo(spare)
    ended = threading.Event()

    def swap() -> None:
        third = tmp_path / "third"
        while not ended.is_set():
            for before, after in ((place, third), (spare, place), (third, spare)):
                before.rename(after)

    folders, found = Folders([str(inside)]), []
    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(600):
            try:
                found.append(_read(folders, "sub/a.log"))
            except (ValueError, ReadError):
                found.append(b"")
    finally:
        ended.set()
        thread.join()
    assert {*found} == {b"mine", b""}


def test_a_folder_that_is_none(here: Program) -> None:
    told = here("mcp", "nofolder", code=2).stderr
    assert "ELV401" in told and "no such file or directory" in told
    assert "required: DIR" in here("mcp", code=2).stderr
