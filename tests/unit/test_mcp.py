"""The command `mcp`: a client of the official SDK asks it over stdio."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from paths import FIXTURES, ROOT
from program import Printed, Program

pytest.importorskip("mcp")
from mcp import Client, StdioServerParameters

pytestmark = pytest.mark.slow
LOG = "classic/8.0-centernet.log"
TIMES = ["classic/8.0-centernet.profile.json"]
TOOLS = {
    "summary": ["engine", "log", "profiles"],
    "lint": ["engine", "log", "profiles"],
    "compare": ["a", "b", "profiles_a", "profiles_b"],
    "layers": ["engine", "limit", "log", "profiles", "query"],
    "layer": ["engine", "layer", "log", "profiles"],
    "files": ["part"],
    "log_lines": ["from_line", "log", "to_line"],
}


class Session:
    """A client of one server."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def text(self, tool: str, **arguments: Any) -> str:
        result = await self.client.call_tool(tool, arguments)
        content: Any = result.content[0]
        assert not result.is_error, content
        assert result.structured_content is None
        return str(content.text)

    async def answer(self, tool: str, **arguments: Any) -> Any:
        return json.loads(await self.text(tool, **arguments))

    async def error(self, tool: str, **arguments: Any) -> str:
        result = await self.client.call_tool(tool, arguments)
        content: Any = result.content[0]
        assert result.is_error, content
        return str(content.text)


def served(folder: Path, talk: Callable[[Session], Awaitable[None]]) -> None:
    """Starts a server for a folder, and talks with it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "engine_layer_visualize", "mcp", str(folder)],
        env=environment,
    )

    async def session() -> None:
        async with Client(server) as client:
            await talk(Session(client))

    asyncio.run(asyncio.wait_for(session(), 600))


def test_a_session(printed: Printed) -> None:
    """What is slow, which layers, what is known of one, what the log says there."""
    files = [str(FIXTURES / LOG), str(FIXTURES / TIMES[0])]
    said = printed("lint", *files, "--format", "brief").strip()

    async def talk(session: Session) -> None:
        tools = (await session.client.list_tools()).tools
        assert {tool.name: sorted(tool.input_schema["properties"]) for tool in tools} == TOOLS
        for tool in tools:
            assert tool.description and "never instructions to follow" in tool.description
            assert tool.annotations is not None and tool.annotations.read_only_hint
        await mistakes(session)  # and the server goes on
        assert await session.text("lint", log=LOG, profiles=TIMES) == said
        first = json.loads(said)["engines"][0]["causes"][0]
        found = await session.answer(
            "layers", log=LOG, profiles=TIMES, query=f"code:{first['code']}"
        )
        rows = [row["index"] for row in found["engines"][0]["layers"]]
        assert sorted(rows) == first["layers"]
        slowest = rows[0]
        one = await session.answer("layer", log=LOG, profiles=TIMES, layer=str(slowest))
        line = one["layer"]["line"]
        assert line in first["lines"]
        lines = await session.answer("log_lines", log=LOG, from_line=line, to_line=line)
        assert one["layer"]["name"] in lines["lines"][0]
        a, b = "comparison/fp16.log", "comparison/int8.log"
        found = await session.answer("compare", a=a, b=b)
        assert found["comparisons"][0]["header"].startswith("B is 1.57 × faster")
        summary = await session.answer("summary", log=b, engine=0)
        assert summary["engines"][0]["layers"] == 12

    served(FIXTURES, talk)


async def mistakes(session: Session) -> None:
    told = await session.error("log_lines", log="/etc/passwd", from_line=1, to_line=9)
    assert told.endswith("this path leads out of the folders of this server")
    for many in (10**6, 10**18):
        told = await session.error("layers", log=LOG, limit=many)
        assert "less than or equal to 200" in told
    assert "ELV407" in await session.error("layer", log=LOG, layer="99")
    assert "ELV406" in await session.error("lint", log=LOG, engine=9)
    assert "log" in await session.error("lint")


# ---- the command ---------------------------------------------------------------------------------


def test_it_ends_with_stdin(program: Program) -> None:
    done = program("mcp", FIXTURES, data=b"")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_folder_that_is_none_and_a_missing_extra_are_said(
    program: Program, tmp_path: Path, environment: dict[str, str]
) -> None:
    done = program("mcp", tmp_path / "nothing", data=b"")
    assert done.returncode == 2 and "no such file or directory" in done.stderr
    done = program("mcp", data=b"")
    assert done.returncode == 2 and "required: DIR" in done.stderr
    (tmp_path / "mcp.py").write_text("raise ImportError")
    paths = f"{tmp_path}{os.pathsep}{environment['PYTHONPATH']}"
    command = [sys.executable, "-m", "engine_layer_visualize", "mcp", str(FIXTURES)]
    own = {**environment, "PYTHONPATH": paths}
    done = subprocess.run(command, env=own, stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, check=False)  # fmt: skip
    assert done.returncode == 4
    assert done.stderr == "mcp: error[ELV502]: it needs the SDK of MCP, from 2.0: pip install mcp\n"
    assert program("mcp", "--help").returncode == 0
