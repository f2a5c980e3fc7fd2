"""Makes the font that SVG and pages embed, and the widths of its characters for the layout.

`python docs/font.py` takes the font of PNG (the extra `render`), keeps what outputs print,
in the weights from regular to bold, and writes it as WOFF2 into the package, its licence beside it.
It needs fonttools with brotli (`pip install "fonttools[woff]"`). The licence reserves the name of
the font for the whole one: the part is called otherwise.
"""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from engine_layer_visualize.drawing.theme import FAMILY

PACKAGE: Final = Path(__file__).resolve().parents[1] / "engine_layer_visualize" / "drawing"
SOURCE: Final = "fontpkg_ibm_plex_sans"
WEIGHTS: Final = (400, 700)
# Latin with the accents of western Europe, and the signs that outputs print.
CHARACTERS: Final = (
    *range(0x20, 0x7F),
    *(code for code in range(0xA0, 0x100) if code != 0xAD),  # a soft hyphen has no width
    *map(ord, "ıŒœŠšŸŽžΔμρ–—‘’‚“”„†•…‹›₁₂€←↑→↓∞−≈≠≤≥◊✓"),
)


def main() -> None:
    """Writes the font, its licence and the widths."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont
    from fontTools.varLib.instancer import instantiateVariableFont

    spec = find_spec(SOURCE)
    assert spec is not None and spec.origin is not None, "it needs the extra `render`"
    folder = Path(spec.origin).parent
    (upright,) = (path for path in folder.glob("files/*.ttf") if "Italic" not in path.name)
    options = Options()
    options.flavor = "woff2"
    options.layout_features = []  # no kerning: the layout adds the widths of characters
    options.hinting = False
    options.name_IDs = [0, 1, 2, 4, 6, 13, 14]  # copyright, names, licence
    options.notdef_outline = True

    font = TTFont(upright)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=CHARACTERS)
    subsetter.subset(font)
    instantiateVariableFont(font, {"wdth": 100, "wght": WEIGHTS}, inplace=True)
    font.flavor = "woff2"
    for record in font["name"].names:
        if record.nameID in (1, 3, 4, 6, 16, 25):
            record.string = FAMILY.replace(" ", "" if record.nameID in (6, 25) else " ")
    font.save(PACKAGE / "sans.woff2")
    shutil.copyfile(folder / "LICENSE", PACKAGE / "FONT_LICENSE")
    widths = {str(weight): _widths(TTFont(upright), weight) for weight in WEIGHTS}
    (PACKAGE / "widths.json").write_text(json.dumps(widths, indent=0) + "\n", "utf-8")


def _widths(font: Any, weight: int) -> dict[str, int]:
    """Returns the width of each character in thousandths of the size."""
    from fontTools.varLib.instancer import instantiateVariableFont

    instantiateVariableFont(font, {"wdth": 100, "wght": weight}, inplace=True)
    names, sizes = font.getBestCmap(), font["hmtx"]
    return {chr(code): sizes[names[code]][0] for code in CHARACTERS if code in names}


if __name__ == "__main__":
    main()
