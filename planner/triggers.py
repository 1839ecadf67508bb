"""What a trigger's kind is, in the bits of pg_trigger.tgtype, and which of a relation's triggers are for what.

row  before  insert  delete  update  truncate  instead of
 1     2       4       8       16       32         64
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from planner.relations import Trigger

ROW: Final = 1
BEFORE: Final = 2
INSERT: Final = 4
DELETE: Final = 8
UPDATE: Final = 16
TRUNCATE: Final = 32
INSTEAD: Final = 64

EVENTS: Final = {"INSERT": INSERT, "DELETE": DELETE, "UPDATE": UPDATE, "TRUNCATE": TRUNCATE}
"""By their names, in the order in which definitions list them."""

_TIMING: Final = BEFORE | INSTEAD


def timing(trigger: Trigger) -> str:
    """TG_WHEN."""
    if trigger.bits & INSTEAD:
        return "INSTEAD OF"
    return "BEFORE" if trigger.bits & BEFORE else "AFTER"


def level(trigger: Trigger) -> str:
    """TG_LEVEL."""
    return "ROW" if trigger.bits & ROW else "STATEMENT"


def is_heeded(trigger: Trigger, replica: bool) -> bool:
    """Whether it fires: as it is enabled, in a session whose session_replication_role is replica or is not."""
    return trigger.enabled == "A" or trigger.enabled == ("R" if replica else "O")


def of(triggers: Sequence[Trigger], event: int, when: int, row: bool) -> tuple[Trigger, ...]:
    """Those for an event and a time (BEFORE, INSTEAD or 0 for AFTER), of rows or of the statement."""
    wanted = when | (ROW if row else 0)
    return tuple(t for t in triggers if t.bits & event and t.bits & (_TIMING | ROW) == wanted)
