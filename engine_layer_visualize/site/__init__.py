"""The site on which a log is dropped: its files, and a server for them on this computer.

The same files run in a browser alone, with a Python for browsers beside them (`web/build.py`), or
before the server of `serve`, which runs the program in a child process. Only `engine.js` differs.
"""

from __future__ import annotations

from html import escape
from importlib import resources
from typing import Final

from engine_layer_visualize.page import page

NAMES: Final = ("index.html", "site.css", "site.js", "views.js", "given.js", "dom.js")
SERVED: Final = "engine.js"  # of the server
# The pages that the site shows in a frame, which has the site's policy besides its own.
_FRAMED: Final = (("main", ""), ("compare_main", "compare"))


def policy(web_assembly: bool) -> str:
    """Returns the site's policy: nothing from, and nothing to, another address than its own."""
    digests = [page.digests(*framed) for framed in _FRAMED]
    scripts = " ".join(f"'{script}'" for script, _ in digests)
    styles = " ".join(f"'{style}'" for _, style in digests)
    more = " 'wasm-unsafe-eval'" if web_assembly else ""
    return (
        f"default-src 'none'; script-src 'self' {scripts}{more}; style-src 'self' {styles}; "
        f"font-src data:; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self' blob:; "
        "frame-src blob:; base-uri 'none'; form-action 'none'"
    )


def file(name: str, web_assembly: bool = False) -> bytes:
    """Returns a file of the site. Raises KeyError for another name."""
    if name not in (*NAMES, SERVED):
        raise KeyError(name)
    text = (resources.files(__package__) / "files" / name).read_text("utf-8")
    return text.replace("[[policy]]", escape(policy(web_assembly))).encode()
