"""Gives the words of a text new ones, the same for the same word.

Numbers, punctuation and the words of `vocabulary` stay. A word is a run of letters, so that
`encoder.layer.0.conv_12` keeps its parts and their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.anonymising import places, vocabulary

# Not in words: `0x0f`, `1x3x224`, `1.5e-05`.
_WORD: Final = re.compile(rb"0x[0-9a-fA-F]+|(?<=\d)[xeE](?=[-+]?\d)|(?P<word>[A-Za-z\x80-\xff]+)")
# PyTorch names an operation torch.ops.aten.cumsum.default, and a node by its operation:
# [MATRIX_MULTIPLY]-[aten_ops.addmm.default]-[/fc/addmm_1_mm]
_ATEN: Final = re.compile(
    rb"(?<=aten_ops\.|ops\.aten\.)((\w+)\b(?:\.default)?)"
    rb"(?:[\w.]*\]-\[(?:[^\[\]]*/)?_*(\2(?:_default)?)(?![a-z]))?"
)
# torch2trt names a layer by its type: [CONSTANT #2] torch.zeros(…)
_TORCH2TRT: Final = re.compile(rb"(?<=\[)[A-Z_]{1,80}(?= #\d{1,9}\] torch\.)")
_LETTERS: Final = re.compile(rb"[A-Za-z]+")
_ADDRESS: Final = re.compile(rb"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)")
_VERSION: Final = re.compile(rb"ersion[\s:=\"]{0,4}v?\Z")  # its number looks like an address
_EXTENSIONS: Final = frozenset(
    b"onnx engine plan trt cache log json txt uff prototxt caffemodel bin dat pb".split()
)
_UUID: Final = b"00000000-0000-0000-0000-%012d"
_CONSTANT: Final = b"const"  # by which Myelin's constants are known, whatever stands beside it
_HEX: Final = re.compile(rb"[0-9a-fA-F]")
_NO_DIGITS: Final = bytes.maketrans(b"123456789", b"000000000")
_ALPHABET: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_PARTS: Final = re.compile(rb"[^/\\]+")
_NOTHING: Final[frozenset[bytes]] = frozenset()
# Each name stands in a log many times, so texts are kept with their new words.
_KEPT_TEXTS: Final = 1 << 15
_KEPT_BYTES: Final = 1 << 9  # of a text


class Names:
    """The new words so far. They count up in the order in which the old ones came."""

    def __init__(self) -> None:
        self._words: dict[bytes, bytes] = {}  # also those that stay
        self._parts: dict[bytes, bytes] = {}  # of paths
        self._addresses: dict[bytes, int] = {}
        self._uuids: dict[bytes, int] = {}
        self._texts: dict[bytes, bytes] = {}
        self._hosts: dict[bytes, bytes] = {}
        self._host_words: dict[bytes, bytes] = {}
        self._new = 0
        self._more = _NOTHING

    @property
    def count(self) -> int:
        """How many words, parts of paths, addresses and UUIDs were replaced."""
        return self._new + len(self._parts) + len(self._addresses) + len(self._uuids)

    def renamed(self, text: bytes, more: frozenset[bytes] = _NOTHING) -> bytes:
        """Replaces the words of a text. Those in `more` stay, too."""
        if more:
            self._more = more
            new = self._renamed(text)
            self._more = _NOTHING
            return new
        known = self._texts.get(text)
        if known is None:
            known = self._renamed(text)
            if len(self._texts) >= _KEPT_TEXTS:
                self._texts.clear()
            if len(text) <= _KEPT_BYTES:
                self._texts[text] = known
        return known

    def prose(self, text: bytes, more: frozenset[bytes]) -> bytes:
        """Replaces the words of a sentence or option; paths, files and hosts go as a whole."""
        text = places.SERIAL.sub(rb"\1[removed]", text)
        text = places.DATE.sub(places.zeros, places.without_clock(text))
        text = places.NUMBERS.sub(_zeros, text)
        return b"".join(self._piece(*piece, more) for piece in places.pieces(text))

    def _piece(self, piece: bytes, kind: places.Kind, more: frozenset[bytes]) -> bytes:
        if kind is places.Kind.FIXED:
            return piece
        return self.path(piece) if kind is places.Kind.PLACE else self.renamed(piece, more)

    def kernel(self, name: bytes) -> bytes:
        """Replaces a kernel's name; NVIDIA's stay."""
        return name if vocabulary.KERNEL.fullmatch(name) else self.renamed(name)

    def path(self, path: bytes) -> bytes:
        """Replaces the folders and the name of a file; its extension stays."""
        return _PARTS.sub(self._part, path.strip())

    def before(self, text: bytes) -> bytes:
        """Rewrites what a logger or host wrote before a message; digits, as of times, become 0."""
        zeros = text.translate(_NO_DIGITS)
        known = self._hosts.get(zeros)
        if known is None:
            if len(self._hosts) >= _KEPT_TEXTS:
                self._hosts.clear()
            known = self._hosts[zeros] = _WORD.sub(self._host_word, zeros)
        return known

    def _host_word(self, match: re.Match[bytes]) -> bytes:
        """Replaces a word. A host may bear one of TensorRT, so that only those of loggers stay."""
        word = match[1]
        if word is None or word in vocabulary.LOGGERS:
            return match[0]
        if word not in vocabulary.NAMES and not vocabulary.is_of_pieces(word):
            return self._token(match)
        known = self._host_words.get(word)
        if known is None:
            known = self._host_words[word] = b"n" + _counted(self._new)
            self._new += 1
        return known

    def _renamed(self, text: bytes) -> bytes:
        if text.count(b".") >= 3:
            text = _ADDRESS.sub(self._address, text)
        if text.count(b"-") >= 4 or b"GPU-" in text or b"MIG-" in text:
            text = places.UUID.sub(self._uuid, text)
        parts: list[bytes] = []
        done = 0  # bytes of the text
        for start, end in _of_pytorch(text):
            parts += (_WORD.sub(self._token, text[done:start]), text[start:end])
            done = end
        return b"".join((*parts, _WORD.sub(self._token, text[done:])))

    def _token(self, match: re.Match[bytes]) -> bytes:
        word = match[1]
        if word is None:
            return match[0]
        return word if word in self._more else self._words.get(word) or self._word(word)

    def _uuid(self, match: re.Match[bytes]) -> bytes:
        return _UUID % self._uuids.setdefault(match[0].lower(), len(self._uuids))

    def _address(self, match: re.Match[bytes]) -> bytes:
        if _VERSION.search(match.string[: match.start()][-16:]):
            return match[0]
        return b"0.0.0.%d" % self._addresses.setdefault(match[0], len(self._addresses))

    def _word(self, word: bytes) -> bytes:
        if word in vocabulary.NAMES or vocabulary.is_of_pieces(word):
            self._words[word] = word
            return word
        new = (b"NN" if word.isupper() else b"n") + _counted(self._new)
        if _CONSTANT in word:
            new += _CONSTANT
        self._words[word] = new
        self._new += 1
        return new

    def _part(self, match: re.Match[bytes]) -> bytes:
        part = match[0]
        if part in (b".", b".."):
            return part
        known = self._parts.get(part)
        if known is None:
            stem, dot, extension = part.rpartition(b".")
            kept = dot + extension if stem and extension in _EXTENSIONS else b""
            known = self._parts[part] = b"p" + _counted(len(self._parts)) + kept
        return known


def _of_pytorch(text: bytes) -> Iterator[tuple[int, int]]:
    """Finds the operations of PyTorch, or the types of layers, that a converter named."""
    if b"aten_ops." in text or b"ops.aten." in text:
        for match in _ATEN.finditer(text):
            if vocabulary.ATEN.issuperset(_LETTERS.findall(match[1])):
                yield from map(match.span, (1, 3) if match[3] else (1,))
    elif b"] torch." in text:
        for match in _TORCH2TRT.finditer(text):
            if vocabulary.LAYER_TYPES.issuperset(_LETTERS.findall(match[0])):
                yield match.span()


def _zeros(match: re.Match[bytes]) -> bytes:
    return _HEX.sub(b"0", match[0])


def _counted(number: int) -> bytes:
    """Counts in letters: A, B, …, Z, AA, AB, … are 0, 1, … and so on."""
    letters = b""
    while number >= 0:
        number, letter = divmod(number, 26)
        letters = _ALPHABET[letter : letter + 1] + letters
        number -= 1
    return letters
