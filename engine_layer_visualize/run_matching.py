"""Gives trtexec's runs to the engines that they loaded, and lists what belongs to no engine.

takes: the accounts of a log's builds and runs, and which of them are engines'
gives: the runs of each engine, in its account; `Unassigned` for the rest
never: gives a run to an engine that is known under another name
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Final

from engine_layer_visualize.chronicle import Account
from engine_layer_visualize.knowledge import Unassigned

_SHOWN: Final = 80  # characters of a file's name


def assign(accounts: Sequence[Account], engines: Sequence[Sequence[Account]]) -> list[Unassigned]:
    """Fills `Account.runs` of each engine's first account.

    `engines`: the accounts of each engine's listings, the main one first. A run of
    `trtexec --loadEngine=FILE` belongs to the engine that its own dump shows; else to the last
    engine before it that was saved, or loaded, under that name; else to the engine before it, if
    that has no name. What is left is returned.
    """
    owners = {id(main): main for main, *_ in engines}
    dumped = {id(other): main for main, *others in engines for other in others}
    names: dict[int, str] = {}
    listed: list[Account] = []  # engines so far
    unclear: set[int] = set()  # one of several without a name, and so are the runs after it
    rest: list[Unassigned] = []
    for place, account in enumerate(accounts):
        loads = account.loads
        if id(account) in owners:
            listed.append(account)
            names[id(account)] = _file(loads or _saved(account))
        elif (owner := dumped.get(id(account))) is not None:
            owner.runs.append(account)
            names[id(owner)] = names.get(id(owner)) or _file(loads)
        elif loads:
            same = [one for one in listed if names[id(one)] == _file(loads)]
            last = listed[-1] if listed else None
            if not same and last is not None and not names[id(last)]:
                if id(last) not in unclear and sum(not names[id(one)] for one in listed) > 1:
                    files = _files(accounts[place:], owners) - {*names.values()}
                    unclear |= {id(last)} if len(files) > 1 else set()
                if id(last) not in unclear:
                    same = [last]
                    names[id(last)] = _file(loads)
            if same:
                same[-1].runs.append(account)
            else:
                rest.append(_unassigned(account))
        elif _says_something(account):
            rest.append(_unassigned(account))
    return rest


def _files(accounts: Sequence[Account], owners: Container[int]) -> set[str]:
    """The files that runs load, up to the next engine."""
    found = set()
    for account in accounts:
        if id(account) in owners:
            break
        if account.loads:
            found.add(_file(account.loads))
    return found


def _saved(account: Account) -> str:
    return account.sheet.option("Save engine", "Build") or ""


def _file(path: str | None) -> str:
    """A path's last part: a run may be in another folder than the build."""
    return (path or "").replace("\\", "/").rstrip("/").rpartition("/")[2]


def _says_something(account: Account) -> bool:
    return bool(
        account.begun
        or account.sheet.performances
        or account.sheet.phases
        or account.sheet.options
        or any(account.counts.values())
    )


def _unassigned(account: Account) -> Unassigned:
    if account.loads:
        what = f"run of {_file(account.loads):.{_SHOWN}}"
        why = "the log does not show which engine that is"
    elif account.begun or account.sheet.phases:
        what, why = "build", "it lists no layers: it failed, or the log was cut"
    elif account.sheet.options:
        what, why = "run of trtexec", "it lists no layers and loads no engine"
    else:
        what, why = "messages", "they stand between builds"
    summary = account.sheet.performance
    compute = summary.gpu_compute if summary is not None else None
    return Unassigned(
        what,
        why,
        account.first_line,
        max(account.last_line, account.first_line),
        compute.mean if compute is not None else None,
        account.counts["warning"],
        account.counts["error"],
    )
