"""Finds the layers that a query asks for.

Each text is looked at once for each term. `viewer/search.js` is its twin in the page.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from operator import eq, ge, gt, le, lt
from typing import Final

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.analysis.labels import box_head
from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.text import dims, shorten, visible
from engine_layer_visualize.core.words import first_of, plain
from engine_layer_visualize.facts.layer import BY_KEY
from engine_layer_visualize.facts.query import COMPILED, FIELDS, Query, Term, TextKind
from engine_layer_visualize.linting import of_profiles
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.types import WORDS_OF_INPUTS, canonical

_Layers = Sequence[Layer]
_Test = Callable[[str], bool]
_Texts = Callable[[Layer], Iterable[str | None]]  # of a layer
_EDGE: Final = r"(?:(?<!\w)|(?!\w))"  # no place within a word
_OTHER_SIGNS: Final = lazy(r"[\[?]")  # of `fnmatch`, in which queries have `*` alone
_MOST: Final = 12  # texts that are told where nothing is found
_LONGEST: Final = 60  # characters of each
_COMPARE: Final = {">": gt, "<": lt, ">=": ge, "<=": le, "=": eq}
# The field of a layer that a field of queries asks for; a time in `%` is its share.
_KEYS: Final = {
    **{"name": "name", "type": "type", "kernel": "kernel", "tactic": "tactic"},
    **{"onnx": "nodes", "scope": "scope", "time": "ms", "bytes": "memory", "macs": "work.macs"},
}


class Searched:
    """The texts and numbers of one engine's layers, made where a query asks for them."""

    def __init__(self, subject: Subject) -> None:
        self._engine, self._subject = subject.engine, subject

    def find(self, query: Query) -> set[int]:
        """The indices of the layers that a query asks for."""
        found: set[int] = set()
        for terms in query.any_of or ((),):
            kept: _Layers = self._engine.layers
            for _, _, left in self._narrowed(terms):
                kept = left  # after the last term; a query may have many
            found.update(layer.index for layer in kept)
        return found

    def _narrowed(self, terms: Iterable[Term]) -> Iterator[tuple[Term, _Layers, _Layers]]:
        """Each term of an alternative, with the layers before it and those that it leaves."""
        left: _Layers = self._engine.layers
        for term in terms:
            among, fits = left, self._fits(term)
            left = [layer for layer in among if fits(layer) != term.excluded]
            yield term, among, left

    def _fits(self, term: Term) -> Callable[[Layer], bool]:
        """Whether a layer fits a term, if that were not excluded."""
        if term.how in ("number", "index"):
            return lambda layer: self._compares(term, layer)
        parts = list(self._parts(term))
        none = term.how == "exact" and not term.value  # layers without such a text are meant
        word = term.value if term.how == "word" and not term.field else ""
        index = int(word) if COMPILED["layer"].fullmatch(word) else None
        return lambda layer: (
            layer.index == index
            or any(test(text) for texts, test in parts for text in texts(layer) if text) != none
        )

    def why_not(self, query: Query) -> Iterator[str]:
        """Of each alternative without a layer: the term that leaves none, and what there is."""
        for terms in query.any_of:
            before = ""
            for term, among, left in self._narrowed(terms):
                if not left:
                    there = self._there(term, f" of{before}" if before else "", among)
                    yield f"no layer for{before} {term.text}; {there}"
                    break
                before += f" {term.text}"

    def _there(self, term: Term, of: str, layers: _Layers) -> str:
        """What a term's field is in these layers: each text with how many have it, or a range."""
        if term.how in ("number", "index"):
            field = BY_KEY[_key(term)]
            values = (field.value(self._subject, layer) for layer in layers)
            known = sorted(value for value in values if value is not None)
            ends = [plain(field.words(value)) for value in (*known[:1], *known[1:][-1:])]
            return f"{term.field or 'index'}{of}: {' to '.join(ends) or 'unknown'}"
        name = term.field or ("prec" if canonical(term.value) else "type")
        texts = self._texts(name)
        found = Counter(text for la in layers for text in dict.fromkeys(texts(la)) if text)
        told = [f"{shorten(text, _LONGEST)} ({number})" for text, number in found.most_common()]
        return f"{name}{of}: {plain(first_of(told, _MOST)) or 'unknown'}"

    # ---- numbers -----------------------------------------------------------------------------

    def _compares(self, term: Term, layer: Layer) -> bool:
        value = BY_KEY[_key(term)].value(self._subject, layer)
        if value is None:
            return False
        if term.field == "time":  # the page has shares of six digits
            return bool(_COMPARE[term.sign](_six(value), _six(term.number)))
        return bool(_COMPARE[term.sign](value, term.number))

    # ---- texts -------------------------------------------------------------------------------

    def _parts(self, term: Term) -> Iterator[tuple[_Texts, _Test]]:
        """The texts that a term is looked for in, and the test that one of them has to pass."""
        if term.field:
            kind = FIELDS[term.field].kind
            assert kind != "number"  # that is no text
            yield self._texts(term.field), _once(_test(kind, term))
            return
        test = _once(_test("text", term))
        for name, field in FIELDS.items():
            if field.kind == "text":
                yield self._texts(name), test
        if term.how != "word":
            return
        if canonical(term.value):
            dtype = _once(_test("dtype", term))
            yield self._texts("prec"), dtype
            yield self._texts("dtype"), dtype
        if COMPILED["dims"].fullmatch(term.value):
            yield self._texts("dims"), _once(_test("dims", term))
        if COMPILED["code"].fullmatch(low := term.value.lower()):
            yield self._texts("code"), lambda text: text.lower() == low

    def _texts(self, name: str) -> _Texts:
        if name == "code":
            return lambda layer: self._codes.get(layer.index, ())
        if name not in _KEYS:
            return _TEXTS[name]
        field, subject = BY_KEY[_KEYS[name]], self._subject

        def texts(layer: Layer) -> Iterable[str | None]:
            value = field.value(subject, layer)
            return value if isinstance(value, tuple) else (value,)

        return texts

    @cached_property
    def _codes(self) -> dict[int, set[str]]:
        """Codes and names of the findings of each layer."""
        codes: dict[int, set[str]] = {}
        for _, findings in of_profiles(self._subject.costs):
            for finding in findings:
                for index in (*finding.layers, *finding.about):
                    codes.setdefault(index, set()).update((finding.code, finding.rule.name))
        return codes


def _key(term: Term) -> str:
    """The field of a layer whose number a term compares."""
    return "share" if term.unit == "%" else _KEYS.get(term.field, "index")


def _tensors(layer: Layer) -> tuple[Tensor, ...]:
    return (*layer.inputs, *layer.outputs)


def _precision(layer: Layer) -> Iterator[str]:
    known = precisions.of(layer)
    yield known.dtype or precisions.UNKNOWN
    if known.tf32:
        yield precisions.TF32


def _formats(layer: Layer) -> Iterator[str | None]:
    for tensor in _tensors(layer):
        yield precisions.format_words(tensor)
        yield tensor.format


# The texts of what is no field of a layer.
_TEXTS: Final[Mapping[str, _Texts]] = {
    "op": lambda layer: (box_head(layer),),
    "tensor": lambda layer: (tensor.name for tensor in _tensors(layer)),
    "reads": lambda layer: (tensor.name for tensor in layer.inputs),
    "writes": lambda layer: (tensor.name for tensor in layer.outputs),
    "record": lambda layer: (layer.raw,),
    "prec": _precision,
    "dtype": lambda layer: (tensor.dtype for tensor in _tensors(layer)),
    "dims": lambda layer: (dims(tensor.dims) for tensor in _tensors(layer)),
    "format": _formats,
}


# ---- what a text has to be ---------------------------------------------------------------------


def _test(kind: TextKind, term: Term) -> _Test:
    """How a text is compared with a term."""
    value, low = term.value, term.value.lower()
    if (pattern := term.pattern) is not None:
        return lambda text: pattern.search(text) is not None
    if term.how == "exact" and not value:
        return bool
    if term.how == "exact":  # and not as a piece of a longer word
        whole = re.compile(f"{_EDGE}{re.escape(value)}{_EDGE}")
        # Most texts lack it, and `in` tells that a hundred times faster.
        return lambda text: value in text and whole.search(text) is not None
    if kind == "dtype" and low == "tf32":  # a way to multiply Float
        return lambda text: text == "TF32"
    if kind == "dtype" and (wanted := canonical(value)):
        return lambda text: canonical(text) == wanted
    if kind == "dims":
        run = f"×{low.replace('x', '×').replace(',', '×')}×"
        return lambda text: run in f"×{text}×" or run in f"×{COMPILED['vector'].sub('', text)}×"
    if kind == "format" and low in WORDS_OF_INPUTS:
        return WORDS_OF_INPUTS[low].__contains__
    if kind == "scope":
        return lambda text: _inside(text.lower(), low)
    return lambda text: low in text.lower()


def _once(test: _Test) -> _Test:
    """A test that looks at each text once, as the page shows it."""
    known: dict[str, bool] = {}

    def asked(text: str) -> bool:
        if (passes := known.get(text)) is None:
            known[text] = passes = test(visible(text))
        return passes

    return asked


def _inside(path: str, scope: str) -> bool:
    """Whether the scope is the path's, or around it.

    Without its first `/` it may begin anywhere. `*` is anything within a part.
    """
    mark = "/" if "/" in path else "."
    parts = path.strip(mark).split(mark)
    wanted = _OTHER_SIGNS.sub(r"[\g<0>]", scope.strip(mark)).split(mark)
    starts = [0] if scope.startswith(mark) else range(len(parts))
    return any(
        len(parts) - start >= len(wanted) and all(map(fnmatchcase, parts[start:], wanted))
        for start in starts
    )


def _six(number: float) -> float:
    return float(f"{number:.6g}")
