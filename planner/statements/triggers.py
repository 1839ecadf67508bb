"""DDL of triggers, as it was written."""

from __future__ import annotations

from dataclasses import dataclass

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
