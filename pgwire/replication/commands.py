"""The commands of a replication connection, as their texts say them (PostgreSQL's repl_gram.y).

    IDENTIFY_SYSTEM | SHOW name | READ_REPLICATION_SLOT slot | DROP_REPLICATION_SLOT slot [WAIT]
    CREATE_REPLICATION_SLOT slot [TEMPORARY] { PHYSICAL [RESERVE_WAL] | LOGICAL plugin } [ option | ( option [value], ... ) ]
    START_REPLICATION [SLOT slot] [PHYSICAL] place [TIMELINE n]
    START_REPLICATION SLOT slot LOGICAL place [ ( option ['value'], ... ) ]
    TIMELINE_HISTORY n | BASE_BACKUP ...

Whatever begins otherwise is SQL.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from planner.abc import PlanError, SqlError
from planner.types.log_places import place_of, read_log_place
from storage.abc import Timestamp

_TOKEN: Final = re.compile(
    r"""\s*(?:"((?:[^"]|"")*)"|'((?:[^']|'')*)'|([0-9A-Fa-f]+/[0-9A-Fa-f]+)|([A-Za-z_][A-Za-z0-9_$]*|[0-9]+)|([(),;]))"""
)
_WORDS: Final = frozenset((
    "IDENTIFY_SYSTEM", "SHOW", "READ_REPLICATION_SLOT", "CREATE_REPLICATION_SLOT", "DROP_REPLICATION_SLOT", "START_REPLICATION",
    "TIMELINE_HISTORY", "BASE_BACKUP",
))  # fmt: skip
_FIRST: Final = re.compile(r"\s*([A-Za-z_]+)")


@dataclass(frozen=True, slots=True)
class IdentifySystem:
    pass


@dataclass(frozen=True, slots=True)
class Show:
    name: str


@dataclass(frozen=True, slots=True)
class ReadSlot:
    name: str


@dataclass(frozen=True, slots=True)
class DropSlot:
    name: str
    wait: bool = False


@dataclass(frozen=True, slots=True)
class CreateSlot:
    """`plugin`: empty for a physical one. `snapshot`: export, use or nothing."""

    name: str
    plugin: str
    temporary: bool = False
    snapshot: str = "export"
    two_phase: bool = False


@dataclass(frozen=True, slots=True)
class StartLogical:
    name: str
    place: Timestamp
    options: dict[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Physical:
    """Something of physical replication, which does not exist here; `what` names it."""

    what: str


Command = IdentifySystem | Show | ReadSlot | DropSlot | CreateSlot | StartLogical | Physical


def parse(text: str) -> Command | None:
    """None for SQL. Raises PlanError 42601."""
    first = _FIRST.match(text)
    if first is None or first.group(1).upper() not in _WORDS:
        return None
    word = first.group(1).upper()
    if word == "BASE_BACKUP":
        return Physical("BASE_BACKUP")
    words = _Words(text, first.end())
    command = _command(word, words)
    words.end()
    return command


def _command(word: str, words: _Words) -> Command:
    match word:
        case "IDENTIFY_SYSTEM":
            return IdentifySystem()
        case "SHOW":
            return Show(words.dotted())
        case "READ_REPLICATION_SLOT":
            return ReadSlot(words.name())
        case "DROP_REPLICATION_SLOT":
            return DropSlot(words.name(), words.take("WAIT"))
        case "TIMELINE_HISTORY":
            words.name()
            return Physical("TIMELINE_HISTORY")
        case "CREATE_REPLICATION_SLOT":
            return _create(words)
    return _start(words)


def _create(words: _Words) -> Command:
    name, temporary = words.name(), words.take("TEMPORARY")
    if words.take("PHYSICAL"):
        words.take("RESERVE_WAL")
        words.options()
        return Physical("a physical replication slot")
    words.require("LOGICAL")
    plugin, snapshot, two_phase = words.name(), "export", False
    old = {"EXPORT_SNAPSHOT": "export", "NOEXPORT_SNAPSHOT": "nothing", "USE_SNAPSHOT": "use"}
    while (said := words.one_of(*old, "TWO_PHASE")) is not None:
        snapshot, two_phase = old.get(said, snapshot), two_phase or said == "TWO_PHASE"
    for option, value in words.options().items():
        if option == "snapshot" and value in ("export", "use", "nothing"):
            snapshot = value
        elif option == "snapshot":
            raise SqlError(
                "42601",
                f'unrecognized value for CREATE_REPLICATION_SLOT option "snapshot": "{value or ""}"',
            )
        elif option == "two_phase":
            two_phase = value is None or value.lower() in ("true", "on", "1")
        else:
            raise SqlError("42601", f"unrecognized option: {option}")
    return CreateSlot(name, plugin, temporary, snapshot, two_phase)


def _start(words: _Words) -> Command:
    slot = words.name() if words.take("SLOT") else None
    if slot is None or not words.take("LOGICAL"):
        words.take("PHYSICAL")
        words.place()
        if words.take("TIMELINE"):
            words.name()
        return Physical("START_REPLICATION of a physical slot")
    return StartLogical(slot, words.place(), words.options())


class _Words:
    """A command's tokens, one after another."""

    def __init__(self, text: str, place: int) -> None:
        self._text, self._place = text, place

    def _next(self) -> re.Match[str] | None:
        return _TOKEN.match(self._text, self._place)

    def _unexpected(self) -> PlanError:
        found = self._next()
        if found is None and not self._text[self._place :].strip():
            return PlanError("42601", "syntax error at end of input", position=len(self._text) + 1)
        shown = found.group().strip() if found is not None else self._text[self._place :].strip()[0]
        return PlanError("42601", f'syntax error at or near "{shown}"')

    def one_of(self, *words: str) -> str | None:
        found = self._next()
        if found is None or found.group(4) is None or found.group(4).upper() not in words:
            return None
        self._place = found.end()
        return found.group(4).upper()

    def take(self, word: str) -> bool:
        return self.one_of(word) is not None

    def require(self, word: str) -> None:
        if not self.take(word):
            raise self._unexpected()

    def name(self) -> str:
        """An identifier; quoted, or folded."""
        found = self._next()
        if found is None or (found.group(1) is None and found.group(4) is None):
            raise self._unexpected()
        self._place = found.end()
        quoted, bare = found.group(1), found.group(4)
        return quoted.replace('""', '"') if quoted is not None else bare.lower()

    def dotted(self) -> str:
        return re.sub(r'["\s;]', "", self._rest())

    def _rest(self) -> str:
        rest, self._place = self._text[self._place :], len(self._text)
        return rest

    def place(self) -> Timestamp:
        found = self._next()
        if found is None or found.group(3) is None:
            raise self._unexpected()
        self._place = found.end()
        return place_of(read_log_place(found.group(3)))

    def options(self) -> dict[str, str | None]:
        """`(name 'value', name, ...)`, or nothing."""
        options: dict[str, str | None] = {}
        if not self._sign("("):
            return options
        while not self._sign(")"):
            if options and not self._sign(","):
                raise self._unexpected()
            name, value = self.name(), None
            found = self._next()
            if found is not None and (found.group(2) is not None or found.group(4) is not None):
                self._place = found.end()
                value = (
                    found.group(2).replace("''", "'")
                    if found.group(2) is not None
                    else found.group(4).lower()
                )
            options[name] = value
        return options

    def _sign(self, sign: str) -> bool:
        found = self._next()
        if found is None or found.group(5) != sign:
            return False
        self._place = found.end()
        return True

    def end(self) -> None:
        self._sign(";")
        if self._text[self._place :].strip():
            raise self._unexpected()


__all__ = [
    "Command", "CreateSlot", "DropSlot", "IdentifySystem", "Physical", "ReadSlot", "Show", "StartLogical", "parse",
]  # fmt: skip
