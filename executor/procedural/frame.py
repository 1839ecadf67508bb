"""The values of a running program: one slot each, and what kind of thing is in it.

    scalar      a datum; its kind is its type
    record      a tuple of datums, or None; its kind says how its fields are called (`Shape`), or None before it has any

`Code` is a program with its types looked up, for one session in one catalog; its texts' plans hang there as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from planner.abc import Oid
from planner.binding.routines.variables import Kind
from planner.ddl.routines.declarations import Declarations
from planner.statements.plpgsql import Program, Text, Variable


@dataclass(slots=True)
class Code:
    """`kinds`: by slot as declared; a slot whose kind is made while it runs has None."""

    program: Program
    shown: str
    kinds: list[Kind]
    names: list[str]
    declared: dict[int, Variable]
    plans: list[Any] = field(init=False)
    """By a text's number (`executor.procedural.texts`), and behind these by that of the same text as a whole row."""
    dynamic: frozenset[int] = frozenset()
    once: bool = False
    """It is DO's: nobody will ask for its plans again."""
    path: tuple[str, ...] = ()
    """Where a body of the standard's form has its names looked up: as when it was made."""
    reads_only: bool = False
    """It is STABLE or IMMUTABLE: what it runs may not write."""
    domains: dict[int, Oid] = field(default_factory=dict)
    """By slot: what the variable was declared as."""
    rules: dict[Oid, Any] = field(default_factory=dict)
    """By domain (`executor.procedural.domains`)."""
    as_values: set[int] = field(default_factory=set)
    """Texts, by number, that are no rows: they go into a variable of a composite type by what they look like."""
    undescribed: set[int] = field(default_factory=set)
    """Texts, by number, that give rows whose fields are not known before they have run (`executor.procedural.whole_rows`)."""
    inputs: Sequence[int] = ()
    """The slots that a call's arguments go into."""
    returns: Any = None
    """What RETURN means in it (`executor.procedural.routines`), where that is the same for all who call it."""
    tells_cursors: bool = False
    """It returns a refcursor."""

    def __post_init__(self) -> None:
        self.plans = [None] * (2 * self.program.texts)

    def whole(self, text: Text) -> int:
        """The number under which a text is planned as a whole row: the same in every session, for they share plans."""
        return self.program.texts + text.number


def code_of(found: Declarations, shown: str, *, reads_only: bool = False) -> Code:
    """A program with what has been looked up."""
    return Code(
        found.program,
        shown,
        found.kinds,
        found.names,
        found.declared,
        found.program.dynamic,
        reads_only=reads_only,
        domains=found.domains,
    )


class Frame:
    """One execution's values."""

    __slots__ = ("kinds", "values")

    def __init__(self, code: Code) -> None:
        self.kinds = list(code.kinds)
        self.values: list[Any] = [None] * len(code.kinds)

    def at(self, slot: int, place: int) -> Any:
        value = self.values[slot]
        return value if place < 0 else None if value is None else value[place]


__all__ = ["Code", "Frame", "code_of"]
