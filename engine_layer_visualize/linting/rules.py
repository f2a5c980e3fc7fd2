"""Holds the rules: a rule is a function of an engine that yields a `Finding`, declared by `@rule`.

A family of rules is a file. The docstring of a rule is its part of docs/findings.md: the summary
first, severity and sources last.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis.times import at_most
from engine_layer_visualize.core import text
from engine_layer_visualize.core.limits import sum_of_known
from engine_layer_visualize.core.model import Layer, TimeKind
from engine_layer_visualize.core.words import FEW, Name, Words, first_of, parts, plain, some
from engine_layer_visualize.linting.subject import Subject

PAGES: Final = "docs/findings.md"  # a release makes it a link: .github/workflows/release.yml
# The files whose functions are rules.
_FAMILIES: Final = (
    *("alignment", "ends", "formats", "fusion", "hardware", "memory", "network", "patterns"),
    *("precision", "quantisation"),
)
# Of a docstring: its summary, severity and sources.
_PAGE: Final = re.compile(
    r"\A(.+?)\n\n.*\n *\*\*Severity\*\*: (\w+)\.\n\n *\*\*Sources\*\*: (.+)\.\n *\Z", re.DOTALL
)


Severity = Literal["hint", "warning", "error"]
SEVERITIES: Final[tuple[Severity, ...]] = ("hint", "warning", "error")  # the worst last


class Rule(NamedTuple):
    """A reason why engines are slow or wrong, which a program can see.

    Attributes:
        code: a letter and two digits, never used for anything else.
        name: a few words with hyphens.
        severity: hint, warning or error.
        summary: one sentence.
        sources: where its trigger and its advice come from.
    """

    code: str
    name: str
    severity: Severity = "hint"
    summary: str = ""
    sources: tuple[str, ...] = ()


class Evidence(NamedTuple):
    """A fact that a finding rests on.

    Attributes:
        text: the fact.
        line: its line of the log, None where it has none.
    """

    text: str
    line: int | None = None

    def __str__(self) -> str:
        """Returns the text after its line: `log line 12: Precision: FP32+FP16`."""
        return self.text if self.line is None else f"log line {self.line}: {self.text}"


class Finding(NamedTuple):
    """What a rule saw, and, in a list of findings, one cause with all of its layers.

    Attributes:
        rule: the rule, or the one of several that explains the most time of this cause.
        layers: indices of the layers; empty where it has `about`.
        ms: the ms that the log shows can be saved, never more than the layers take; None: unknown.
        why: a sentence with the names apart.
        advice: what to try.
        evidence: what this rests on.
        ms_kind: of the times that `ms` is derived from; None where `ms` is.
        cause: the key of what a person changes (`causes.CAUSES`).
        touches_ms: the time of its layers in one inference; None: unknown, or no layers.
        rank: its place among the findings of the engine, 1 first; 0 before that is known.
        shown: whether it stands on the first screen.
        unpriced: whether more than `ms` may be saved: the log does not price a part of it.
        about: indices of layers whose time it does not touch, as others may have them.
        also: what to try about another cause of its layers, which has no finding of its own.
    """

    rule: Rule
    layers: tuple[int, ...]
    ms: float | None
    why: Words
    advice: str
    evidence: tuple[Evidence, ...] = ()
    ms_kind: TimeKind | None = None
    cause: str = ""
    touches_ms: float | None = None
    rank: int = 0
    shown: bool = True
    unpriced: bool = False
    about: tuple[int, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def saves_ms(self) -> float | None:
        """The ms that the log shows can be saved, as `ms`; None: unknown."""
        return self.ms

    @property
    def code(self) -> str:
        """The rule's code, as docs/findings.md has it."""
        return self.rule.code

    @property
    def message(self) -> str:
        """`why` as one text."""
        return plain(self.said)

    @property
    def said(self) -> Words:
        """`why`, and what else to try."""
        return (*parts(self.why), *(f"; also: {advice}" for advice in self.also))

    def __repr__(self) -> str:
        """Returns a short form: `<Finding F02, layer 0, 20.0 µs: from `input`: …>`."""
        layers = self.layers or self.about
        parts = [f"{text.plural(len(layers), 'layer')} {some(map(str, layers))}"]
        parts += [] if self.ms is None else [text.milliseconds(self.ms)]
        why = text.shorten(text.visible(self.message), 160)
        return f"<Finding {', '.join([self.code, *parts])}: {why}>"


def saved(findings: Iterable[Finding]) -> float | None:
    """Returns the ms that all these causes together may save; None where nothing is known.

    No layer is in two of them, so that they add up.
    """
    return sum_of_known(finding.ms for finding in findings)


# ---- what a rule is declared by ------------------------------------------------------------------

See = Callable[[Subject], Iterator[Finding]]
_UNNAMED: Final = Rule("", "")  # of a finding that its rule has just made


class Entry(NamedTuple):
    """A rule with its docstring and its function."""

    rule: Rule
    doc: str
    see: See

    @property
    def page(self) -> str:
        """What is said of the rule, in Markdown without a heading."""
        from inspect import cleandoc  # slow to import

        return cleandoc(self.doc) + "\n"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Yields one finding for each cause that the rule sees."""
        for found in self.see(subject):
            yield found._replace(rule=self.rule)


_ENTRIES: Final[dict[str, Entry]] = {}


def rule(code: str) -> Callable[[See], See]:
    """Declares a function as the rule with this code; the function is called as the rule is."""

    def declare(see: See) -> See:
        doc = see.__doc__ or _in_source(see)
        match = _PAGE.search(doc)
        assert match is not None, code
        severity = next(severity for severity in SEVERITIES if severity == match[2])
        summary, sources = (" ".join(words.split()) for words in (match[1], match[3]))
        name = see.__name__.replace("_", "-")
        declared = Rule(code, name, severity, summary, tuple(sources.split("; ")))
        _ENTRIES[code] = Entry(declared, doc, see)
        return see

    return declare


def _in_source(see: See) -> str:
    """The docstring, which `python -OO` leaves in the source alone."""
    from inspect import getsource

    return getsource(see).split('"""')[1]


@cache
def all_rules() -> dict[str, Entry]:
    """Returns the rules by their codes, in the codes' order."""
    for family in _FAMILIES:
        import_module(f"{__package__}.{family}")
    return dict(sorted(_ENTRIES.items()))


def url(code: str) -> str:
    """Returns the address of what is said of a rule."""
    return f"{PAGES}#{code.lower()}-{all_rules()[code].rule.name}"


def finding(
    subject: Subject,
    layers: Iterable[Layer],
    why: Words,
    advice: str,
    evidence: Iterable[Evidence] = (),
    *,
    ms: float | None = None,
    about: Iterable[Layer] = (),
) -> Finding:
    """Makes a finding of the rule that yields it.

    The time that can be saved is never more than the layers take, nor than an inference takes.

    Args:
        subject: the engine.
        layers: the layers that it is about; none: those of `about`.
        why: a sentence with the names apart.
        advice: what to try.
        evidence: what it rests on; none: the records of the first layers.
        ms: the time that can be saved.
        about: layers that it mentions without counting their time.
    """
    unique, mentioned = {layer.index: layer for layer in layers}, tuple(about)
    whole = subject.costs.sum(unique.values())
    ms = None if ms is None or whole is None else max(0.0, at_most(min(ms, whole), subject.costs))
    others = tuple(sorted(layer.index for layer in mentioned))
    facts = tuple(evidence) or tuple(map(record, [*unique.values(), *mentioned][:FEW]))
    kind = None if ms is None else subject.costs.kind
    return Finding(_UNNAMED, tuple(unique), ms, why, advice, facts, kind, about=others)


def shared(
    subject: Subject, layers: Sequence[Layer], least_share: float, what: str, advice: str
) -> Iterator[Finding]:
    """Yields a finding where layers together take more than a share of the engine's time.

    Args:
        subject: the engine.
        layers: the layers.
        least_share: from 0 to 1; there is none up to it, or where too little time is known.
        what: the word for one of the layers.
        advice: what to try.
    """
    if took := taken(subject, layers, least_share):
        timed = subject.longest_first(filter(subject.ms, layers))
        takes = f"{text.count(len(timed), what)} {text.plural(len(timed), 'takes', 'take')}"
        yield finding(subject, timed, (f"{takes} {took}: ", *named(timed)), advice)


def taken(subject: Subject, layers: Sequence[Layer], least_share: float) -> str:
    """Returns `380 µs, 72.5 % of all` of layers together; empty where they take no such share."""
    ms, whole = subject.costs.sum(layers), subject.costs.whole
    if not ms or not whole or ms <= least_share * whole or not subject.costs.ranked:
        return ""
    share = text.percent(subject.costs.part(layers) or 0.0)
    return f"{text.milliseconds(ms)}, {share} {subject.of_all}"


def record(layer: Layer) -> Evidence:
    """Returns a layer's record as evidence."""
    return Evidence(f"{layer.type} {layer.name}".strip(), layer.place.line)


def precision_option(subject: Subject) -> list[Evidence]:
    """Returns the precisions that trtexec was allowed; empty where the log has no options."""
    printed = [option for option in subject.facts.options if option.key == "Precision"]
    return [Evidence(f"Precision: {option.value}", option.line) for option in printed[:1]]


def named(layers: Sequence[Layer]) -> tuple[str | Name, ...]:
    """Returns a list of names: `conv1`, `conv2`, `conv3` and 17 more layers."""
    return first_of([("`", Name(layer.name), "`") for layer in layers], noun="layer")
