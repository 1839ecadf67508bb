"""Calls of routines that run: PL/pgSQL, and functions in SQL that are more than one query.

    SELECT f(1, x)                 asked while the statement runs: f(1, x) is a value like any other's function's
    SELECT * FROM f(1)             LATERAL (SELECT of the rows that f returns, as texts, cast to its columns)
    CALL p(1, 2)                   a query of the arguments, with which the executor runs the procedure

The keyed engine asks the session for the value where the query is one row of nothing (`answered`); DuckDB asks it through the event
loop, with texts for arguments and for what is returned, so that all types go the same way. A routine sees and writes what its transaction
does, so such a statement is run in a block, and never twice at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.abc import PlanError, SessionValue, TypeRef
from planner.binding import ir, ordinality
from planner.binding.clauses import ONCE, refuse_unsteady
from planner.binding.dimensions import array_over
from planner.binding.emit import Emitter
from planner.binding.evaluation import has_query, let
from planner.binding.fragments import Form, Frag, Item, sql
from planner.binding.functions.registry import implements
from planner.binding.functions.sequences import PID
from planner.binding.records import record_of, row_of
from planner.catalog import Function

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder
    from planner.binding.routines.resolution import Resolved

RUN: Final = ir.RUN
_TEXT: Final = TypeRef(t.TEXT)
_OID: Final = TypeRef(t.INT8)
_NUMERIC: Final = TypeRef(t.NUMERIC)
_ASKING: Final = SessionValue("asking", TypeRef(t.INT8))


def shown(f: Function) -> str:
    return f"{f.name}({', '.join(t.type_in_words(p.type.oid) for p in f.inputs)})"


def no_procedure(f: Function, position: int) -> PlanError:
    """CALL of a function."""
    message = f"{shown(f)} is not a procedure"
    return PlanError("42809", message, hint="To call a function, use SELECT.", position=position)


def call(queries: QueryBinder, made: Resolved, position: int) -> ir.Node:
    """The value of a call in an expression. Raises 42809, 0A000."""
    f = made.function
    if f.kind == "p":
        queries.called, queries.called_with = f, tuple(made.given)
        return row_of(_given(made)) if made.args else row_of((ir.Lit(_TEXT, None),))
    if queries.calling:
        raise no_procedure(f, position)
    if f.result.oid in (t.TRIGGER, t.EVENT_TRIGGER):
        raise _as_trigger(f)
    if f.volatility != "i":
        refuse_unsteady(queries.ctx.clause)
    if queries.ctx.clause not in ONCE and not queries.ctx.listed:
        raise PlanError("0A000", f"function {shown(f)}, which runs, in {queries.ctx.clause} is not supported")
    ref = _record(f) if f.result.oid == t.RECORD else TypeRef(f.result.oid)
    _runs(queries, f)
    args = (ir.Lit(_OID, f.oid), *_given(made))
    if not f.returns_set:
        return ir.Call(ref, RUN, args, ir.drawn(f.volatility == "v"), position)
    apart = ref.oid == t.RECORD or t.composite_fields(ref.oid) is not None or bool(t.element_of(ref.oid))
    array = array_over(_TEXT if apart else ref)  # such values are unnested as their texts
    values = ir.Cast(array, ir.Call(_TEXT, "array of routine", args, ir.drawn(), position), True, position)
    found = queries.expressions.function("unnest", [values], position)
    assert isinstance(found, ir.SetReturning)
    if ref.oid == t.RECORD and ref.typmod < 0:
        return found
    if ref.oid == t.RECORD:
        return ir.Call(ref, "record of text", (found,), False, position)
    return ir.Cast(ref, found, True, position) if apart else found


def _given(made: Resolved) -> tuple[ir.Node, ...]:
    """The arguments as parameters hold them: these have no modifiers, and numeric(p,s) is held otherwise than numeric."""
    return tuple([ir.Cast(_NUMERIC, a) if _is_decimal(a.type) else a for a in made.args])


def _is_decimal(ref: TypeRef) -> bool:
    return ref.oid == t.NUMERIC and t.numeric.is_decimal(ref.typmod)


def _runs(queries: QueryBinder, f: Function) -> None:
    queries.running = True
    queries.volatilities.add(f.volatility == "v")


def _record(f: Function) -> TypeRef:
    """The records that a function's OUT parameters make; where it has none, nobody knows their fields before it has run."""
    if not f.outputs:
        return TypeRef(t.RECORD)
    names = [p.name or f"column{i + 1}" for i, p in enumerate(f.outputs)]
    return record_of(tuple(zip(names, (TypeRef(p.type.oid) for p in f.outputs), strict=True)))


def _as_trigger(f: Function) -> PlanError:
    near = f'compilation of PL/pgSQL function "{f.name}" near line 1'
    return PlanError("0A000", "trigger functions can only be called as triggers", context=near)


def rows(
    queries: QueryBinder, made: Resolved, columns: Sequence[tuple[str, TypeRef]] | None, numbered: str, position: int
) -> tuple[Frag, list[Form]]:  # fmt: skip
    """What a call in FROM is a subquery of. `numbered`: the column that counts the rows, if there is to be one."""
    f = made.function
    if f.kind == "p":
        raise PlanError(
            "42809", f"{shown(f)} is a procedure", hint="To call a procedure, use CALL.", position=position
        )
    if f.result.oid in (t.TRIGGER, t.EVENT_TRIGGER):
        raise _as_trigger(f)
    _runs(queries, f)
    queries.volatile = True
    emitter = queries.emitter
    wanted = [ref for _, ref in columns] if columns is not None else [TypeRef(f.result.oid)]
    declared = ", ".join(f"{ref.oid}" for ref in wanted) if f.result.oid == t.RECORD and not f.outputs else ""
    op = "rows of routine"
    listed = emitter.frag(ir.Call(_TEXT, op, (ir.Lit(_OID, f.oid), ir.Lit(_TEXT, declared), *_given(made)), ir.drawn(), position))  # fmt: skip
    texts = sql("SELECT unnest(", listed, ") AS v")
    if numbered:
        texts = ordinality.unnested([(listed, "v")])
    items: list[Frag] = []
    forms: list[Form] = []
    value = Frag(("v",))
    for i, ref in enumerate(wanted):
        item = sql("tw_record_item(", value, f", {i})")
        from planner.binding.functions.conversions import convert

        made_item = convert(item, _TEXT, ref, True) if ref.oid not in (t.TEXT, t.VOID) else item
        items.append(sql(made_item, f" AS c{i}"))
        forms.append(made_item.form)
    listed_items: list[Frag | str] = []
    for i, frag in enumerate(items):
        listed_items += [", ", frag] if i else [frag]
    if numbered:
        listed_items.append(f", {numbered}")
    return sql("SELECT ", *listed_items, " FROM (", texts, ")"), forms


def _texts(emitter: Emitter, args: Sequence[ir.Node]) -> Frag:
    """Arguments as a list of texts."""
    from planner.binding.functions.conversions import read_again

    items: list[Frag | str] = ["CAST(["]
    for i, a in enumerate(args):
        text = read_again(emitter.frag(a), a.type)
        items += [", ", text] if i else [text]
    return sql(*items, "] AS VARCHAR[])")


def asking() -> tuple[Item, ...]:
    """What a function that runs is told of who asks, as its last arguments."""
    return _ASKING, ", ", PID


def _asked(emitter: Emitter, what: str, oid: ir.Node, declared: str, args: Sequence[ir.Node]) -> Frag:
    assert isinstance(oid, ir.Lit)
    return sql(
        f"tw_{what}('{oid.value}', '{declared}', ", _texts(emitter, args), ", ", _ASKING, ", ", PID, ")"
    )


@implements(RUN)
def _run(emitter: Emitter, call: ir.Call, _args: list[Frag]) -> Frag:
    from planner.binding.functions.conversions import convert
    from planner.binding.functions.value_texts import record_value

    text = _asked(emitter, "routine", call.args[0], "", call.args[1:])
    if call.type.oid in (t.TEXT, t.VOID) or call.type == TypeRef(t.RECORD):
        return text
    # What the cast names more than once is computed once (`planner.binding.routines.values.let`).
    answer = Frag(("tw_answer",))
    body = (
        record_value(answer, call.type)
        if call.type.oid == t.RECORD and call.type.typmod >= 0
        else convert(answer, _TEXT, call.type, True)
    )
    if has_query(body):
        return sql("(SELECT ", body, " FROM (SELECT ", text, " AS tw_answer) AS tw_answers)", form=body.form)
    return let("tw_answer", text, body)


@implements("record of text")
def _of_text(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    from planner.binding.functions.value_texts import record_value

    # Named once: what is unnested here is a call, which each mention would make.
    body = record_value(Frag(("tw_answer",)), call.type)
    return let("tw_answer", args[0], body)


@implements("array of routine")
def _array(emitter: Emitter, call: ir.Call, _args: list[Frag]) -> Frag:
    return _asked(emitter, "routine_array", call.args[0], "", call.args[1:])


@implements("rows of routine")
def _rows(emitter: Emitter, call: ir.Call, _args: list[Frag]) -> Frag:
    declared = call.args[1]
    assert isinstance(declared, ir.Lit)
    return _asked(emitter, "routine_rows", call.args[0], str(declared.value), call.args[2:])


__all__ = ["RUN", "asking", "call", "no_procedure", "rows", "shown"]
