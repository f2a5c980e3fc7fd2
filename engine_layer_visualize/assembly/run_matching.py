"""Gives trtexec's runs to the engines that they loaded, and lists what belongs to no engine.

The accounts of a log's builds and runs go in; the runs of each engine come out, in its account,
and `Unassigned` for the rest.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Final

from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.inputs.buildlog.messages.build_segments import Account

_SHOWN: Final = 80  # characters of a file's name


def assign(accounts: Sequence[Account], engines: Sequence[Sequence[Account]]) -> list[Unassigned]:
    """Fills `Account.runs` of each engine's first account.

    `engines`: the accounts of each engine's listings, the main one first. A run of
    `trtexec --loadEngine=FILE` belongs to the engine that its own dump shows; else to the last
    engine before it that was saved under that path, or whose path ends as this one does; else to
    the engine before it, if that was not saved; else to one that was loaded under that path. What
    is left is returned.
    """
    owners = {id(main): main for main, *_ in engines}
    dumped = {id(other): main for main, *others in engines for other in others}
    listed: list[_Named] = []  # engines so far
    rest: list[Unassigned] = []
    for place, account in enumerate(accounts):
        if id(account) in owners:
            saved = _parts(account.loads or _saved(account))
            listed.append(_Named(account, saved, known=bool(saved)))
        elif (owner := dumped.get(id(account))) is not None:
            owner.runs.append(account)
        elif account.loads:
            found = _owner(listed, _parts(account.loads), accounts[place:], owners)
            if found is not None:
                found.account.runs.append(account)
            else:
                rest.append(_unassigned(account))
        elif _says_something(account):
            rest.append(_unassigned(account))
    return rest


@dataclass(slots=True)
class _Named:
    """An engine and its file's path in parts. `known`: that it was saved so, not only loaded."""

    account: Account
    path: tuple[str, ...]
    known: bool
    unclear: bool = False  # one of several without a path, and so are the runs after it


def _owner(
    listed: Sequence[_Named],
    path: tuple[str, ...],
    following: Sequence[Account],
    owners: Container[int],
) -> _Named | None:
    """The engine that was loaded from `path`. `following`: accounts from this run on."""
    if not listed:
        return None
    last = listed[-1]
    if found := _best([one for one in listed if one.known], path):
        return found
    if not last.path:
        if not last.unclear and sum(not one.path for one in listed) > 1:
            last.unclear = len(_files(following, owners)) > 1
        if not last.unclear:
            last.path = path
            return last
        return None
    return _best(listed, path)


def _best(named: Sequence[_Named], path: tuple[str, ...]) -> _Named | None:
    """The last one of those whose path agrees most; a run may be in another folder."""
    agreeing = [one for one in named if one.path and _agree(one.path, path)]
    exact = [one for one in agreeing if one.path == path]
    return next(reversed(exact or agreeing), None)


def _agree(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """`m.plan` and `/data/m.plan` may be one file; `a/m.plan` and `b/m.plan` are two."""
    length = min(len(one), len(other))
    return one[-length:] == other[-length:]


def _files(accounts: Sequence[Account], owners: Container[int]) -> set[tuple[str, ...]]:
    """The files that runs load, up to the next engine."""
    found = set()
    for account in accounts:
        if id(account) in owners:
            break
        if account.loads:
            found.add(_parts(account.loads))
    return found


def _saved(account: Account) -> str:
    return account.sheet.option("Save engine", "Build") or ""


def _parts(path: str) -> tuple[str, ...]:
    """`./a/m.plan` -> a, m.plan."""
    return tuple(part for part in path.replace("\\", "/").split("/") if part not in ("", "."))


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
        what = f"run of {_parts(account.loads)[-1]:.{_SHOWN}}"
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
