"""Replaces names in JSON: a listing, a profile, a trace, TREx's metadata.

Only strings change, so that lines keep their numbers.
"""

from __future__ import annotations

import json
import re
from typing import Final

from engine_layer_visualize.anonymising import trtexec_lines, vocabulary
from engine_layer_visualize.anonymising.names import Names

# A string, and the colon that makes it a key; or what stands between strings.
_STRING: Final = re.compile(rb'"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[^"]+|"', re.DOTALL)
_NAMES: Final = (b"Name", b"name", b"Metadata", b"Layers", b"Bindings", b"")
_TYPE: Final = re.compile(rb"\w{1,80}")
# The first key of a launch on a GPU, whose name is a kernel's: of `nsys stats --report gputrace`.
_LAUNCH: Final = re.compile(rb"(?:Start|Duration) ?\(\w{1,4}\)")
_KEYS: Final = vocabulary.RECORDS | vocabulary.PROSE
_LITERALS: Final = frozenset((b"true", b"false", b"null", b"NaN", b"Infinity", b"nan", b"inf"))


def renamed(text: bytes, names: Names) -> bytes:
    """Replaces the names in a whole JSON text, which may be cut."""
    key = b""
    names_kernels = False

    def string(match: re.Match[bytes]) -> bytes:
        nonlocal key, names_kernels
        inside, colon = match[1], match[2]
        if inside is None:
            return names.renamed(match[0], _LITERALS)
        words = _decoded(inside)
        if colon is not None:
            key = words
            if _LAUNCH.fullmatch(words):
                names_kernels = True
                return match[0]
            return _encoded(names.renamed(words, _KEYS)) + colon
        if names_kernels and key == b"Name":
            return _encoded(names.kernel(words))
        return _encoded(_value(key, words, names))

    return _STRING.sub(string, text)


def _value(key: bytes, words: bytes, names: Names) -> bytes:
    if key == b"LayerType" and _TYPE.fullmatch(words):
        return words
    if key == b"TacticName":
        return names.kernel(words)
    if key in _NAMES:
        return names.renamed(words)
    return trtexec_lines.value(key, words, names)


def _decoded(inside: bytes) -> bytes:
    """Returns a string without its escapes; as it is where these are wrong."""
    try:
        text: str = json.loads(b'"' + inside + b'"', strict=False)
    except ValueError:
        return inside
    return text.encode("utf-8", "surrogatepass")


def _encoded(words: bytes) -> bytes:
    return json.dumps(words.decode("utf-8", "replace")).encode()
