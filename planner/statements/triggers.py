"""DDL of triggers, as it was written."""

from __future__ import annotations

from planner.records import dataclass
from planner.statements.written import Name, Sql


@dataclass(frozen=True, slots=True)
class TransitionTable:
    """REFERENCING NEW | OLD TABLE AS name; `is_table` False: ROW was said."""

    name: str
    is_new: bool
    is_table: bool


@dataclass(frozen=True, slots=True)
class CreateTrigger:
    """`when`: before, after or instead of. `bits`: the events and FOR EACH ROW, as in `planner.triggers`."""

    name: str
    table: Name
    when: str
    bits: int
    function: Name
    arguments: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    condition: Sql | None = None
    transition: tuple[TransitionTable, ...] = ()
    replace: bool = False
    constraint: bool = False
    foreign_table: Name | None = None
    deferrable: bool = False
    deferred: bool = False


@dataclass(frozen=True, slots=True)
class DropTrigger:
    name: str
    table: Name
    if_exists: bool = False
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class RenameTrigger:
    name: str
    table: Name
    new_name: str


@dataclass(frozen=True, slots=True)
class CreateEventTrigger:
    """`filters`: what WHEN says, a variable and its values each."""

    name: str
    event: str
    function: Name
    filters: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class AlterEventTrigger:
    """`what`: rename, owner, or enabled, where `to` is as pg_event_trigger has it: O, D, R, A."""

    name: str
    what: str
    to: str


@dataclass(frozen=True, slots=True)
class DropEventTrigger:
    name: str
    if_exists: bool = False
    cascade: bool = False
