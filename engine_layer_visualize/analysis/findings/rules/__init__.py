"""The rules, one file each: `RULE`, and `check(subject)`, which gives its findings.

A file's docstring is the rule's page in docs/rules. A new rule is a new file here.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Final, Protocol, cast

from engine_layer_visualize.analysis.findings.finding import Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject

PAGES: Final = "docs/rules/"  # a release makes it a link: .github/workflows/release.yml


class RuleModule(Protocol):
    """A module of this folder."""

    __doc__: str | None
    RULE: Rule

    def check(self, subject: Subject) -> Iterator[Finding]:
        """One finding for each cause."""


@cache
def all_rules() -> dict[str, RuleModule]:
    """The modules by their rules' codes, in the codes' order."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    modules = [cast(RuleModule, import_module(f"{__name__}.{name}")) for name in names]
    return {module.RULE.code: module for module in modules}


def url(code: str) -> str:
    """The page of a rule."""
    return f"{PAGES}{code}.md"
