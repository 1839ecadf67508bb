"""What an expression gives that stands for a whole row: `r := expression`, `RETURN expression`.

    ROW(1, 2)   t   (SELECT x)   its fields are known when it is planned: it is run as `SELECT (expression).*`
    f(x)  RETURNS record         they are known when f has run: the value is the record's text, and remembers what it was made of

So what one program returns, the next one takes apart without reading the text, and no type in it is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from executor.abc import ExecutionError
from executor.procedural.result_rows import first_rows
from planner import types as t
from planner.abc import TypeRef
from planner.binding.records import fields_of
from planner.errors import NotComposite
from planner.statements import plpgsql as pl

if TYPE_CHECKING:
    from executor.procedural.texts import Texts

_MADE_OF_FIELDS = re.compile(r"\s*\(*\s*(row\s*\(|\((?!\s*(select|with|values|table)\b))", re.IGNORECASE)
"""`ROW(...)` or `(a, b)`: a row even where all its fields are null; a NULL of another expression shows by its fields alone."""


@dataclass(frozen=True, slots=True)
class WholeRow:
    """A row and what its fields are called and of; `row` None: there is none (NULL)."""

    names: Sequence[str]
    types: Sequence[TypeRef]
    row: Sequence[Any] | None


class RecordText(str):
    """A record as text, with the row that it was made of."""

    whole: WholeRow


def recorded(walk: Texts, whole: WholeRow) -> RecordText | None:
    """The row as the value of a record that nobody has described."""
    if whole.row is None:
        return None
    said = [walk.text_of(x, ref) for x, ref in zip(whole.row, whole.types, strict=True)]
    made = RecordText(t.join_record(said))
    made.whole = whole
    return made


async def whole_row(walk: Texts, value: pl.Text) -> WholeRow | None:
    """The row that an expression gives; None: its value is none of a row type, and it has not run. Raises 0A000, and what it raises."""
    code, number = walk.code, walk.code.whole(value)
    alone = pl.Text(f"SELECT ({value.text})", value.start, number, value.names, value.seen)
    if value.number in code.undescribed and _is_described(_type_of(walk, alone)):
        code.undescribed.discard(value.number)  # what it names is of another kind by now
        code.plans[number] = None
    if value.number not in code.undescribed:
        text = pl.Text(f"SELECT ({value.text}).*", value.start, number, value.names, value.seen)
        try:
            plan, result = await walk.statement(text)
        except NotComposite:
            code.undescribed.add(value.number)
            code.plans[number] = None
        else:
            rows = await first_rows(result, 1)
            columns = plan.columns or ()
            row = rows[0] if rows else None
            if row is not None and _MADE_OF_FIELDS.match(value.text) is None and all(v is None for v in row):
                row = None
            return WholeRow([c.name for c in columns], [c.type for c in columns], row)
    if _type_of(walk, alone).oid != t.RECORD:
        return None  # before it has run: whoever takes it otherwise runs it himself
    _, result = await walk.statement(alone)
    rows = await first_rows(result, 1)
    made = rows[0][0] if rows else None
    if made is None:
        return WholeRow((), (), None)
    if not isinstance(made, RecordText):
        raise ExecutionError("0A000", "a record is supported as a row only where its columns are known")
    return made.whole


def _type_of(walk: Texts, text: pl.Text) -> TypeRef:
    """Of the one column of a query."""
    (column,) = walk.planned(text, expression=False).plan.columns or ()
    return column.type


def _is_described(ref: TypeRef) -> bool:
    return fields_of(ref) is not None or t.composite_fields(ref.oid) is not None


__all__ = ["RecordText", "WholeRow", "recorded", "whole_row"]
