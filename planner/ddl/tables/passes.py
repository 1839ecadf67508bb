"""The order in which ALTER TABLE takes what was said of a table: by kind, whatever order it was said in.

    ALTER TABLE t ADD CHECK (b > 0), ADD COLUMN b integer, ALTER a SET DEFAULT 'x', ALTER a TYPE text

drops first, then changes types, adds columns and constraints, and sets defaults, so that each finds what the others make:
the CHECK its column, the default its type. Of one kind, they are taken as they were said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from planner import statements as st

_KINDS: Final = (
    ("drop column", "drop constraint", "drop default", "drop not null", "drop identity", "drop expression"),
    ("set type",),
    ("add column",),
    ("set not null",),
    ("add index",),  # of a key that is added
    ("add constraint", "set default", "add identity"),  # what changes an identity comes after all of these
)
_PASS: Final = {what: n for n, kind in enumerate(_KINDS) for what in kind}
_KEYS: Final = ("p", "u", "x")


def in_order(actions: Sequence[st.AlterAction]) -> tuple[st.AlterAction, ...]:
    return tuple(sorted(actions, key=_pass))


def _pass(action: st.AlterAction) -> int:
    key = action.constraint is not None and action.constraint.kind in _KEYS
    return _PASS.get("add index" if key else action.what, len(_KINDS))


__all__ = ["in_order"]
