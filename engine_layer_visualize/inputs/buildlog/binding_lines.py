"""Reads the lines below a detailed listing: `Bindings:`, `I/O Tensors:`, `Engine Metadata:`.

They name the inputs and outputs of the engine.
"""

from __future__ import annotations

from typing import Final

from engine_layer_visualize.core.model import InputRange, ProfileShapes
from engine_layer_visualize.inputs.buildlog import markers
from engine_layer_visualize.inputs.buildlog.blocks import ListingBlock, ended, trimmed
from engine_layer_visualize.inputs.buildlog.prefixes import PREFIXED, without_host
from engine_layer_visualize.io.source import decode

_MOST_NAME: Final = 1 << 13  # bytes; TensorRT cuts names at 4,095


class BindingLines:
    """`host`: what stands before a record on its line, and so before these lines."""

    def __init__(self, listing: ListingBlock, section: bytes, host: bytes) -> None:
        self._listing, self._section, self._host = listing, section, host
        self._unended = b""  # the start of an input's or output's line: a name may hold newlines

    def take(self, text: bytes) -> bool:
        """Takes the line in; False where it is no longer of the listing."""
        text = without_host(text, self._host)
        bare = trimmed(text)
        if bare == markers.METADATA:
            self._section = markers.METADATA
        elif self._section == markers.METADATA:
            return bare.startswith(b" ")
        elif self._section == markers.IO:
            return self._take_io(bare, ended(text, self._listing.crlf))
        elif bare and self._is_binding(bare, text):
            self._listing.bindings.append(decode(bare))
        else:
            return not bare and not self._listing.bindings
        return True

    def _take_io(self, bare: bytes, text: bytes) -> bool:
        if match := markers.IO_LINE.match(self._unended + bare):
            name = decode(match[1])
            self._listing.io.append((name, match[2].decode()))
            shapes = markers.SHAPES.findall(self._unended + bare, match.end())
            if shapes:
                profiles = (ProfileShapes(*map(_extents, three)) for three in shapes)
                self._listing.ranges.append(InputRange(name, tuple(profiles)))
            self._unended = b""
            return True
        if self._unended or bare.startswith(b" Name: "):
            self._unended += text + b"\n"
            return len(self._unended) <= _MOST_NAME
        return not bare

    def _is_binding(self, bare: bytes, text: bytes) -> bool:
        """Whether it is a name. Where a host writes before every line, a record must mention it."""
        if self._host:
            mention = b"Name: " + bare + b", "
            return any(mention in record.text for record in self._listing.records)
        ends = markers.is_header(text) or markers.FENCE.match(text) or PREFIXED.match(text)
        return not (ends or bare in (markers.BINDINGS, markers.IO))


def _extents(words: bytes) -> tuple[int, ...]:
    return tuple(int(word) for word in words.split(b",") if 0 < len(word) < 19)
