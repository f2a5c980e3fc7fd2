"""Gives the words of a text new ones: names, paths, hosts; the words of TensorRT stay."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from pkgutil import get_data
from typing import Final, TypeAlias

from engine_layer_visualize.trt.names import CONVOLUTION, OTHERS, POINTWISE
from engine_layer_visualize.trt.operators import OPERATORS

# ---- what tells of a machine or of its user: paths, files, hosts ---------------------------------

# The number of a device.
UUID: Final = re.compile(
    rb"(?<![0-9A-Za-z])(?:(?:MIG-)?(?:GPU|MIG)-[0-9a-fA-F]{4,}(?:-[0-9a-fA-F]+)*"
    rb"|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})(?![0-9A-Za-z])"
)
# The address of a device or of a network card.
NUMBERS: Final = re.compile(
    rb"(?<![\w:.])(?:(?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]"
    rb"|[0-9a-fA-F]{2}(?:[:-][0-9a-fA-F]{2}){5}"
    rb"|(?=[0-9a-fA-F:]*::|(?:[0-9a-fA-F]+:){7})[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7}"
    rb")(?![\w:])"
)
_DAY: Final = rb"(?:\d{4}([-/.])\d\d\%d\d\d|\d\d([-/.])\d\d\%d\d{4})"
DATE: Final = re.compile(rb"(?<![\w:./-])" + _DAY % (1, 2) + rb"(?!\w|[:/]\w)")
# Whatever a logger's stamp looks like: 14:45:25.665, 2024-03-28T14:45:25Z, V0328 14:45:25.665123
_CLOCK: Final = re.compile(
    rb"(?<![\w:./-])(?:" + _DAY % (1, 2) + rb"[T _-]{1,3}|[A-Z]?\d{4}[ T]|\d{1,2} )?"
    rb"\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?(?!\w|:\w)"
)
_NO_DIGITS: Final = bytes.maketrans(b"123456789", b"000000000")
SERIAL: Final = re.compile(rb"(?i)(?<=serial)((?:[ _-]?(?:number|num|no|nr))?[.:=# ]{1,4})\w*\d\S*")

# Names that TensorRT quotes, a text in quotes, or all between two blanks.
_PIECE: Final = re.compile(
    rb"(?P<node>\{ForeignNode\[[^\]\n]{0,4200}\])|\"(?P<quoted>[^\"\n/\\]*[/\\][^\"\n]*)\""
    rb"|(?P<token>[^\s\"'`<>|,;()\[\]{}]+)"
)
_KEY: Final = re.compile(rb"(?:[^=/\\]*=)+")
_LETTER: Final = re.compile(rb"[A-Za-z\x80-\xff]")
_FILE: Final = re.compile(rb"[\w\x80-\xff~@%+.-]*[\w\x80-\xff]\.[A-Za-z]\w*")
_NEW: Final = re.compile(rb"p[A-Z]{1,3}(?:\.[a-z]+)?")  # a place under its new name
# They look like paths or files: words and units, and the sources that errors of TensorRT name.
_FIXED: Final = re.compile(
    rb"I/O|[Aa]nd/or|N/A|[CG]PU/[CG]PU|Q/DQ|Quantize/Dequantize|cuBLAS/cuBLASLt|[KMGT]i?B/s"
    rb"|i\.e|e\.g|TensorRT\.trtexec"
)
_SOURCE: Final = re.compile(rb"\w+\.(?:cpp|h|cu)(?::[\w:]*)?")


def places_of(text: bytes) -> Iterator[tuple[int, int, bool]]:
    """Where a path, a file, a host or a mail address stands; True: words that only look so."""
    for match in _PIECE.finditer(text):
        if match["quoted"] is not None:
            yield *match.span("quoted"), False
        elif match["token"] is not None:  # without `KEY=` and the punctuation of its sentence
            token = match["token"].rstrip(b".:!?=*")
            key = _KEY.match(token)
            begin = key.end() if key else 0
            fixed = _FIXED.fullmatch(token, begin) is not None
            if fixed or _is_place(token[begin:]):
                yield match.start() + begin, match.start() + len(token), fixed


Rewrite: TypeAlias = Callable[[bytes], bytes]


def rewritten(text: bytes, stretches: Iterable[tuple[int, int, Rewrite]], others: Rewrite) -> bytes:
    """A text with stretches rewritten, each as stands beside it, and by `others` all between."""
    parts: list[bytes] = []
    done = 0
    for start, end, rewrite in stretches:
        parts += others(text[done:start]), rewrite(text[start:end])
        done = end
    return b"".join((*parts, others(text[done:])))


def without_clock(text: bytes) -> bytes:
    """Writes zeros for times of day, and for the dates before them."""
    return _CLOCK.sub(zeros, text) if text.count(b":") > 1 else text


def zeros(match: re.Match[bytes]) -> bytes:
    """Returns the matched text with zeros for its digits."""
    return match[0].translate(_NO_DIGITS)


def _is_place(token: bytes) -> bool:
    if not _LETTER.search(token) or _SOURCE.fullmatch(token):
        return False
    if b"/" in token or b"\\" in token or b"@" in token.strip(b"@") or token.startswith(b"~"):
        return True
    return bool(_FILE.fullmatch(token.partition(b":")[0]) or _NEW.fullmatch(token))


# ---- the words that stay: those of TensorRT, ONNX, CUDA ------------------------------------------

# They stand in `words.txt`. Only these reach the output; names of a network that use the same
# words keep them.


def lines_of(file: str) -> list[str]:
    """Reads the lines of a file of this package, without comments."""
    data = get_data(__package__, file)  # a package may lie in a zip file
    assert data is not None
    return [line for line in data.decode().splitlines() if line and not line.startswith("#")]


def _words(*texts: str) -> frozenset[bytes]:
    return frozenset(word.encode() for text in texts for word in re.findall("[A-Za-z]+", text))


# By their headings.
_LISTS: Final = dict(part.split("]", 1) for part in " ".join(lines_of("words.txt")).split("[")[1:])
_OPERATOR_WORDS: Final = _words(" ".join(OPERATORS))
PIECES: Final = _words(_LISTS["pieces"], *POINTWISE, *OTHERS, CONVOLUTION) | _OPERATOR_WORDS
NAMES: Final = _words(_LISTS["names"]) | _OPERATOR_WORDS
ATEN: Final = _words(_LISTS["aten"])
LAYER_TYPES: Final = _words(_LISTS["layer types"])
PROSE: Final = _words(_LISTS["prose"])
DEVICES: Final = _words(_LISTS["devices"])
LOGGERS: Final = _words(_LISTS["loggers"])
_KEYS: Final = _words(_LISTS["records"])
# A `ConvActPool` has the keys of both its operators, each with a prefix: `ConvKernel`.
_PREFIXED: Final = frozenset(start + key for start in (b"Conv", b"Pooling") for key in _KEYS)
RECORDS: Final = _KEYS | _PREFIXED
PATH_FLAGS, NAME_FLAGS, FLAGS = (
    frozenset(_LISTS[heading].encode().split()) for heading in ("path flags", "name flags", "flags")
)

_VOCABULARY_PIECE: Final = re.compile(rb"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def is_of_pieces(word: bytes) -> bool:
    """Returns whether a word is made of TensorRT's words alone, as `CaskGemmConvolution` is."""
    pieces = _VOCABULARY_PIECE.findall(word)
    return PIECES.issuperset(pieces) and b"".join(pieces) == word


# NVIDIA's kernels; those of plugins bear their authors' names.
KERNEL: Final = re.compile(
    rb"(?:trt_)?(?:sm\d{2,3}|maxwell|pascal|volta|turing|ampere|hopper|blackwell)_\w+"
    rb"(?:<[\w, :()]*>)?"
)


# ---- new words, the same for the same word -------------------------------------------------------

# Numbers, punctuation and the words of `words.txt` stay. A word is a run of letters, so that
# `encoder.layer.0.conv_12` keeps its parts and their numbers.


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
_PARTS: Final = re.compile(rb"[^/\\]+")
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
        self._host_words: dict[bytes, bytes] = {}
        self._new = 0
        self._kept = lru_cache(_KEPT_TEXTS)(self._renamed)
        self._kept_hosts = lru_cache(_KEPT_TEXTS)(partial(_WORD.sub, self._host_word))

    @property
    def count(self) -> int:
        """How many words, parts of paths, addresses and UUIDs were replaced."""
        return self._new + len(self._parts) + len(self._addresses) + len(self._uuids)

    def renamed(self, text: bytes, more: frozenset[bytes] = frozenset()) -> bytes:
        """Replaces the words of a text. Those in `more` stay, too."""
        return (self._kept if len(text) <= _KEPT_BYTES else self._renamed)(text, more)

    def prose(self, text: bytes, more: frozenset[bytes]) -> bytes:
        """Replaces the words of a sentence or option; paths, files and hosts go as a whole."""
        text = SERIAL.sub(rb"\1[removed]", text)
        text = DATE.sub(zeros, without_clock(text))
        text = NUMBERS.sub(lambda match: _HEX.sub(b"0", match[0]), text)
        places = (
            (start, end, bytes if fixed else self.path) for start, end, fixed in places_of(text)
        )
        return rewritten(text, places, lambda words: self.renamed(words, more))

    def kernel(self, name: bytes) -> bytes:
        """Replaces a kernel's name; NVIDIA's stay."""
        return name if KERNEL.fullmatch(name) else self.renamed(name)

    def path(self, path: bytes) -> bytes:
        """Replaces the folders and the name of a file; its extension stays."""
        return _PARTS.sub(self._part, path.strip())

    def before(self, text: bytes) -> bytes:
        """Rewrites what a logger or host wrote before a message; digits, as of times, become 0."""
        return self._kept_hosts(text.translate(_NO_DIGITS))

    def _host_word(self, match: re.Match[bytes]) -> bytes:
        """Replaces a word. A host may bear one of TensorRT, so that only those of loggers stay."""
        word = match[1]
        if word is None or word in LOGGERS:
            return match[0]
        if word not in NAMES and not is_of_pieces(word):
            return self._word(word)
        if word not in self._host_words:
            self._host_words[word] = b"n" + self._next()
        return self._host_words[word]

    def _renamed(self, text: bytes, more: frozenset[bytes]) -> bytes:
        known = self._words  # nearly all words of a log came before

        def renamed(match: re.Match[bytes]) -> bytes:
            word = match[1]
            if word is None or word in more:
                return match[0]
            return known.get(word) or self._word(word)

        if text.count(b".") >= 3:
            text = _ADDRESS.sub(self._address, text)
        if text.count(b"-") >= 4 or b"GPU-" in text or b"MIG-" in text:
            text = UUID.sub(self._uuid, text)
        words = partial(_WORD.sub, renamed)
        operations = [(start, end, bytes) for start, end in _of_pytorch(text)]
        return rewritten(text, operations, words) if operations else words(text)

    def _uuid(self, match: re.Match[bytes]) -> bytes:
        return _UUID % self._uuids.setdefault(match[0].lower(), len(self._uuids))

    def _address(self, match: re.Match[bytes]) -> bytes:
        if _VERSION.search(match.string[: match.start()][-16:]):
            return match[0]
        return b"0.0.0.%d" % self._addresses.setdefault(match[0], len(self._addresses))

    def _word(self, word: bytes) -> bytes:
        if word not in self._words:
            if word in NAMES or is_of_pieces(word):
                self._words[word] = word
            else:
                new = (b"NN" if word.isupper() else b"n") + self._next()
                self._words[word] = new + _CONSTANT if _CONSTANT in word else new
        return self._words[word]

    def _next(self) -> bytes:
        self._new += 1
        return _counted(self._new - 1)

    def _part(self, match: re.Match[bytes]) -> bytes:
        part = match[0]
        if part in (b".", b".."):
            return part
        if part not in self._parts:
            stem, dot, extension = part.rpartition(b".")
            kept = dot + extension if stem and extension in _EXTENSIONS else b""
            self._parts[part] = b"p" + _counted(len(self._parts)) + kept
        return self._parts[part]


def _of_pytorch(text: bytes) -> Iterator[tuple[int, int]]:
    """Finds the operations of PyTorch, or the types of layers, that a converter named."""
    if b"aten_ops." in text or b"ops.aten." in text:
        for match in _ATEN.finditer(text):
            if ATEN.issuperset(_LETTERS.findall(match[1])):
                yield from map(match.span, (1, 3) if match[3] else (1,))
    elif b"] torch." in text:
        for match in _TORCH2TRT.finditer(text):
            if LAYER_TYPES.issuperset(_LETTERS.findall(match[0])):
                yield match.span()


def _counted(number: int) -> bytes:
    """Counts in letters: A, B, …, Z, AA, AB, … are 0, 1, … and so on."""
    letters = b""
    while number >= 0:
        number, letter = divmod(number, 26)
        letters = b"%c" % (ord("A") + letter) + letters
        number -= 1
    return letters
