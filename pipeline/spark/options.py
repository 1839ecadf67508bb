"""The options of `format("tidewire")`: which there are, and which of the four doors each is for.

    door           options besides url, host, port, user, password, database, table (or path, dbtable)
    read           asOf  columns  leaseSeconds
    write          mode  commitId  create  primaryKey
    readStream     changes  startingFrom
    writeStream    mode  create  primaryKey                     and Spark's own: checkpointLocation, queryName

An option that a door does not know is an error, with the nearest one that it might have been: Spark hands over whatever
it is given, and a misspelt `commitId` or `asOf` would be a job that quietly does something else.

Spark keeps options without their case, in lower case. What it adds by itself is `path` or `paths` (of `load` and `save`),
and of streams `queryName` and `checkpointLocation`. `CREATE TABLE ... USING tidewire` gives the catalog's properties as well
(`provider`, `owner`), but hands a Python source no option at all when such a table is read: it is refused.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from pipeline.spark.server import TidewireError

_ALL = ("url", "host", "port", "user", "password", "database", "table", "path", "dbtable")
_WRITTEN = ("mode", "create", "primaryKey")

DOORS: Mapping[str, tuple[str, ...]] = {
    "read": (*_ALL, "asOf", "columns", "leaseSeconds"),
    "write": (*_ALL, *_WRITTEN, "commitId"),
    "readStream": (*_ALL, "changes", "startingFrom"),
    "writeStream": (*_ALL, *_WRITTEN, "checkpointLocation", "queryName"),
}
_TABLES = ("table", "path", "dbtable")
_SPELT = {name.lower(): name for names in DOORS.values() for name in names}


def check_options(options: Mapping[str, str], door: str) -> None:
    """Raises TidewireError that names each option that is not one of the door's (a key of `DOORS`)."""
    if "provider" in options:
        raise TidewireError(
            "CREATE TABLE ... USING tidewire is not supported: Spark forgets the options of such a table."
            " CREATE TEMPORARY VIEW ... USING tidewire OPTIONS (...) keeps them"
        )
    known = {name.lower() for name in DOORS[door]}
    wrong = [_told(name, door) for name in options if name.lower() not in known]
    if wrong:
        raise TidewireError("\n".join(wrong))


def table_of(options: Mapping[str, str]) -> str:
    """The table, by any of its names. Raises TidewireError."""
    given = {name: options[name] for name in _TABLES if options.get(name)}
    if not given:
        raise TidewireError('option "table" is missing')
    if len(set(given.values())) > 1:
        said = ", ".join(f'"{name}" is {value}' for name, value in given.items())
        raise TidewireError(f"there is one table to a job, and the options say two: {said}")
    return next(iter(given.values()))


def flag(options: Mapping[str, str], name: str) -> bool:
    """An option that is true or false, and false where it is not given. Raises TidewireError."""
    text = options.get(name, "false")
    if text.lower() not in ("true", "false"):
        raise TidewireError(f'option "{name}" is true or false, not {text}')
    return text.lower() == "true"


def names_of(options: Mapping[str, str], name: str) -> list[str]:
    """An option that is a list of columns, separated by commas."""
    return [n.strip() for n in options.get(name, "").split(",") if n.strip()]


def _told(name: str, door: str) -> str:
    key = name.lower()
    if key in _SPELT:
        doors = [d for d, names in DOORS.items() if _SPELT[key] in names]
        return f'option "{_SPELT[key]}" is for {" and ".join(doors)}, not for {door}'
    if key == "paths":
        return 'option "paths" is not supported: there is one table to a job'
    near = _nearest(key, [n.lower() for n in DOORS[door]]) or _nearest(key, list(_SPELT))
    if near:
        return f'option "{name}" is not known; did you mean "{_SPELT[near]}"?'
    return f'option "{name}" is not known; those of {door} are {", ".join(DOORS[door])}'


def _nearest(key: str, names: list[str]) -> str:
    """The name that is most like it, or else the longest one that is part of it, or that it is part of; or none."""
    near = difflib.get_close_matches(key, names, 1)
    parts = [n for n in names if min(len(n), len(key)) > 3 and (n in key or key in n)]
    return near[0] if near else max(parts, key=len, default="")
