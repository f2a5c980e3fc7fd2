"""Markdown of this folder and of the root in, a site out; CONTRIBUTING.md says how to build it."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any, Final

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.ext import napoleon
from sphinx.ext.napoleon.docstring import GoogleDocstring

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path[:0] = [str(DOCS), str(ROOT)]

import pictures  # noqa: E402  (the folder is no package)
import schema_tables  # noqa: E402

import engine_layer_visualize  # noqa: E402

project = "engine_layer_visualize"
author = f"the authors of {project}"
release = engine_layer_visualize.__version__
language = "en"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
# The index of the folder is for a code host; here it is `index.md`.
exclude_patterns = ["README.md"]

myst_enable_extensions = ["html_image"]
myst_heading_anchors = 3

# A name in single backticks is code, in docstrings too.
default_role = "literal"
smartquotes = False  # `--help` stays what one types
autodoc_default_options = {
    "members": True,
    "undoc-members": True,
    "exclude-members": "__init__, __new__",
}
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_class_signature = "separated"
add_module_names = False
toc_object_entries_show_parents = "hide"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 60

html_theme = "furo"
html_title = project
html_logo = html_favicon = "logo.svg"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
# As they stand in the folders: the schemas, and the page of the engine that the front page shows.
html_extra_path = ["schemas", "../out/page"]
templates_path: list[str] = []

# Files that stand elsewhere, and the page or file of the site that shows them.
SHOWN_BY = {
    (page.parent / found[1]).resolve(): page
    for page in sorted(DOCS.glob("**/*.md"))
    if (found := re.match(r"```\{include\} (\S+)", page.read_text("utf-8")))
} | {
    DOCS / "README.md": DOCS / "index.md",
    ROOT / "out" / "page" / "EngineLayers_0.html": DOCS / "EngineLayers_0.html",
}


def relinked(text: str, folder: Path, page: Path) -> str:
    """Links and pictures of a text that stands in `folder`, as they are for `page`."""

    def moved(link: re.Match[str]) -> str:
        target = (folder / link["path"]).resolve()
        path = os.path.relpath(SHOWN_BY.get(target, target), page.parent)
        return f"{link['before']}{Path(path).as_posix()}"

    return re.sub(r'(?P<before>\]\(|\b(?:src|href)=")(?P<path>[^:)"#]+)(?=[#)"])', moved, text)


def on_read(app: Sphinx, docname: str, content: list[str]) -> None:
    page = DOCS / f"{docname}.md"
    if docname == "python":
        content[0] += _api()
    if docname == "reference":
        content[0] += "".join(map(_schema, schema_tables.NAMES))
    content[0] = relinked(content[0], page.parent, page)


def _api() -> str:
    """All public names, from their docstrings: what a code host cannot show."""
    told = [f"\n## All names\n\n```{{eval-rst}}\n.. currentmodule:: {project}\n"]
    for name in engine_layer_visualize.__all__:
        value = getattr(engine_layer_visualize, name)
        kind = (
            "data" if isinstance(value, str) else "class" if isinstance(value, type) else "function"
        )
        told.append(f".. auto{kind}:: {name}" + "\n   :no-value:" * (kind == "data"))
    return "\n".join([*told, "```\n"])


def _schema(name: str) -> str:
    """The keys of a document, from its schema."""
    return f"\n## Keys of `{name}`\n\n{schema_tables.tables(name)}\n"


def on_include(app: Sphinx, path: Path, docname: str, content: list[str]) -> None:
    page = DOCS / f"{app.env.docname}.md"  # MyST gives the last part of `docname` alone
    content[0] = relinked(content[0], (DOCS / path).parent, page)


_SECTIONS: Any = napoleon.Config(napoleon_use_ivar=True)


def on_docstring(
    app: Sphinx, what: Any, name: str, value: object, options: object, lines: list[str]
) -> None:
    """Sets sections (Args, Raises …); drops what Python itself says of a named tuple's field."""
    if lines and lines[0].startswith("Alias for field number"):
        lines.clear()
    elif what in ("class", "function", "method"):  # of others, Napoleon takes words for a type
        lines[:] = GoogleDocstring(lines, _SECTIONS, app, what).lines()


def opened(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """A link to a file opens it; Sphinx would have the browser save it."""
    for node in list(doctree.findall(addnodes.download_reference)):
        to_root = "../" * docname.count("/")
        link = nodes.reference(refuri=f"{to_root}_downloads/{node['filename']}", internal=True)
        link += node.children
        node.replace_self(link)


_COMMAND: Final = re.compile(r'<div class="highlight-sh.*?</pre>', re.DOTALL)
_FLAG: Final = re.compile(r"(?<=[\s>])--?\w[\w-]*")


def on_page(app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """A browser cuts a line of a command between words alone, not after the hyphens of a flag."""
    flags = r'<span class="flag">\g<0></span>'
    context["body"] = _COMMAND.sub(
        lambda block: _FLAG.sub(flags, block[0]), context.get("body", "")
    )


def setup(app: Sphinx) -> None:
    folder = ROOT / "out" / "page"
    folder.mkdir(parents=True, exist_ok=True)
    pictures.page(folder / "EngineLayers_0.html")
    app.connect("source-read", on_read)
    app.connect("include-read", on_include)
    app.connect("autodoc-process-docstring", on_docstring)
    app.connect("doctree-resolved", opened)
    app.connect("html-page-context", on_page)
