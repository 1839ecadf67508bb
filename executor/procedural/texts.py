"""SQL in a program: planned once for each session, with its variables as parameters, and run in the block at hand.

    i + 1               a Python function of the parameters, if the keyed engine knows all that is in it
    UPDATE ... id = v   rows by key, on the spot
    anything else       the wide way, as if it had been sent

A plan is looked for again when the catalog, the search path or the user are others than last time, or a record has other fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from executor.abc import ExecutionError, PlanOutdated, Result
from executor.procedural.frame import Code, Frame
from executor.procedural.inside import INSIDE
from executor.procedural.misplaced import (
    Misplaced,
    creates_filled,
    refuse,
    refuse_in_non_volatile,
    refuse_writing,
)
from executor.procedural.result_rows import first_rows
from executor.session.locks import fetched_rows
from executor.session.locks.refusals import REFUSALS, refused
from executor.session.positioned import Standing
from planner import types as t
from planner.abc import (
    Oid,
    Plan,
    PlanError,
    SqlError,
    Table,
    TypeRef,
    Utility,
)
from planner.binding.routines.variables import CURRENT, Variables
from planner.catalog import Function
from planner.current_plans import is_current
from planner.lexer import is_sign, tokenize
from planner.parse import parse_statement
from planner.placed_queries import with_places
from planner.split import split
from planner.statements.plpgsql import Level, Text
from planner.types import numeric
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.session.session import Session
    from planner.plan_context import PlanContext

PLANNED_MAX: Final = 3
"""Times that a statement is planned while others change the catalog."""
_HAS_FROM: Final = re.compile(r"\bfrom\b", re.IGNORECASE)
_MAY_ASK: Final = re.compile(r"\b(select|from)\b", re.IGNORECASE)
_INTEGERS: Final = {t.INT2: 0, t.INT4: 1, t.INT8: 2}
_NOWHERE: Final = Level()
_VALUE: Final = Level("", {"v": 0})


@dataclass(slots=True)
class Planned:
    """A text's plan. `dynamic`: the records that it names, and how they were; `wholes`: those named as a whole, and whether they were NULL."""

    context: Any
    plan: Plan
    constant: Callable[[Sequence[Any], Any, Any], Sequence[Any]] | None
    places: Sequence[tuple[int, int]]
    dynamic: Sequence[tuple[int, Any]]
    wholes: Sequence[tuple[int, bool]]
    type: TypeRef
    fit: Callable[[Any], Any] | None
    """A value's length and digits, as an assignment wants them."""
    asks: bool
    """It is an expression with a query in it, which ROW_COUNT counts."""
    slots: Sequence[int] | None
    """Of an expression that is a function of Python's over whole variables alone: which. None: it is asked for in full."""


def query_of(text: str) -> tuple[str, int]:
    """An expression as a query, and where it begins in it."""
    return f"SELECT {text}", 7


def has_query(text: str) -> bool:
    """Whether an expression is more than a value of its variables: a query, or a value FROM something."""
    if _MAY_ASK.search(text) is None:
        return False
    depth, before = 0, ""
    for token in tokenize(text):
        if token.keyword == "select" or (token.keyword == "from" and not depth and before != "distinct"):
            return True
        depth += is_sign(token, "(") - is_sign(token, ")")
        before = token.keyword
    return False


class Texts:
    """What a walk plans and runs."""

    folding = False
    meant: tuple[Oid, ...] = ()

    def __init__(self, session: Session, code: Code, frame: Frame) -> None:
        self.session, self.code, self.frame = session, code, frame
        self.row_count = 0
        """What the last statement did, or the last expression with a query in it."""
        self.asked: tuple[Text, int] | None = None
        """The statement that runs now, and where its text begins in it."""

    # --- planning ----------------------------------------------------------------------------------------

    def planned(
        self,
        text: Text,
        wanted: TypeRef | None = None,
        *,
        expression: bool,
        part: str = "",
        placed: bool = False,
    ) -> Planned:
        """Raises what planning raises, with the text that it is about. `placed`: it is a cursor's, whose rows may have to say where they are."""
        code, kinds = self.code, self.frame.kinds
        context = self._context()
        known: Planned | None = code.plans[text.number]
        if known is not None and self._holds(known, context):
            for slot, kind in known.dynamic:
                if kinds[slot] is not kind and kinds[slot] != kind:
                    break
            else:
                values = self.frame.values
                for slot, null in known.wholes:
                    if (values[slot] is None) is not null:
                        break
                else:
                    return known
        sql, shift = query_of(text.text) if expression else (text.text, 0)
        variables = self._variables(text, wanted, part)
        to = f"{wanted.oid},{wanted.typmod}" if wanted is not None else ""
        key = "" if code.once else f"{code.program.serial}\0{text.number}\0{text.seen}\0{to}\0{part}\0{sql}"
        try:
            plan = self.session.executor.planner.plan_in_routine(sql, context, variables, key)
            if placed:
                plan = self._placed(plan, text, context, key)
        except SqlError as error:
            raise self.located(error, text, shift) from None
        if self.session.block is not None and self.session.block.failed:
            raise ExecutionError("25P02", "current transaction is aborted")
        dynamic = [(s, k) for s, k in plan.extra["variables"].items() if s in code.dynamic]
        compiled = self.session.compiled(plan)
        ref = plan.columns[0].type if plan.columns else TypeRef(t.VOID)
        wholes = list(plan.extra["wholes"].items())
        fit = t.coercion(wanted, False) if wanted is not None and wanted.typmod >= 0 else None
        asks, places = expression and has_query(text.text), plan.extra["places"]
        plain = compiled.constant is not None and not (asks or dynamic or wholes)
        slots = [s for s, i in places] if plain and places and all(i < 0 for _, i in places) else None
        made = Planned(
            context, plan, compiled.constant, places, dynamic, wholes, ref, fit, asks, slots
        )  # fmt: skip
        code.plans[text.number] = made
        return made

    def _placed(self, plan: Plan, text: Text, context: PlanContext, key: str) -> Plan:
        """The plan of a cursor's query as it runs (`planner.placed_queries`)."""
        made = with_places(text.text, plan, context)
        if made is None:
            return plan
        asked, places = made
        planner = self.session.executor.planner
        try:
            plan = planner.plan_in_routine(asked, context, self._variables(text), key and f"{key}\0{asked}")
        except PlanError:  # an aggregate's one row is no table's
            return plan
        plan.extra["placed"] = places
        return plan

    def _holds(self, known: Planned, context: PlanContext) -> bool:
        """Whether a plan is the context's, or one that it would make again: nothing has changed but things elsewhere in the catalog."""
        before: PlanContext = known.context
        if before is context:
            return True
        if before.partition is None or before.partition is not context.partition:
            return False
        block = self.session.block
        if not is_current(known.plan, context.catalog) or (block is not None and block.failed):
            return False
        compiled = self.session.compiled(known.plan)
        known.context, known.constant = context, compiled.constant
        return compiled.plan is known.plan

    def _context(self) -> PlanContext:
        path = self.code.path
        return self.session.context_on(path) if path else self.session.context()

    def _variables(self, text: Text, wanted: TypeRef | None = None, part: str = "") -> Variables:
        """What a text may name."""
        code = self.code
        return Variables(
            text.names,
            text.seen,
            self.frame.kinds,
            code.program.commonest,
            TypeRef(wanted.oid) if wanted is not None else None,
            part,
            bool(text.said),
            code.names,
            meant=self.meant,
            folding=self.folding,
            values=self.frame.values,
            domains=code.domains,
        )

    def located(self, error: SqlError, text: Text, shift: int) -> SqlError:
        """An error in a text, as the text itself has its place."""
        if error.position and not error.query:
            error.query = text.said or text.text
            error.position = max(error.position - shift + len(error.query) - len(text.text), 1)
        elif not error.query and not isinstance(error, Misplaced):
            said = self.shown(text, shift)
            if error.context.rpartition("\n")[2] != said:  # it was not when the text was planned
                error.context = "\n".join(filter(None, (error.context, said)))
        return error

    def shown(self, text: Text, shift: int) -> str:
        if text.said:
            return f'PL/pgSQL assignment "{text.said}"'
        kind = "SQL expression" if shift else "SQL statement"
        return f'{kind} "{text.text}"'

    def given(self, places: Sequence[tuple[int, int]]) -> tuple[Datum, ...]:
        values, at = self.frame.values, self.frame.at
        return tuple([values[s] if i < 0 else at(s, i) for s, i in places])

    def _given_with(self, key: Sequence[Datum], places: Sequence[tuple[int, int]]) -> tuple[Datum, ...]:
        """`given` of a text with WHERE CURRENT OF."""
        return tuple(key[i] if s == CURRENT else self.given(((s, i),))[0] for s, i in places)

    def standing(self, slot: int, name: str) -> Standing:
        """Where a cursor stands. Raises 34000, 24000, 22004."""
        raise NotImplementedError

    # --- expressions ---------------------------------------------------------------------------------------

    async def value(self, text: Text, wanted: TypeRef | None = None, part: str = "") -> Datum:
        """An expression's value. Raises 42601 where it has several columns or rows."""
        known: Planned | None = self.code.plans[text.number]
        if known is not None and known.slots is not None and known.context is self._context():
            self.asked = None
            values = self.frame.values
            value = known.constant([values[s] for s in known.slots], None, self.session)[0]  # type: ignore[misc]
            return value if known.fit is None or value is None else known.fit(value)
        planned = self.planned(text, wanted, expression=True, part=part)
        self.asked = None
        if planned.asks:
            self.row_count = 1
        if planned.constant is None:
            value = await self._computed(text, planned, wanted, part)
        elif planned.places or _is_literal(text):
            value = planned.constant(self.given(planned.places), None, self.session)[0]
        else:  # computed when it was planned, in PostgreSQL: such an error is about the expression
            try:
                value = planned.constant((), None, self.session)[0]
                return value if planned.fit is None or value is None else planned.fit(value)
            except SqlError as error:
                raise self.located(error, text, 7) from None
        return value if planned.fit is None or value is None else planned.fit(value)

    async def _computed(self, text: Text, planned: Planned, wanted: TypeRef | None, part: str) -> Datum:
        for tries_left in reversed(range(PLANNED_MAX)):
            try:
                if _MAY_ASK.search(text.text) is not None:
                    self.asked = text, 7
                result = await self.run(planned.plan, self.given(planned.places))
                rows = await first_rows(result, 2)
                break
            except PlanOutdated:
                if not tries_left:
                    raise
                self.code.plans[text.number] = None
                planned = self.planned(text, wanted, expression=True, part=part)
            except SqlError as error:
                computed = not _constant(planned) or _is_literal(text)
                if _MAY_ASK.search(text.text) is None and computed:
                    raise
                raise self.located(error, text, 7) from None
        if planned.plan.columns is not None and len(planned.plan.columns) != 1:
            message = f"query returned {len(planned.plan.columns)} columns"
            raise ExecutionError("42601", message, context=f"query: {text.said or text.text}")
        if len(rows) > 1:
            raise ExecutionError(
                "21000", "query returned more than one row", context=f"query: {text.said or text.text}"
            )
        if not rows:
            self.row_count = 0
        return rows[0][0] if rows else None

    async def converted(self, value: Datum, ref: TypeRef, wanted: TypeRef) -> Datum:
        """A value as what it is assigned to."""
        if same(ref, wanted) or (value is None and t.composite_fields(wanted.oid) is None):
            return value
        fit = t.coercion(wanted, False) if wanted.typmod >= 0 else None
        if ref.oid == wanted.oid:
            return fit(value) if fit is not None else numeric.decimal_out(value)
        variables = Variables(_VALUE, 1, [ref], "error", TypeRef(wanted.oid))
        context = self.session.context()
        key = f"cast\0{ref.oid}\0{wanted.oid}"
        plan = self.session.executor.planner.plan_in_routine("SELECT v", context, variables, key)
        compiled = self.session.compiled(plan)
        if compiled.constant is not None:
            made = compiled.constant((value,), None, self.session)[0]
        else:
            made = (await first_rows(await self.run(plan, (value,)), 1))[0][0]
        return made if fit is None or made is None else fit(made)

    def text_of(self, value: Datum, ref: TypeRef) -> str | None:
        """By the type's output function."""
        return None if value is None else t.output_text(value, ref, self.session.type_settings)

    # --- statements ------------------------------------------------------------------------------------------

    async def statement(self, text: Text, *, drawn: int = 0, placed: bool = False) -> tuple[Plan, Result]:
        """Runs a statement of SQL. `drawn`: its rows are drawn, so many at first, and an error of one names no statement in PostgreSQL;
        `placed`: as for `planned`."""
        for tries_left in reversed(range(PLANNED_MAX)):
            try:
                planned = self.planned(text, expression=False, placed=placed)
                refuse(planned.plan)
                self.asked = None if drawn else (text, 0)
                if creates_filled(planned.plan):
                    filled = _with_variables(planned.plan, self._variables(text), self.given)
                    return filled, await self.run(filled, ())
                current = planned.plan.extra.get("current")
                if current is not None:
                    return planned.plan, await self._at_cursor(planned, *current)
                return planned.plan, await self.run(planned.plan, self.given(planned.places), drawn=drawn)
            except PlanOutdated:
                if not tries_left:
                    raise
                self.code.plans[text.number] = None
            except SqlError as error:
                if drawn and _is_of_rows(text, error):
                    raise
                raise self.located(error, text, 0) from None
        raise AssertionError("unreachable")

    async def _at_cursor(self, planned: Planned, slot: int, name: str, table: Table) -> Result:
        """A statement with WHERE CURRENT OF."""
        at, catalog = self.standing(slot, name), self.session.catalog
        given = self._given_with(at.given(table, catalog), planned.places)
        return await at.written(await self.run(planned.plan, given), table, catalog)

    def pieces(self, sql: str) -> list[tuple[str, int]]:
        """The statements of a string that EXECUTE was given, and where they begin. Raises 42601 before any of them has run."""
        try:
            pieces = split(sql)
        except SqlError as error:
            raise self.located(error, executed(sql), 0) from None
        if len(pieces) > 1:
            for text, start in pieces:
                try:
                    parse_statement(text)
                except SqlError as error:
                    raise self._of_piece(error, sql, start) from None
        return pieces

    def _of_piece(self, error: SqlError, sql: str, start: int) -> SqlError:
        if error.position and not error.query:
            error.position += start
        return self.located(error, executed(sql), 0)

    async def dynamic(
        self,
        sql: str,
        start: int,
        piece: str,
        values: Sequence[Datum],
        types: Sequence[TypeRef],
        *,
        drawn: int = 0,
    ) -> tuple[Plan, Result]:
        """Runs a statement of the string that EXECUTE was given; `drawn` as for `statement`."""
        session = self.session
        for tries_left in reversed(range(PLANNED_MAX)):
            try:
                if types:
                    oids = [x.oid for x in types]
                    plan, taken = (
                        session.executor.planner.plan(piece, session.context(), oids, normalise=False)[0],
                        tuple(values),
                    )
                    taken = taken[: len(plan.parameters)]
                    if creates_filled(plan):
                        named = Level("", {f"${i + 1}": i for i in range(len(types))})
                        plan = _with_variables(
                            plan,
                            Variables(named, len(types), types),
                            lambda places: tuple([values[i] for i, _ in places]),
                        )
                else:
                    plan, taken = session.plan(piece)
                refuse(plan, dynamic=True)
                self.asked = None if drawn else (executed(piece), 0)
                return plan, await self.run(plan, taken, drawn=drawn)
            except PlanOutdated:
                if not tries_left:
                    raise
            except SqlError as error:
                if drawn and _is_of_rows(executed(piece), error):
                    raise
                raise self._of_piece(error, sql, start) from None
        raise AssertionError("unreachable")

    async def run(self, plan: Plan, params: tuple[Datum, ...], *, drawn: int = 0) -> Result:
        """In the block: on the spot if it is by key, or else the wide way. `drawn` as for `statement`."""
        session = self.session
        if self.code.reads_only:
            refuse_in_non_volatile(plan)
        if session.writing and INSIDE.get() == session.pid:
            refuse_writing(plan, session.writing)
        try:
            few = drawn and session.block is not None and fetched_rows.applies(session.block, plan)
            if not few or drawn > 1:
                rows = session.at_once(plan, params, drawn if few else 0)
                if rows is not None:
                    return rows
            return await session.run_plan(plan, params, autocommit=False, fetched=drawn > 0)
        except REFUSALS as error:  # which handlers take, as they take what a statement itself raises
            raise refused(session, error) from None


def _is_of_rows(text: Text, error: SqlError) -> bool:
    """Whether an error may be of a row, not of the statement: without a FROM all was computed when it was planned."""
    return not error.position and _HAS_FROM.search(text.text) is not None


def _constant(planned: Planned) -> bool:
    """Whether it was computed when it was planned, as PostgreSQL does it: such an error is about the expression. What it calls that
    may have another value each time is computed each time."""
    called = map(planned.context.catalog.get, planned.plan.extra.get("functions", ()))
    return not planned.places and all(f.volatility == "i" for f in called if isinstance(f, Function))


def _is_literal(text: Text) -> bool:
    """A string that is read only when it is assigned: to a variable that is declared, for instance."""
    return not text.said and text.text[:1] == "'"


def same(ref: TypeRef, wanted: TypeRef) -> bool:
    """Whether a datum of the one type is one of the other as it is."""
    if ref.oid == wanted.oid:
        apart = ref.oid == t.NUMERIC and numeric.is_decimal(ref.typmod)  # held otherwise than numeric
        return wanted.typmod == ref.typmod or (wanted.typmod == -1 and not apart)
    if wanted.typmod >= 0:
        return False
    if ref.oid in _INTEGERS and wanted.oid in _INTEGERS:
        return _INTEGERS[ref.oid] <= _INTEGERS[wanted.oid]
    return ref.oid in (t.TEXT, t.VARCHAR) and wanted.oid in (t.TEXT, t.VARCHAR)


def _with_variables(plan: Plan, variables: Variables, given: Callable[..., tuple[Datum, ...]]) -> Plan:
    """CREATE TABLE AS with what its query may name, and what tells the values of that."""
    assert isinstance(plan.body, Utility)
    said = replace(plan.body.statement, variables=variables, given=given)
    return replace(plan, body=Utility(said), compiled=None)


def executed(sql: str) -> Text:
    """What EXECUTE was given, as errors tell of it."""
    return Text(sql, 0, 0, _NOWHERE, 0)


__all__ = ["Planned", "Texts", "executed", "has_query", "query_of", "same"]
