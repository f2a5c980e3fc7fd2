"""The messages of real logs, told to a captured logger one by one, give the log's engines."""

import re
from operator import attrgetter
from pathlib import Path
from typing import Final

import pytest
from paths import RECORDED
from tensorrt_stand_in import Severity, trt

import engine_layer_visualize as elv
from engine_layer_visualize.reading.hosts import PREFIXED

LOGS = sorted(RECORDED.glob("*.log"))

_NAMES = ("INTERNAL_ERROR", "ERROR", "WARNING", "INFO", "VERBOSE")
_SEVERITIES: Final = {letter.encode(): Severity[name] for letter, name in zip("FEWIV", _NAMES)}


def messages(log: bytes) -> list[tuple[Severity, bytes, bytes]]:
    """What TensorRT told its logger: severity, prefix, text. trtexec's own lines, which bear no
    `[TRT]`, are none of it."""
    found: list[tuple[Severity, bytes, bytes]] = []
    named, own = b"[TRT]" in log, False
    for line in log.removesuffix(b"\n").split(b"\n"):
        prefix = PREFIXED.match(line)
        letter = re.search(rb"\[([VIWEF])\]", prefix[0]) if prefix else None
        if prefix and letter:
            own = named and b"[TRT]" not in prefix[0]
            if not own:
                found.append((_SEVERITIES[letter[1]], prefix[0], line[prefix.end() :]))
        elif not own:
            # Where no line has a known prefix, the log is one message.
            severity, before, text = found.pop() if found else (Severity.VERBOSE, b"", b"")
            found.append((severity, before, text + b"\n" + line))
    return found


def engines(log: Path) -> tuple[elv.Engine, ...]:
    try:
        return elv.read(log).engines
    except elv.ReadError:
        return ()


def is_listed(engine: elv.Engine) -> bool:
    """Tables of times may be trtexec's own lines, which no logger is told."""
    return engine.source.dialect != "times"


def told(engine: elv.Engine) -> object:
    parts = ("name", "type", "inputs", "outputs", "tactic", "kernel", "place.line")
    return [attrgetter(*parts)(layer) for layer in engine.layers], engine.graph


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name[:3])
def test_messages_give_the_engines_of_the_log(log: Path, tmp_path: Path) -> None:
    found = messages(log.read_bytes())
    alone = tmp_path / "alone.log"
    alone.write_bytes(b"".join(prefix + text + b"\n" for _, prefix, text in found))
    with elv.capture() as captured:
        logger = captured.logger(trt)
        for severity, _, text in found:
            logger.log(severity, text.decode("utf-8", "backslashreplace"))
    assert list(map(told, captured.engines)) == list(map(told, engines(alone)))
    assert any(map(is_listed, captured.engines)) == any(map(is_listed, engines(log)))
