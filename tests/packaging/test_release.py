"""Files that repeat the version, the dependencies or paths agree with the package and the tree."""

import re
import subprocess
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
from paths import ROOT

import engine_layer_visualize as elv
from engine_layer_visualize import __version__

yaml = pytest.importorskip("yaml")

SETUP = ConfigParser(interpolation=None)
SETUP.read(ROOT / "setup.cfg", "utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
# A path of the tree in a command line: it begins with a folder or is a file of the root.
PATH = re.compile(
    r"(?<![\w./${}-])(?:(?:\.ci|benchmarks|conda|docs|engine_layer_visualize|fixtures"
    r"|fuzz|skills|tests|web)(?:/[\w.-]+)*|[A-Z]\w+\.(?:md|cff)|action\.yml)(?![\w-])"
)


def read(path: str | Path) -> Any:
    return yaml.safe_load((ROOT / path).read_text("utf-8"))


def words(value: Any) -> Iterator[str]:
    """All texts in a value, but for names of steps."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from () if key == "name" else words(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from words(inner)
    elif isinstance(value, str):
        yield value


# ---- the version, the dependencies ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("CITATION.cff", "version: {}"),
        ("conda/recipe.yaml", "  version: {}"),
        ("CHANGELOG.md", "## {}"),
    ],
)
def test_the_version_is_the_same_everywhere(file: str, line: str) -> None:
    text = (ROOT / file).read_text("utf-8")
    pattern = re.escape(line).replace(r"\{\}", r"([0-9]+\.[0-9]+\S*)")
    found = re.search(f"^{pattern}", text, re.MULTILINE)
    assert found is not None
    assert found[1] == __version__


def test_conda_has_what_the_wheel_has() -> None:
    recipe, options = read("conda/recipe.yaml"), SETUP["options"]
    wanted = [
        line.partition(";")[0].replace(">= ", ">=")  # one recipe serves every Python
        for line in options["install_requires"].split("\n")
    ]
    python = f"python {options['python_requires']}"
    assert recipe["requirements"]["run"] == [python, *filter(None, wanted)]
    scripts = SETUP["options.entry_points"]["console_scripts"].strip().split("\n")
    assert recipe["build"]["python"]["entry_points"] == scripts
    about, metadata = recipe["about"], SETUP["metadata"]
    assert (about["summary"], about["license"]) == (metadata["description"], metadata["license"])
    assert all((ROOT / file).is_file() for file in about["license_file"])


# ---- what builds a release -----------------------------------------------------------------------


@pytest.mark.parametrize("path", [*WORKFLOWS, ROOT / "action.yml"], ids=lambda path: path.name)
def test_every_path_of_a_workflow_is_there(path: Path) -> None:
    texts = (re.sub(r"\$\w+/", "", text) for text in words(read(path)))
    named = {found for text in texts for found in PATH.findall(text)}
    assert named
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_jobs_wait_for_what_they_use() -> None:
    jobs = read(".github/workflows/release.yml")["jobs"]
    given: dict[str, set[str]] = {}
    for name, job in jobs.items():
        needs = job.get("needs", [])
        needs = {needs} if isinstance(needs, str) else set(needs)
        assert needs <= set(jobs)
        given[name] = needs.union(*(given[one] for one in needs))  # above it in the file
    steps = [(step, name) for name, job in jobs.items() for step in job["steps"]]
    upload = "actions/upload-artifact@"
    uploads = [one for one in steps if one[0].get("uses", "").startswith(upload)]
    made = {step["with"]["name"]: name for step, name in uploads}
    assert {made["dist"]} <= given["index"]
    assert set(made.values()) <= given["release"]
    assert set(jobs) == {"release"} | given["release"]


def test_the_files_of_a_release() -> None:
    """What the jobs make; the Action is the repository itself, and is run."""
    jobs = read(".github/workflows/release.yml")["jobs"]
    text = "\n".join(words(jobs))
    parts = (".ci/package dist", "files/web.zip", "files/skill.zip", "out/conda", "docker push")
    assert [part for part in parts if part not in text] == []
    (use,) = [step for step in jobs["action"]["steps"] if step.get("uses") == "./"]
    action = read("action.yml")
    assert set(use["with"]) <= set(action["inputs"])
    required = {name for name, one in action["inputs"].items() if one.get("required")}
    assert required <= set(use["with"])


def test_the_action_of_a_release_passes(tmp_path: Path) -> None:
    """Its command makes the log of another run, and the gate takes that for one."""
    steps = read(".github/workflows/release.yml")["jobs"]["action"]["steps"]
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    (command,) = [step["run"] for step in steps if "run" in step]
    subprocess.run(command, shell=True, cwd=tmp_path, check=True)
    (given,) = [step["with"] for step in steps if step.get("uses") == "./"]
    baseline, log = (elv.read(tmp_path / given[key]) for key in ("baseline", "log_file"))
    assert elv.gate(baseline.engines[0], log.engines[0]).exit_code == 0


def test_extras_that_are_installed_exist() -> None:
    extras = set(SETUP["options.extras_require"])
    files = [*WORKFLOWS, ROOT / ".ci" / "run", ROOT / "Dockerfile"]
    text = "\n".join(path.read_text("utf-8") for path in files)
    text = text.replace("$BUILDER", "record,tensorrt")
    builders = re.findall(r"BUILDER=(\w+)", text)
    named = [one for list in re.findall(r"[./]\w*\[([\w,]+)\]", text) for one in list.split(",")]
    assert builders and len(named) > 5
    assert {*builders, *named} <= extras


def test_the_notes_of_a_release_are_in_the_changelog() -> None:
    parts = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text("utf-8"), flags=re.MULTILINE)
    notes = {part.split()[0]: part.split("\n", 1)[1].strip() for part in parts[1:]}
    assert len(notes) == len(parts) - 1 and all(notes.values())
    assert __version__ in notes
