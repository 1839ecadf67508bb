"""Records whose fields are known: what `(f(x)).field` and a later `(r.f).field` need.

A record type has no name and no OID of its own. As in PostgreSQL, one that is met while planning is written
down here, and its number is the type modifier by which expressions of that type carry it along. DuckDB holds
the values as structs with the same field names.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from planner import types as t
from planner.abc import Oid, PlanError, ResultColumn, TypeRef
from planner.binding import ir
from planner.catalog.row_types import relation_of, row_array_oid
from planner.records import replace

Fields = tuple[tuple[str, TypeRef], ...]

_RECORDS = (t.RECORD, t.RECORD_ARRAY)
_MAX = 50_000
_ROW_TYPES_MAX = _MAX // 2
"""Tables come and go, temporary ones above all: from here on whole rows of new ones are told as mere records."""
_NESTED_MAX = 24
"""Rows inside one another: each level doubles the quotes of the text that a record is told as, 16 MB by then."""
_shapes: list[Fields] = []
_depths: list[int] = []
"""How many rows inside one another each shape has."""
_row_types: dict[int, Oid] = {}
"""The shapes that are of tables' rows, and the types of these: what a client is told of a whole row."""
_called: dict[int, tuple[str, ...]] = {}
"""What fields are called where several of a shape have one name: DuckDB's structs want names that differ."""


@lru_cache(maxsize=_MAX)
def record_of(fields: Fields, rows: Oid = 0, called: tuple[str, ...] = ()) -> TypeRef:
    """The type of records with these fields, which may be of the type of a table's rows, or be called otherwise than DuckDB calls them. Raises 54000 when there are too many different ones, 54001 when they are nested too deeply."""
    if rows and len(_row_types) >= _ROW_TYPES_MAX:
        return record_of(fields, 0, called)
    if len(_shapes) >= _MAX:
        raise PlanError("54000", "too many different record types")
    depth = 1 + max((_depths[ref.typmod] for _, ref in fields if fields_of(ref) is not None), default=0)
    if depth > _NESTED_MAX:
        raise PlanError("54001", f"rows nested more than {_NESTED_MAX} deep are not supported")
    _shapes.append(fields)
    _depths.append(depth)
    if rows:
        _row_types[len(_shapes) - 1] = rows
    if called:
        _called[len(_shapes) - 1] = called
    return TypeRef(t.RECORD, len(_shapes) - 1)


def told(columns: Iterable[ResultColumn]) -> tuple[ResultColumn, ...]:
    """A statement's columns as clients are told of them: whole rows of a table under the name of its row type."""
    return tuple(c if c.type.oid not in _RECORDS else replace(c, type=told_type(c.type)) for c in columns)


def told_type(ref: TypeRef) -> TypeRef:
    """The row type of whole rows, or the composite type that they are of, its array type for arrays of them; any other type as it is."""
    rows = _row_types.get(ref.typmod) if ref.oid in _RECORDS else None
    if rows is None:
        return ref
    if ref.oid == t.RECORD:
        return TypeRef(rows)
    relation = relation_of(rows)
    return TypeRef(row_array_oid(relation) if relation else t.array_of(rows))


def row_of(items: tuple[ir.Node, ...], names: tuple[str, ...] = (), rows: Oid = 0) -> ir.Logic:
    """A row constructor (fields f1, f2, ...) or a relation's whole row."""
    names = names or tuple(f"f{i + 1}" for i in range(len(items)))
    held: list[str] = []
    taken = set[str]()
    for name in names:
        # DuckDB tells fields apart without regard to capitals.
        while name.lower() in taken:
            name += "_"
        held.append(name)
        taken.add(name.lower())
    fields = tuple((n, x.type) for n, x in zip(held, items, strict=True))
    return ir.Logic(
        record_of(fields, rows, () if tuple(held) == tuple(names) else tuple(names)), "row", items
    )


def where_present(value: ir.Node, made: ir.Node) -> ir.Logic:
    """What is made of a value, and NULL where there is none: of a NULL's fields a row would be made, of NULLs, which is no NULL."""
    there = ir.Logic(TypeRef(t.BOOL), "is present", (value,))
    return ir.Logic(made.type, "case", (there, made, ir.Lit(made.type, None)))


def items_of(record: ir.Node) -> tuple[ir.Node, ...] | None:
    """A record's fields as expressions; None where they are not known."""
    if isinstance(record, ir.Logic) and record.op == "row":
        return record.args
    fields = fields_of(record.type)
    if fields is None:
        return None
    return tuple(
        ir.Call(ref, "record field", (record, ir.Lit(TypeRef(t.TEXT), name))) for name, ref in fields
    )


def null_test(op: str, record: ir.Node) -> ir.Node | None:
    """`record IS [NOT] NULL`, which is about its fields: a record is neither where some are null. None where they are not known, or
    what the record is had to be written for each of them."""
    bool_ = TypeRef(t.BOOL)
    if isinstance(record, ir.Lit) and record.value is None:
        return ir.Lit(bool_, op == "is null")
    if isinstance(record, ir.Logic) and record.op == "case":
        # Of a relation that an outer join may have missed, say.
        values = {i for i in range(len(record.args)) if i % 2 or i == len(record.args) - 1}
        made = [null_test(op, n) if i in values else n for i, n in enumerate(record.args)]
        told = tuple(n for n in made if n is not None)
        return ir.Logic(bool_, "case", told) if len(told) == len(made) and len(made) % 2 else None
    if not isinstance(record, ir.Var) and not (isinstance(record, ir.Logic) and record.op == "row"):
        return None
    each = tuple(ir.Logic(bool_, "is present" if _is_row(n) else op, (n,)) for n in items_of(record) or ())
    if op == "is null":
        each = tuple(ir.Logic(bool_, "not", (n,)) if n.op == "is present" else n for n in each)
    if not each:
        return ir.Lit(bool_, True) if isinstance(record, ir.Logic) and not record.args else None
    return ir.all_of(each)


def _is_row(node: ir.Node) -> bool:
    return node.type.oid == t.RECORD or t.composite_fields(node.type.oid) is not None


def fields_of(ref: TypeRef) -> Fields | None:
    """The fields of a record type; None where nobody knows them."""
    return _shapes[ref.typmod] if ref.oid == t.RECORD and 0 <= ref.typmod < len(_shapes) else None


def called_fields(ref: TypeRef) -> tuple[str, ...]:
    """What a record's fields are called, several perhaps alike (`SELECT a.id, b.id`); () where nobody knows them."""
    if ref.oid == t.RECORD and ref.typmod in _called:
        return _called[ref.typmod]
    return tuple(name for name, _ in fields_of(ref) or ())


def field_names(ref: TypeRef) -> list[str]:
    """What the columns of composite values and records are called, where that is known: `f(row)` may name one."""
    return [name for name, _ in t.composite_fields(ref.oid) or fields_of(ref) or ()]


def field_of(record: ir.Node, name: str, position: int) -> ir.Node | None:
    """`(record).name`; None where the fields are not known. Raises 42703."""
    composite = t.composite_fields(record.type.oid)
    if composite is not None:
        for i, (field, ref) in enumerate(composite):
            if field == name:
                index = ir.Lit(TypeRef(t.INT4), i)
                if t.composite_fields(ref.oid) is not None or t.labels_of(ref.oid) is not None:
                    return ir.Call(ref, "composite field", (record, index), False, position)
                text = ir.Call(TypeRef(t.TEXT), "composite field", (record, index), False, position)
                return text if ref.oid == t.TEXT else ir.Cast(ref, text, True, position)
        shown = t.format_type(record.type)
        raise PlanError("42703", f'column "{name}" not found in data type {shown}', position=position)
    fields = fields_of(record.type)
    if fields is None:
        return None
    for i, called in enumerate(called_fields(record.type)):
        if called == name:
            return _nth(record, fields, i, position)
    whole = told_type(record.type)
    if whole != record.type:
        shown = t.format_type(whole)
        raise PlanError("42703", f'column "{name}" not found in data type {shown}', position=position)
    raise PlanError("42703", f'could not identify column "{name}" in record data type', position=position)


def each_field(record: ir.Node, position: int) -> list[tuple[str, ir.Node]] | None:
    """`(record).*`: the fields with what they are called; None where they are not known."""
    composite = t.composite_fields(record.type.oid)
    if composite is None:
        fields = fields_of(record.type)
        called = called_fields(record.type)
        return (
            fields and [(name, _nth(record, fields, i, position)) for i, name in enumerate(called)]
        ) or None
    found = [(name, field_of(record, name, position)) for name, _ in composite]
    return [(name, node) for name, node in found if node is not None]


def _nth(record: ir.Node, fields: Fields, i: int, position: int) -> ir.Node:
    held, ref = fields[i]
    return ir.Call(ref, "record field", (record, ir.Lit(TypeRef(t.TEXT), held)), False, position)


def comparable_shapes(left: Fields, right: Fields) -> None:
    """Raises 42804 for records that PostgreSQL does not compare."""
    if len(left) != len(right):
        raise PlanError("42804", "cannot compare record types with different numbers of columns")
    for i, ((_, a), (_, b)) in enumerate(zip(left, right, strict=True), 1):
        if a.oid != b.oid:
            kinds = " and ".join(t.type_in_words(x.oid) for x in (a, b))
            raise PlanError("42804", f"cannot compare dissimilar column types {kinds} at record column {i}")
