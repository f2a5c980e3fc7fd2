"""Reads the findings of the file of `--baseline`, as they are compared."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.commands import Report, inputs
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.linting import findings_of
from engine_layer_visualize.linting.causes import key_of_rule
from engine_layer_visualize.linting.selection import Key, Known, key_of, keyed
from engine_layer_visualize.linting.subject import Subject

_OURS: Final = re.compile(rb'\s*\{\s*"(?:schema|engines)"\s*:')  # engines: where keys are sorted
_HEAD: Final = 4096  # bytes

_SCHEMA: Final = 1  # of what `lint --format json` prints


def known(path: str, options: inputs.Reading, report: Report) -> Known:
    """Reads the findings that are known.

    Args:
        path: A log, or what `lint --format json` printed.
        options: How a log is read.
        report: Is told problems of the log.

    Raises:
        ReadError: Where the log cannot be read, or the JSON not be used (ELV702).
    """
    if path != "-" and Path(path).is_file():
        source = Source(path)
        if _OURS.match(source.head(_HEAD)):
            return Known(of_json(path, source.text()))
    from engine_layer_visualize.api.read import Log

    log = Log(
        path,
        strict=options.strict,
        max_layers=options.max_layers,
        max_line=options.max_line,
        progress=report.progress,
    )
    return Known(
        (engine.index, key)
        for engine in inputs.engines(log, report)
        for finding in findings_of(Subject(Costs(engine)))
        for _, key in keyed(finding, engine)
    )


def of_json(path: str, text: str) -> Iterator[tuple[int, Key]]:
    """Reads the index of an engine and the key of a finding, one by one.

    Raises:
        ReadError: Where this is not the JSON of `lint` (ELV702).
    """
    try:
        document: Any = json.loads(text)
        if document["schema"] != _SCHEMA:
            raise _no_baseline(path, f"schema {document['schema']!s:.80}, and not {_SCHEMA}")
        for part in document["engines"]:
            index, names = part["engine"]["index"], part["layer_names"]
            if not isinstance(index, int):
                raise TypeError(index)
            for finding in part["findings"]:
                layers, code = finding["layers"], str(finding["code"])
                cause = str(finding.get("cause") or key_of_rule(code))
                for name in [names[str(layer)] for layer in layers] or [None]:
                    yield index, key_of(cause, name)
    except KeyError as error:
        raise _no_baseline(path, f"`{error.args[0]:.80}` is missing") from error
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        why = f"line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else ""
        raise _no_baseline(path, why or "a value has another type") from error


def _no_baseline(path: str, why: str) -> ReadError:
    message = f"no JSON of `lint --format json`: {why}"
    return ReadError(Problem(Place(path), "ELV702", message))
