"""DDL of rules, as it was written; and what a statement has become that rules rewrite."""

from __future__ import annotations

from typing import Any

from planner.records import dataclass
from planner.statements.written import Name, Sql


@dataclass(frozen=True, slots=True)
class CreateRule:
    """`event`: as in pg_rewrite ("1" SELECT, "2" UPDATE, "3" INSERT, "4" DELETE). No `actions`: NOTHING."""

    name: str
    event: str
    table: Name
    condition: Sql | None = None
    instead: bool = False
    actions: tuple[Sql, ...] = ()
    replace: bool = False


@dataclass(frozen=True, slots=True)
class RenameRule:
    name: str
    table: Name
    new_name: str


@dataclass(frozen=True, slots=True)
class DropRule:
    name: str
    table: Name
    if_exists: bool = False
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """A statement that is run for one that rules rewrite: its plan, and whether its count or its rows are the answer."""

    plan: Any
    counts: bool = False
    returns: bool = False


@dataclass(frozen=True, slots=True)
class Rewritten:
    """An INSERT, UPDATE or DELETE of a relation with rules: `verb` is what it was, `steps` what is run, in order."""

    verb: str
    steps: tuple[Step, ...]
    kinds: str = "rules"
    """What the rules are, where they cannot be followed: "DO ALSO rules"."""
