"""What the names in a stored query stood for when it was made: relations by OID, whatever they are called by now.

    CREATE VIEW v AS SELECT a.x FROM a       names: a -> 16384
    ALTER TABLE a RENAME TO b                v stays as it is: its `a` is 16384, shown as `FROM b a`
    CREATE TABLE a (...)                     another relation, which v knows nothing of

So a rename changes one object, and two transactions that rename what one view reads are in nobody's way. Names travel with the
search path, as what else the text says is looked up along that.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NamedRelation:
    """A name as the text has it, behind its schema or not, and what it stands for."""

    schema: str
    name: str
    oid: int


class RememberedPath(tuple[str, ...]):
    """A search path on which these names have been found already."""

    found: dict[tuple[str, str], int]

    def __new__(cls, path: Iterable[str], names: Iterable[NamedRelation]) -> RememberedPath:
        made = super().__new__(cls, path)
        made.found = {(n.schema, n.name): n.oid for n in names}
        return made

    def __add__(self, other: tuple[str, ...]) -> RememberedPath:  # type: ignore[override]
        made = RememberedPath((*self, *other), ())
        made.found = self.found
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RememberedPath) and tuple(self) == tuple(other) and self.found == other.found

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((tuple(self), tuple(self.found.items())))

    def __bool__(self) -> bool:
        return bool(len(self) or self.found)


def remembered(path: tuple[str, ...], names: tuple[NamedRelation, ...]) -> tuple[str, ...]:
    """The path that goes with a text; of one that has no names it is as it was."""
    return RememberedPath(path, names) if names else path


__all__ = ["NamedRelation", "RememberedPath", "remembered"]
