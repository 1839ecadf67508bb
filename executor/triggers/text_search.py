"""tsvector_update_trigger and tsvector_update_trigger_column: a column's vector is made of the row's texts, before the row is written.

    BEFORE INSERT OR UPDATE ... EXECUTE FUNCTION tsvector_update_trigger(tsv, 'pg_catalog.english', title, body)

The texts are one document: places go on from one column to the next. An UPDATE that sets none of them leaves the vector alone.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from executor.abc import ExecutionError
from planner import triggers
from planner import types as t
from planner.abc import Column, Oid, Trigger
from planner.catalog import text_search
from planner.catalog.names import missing_schema, name_parts
from planner.textsearch import documents, vectors
from planner.textsearch.configurations import configuration
from storage.abc import Row

if TYPE_CHECKING:
    from executor.session.session import Session

_NAME: Final = "tsvector_update_trigger"
_NUMBERS: Final = (t.REGCONFIG, t.OID, t.INT4)
_TEXTS: Final = (t.TEXT, t.VARCHAR, t.CITEXT)


def with_vector(
    session: Session,
    trigger: Trigger,
    event: int,
    columns: tuple[Column, ...],
    new: Row | None,
    updated: Collection[int],
    *,
    by_column: bool,
) -> Row | None:
    """The row with its vector. `updated`: the positions that an UPDATE sets. Raises XX000, 42703, 42704, 42804, 22004, 42601, 3F000."""
    for wrong, refusal in (
        (not trigger.bits & triggers.ROW, "must be fired for row"),
        (not trigger.bits & triggers.BEFORE, "must be fired BEFORE event"),
        (event not in (triggers.INSERT, triggers.UPDATE), "must be fired for INSERT or UPDATE"),
    ):
        if wrong:
            raise ExecutionError("XX000", f"{_NAME}: {refusal}")
    if len(trigger.arguments) < 3:
        needed = "arguments must be tsvector_field, ts_config, text_field1, ...)"
        raise ExecutionError("XX000", f"{_NAME}: {needed}")
    assert new is not None
    places = {c.name: i for i, c in enumerate(columns)}
    target, said, *sources = trigger.arguments
    at = _place(places, target, "tsvector column")
    if columns[at].type.oid != t.TSVECTOR:
        raise ExecutionError("42804", f'column "{target}" is not of tsvector type')
    number = _of_column(columns, places, said, new) if by_column else _of_name(session, said)
    by = configuration(text_search.definition(session.catalog, number))
    needed_now = event == triggers.INSERT
    words: list[tuple[str, int]] = []
    end = 0
    for name in sources:
        source = _place(places, name, "column")
        if columns[source].type.oid not in _TEXTS:
            raise ExecutionError("42804", f'column "{name}" is not of a character type')
        needed_now = needed_now or source in updated
        value = new[source]
        if value is None:
            continue
        for word, place in documents.placed(by, str(value), end):
            end = place
            if word is not None:
                words.append((word, place))
    if not needed_now:
        return new
    return (*new[:at], vectors.of_document(iter(words)), *new[at + 1 :])


def _place(places: dict[str, int], name: str, what: str) -> int:
    found = places.get(name)
    if found is None:
        raise ExecutionError("42703", f'{what} "{name}" does not exist')
    return found


def _of_column(columns: tuple[Column, ...], places: dict[str, int], name: str, row: Row) -> Oid:
    at = _place(places, name, "configuration column")
    if columns[at].type.oid not in _NUMBERS:
        raise ExecutionError("42804", f'column "{name}" is not of regconfig type')
    value = row[at]
    if value is None:
        raise ExecutionError("22004", f'configuration column "{name}" must not be null')
    assert isinstance(value, int)
    return value


def _of_name(session: Session, said: str) -> Oid:
    parts = name_parts(said)
    if len(parts) < 2:
        raise ExecutionError("22023", f'text search configuration name "{said}" must be schema-qualified')
    schema, name = parts[-2:]
    catalog = session.catalog
    if catalog.find_schema(schema) is None:
        raise missing_schema(schema)
    found = text_search.found(catalog, text_search.CONFIGURATION, name, schema, ())
    if not found:
        raise ExecutionError("42704", f'text search configuration "{said}" does not exist')
    return found


__all__ = ["with_vector"]
