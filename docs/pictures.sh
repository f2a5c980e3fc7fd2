#!/usr/bin/env bash
# Draws the pictures of README.md and docs/ again, from fixtures. Needs the extra `render`, and chromium for
# the page. PYTHON is the interpreter to use, by default that of .venv. Look at each picture afterwards.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${PYTHON:-.venv/bin/python}
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
log=fixtures/classic/8.0-centernet

"$python" -m engine_layer_visualize --log_file $log.log --profile_file $log.profile.json \
  --format svg,png,html --output_dir "$made/centernet"
"$python" -m engine_layer_visualize --log_file fixtures/detailed/8.5-merged-dump.log \
  --format png --theme dark --color_by type --output_dir "$made/dark"
cp "$made/centernet/EngineLayers_0.svg" docs/centernet.svg
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --virtual-time-budget=2000 \
  --window-size=1440,860 --screenshot="$made/viewer.png" "file://$made/centernet/EngineLayers_0.html"

# 256 colours are enough, and a third of the bytes.
"$python" - "$made/centernet/EngineLayers_0.png" docs/centernet.png \
  "$made/dark/EngineLayers_0.png" docs/engine-dark.png "$made/viewer.png" docs/viewer.png <<'PYTHON'
import sys
from PIL import Image

for source, target in zip(sys.argv[1::2], sys.argv[2::2]):
    Image.open(source).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(target, optimize=True)
PYTHON
