"""Where an embedded server's logs are: in its data directory, in the kind of file that it was begun with.

    DIR/consensus.log       a log file: one server                       (`storage.consensus.logfile`)
    DIR/consensus.sqlite    SQLite: several processes, and directories from before there were log files

The file's name is what remembers the kind. Imports nothing of the kinds themselves: command lines ask this before anything else.
"""

from __future__ import annotations

from pathlib import Path

from storage.abc import Determinate

KINDS = ("log", "sqlite")


def embedded_url(folder: Path, *, several_processes: bool = False) -> str:
    """The consensus of a data directory's own: the one that is in it, or the one that a new directory gets.

    Several processes get SQLite, where a look whether the log has moved is cheap and its movement wakes those who wait (`watch`).
    """
    return embedded_in(folder) or _url("sqlite" if several_processes else "log", folder)


def embedded_in(folder: Path) -> str | None:
    """The consensus that is in a data directory; None: there is none in it."""
    found = [scheme for scheme in KINDS if (folder / f"consensus.{scheme}").exists()]
    if len(found) > 1:
        raise Determinate(
            f"{folder} has two logs, {' and '.join(f'consensus.{s}' for s in found)}: remove the one that is not its own"
        )
    return _url(found[0], folder) if found else None


def _url(scheme: str, folder: Path) -> str:
    return f"{scheme}:///{folder.absolute() / f'consensus.{scheme}'}"
