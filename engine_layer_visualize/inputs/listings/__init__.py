"""The input formats.

takes: nothing
gives: DIALECTS, what an engine can be read from
never: reads by itself; a new format is a new file here and a line in its tuple
"""

from __future__ import annotations

from typing import Final

# Names of modules, not modules: lark is imported only when a listing was found.
DIALECTS: Final = ("classic", "detailed", "inspector_json")
