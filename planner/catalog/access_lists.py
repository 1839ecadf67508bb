"""Access-control lists that are columns of rows, as those of large objects: `{ann=rw/ann,bob=r*/ann}`, read, changed, written.

given(items, "bob", "r", by="ann")      bob=r/ann, or one with what bob had from ann
taken(items, "bob", "r", by="ann")      without it; who had it from bob keeps it from going (2BP01), or loses it as well (CASCADE)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from planner.abc import PlanError

_ITEM: Final = re.compile(r'("(?:[^"]|"")*"|[^"=]*)=([A-Za-z*]*)/(.*)')
_ORDER: Final = "arwdDxtXUCTcsA"


@dataclass(frozen=True, slots=True)
class Item:
    """What one role has from another. `options`: those that it may pass on."""

    grantee: str
    letters: frozenset[str]
    options: frozenset[str]
    grantor: str

    def __str__(self) -> str:
        held = "".join(x + ("*" if x in self.options else "") for x in _ORDER if x in self.letters)
        return f"{quoted(self.grantee)}={held}/{quoted(self.grantor)}"


def quoted(name: str) -> str:
    """A role in an item."""
    plain = re.fullmatch(r"[A-Za-z0-9_]*", name)
    return name if plain else '"' + name.replace('"', '""') + '"'


def read(items: Iterable[str]) -> list[Item]:
    found: list[Item] = []
    for item in items:
        said = _ITEM.fullmatch(item)
        assert said is not None, "an item of a list that was written here"
        letters = re.findall(r"([A-Za-z])(\*?)", said[2])
        found.append(
            Item(
                _name(said[1]),
                frozenset(x for x, _ in letters),
                frozenset(x for x, star in letters if star),
                _name(said[3]),
            )
        )
    return found


def _name(text: str) -> str:
    return text[1:-1].replace('""', '"') if text.startswith('"') else text


def held(items: Sequence[Item], roles: frozenset[str], letter: str, *, grantable: bool = False) -> bool:
    """Whether one of these roles, or PUBLIC, has it."""
    return any(
        letter in (i.options if grantable else i.letters) and (i.grantee in roles or not i.grantee)
        for i in items
    )


def given(
    items: Sequence[Item], grantee: str, letters: frozenset[str], by: str, *, option: bool
) -> list[Item]:
    made = Item(grantee, letters, letters if option else frozenset(), by)
    for n, old in enumerate(items):
        if (old.grantee, old.grantor) == (grantee, by):
            both = replace(old, letters=old.letters | letters, options=old.options | made.options)
            return [*items[:n], both, *items[n + 1 :]]
    return [*items, made]


def taken(
    items: Sequence[Item], grantee: str, letters: frozenset[str], by: str, *, only_option: bool, cascade: bool
) -> list[Item]:
    """Raises 2BP01."""
    left: list[Item] = []
    lost: frozenset[str] = frozenset()
    for old in items:
        if (old.grantee, old.grantor) != (grantee, by):
            left.append(old)
            continue
        lost |= old.options & letters
        now = replace(
            old, letters=old.letters if only_option else old.letters - letters, options=old.options - letters
        )
        if now.letters:
            left.append(now)
    if by != grantee:
        lost -= {x for i in left if i.grantee == grantee for x in i.options}
        for hanging in [
            i for i in left if i.grantor == grantee and i.grantee != grantee and i.letters & lost
        ]:
            if not cascade:
                raise PlanError("2BP01", "dependent privileges exist", hint="Use CASCADE to revoke them too.")
            left = taken(left, hanging.grantee, lost, grantee, only_option=False, cascade=True)
    return left


def handed_over(items: Sequence[Item], old: str, new: str) -> list[Item]:
    """The list when the old owner's object is the new one's."""
    found: list[Item] = []
    for i in items:
        grantee, grantor = (new if x == old else x for x in (i.grantee, i.grantor))
        at = next((n for n, x in enumerate(found) if (x.grantee, x.grantor) == (grantee, grantor)), None)
        if at is None:
            found.append(replace(i, grantee=grantee, grantor=grantor))
        else:
            there = found[at]
            found[at] = replace(there, letters=there.letters | i.letters, options=there.options | i.options)
    return found


__all__ = ["Item", "given", "handed_over", "held", "quoted", "read", "taken"]
