"""The server for assistants on real logs: from a question to the lines that the answer rests on."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from paths import RECORDED, ROOT, recorded
from program import Capture

from engine_layer_visualize.commands import cli

pytest.importorskip("mcp")
from mcp import Client, StdioServerParameters

ASKED = ("000", "020", "131", "143", "147", "303", "323", "326")


def talked() -> dict[str, Any]:
    """What the server says of each log: findings, layers of the first, one of them, its line."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "engine_layer_visualize", "mcp", str(RECORDED)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    said: dict[str, Any] = {}

    async def session() -> None:
        async with Client(server) as client:

            async def ask(tool: str, **arguments: Any) -> Any:
                result = await client.call_tool(tool, arguments)
                content: Any = result.content[0]
                assert not result.is_error, content.text
                assert len(content.text.encode()) <= 24_000
                return json.loads(content.text)

            for number in ASKED:
                log, profiles = files(number)
                given = {"log": log.name, "profiles": [path.name for path in profiles]}
                told = said[number] = {"lint": await ask("lint", **given)}
                engine = told["lint"]["engines"][0]
                given["engine"] = engine["engine"]
                (first, *_) = engine["causes"] or [None]
                query = "" if first is None else f"code:{first['code']}"
                told["layers"] = await ask("layers", **given, query=query, limit=200)
                index = told["layers"]["engines"][0]["layers"][0]["index"]
                told["layer"] = await ask("layer", **given, layer=str(index))
                line = told["layer"]["layer"]["line"]
                told["line"] = await ask("log_lines", log=log.name, from_line=line, to_line=line)

    asyncio.run(asyncio.wait_for(session(), 900))
    return said


def files(number: str) -> tuple[Path, list[Path]]:
    return recorded(number, ".log"), sorted(RECORDED.glob(f"{number}_*.profile.json"))


def test_questions_lead_to_lines_of_the_log(capsys: Capture) -> None:
    said = talked()
    for number in ASKED:
        log, profiles = files(number)
        told = said[number]
        assert cli.main(["lint", str(log), *map(str, profiles), "--format", "brief"]) in (0, 1)
        assert told["lint"] == json.loads(capsys.readouterr().out)
        layer = told["layer"]["layer"]
        (text,) = told["line"]["lines"]
        with open(log, encoding="utf-8", errors="replace") as file:
            lines = file.read().split("\n")
        assert text.removesuffix(" …")[:100] == lines[layer["line"] - 1].rstrip("\r")[:100]
        causes = told["lint"]["engines"][0]["causes"]
        if causes and causes[0]["layers"]:
            found = {row["index"] for row in told["layers"]["engines"][0]["layers"]}
            assert found & set(causes[0]["layers"])
            assert causes[0]["code"] in {one["code"] for one in told["layer"]["findings"]}
