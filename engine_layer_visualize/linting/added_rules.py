"""Takes the rules of other packages, and makes sure of what they give.

A rule that cannot be used is left out, with a problem (ELV708); the others find what they find.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator
from functools import cache
from math import isfinite
from typing import Any, Final

from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.words import Name, parts
from engine_layer_visualize.io import extensions
from engine_layer_visualize.io.extensions import Extension
from engine_layer_visualize.linting.finding import SEVERITIES, Evidence, Finding, Rule
from engine_layer_visualize.linting.subject import Subject

CODE: Final = re.compile(r"X[A-Z]{1,15}\d{2,4}")  # X is never a letter of our own
_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_END: Final = object()
_MOST: Final = 1_000  # findings of a rule, besides one for each layer
_CODE_WORDS: Final = "X, one to 15 capital letters and two to four digits, such as XACME01"


class AddedRule:
    """A rule of another package, as the modules in `rules`."""

    def __init__(self, extension: Extension) -> None:
        self.RULE: Rule = extension.module.RULE
        self.__doc__ = extension.module.__doc__
        self.package = extension.package
        self._extension = extension

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Yields what it finds up to its first error."""
        does, module = f"{self.RULE.code}: check", self._extension.module
        number = len(subject.engine.layers)
        try:
            findings = self._extension.run(does, lambda: iter(module.check(subject)))
            for count in itertools.count():
                found = self._extension.run(does, next, findings, _END)
                if found is _END:
                    return
                wrong = _wrong(found, self.RULE, number)
                if count > _MOST + number:
                    wrong = "it gives more of them than there are layers"
                if wrong:
                    message = f"{self.RULE.code} gave no finding that can be told: {wrong}"
                    extensions.tell(self._extension.wrong(message))
                    return
                layers = [subject.engine.layers[index] for index in found.layers]
                yield subject.finding(
                    self.RULE, layers, found.why, found.advice, found.evidence, ms=found.ms
                )
        except Exception as error:
            extensions.tell(self._extension.failed(does, error))


def added(names: Collection[str]) -> dict[str, AddedRule]:
    """Returns the rules of other packages by their codes; tells which cannot be used.

    Args:
        names: those of our own rules, which no other may have.
    """
    rules, problems = _usable(frozenset(names))
    for problem in problems:
        extensions.tell(problem)
    return rules


@cache
def _usable(names: frozenset[str]) -> tuple[dict[str, AddedRule], tuple[Problem, ...]]:
    rules: dict[str, AddedRule] = {}
    problems = []
    for extension in extensions.of_kind("rules"):
        wrong = _unusable(extension.module, names)
        if not wrong:
            rule: Rule = extension.module.RULE
            same = (one for one in rules.values() if rule.code == one.RULE.code)
            same_name = (one for one in rules.values() if rule.name == one.RULE.name)
            if (other := next(same, None)) is not None:
                wrong = f"{rule.code} is the code of a rule of {other.package}, too"
            elif (other := next(same_name, None)) is not None:
                wrong = f"{rule.name} is the name of a rule of {other.package}, too"
            else:
                rules[rule.code] = AddedRule(extension)
        if wrong:
            problems.append(extension.wrong(f"no rule: {wrong}"))
    return dict(sorted(rules.items())), tuple(problems)


def _unusable(module: Any, names: Collection[str]) -> str:
    """Returns why a module is no rule; empty where it is one."""
    rule = getattr(module, "RULE", None)
    if not isinstance(rule, Rule):
        return f"its RULE is of the type {type(rule).__name__}, not Rule"
    if not isinstance(rule.code, str) or not CODE.fullmatch(rule.code):
        return f"its code is {rule.code!r:.40}; a code of another package is {_CODE_WORDS}"
    if not isinstance(rule.name, str) or not _NAME.fullmatch(rule.name):
        return f"its name is {rule.name!r:.40}; it has small letters, digits and hyphens"
    if rule.name in names:
        return f"its name {rule.name} is that of another rule"
    if rule.severity not in SEVERITIES:
        return f"its severity is {rule.severity!r:.40}; there are {', '.join(SEVERITIES)}"
    if not isinstance(rule.summary, str) or not isinstance(rule.sources, tuple):
        return "its summary is no text, or its sources are no tuple"
    if not all(isinstance(source, str) for source in rule.sources):
        return "its sources are no texts"
    if not isinstance(getattr(module, "__doc__", None) or "", str):
        return "its docstring is no text"
    return "" if callable(getattr(module, "check", None)) else "it has no function check"


def _wrong(found: object, rule: Rule, layers: int) -> str:
    """Returns what is wrong with a finding; empty where it can be told."""
    if not isinstance(found, Finding):
        return f"it is of the type {type(found).__name__}, not Finding"
    if found.rule != rule:
        return "it is of another rule"
    if not isinstance(found.layers, tuple) or not all(
        type(index) is int and 0 <= index < layers for index in found.layers
    ):
        return "its layers are no tuple of indices of layers"
    ms = found.ms
    if ms is not None and not (type(ms) in (int, float) and isfinite(ms) and ms >= 0):
        return f"its ms is {ms!r:.40}"
    if not all(isinstance(part, (str, Name)) for part in parts(found.why)):
        return "its why is no text"
    if not isinstance(found.advice, str):
        return "its advice is no text"
    if not isinstance(found.evidence, tuple) or not all(
        isinstance(fact, Evidence)
        and isinstance(fact.text, str)
        and (fact.line is None or (type(fact.line) is int and fact.line > 0))
        for fact in found.evidence
    ):
        return "its evidence is no tuple of Evidence"
    return ""
