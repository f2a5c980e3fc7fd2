"""What is in a picture or a page, as other programs read it back."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import pytest


def png_size(png: bytes) -> tuple[int, int]:
    """Width and height in pixels, once all of it was decoded; a blank picture is none."""
    image = pytest.importorskip("PIL.Image").open(io.BytesIO(png), formats=["PNG"])
    image.load()
    darkest, lightest = image.convert("L").getextrema()
    assert lightest - darkest > 100
    width, height = image.size
    return width, height


def pdf_text(pdf: bytes) -> str:
    """The text of a document of one page."""
    (page,) = pytest.importorskip("pypdf").PdfReader(io.BytesIO(pdf)).pages
    return str(page.extract_text())


def shows(data: bytes, format: str, name: str) -> bool:
    """Whether it is a picture of that format that is not blank; of a PDF, that holds the name."""
    return name in pdf_text(data) if format == "pdf" else min(png_size(data)) > 100


def page_data(html: str, name: str) -> list[Any]:
    """The page's JSON elements of one class."""
    found = re.findall(rf'<script type="application/json" class="{name}">(.*?)</script>', html)
    return [json.loads(each) for each in found]
