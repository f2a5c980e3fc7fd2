"""Tells by its first bytes what a file is that this program, or another one, made of a log.

It also has the marks of files that stand beside logs.
"""

from __future__ import annotations

import re
from typing import Final

ENGINE: Final = rb"[a-z]trt\0"
# Its first field is the version of ONNX; what follows begins with one of these fields.
ONNX_MODEL: Final = rb"\x08[\x01-\x1f][\x12\x1a\x22\x28\x32\x3a\x42]"
ITERATION_TIMES: Final = rb'\[\s*\{\s*"start\w{1,9}Ms"\s*:'  # of trtexec's --exportTimes
_SCHEMA: Final = rb'\{\s*"schema"\s*:'
_MADE: Final = (
    (_SCHEMA + rb'\s*\d{1,9}\s*,\s*"snapshot"', "a baseline (of gate --save)"),
    (_SCHEMA + rb'\s*\d{1,9}\s*,\s*"engine"', "an engine as JSON (--format json)"),
    (_SCHEMA, "a report as JSON (--format json)"),
    (rb'\{\s*"\$schema"\s*:\s*"[^"]{0,200}sarif', "a report of findings (SARIF)"),
    (rb'.{0,99}\n"otherData": \{"source": \{"file": ', "a trace (--format trace)"),
    (rb'build_id,engine,|\{"build_id": "', "a table (of the command table)"),
    (rb'(?:strict )?(?:di)?graph [\w"]', "a drawing for Graphviz"),
    (rb"(?i:<!doctype html>|<html\b)", "a page of HTML"),
    (rb"(?:<\?xml[^>]*>\s*)?<svg\b", "a drawing (SVG)"),
    (rb"<\?xml ", "a file in XML"),
)


def made_of_log(head: bytes) -> str:
    """Empty where it is not known to be of that kind."""
    start = head.lstrip()
    return next((what for pattern, what in _MADE if re.match(pattern, start)), "")
