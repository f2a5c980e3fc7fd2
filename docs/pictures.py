"""The commands of the gallery in, its pictures in `out/` out; as a program, the committed pictures.

`python docs/pictures.py` draws the pictures of README.md and of the pages again. It needs the extra
`render`, and Chromium for the picture of the interactive page. Look at each picture afterwards.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

DOCS: Final = Path(__file__).resolve().parent
GALLERY: Final = DOCS / "gallery.md"
# A picture of the repository, and the file of the gallery that it shows.
COMMITTED: Final = {
    "centernet.svg": "out/time/EngineLayers_0.svg",
    "centernet.png": "out/time/EngineLayers_0.png",
    "engine-dark.png": "out/type/EngineLayers_0.png",
    "viewer.png": "out/page/EngineLayers_0.html",
}
BROWSER: Final = (
    *("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
    *("--virtual-time-budget=2000", "--window-size=1440,860"),
)


def make(folder: Path, formats: str = "svg") -> None:
    """Runs the gallery's commands in `folder`, which has `fixtures/`. Raises where one fails.

    `formats` is what is drawn where a command says `svg`.
    """
    (folder / "out").mkdir(exist_ok=True)
    text = GALLERY.read_text("utf-8").replace("--format svg", f"--format {formats}")
    for command in re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        _run(command, folder)


def _run(command: str, folder: Path) -> None:
    """Runs a command with this interpreter, and with this checkout's program."""
    python = f'python() {{ "{Path(sys.executable).as_posix()}" "$@"; }}\n'
    environment = {**os.environ, "PYTHONPATH": str(DOCS.parent), "PYTHONIOENCODING": "utf-8"}
    words = ["bash", "-e", "-o", "pipefail", "-c", python + command]
    subprocess.run(words, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)


def _keep(made: Path, target: Path) -> None:
    """Copies a picture; a PNG with 256 colours, which are enough, and a third of the bytes."""
    if target.suffix != ".png":
        shutil.copyfile(made, target)
        return
    from PIL import Image

    if made.suffix == ".html":
        picture = made.with_suffix(".png")
        words = (*BROWSER, f"--screenshot={picture}", made.as_uri())
        subprocess.run(words, stderr=subprocess.DEVNULL, check=True)
        made = picture
    with Image.open(made) as drawn:
        few = drawn.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    few.save(target, optimize=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "fixtures").symlink_to(DOCS.parent / "fixtures")
        make(Path(name), "svg,png")
        for target, made in COMMITTED.items():
            _keep(Path(name) / made, DOCS / target)
