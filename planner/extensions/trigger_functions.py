"""Functions of extensions that triggers call, under OIDs that are theirs in every database.

    CREATE TRIGGER t BEFORE UPDATE ON docs FOR EACH ROW EXECUTE FUNCTION moddatetime(changed)

A trigger's function is an OID in the catalog, so it has one before any catalog is, as types of extensions do. What they do to rows is
told where triggers fire (`executor.triggers.of_extensions`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class TriggerFunction:
    """Its name and its extension's."""

    oid: int
    extension: str
    name: str


MODDATETIME: Final = 15_960
INSERT_USERNAME: Final = 15_961
CHANGE_NOTIFICATION: Final = 15_962
ALL: Final = (
    TriggerFunction(MODDATETIME, "moddatetime", "moddatetime"),
    TriggerFunction(INSERT_USERNAME, "insert_username", "insert_username"),
    TriggerFunction(CHANGE_NOTIFICATION, "tcn", "triggered_change_notification"),
)
BY_OID: Final = {f.oid: f for f in ALL}
BY_NAME: Final = {f.name: f for f in ALL}

__all__ = [
    "ALL",
    "BY_NAME",
    "BY_OID",
    "CHANGE_NOTIFICATION",
    "INSERT_USERNAME",
    "MODDATETIME",
    "TriggerFunction",
]
