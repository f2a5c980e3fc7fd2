"""Holds the rules, one file each: `RULE`, and `check(subject)`, which gives its findings.

A file's name is the rule's code and name, its docstring the page in docs/rules: the summary first,
severity and sources last. A new rule is a new file here.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from inspect import cleandoc
from typing import Final, Protocol, cast

from engine_layer_visualize.core.text import nearest
from engine_layer_visualize.linting.finding import Finding, Rule
from engine_layer_visualize.linting.subject import Subject

_LEAST_LIKENESS: Final = 0.6  # of two codes: two of three characters
_MOST_DIGITS: Final = 9  # of the number of a code
PAGES: Final = "docs/rules/"  # a release makes it a link: .github/workflows/release.yml


class RuleModule(Protocol):
    """A module of this folder."""

    __doc__: str | None
    RULE: Rule

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Yields one finding for each cause."""


@cache
def all_rules() -> dict[str, RuleModule]:
    """Returns the modules of this folder by their rules' codes, in the codes' order."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    modules = [cast(RuleModule, import_module(f"{__name__}.{name}")) for name in names]
    return {module.RULE.code: module for module in modules}


def nearest_rule(word: str) -> str:
    """Returns the code or the name that was meant, else the nearest code of its letter, else ""."""
    rules = all_rules()
    near = nearest(
        word, [*rules, *(module.RULE.name for module in rules.values())], _LEAST_LIKENESS
    )
    number = word[1:]
    if near or not (number.isdecimal() and len(number) < _MOST_DIGITS):
        return near
    family = [code for code in rules if code[0] == word[0].upper()]
    return min(family, key=lambda code: abs(int(code[1:]) - int(number)), default="")


def url(code: str) -> str:
    """Returns the address of a rule's page."""
    return f"{PAGES}{code}.md"


def page(module: RuleModule) -> str:
    """Returns a rule's page in Markdown, without its heading."""
    return cleandoc(module.__doc__ or "") + "\n"
