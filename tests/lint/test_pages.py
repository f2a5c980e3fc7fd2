"""The pages of the rules are those that the rules' files say."""

from __future__ import annotations

import re

import rules

PARTS = (
    "Found",
    "Why it costs",
    "What to do",
    "When to leave it",
    "Example",
    "Versions",
    "Severity",
    "Sources",
)


def test_the_pages_are_made_from_the_rules() -> None:
    """`python docs/rules.py` writes them."""
    made = rules.pages()
    assert {path.name for path in rules.FOLDER.iterdir()} == set(made)
    for name, text in made.items():
        assert (rules.FOLDER / name).read_text("utf-8") == text, name


def test_the_index_has_every_rule() -> None:
    *pages, index = sorted(rules.pages(), key=lambda name: name == rules.INDEX)
    assert all(f"]({name})" in rules.pages()[index] for name in pages)


def test_every_page_has_all_parts_in_their_order() -> None:
    for name, text in rules.pages().items():
        if name != rules.INDEX:
            assert tuple(re.findall(r"^\*\*(.+?)\*\*:", text, re.MULTILINE)) == PARTS, name
