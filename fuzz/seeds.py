"""The first inputs: the fixtures, in the pieces that a target reads, and the corpus.

A kind of seed in, inputs out.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
FIXTURES: Final = ROOT / "fixtures"
CORPUS: Final = Path(__file__).parent / "corpus"
LONGEST: Final = 6_000  # bytes: longer inputs are slow, and hold nothing new


def files(*patterns: str) -> Iterator[bytes]:
    """Fixtures, whole where they are short enough, else their first lines and their last."""
    for pattern in patterns:
        for path in sorted(FIXTURES.glob(pattern)):
            data = path.read_bytes()
            if len(data) <= LONGEST:
                yield data
            else:
                yield data[:LONGEST]
                yield data[-LONGEST:]


def logs() -> Iterator[bytes]:
    yield from files("*/*.log")


def streams() -> Iterator[bytes]:
    """The first byte says how the rest is cut."""
    for data in files("broken/*.log", "broken/*.log.*"):
        yield b"\x07" + data


def listings(header: bytes) -> Iterator[bytes]:
    """What follows a header in a log, that many lines of it."""
    for data in files("*/*.log"):
        parts = data.split(header)[1:]
        yield from (part[:LONGEST].removeprefix(b"\n") for part in parts)


def inspections() -> Iterator[bytes]:
    yield from files("inspector_json/*[a-z].json")


def times() -> Iterator[bytes]:
    yield from files("*/*.profile.*")


def iterations() -> Iterator[bytes]:
    for data in files("times/*.json"):
        yield from (data, data[:600] + b"]", data.replace(b"1", b"1e30"), b"[" + data + b"]")


def snapshots() -> Iterator[bytes]:
    iterations = (
        b'{"file": "a", "ms": 1.5, "off": [-0.1, 0, 0.1], "kind": "iterations",'
        b' "digest": "a1", "drift": 0}'
    )
    profile = b'{"file": "p", "ms": 0, "off": [], "kind": "layers", "digest": "", "drift": 0}'
    named = b'[["a/Conv"], ["b"], [0, 2], "convolution", [64, -1], [%s]]'
    unnamed = b'[[], [], [1], "kgen", [], [%s]]'
    groups = b'"groups": [%s]'
    yield _snapshot(1, b'"x"', iterations, profile, groups % (named % b"0.5"))
    yield _snapshot(1, b"null", b"", b"", groups % (named % b"" + b", " + unnamed % b""))
    listing = (
        b'"kinds": [["CaskConvolution", null, null, true, false],'
        b' ["Reformat", null, null, false, true],'
        b' ["kgen", ["9", "[1,1]", null, null], "Pooling", true, false]],'
        b'"tensors": [["x", "Half", "1,64:8,7"], ["y", null, "-1,8"]], "listing": [%s],'
        b'"edges": [[0, 1], [1, 2], [2, null]], "coverage": [], "unfit": []'
    )
    nodes = (b'["a/Conv"], "metadata"', b"[], null", b"[], null")
    layers = b", ".join(
        b'[%d, "n %d [profile 0]", [0], [1, 0], [%%s], %s]' % (number, number, known)
        for number, known in enumerate(nodes)
    )
    twice = iterations + b", " + iterations
    yield _snapshot(2, b'"\\u202e"', twice, b"", listing % layers.replace(b"%s", b""))
    yield _snapshot(2, b"null", b"", profile, listing % layers.replace(b"%s", b"0.5"))


def _snapshot(schema: int, device: bytes, runs: bytes, profiles: bytes, rows: bytes) -> bytes:
    return (
        b'{"schema": %d, "snapshot": {"file": "a.log", "engine": 0,'
        b' "conditions": {"tensorrt": null, "device": %s, "compute_clock_ghz": 1.5,'
        b' "memory_clock_ghz": null, "batch": "1x3",'
        b' "optimization_profile": "0", "statistic": null},'
        b' "layers": 3, "reformats": 1, "memory": [{"part": "Weights", "bytes": 8}], "runs": [%s],'
        b' "profiles": [%s], "findings": [{"code": "F02", "count": 1}], %s}}'
    ) % (schema, device, runs, profiles, rows)


def numbers() -> Iterator[bytes]:
    """Networks of `drawings` and `tables`: chains, a fan, loops; and names."""
    yield bytes(range(64))
    yield bytes(n * 7 % 256 for n in range(200))
    yield b"\x05" + b"\x01\x00\x01\x00\x01\x01\x01\x01\x01\x02" * 4 + b"<b>a + b</b>"
    yield b"\x10" + b"\x22\x03\x04\x05\x06" * 20 + "{ForeignNode[a...é]} [profile 1]".encode()


def units() -> Iterator[bytes]:
    """Texts of `growth`: how it is read, which part of it is repeated, and the text."""
    for kind in range(8):
        yield bytes((kind, 30, 60)) + b"Layer(A): a, Tactic: 1, x (Float[1]) -> y (Float[1])\n" * 2
        yield bytes((kind, 0, 20)) + b"=============== Computing costs for a\n"
        yield bytes((kind, 0, 255)) + b'{"name": "a", "averageMs": 1},'
        yield bytes((kind, 2, 9)) + b"a (Float[1]), b -> "


def kept(target: str) -> Iterator[bytes]:
    """What earlier runs found to reach more."""
    for path in sorted((CORPUS / target).glob("*")):
        yield path.read_bytes()
