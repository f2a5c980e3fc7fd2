"""The log lines that stand beside the patterns that read them: `# e.g. (versions) line`."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import engine_layer_visualize

PACKAGE = Path(engine_layer_visualize.__file__).parent
# They read what stands around a log's lines.
OTHERS = ("hosts", "wrapping", "envelopes")
MODULES = [path for path in sorted((PACKAGE / "reading").glob("*.py")) if path.stem not in OTHERS]
SAMPLE = re.compile(r"# e\.g\. \([^()]+\) (.*)")


def patterns() -> Iterator[tuple[str, str, list[str]]]:
    """(module, name, sample lines) of every pattern."""
    for path in MODULES:
        text = path.read_text("utf-8")
        lines = text.split("\n")
        for node in ast.parse(text).body:
            if isinstance(node, ast.AnnAssign) and "lazy(" in ast.unparse(node):
                first = node.lineno - 1
                while lines[first - 1].startswith("#"):
                    first -= 1
                found = [SAMPLE.fullmatch(line) for line in lines[first : node.lineno - 1]]
                module = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
                yield module, ast.unparse(node.target), [match[1] for match in found if match]


# They are for a part of a line, for two, or for a line that no message is.
PARTS = ("_RULE", "HEADING", "ROW", "_NEARLY", "_APART")
PATTERNS = [pattern for pattern in patterns() if pattern[1] not in PARTS]
