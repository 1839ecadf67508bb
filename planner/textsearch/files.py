"""Where the files of dictionaries are: a folder of the server's machine, PostgreSQL's own unless the operator says another (`tsearch_data`).

    synonym_sample.syn    ispell_sample.dict    ispell_sample.affix    thesaurus_sample.ths    english.stop

They are no part of the database, as in PostgreSQL: each server reads those of its machine, once, and again when a dictionary is defined
or altered after they have changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from planner.abc import SqlError

BYTES_MAX: Final = 256 << 20
_ERRORS: Final = {FileNotFoundError: "No such file or directory", PermissionError: "Permission denied"}
_folder = [Path("/usr/share/postgresql/15/tsearch_data")]
on_change: list[Callable[[], None]] = []
"""Who keeps what was made of files, and has to forget it."""
_made: dict[tuple[Any, ...], tuple[tuple[int, ...], Any]] = {}


def look_in(folder: Path) -> None:
    """From now on. What has been read already stays."""
    _folder[0] = folder


def bare(name: str) -> str:
    """A name that leads nowhere else. Raises 22023."""
    if not re.fullmatch("[a-z0-9_]+", name):
        raise SqlError("22023", f'invalid text search configuration file name "{name}"')
    return name


def lines(name: str, ending: str, what: str) -> list[str]:
    """Raises F0000, 22023, 54000, 22021."""
    path = _folder[0] / f"{bare(name)}.{ending}"
    try:
        if path.stat().st_size > BYTES_MAX:
            raise SqlError("54000", f'{what} file "{path}" is larger than {BYTES_MAX >> 20} MiB')
        content = path.read_bytes()
    except OSError as error:
        why = next((said for kind, said in _ERRORS.items() if isinstance(error, kind)), str(error.strerror))
        raise SqlError("F0000", f'could not open {what} file "{path}": {why}') from None
    try:
        return content.decode().removeprefix("\ufeff").split("\n")
    except UnicodeDecodeError as error:
        wrong = " ".join(f"0x{b:02x}" for b in content[error.start : error.end])
        raise SqlError("22021", f'invalid byte sequence for encoding "UTF8": {wrong}') from None


def kept(key: tuple[Any, ...], names: tuple[str, ...], make: Callable[[], Any], *, anew: bool) -> Any:
    """What is made of files, of which a process keeps one. `anew`: if they have changed, it is made once more."""
    known = _made.get(key)
    if known is not None and not anew:
        return known[1]
    stamps = tuple(_stamp(name) for name in names)
    if known is None or known[0] != stamps:
        known = _made[key] = (stamps, make())
        for forget in on_change:
            forget()
    return known[1]


def _stamp(name: str) -> int:
    try:
        return (_folder[0] / name).stat().st_mtime_ns
    except OSError:
        return 0


__all__ = ["bare", "kept", "lines", "look_in", "on_change"]
