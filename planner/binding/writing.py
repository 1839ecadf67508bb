"""A bound SELECT as DuckDB text: projection, DISTINCT, ORDER BY, LIMIT; and a finished text as a `Query`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from planner import types as t
from planner.abc import (
    ChangesUse,
    Param,
    PlanError,
    Query,
    RelationUse,
    ResultColumn,
    Slot,
    SystemUse,
    Table,
    TypeRef,
)
from planner.binding import (
    below_windows,
    effects,
    folding,
    growth,
    ir,
    late_targets,
    own_conditions,
    partitioned,
    series,
    shapes,
    told_rows,
    unasked,
)
from planner.binding.clauses import refuse_sets_inside
from planner.binding.collating import carried, standing_for
from planner.binding.collations_met import sorted_by
from planner.binding.comparable import comparable, needs_key
from planner.binding.dimensions import as_text
from planner.binding.emit import EmittedColumn
from planner.binding.fragments import Around, Form, Frag, Item, Piece, Ref, Told, join, sql
from planner.binding.functions.sequences import SEEDED, TRIED, tried_first
from planner.binding.keyed import expressions as keyed
from planner.binding.keyed import key_conditions, searched
from planner.binding.keyed.single_values import written_out
from planner.binding.numeric_forms import as_text_numeric, decimal_form
from planner.binding.records import told_type
from planner.binding.rights import barriers
from planner.binding.scope import Scope
from planner.binding.state import BoundQuery, Parts, QueryState
from planner.catalog.collations import telling_apart
from planner.records import replace

_NUMERIC: Final = TypeRef(t.NUMERIC)


class QueryWriter(QueryState):
    """Writes `Parts`."""

    def canonical(self, frag: Frag, ref: TypeRef) -> Frag:
        """An output of the whole statement, in the Arrow type that its PostgreSQL type has."""
        told = told_type(ref)
        if told != ref:  # as values of that type are stored: whoever shows them knows the settings
            from planner.binding.functions.conversions import convert

            frag, ref = convert(frag, ref, told, False), told
        if ref.oid == t.NUMERIC:
            form = decimal_form(ref)
            if form is None:
                return as_text_numeric(frag)
            if frag.form == form:
                return frag
            return sql("CAST(", frag, f" AS DECIMAL({form[0]},{form[1]}))", form=form)
        if ref.oid == t.RECORD and ref.typmod >= 0:
            from planner.binding.functions.value_texts import record_text

            return record_text(frag, ref)
        if ref.oid == t.RECORD_ARRAY:
            from planner.binding.functions.value_texts import array_text

            return array_text(frag, ref)
        if t.element_of(ref.oid):
            return as_text(frag, ref)
        if ref.oid in (t.UNKNOWN, t.VOID, t.RECORD) or not t.is_known(ref.oid):
            return sql("CAST(", frag, " AS VARCHAR)")
        cut = t.select_sql("\0", ref).split("\0")
        items: list[Item] = [cut[0]]
        for piece in cut[1:]:
            items += [frag, piece]
        return sql(*items)

    def _output(self, node: ir.Node) -> Frag:
        """A target's text in the canonical Arrow type."""
        if isinstance(node, ir.Logic) and node.op == "row":
            # Written out here: an array of several dimensions has no place in a struct.
            from planner.binding.functions.value_texts import record_item, stored_text

            item = record_item if told_type(node.type) == node.type else stored_text
            items = [item(self.emitter.frag(a), a.type) for a in node.args]
            return sql("tw_record_text(CAST([", join(", ", items), "] AS VARCHAR[]))")
        return self.canonical(self.emitter.frag(node), node.type)

    def note_asked(self, parts: Parts, scope: Scope) -> None:
        """Notes which partitions, which terms of indexes, and which rows WHERE asks for."""
        own_conditions.note(self, scope.steps, parts.where)
        partitioned.note(self, scope.relations, parts.where, scope.steps)
        searched.note(self, scope.relations, written_out(parts.where, scope.steps))

    def note_ranges(self, parts: Parts, scope: Scope) -> None:
        """Notes which of its keys WHERE asks for, of a query of one table."""
        table = scope.relations[0].table if len(scope.relations) == 1 else None
        if table is not None and parts.where is not None:
            number = scope.relations[0].number
            self.ranges[number] = key_conditions.read_ranges(table, number, parts.where)

    def written(self, parts: Parts, scope: Scope, top: bool) -> BoundQuery:
        self.note_asked(parts, scope)
        put_off = late_targets.put_off(self, parts, scope, top)
        if put_off is not None:
            return put_off
        below_windows.lift(self, parts, scope)
        columns = [
            ResultColumn(x.name, x.node.type, x.table_oid, x.attnum, carried(x.node)) for x in parts.targets
        ]
        for x in parts.targets:
            if any(isinstance(n, ir.Call) and n.volatile for n in ir.walk(x.node)):
                self.volatile = True
        srf = any(isinstance(n, ir.SetReturning) for x in parts.targets for n in ir.walk(x.node))
        if srf:
            for x in parts.targets:
                refuse_sets_inside(x.node)
            series.cut_by_limit(parts)
        emit, acts = self.emitter, effects.of(parts.targets)
        frags = [emit.frag(x.node) for x in parts.targets]
        forms: list[Form] = [f.form for f in frags]
        source: list[Item] = [" FROM ", parts.source] if parts.source is not None else []
        where: list[Item] = [" WHERE ", self._where(parts, scope)] if parts.where is not None else []
        head: list[Item] = [parts.prefix] if parts.prefix is not None else []
        wrap = (
            parts.distinct
            or (srf and bool(parts.order or parts.distinct_on))
            or parts.ties
            or self._varies(parts, scope)
            or _ordered_anew(parts)
        )
        parts.numbered = parts.numbered and bool(parts.order) and bool(scope.outer)
        if parts.numbered:  # a window's order may not have a window
            wrap = wrap or any(isinstance(n, ir.Window) for k in parts.order for n in ir.walk(k.expr))
        if top and not wrap:
            outputs = [self._output(x.node) for x in parts.targets]
        else:
            outputs = frags
        marks: list[tuple[int, int]] = []
        if not (top or wrap or self.volatile or acts):
            outputs, marks = unasked.marked(emit, parts, outputs)
        items: list[Item] = [sql(f, f" AS c{i}") for i, f in enumerate(outputs)]
        items += [sql(frag, f" AS {name}") for frag, name in parts.hidden]
        if not wrap:
            distinct: list[Item] = []
            if parts.distinct_on is not None:
                distinct = ["DISTINCT ON (", emit.firsts(parts.distinct_on), ") "]
            order: list[Item] = [" ORDER BY ", emit.order(parts.order)] if parts.order else []
            if parts.numbered:
                items.append(sql("row_number() OVER (", *order, ") AS tw_n"))
            body = sql(
                *head,
                "SELECT ",
                *distinct,
                join(", ", items) if items else "1",
                *source,
                *where,
                *order,
                *self._limit_text(parts),
            )
            return BoundQuery(
                body, columns, forms, rows=parts.rows, numbered=parts.numbered, effects=acts, unasked=marks
            )
        made = self._wrapped(
            parts, frags, columns, forms, head, source, where, top, self._varies(parts, scope)
        )
        return replace(made, effects=acts) if acts else made

    def _varies(self, parts: Parts, scope: Scope) -> bool:
        """Whether LIMIT or OFFSET is another number for each row of an outer query, or one that is known only when it runs,
        of a query that names such a row, or is a function's and may: DuckDB takes constants there."""
        counts = [n for n in (parts.limit, parts.offset) if n is not None]
        within = bool(scope.outer or self.routines.frames)
        if within and any(not isinstance(n, ir.Lit) for n in counts):
            return True
        return any(isinstance(n, ir.Var | ir.Argument) for count in counts for n in ir.walk(count))

    def _where(self, parts: Parts, scope: Scope) -> Frag:
        """What is asked of the rows. Locks that are tried last are tried until LIMIT has its rows, as jobs are taken from a queue."""
        assert parts.where is not None
        *others, last = keyed.conjuncts(parts.where)
        tried = isinstance(last, ir.Call) and last.op in TRIED
        if not tried or parts.limit is None or parts.cut is not None or parts.ties or scope.outer:
            return self.emitter.where(parts.where)
        if parts.order or parts.distinct or parts.distinct_on or parts.grouped or any(map(ir.varies, others)):
            return self.emitter.where(parts.where)
        if any(isinstance(n, ir.SetReturning | ir.Window) for x in parts.targets for n in ir.walk(x.node)):
            return self.emitter.where(parts.where)
        assert isinstance(last, ir.Call)
        limit, offset = self.limits_of(parts)
        most = sql("(", limit, " + ", offset, ")")
        lock = tried_first(last, [self.emitter.frag(a) for a in last.args], most, self.next_relation())
        if not others:
            return lock
        first = join(" AND ", [sql("(", self.emitter.frag(n), ")") for n in others])
        return sql("CASE WHEN ", first, " THEN ", lock, " ELSE false END")

    def _wrapped(
        self, parts: Parts, frags: list[Frag], columns: list[ResultColumn], forms: list[Form],
        head: list[Item], source: list[Item], where: list[Item], top: bool, varies: bool,
    ) -> BoundQuery:  # fmt: skip
        """DISTINCT, set-returning targets under ORDER BY, WITH TIES, and limits that DuckDB does not take in a query of an
        outer one's rows: order and cut outside the projection."""
        emit = self.emitter
        items: list[Item] = [sql(f, f" AS c{i}") for i, f in enumerate(frags)]
        number = self.next_relation()
        emitted = [EmittedColumn(f"c{i}", f) for i, f in enumerate(forms)]
        nodes = [x.node for x in parts.targets]

        def held(node: ir.Node) -> ir.Node:
            if node not in nodes:
                if parts.distinct:
                    raise PlanError(
                        "42P10",
                        "for SELECT DISTINCT, ORDER BY expressions must appear in select list",
                        position=getattr(node, "position", 0),
                    )
                frag = emit.frag(node)
                items.append(sql(frag, f" AS c{len(emitted)}"))
                emitted.append(EmittedColumn(f"c{len(emitted)}", frag.form))
                nodes.append(node)
            return standing_for(node, ir.Var(node.type, number, nodes.index(node)))

        keys = [ir.SortKey(held(k.expr), k.descending, k.nulls_first) for k in parts.order]
        firsts = [held(n) for n in parts.distinct_on or ()]
        self.declare(number, emitted)
        distinct: list[Item] = []
        once: list[Item] = []
        if parts.distinct:
            sorted_by(x.node for x in parts.targets)
            constant = [_is_constant(x.node) for x in parts.targets]
            if any(
                needs_key(f, c.type, _apart(c)) and not k
                for f, c, k in zip(frags, columns, constant, strict=True)
            ):
                # Constants tell no rows apart, and DuckDB takes none there.
                given = frags
                varying = any(shapes.shape(n, emit.shapes).varies for n in nodes)
                if varying:  # what is shown is what tells the rows apart
                    given = [Frag((f"r{number}.c{i}",), f.form) for i, f in enumerate(frags)]
                keyed = [comparable(f, c.type, _apart(c)) for f, c in zip(given, columns, strict=True)]
                told = [f for f, k in zip(keyed, constant, strict=True) if not k]
                by_keys: list[Item] = ["DISTINCT ON (", join(", ", told), ") "]
                distinct, once = ([], by_keys) if varying else (by_keys, [])
            else:
                for f, c in zip(frags, columns, strict=True):
                    comparable(f, c.type)
                distinct = ["DISTINCT "]
        items += [sql(frag, f" AS {name}") for frag, name in parts.hidden]
        inner = sql("SELECT ", *distinct, join(", ", items) if items else "1", *source, *where)
        if once:
            inner = sql("SELECT ", *once, "* FROM (", inner, f") AS r{number}")
        outs: list[Item] = []
        for i, (c, form) in enumerate(zip(columns, forms, strict=True)):
            ref = Frag((f"r{number}.c{i}",), form)
            outs.append(sql(self.canonical(ref, c.type) if top else ref, f" AS c{i}"))
        outs += [f"r{number}.{name}" for _, name in parts.hidden]
        order: list[Item] = [" ORDER BY ", emit.order(keys)] if keys else []
        if parts.distinct_on is not None:
            one_each = emit.firsts(firsts)
            inner = sql("SELECT DISTINCT ON (", one_each, ") * FROM (", inner, f") AS r{number}", *order)
        if parts.ties and parts.limit is not None:
            if not keys:
                raise PlanError("42601", "WITH TIES cannot be specified without ORDER BY clause")
            count, offset = self.limits_of(parts)
            inner = sql(
                "SELECT * FROM (SELECT *, rank() OVER (ORDER BY ", emit.order(keys), ") AS tw_rank, row_number() OVER (ORDER BY ",
                emit.order(keys), ") AS tw_row FROM (", inner, f") AS r{number}) WHERE tw_row > ", offset, " AND tw_rank <= ", offset,
                " + ", count, " AND 0 < ", count,
            )  # fmt: skip
            limit: list[Item] = []
        elif varies:
            count, offset = self.limits_of(parts)
            inner = sql(
                "SELECT * FROM (SELECT *, row_number() OVER (", *order, ") AS tw_row FROM (", inner, f") AS r{number})"
                " WHERE tw_row > ", offset, " AND tw_row <= ", offset, " + ", count,
            )  # fmt: skip
            order, limit = [f" ORDER BY r{number}.tw_row"], []
        else:
            limit = self._limit_text(parts)
        if parts.numbered:
            outs.append(sql("row_number() OVER (", *order, ") AS tw_n"))
        shown = join(", ", outs) if outs else "1"
        body = sql(*head, "SELECT ", shown, " FROM (", inner, f") AS r{number}", *order, *limit)
        return BoundQuery(body, columns, forms, rows=parts.rows, numbered=parts.numbered)

    def limits_of(self, parts: Parts) -> tuple[Frag, Frag]:
        """LIMIT and OFFSET as numbers that can be added up."""
        limit = sql("1152921504606846976")
        if parts.limit is not None and getattr(parts.limit, "value", 0) is not None:
            limit = sql("least(", self._limit_value(parts.limit, "2201W", "LIMIT"), ", 1152921504606846976)")
        offset = sql("0")
        if parts.offset is not None and getattr(parts.offset, "value", 0) is not None:
            offset = sql(
                "least(", self._limit_value(parts.offset, "2201X", "OFFSET"), ", 1152921504606846976)"
            )
        return limit, offset

    def _limit_text(self, parts: Parts) -> list[Item]:
        if parts.cut is not None:
            return parts.cut
        out: list[Item] = []
        if parts.limit is not None:
            out += [" LIMIT ", self._limit_value(parts.limit, "2201W", "LIMIT")]
        if parts.offset is not None:
            out += [" OFFSET ", self._limit_value(parts.offset, "2201X", "OFFSET")]
        return out

    def _limit_value(self, node: ir.Node, code: str, what: str) -> Frag:
        if isinstance(node, ir.Lit):
            return sql("NULL" if node.value is None else str(node.value))
        given = self.emitter.frag(node)
        frag = sql("coalesce(", given, ", 0)" if what == "OFFSET" else ", 4611686018427387904)")
        if all(isinstance(n, ir.Parm | ir.Lit | ir.Cast) for n in ir.walk(node)):
            # A constant by the time that DuckDB gets it, and it is to see that: in a subquery of each row it takes no other. What
            # cannot be cast says so with the text, and calls nothing that is no constant.
            refusal = f"'[{code}] {what} must not be negative' || chr(10) || chr(10)"
            return sql("CAST(if(", given, f" < 0, {refusal}, CAST(", frag, " AS VARCHAR)) AS BIGINT)")
        return sql(
            "(SELECT CASE WHEN tw_l < 0 THEN error(",
            f"'[{code}] {what} must not be negative'",
            ") ELSE tw_l END FROM (SELECT ",
            frag,
            " AS tw_l))",
        )

    def constants(self, nodes: Iterable[ir.Node | None]) -> dict[str, Any]:
        """What a plan says of constants that cannot be computed; a statement that has some is not for the keyed engine."""
        nodes = list(nodes)
        failing = folding.refused(nodes)
        if failing:
            self.prefer_keyed = False
            return {"constants": folding.asked_first(self, failing[:1])}
        if not self.parameters.literals and (asked := folding.in_question(nodes)):
            self.prefer_keyed = False
            return {"constants": folding.asked_first(self, asked)}
        if self.parameters.literals and folding.undecided(nodes):
            self.prefer_keyed = False  # planned again, with the literals in their places
            self.undecided = True
            return {"undecided": True}
        return {}

    def finished(self, frag: Frag, *, with_rid: int = 0) -> Query:
        """The planner.abc.Query of a finished text. `with_rid`: the relation whose `_rid` it uses."""
        pieces: list[Piece] = []
        whole = unasked.without(self.emitter, barriers.filled(self, frag).parts)
        for p in whole:
            if type(p) is str:
                pass
            elif isinstance(p, Ref):
                p = self.emitter.written(p)
            elif isinstance(p, Around):
                p = told_rows.mark(self.emitter, p)
            elif isinstance(p, Told):
                p = told_rows.named(self.emitter, p, whole)
            elif isinstance(p, Param) and not p.near:
                ref = self.parameters.type_of(p.number)
                p = Param(p.number, ref if ref is not None else TypeRef(t.TEXT))
                self.numerics = self.numerics or p.type == _NUMERIC
            if isinstance(p, str) and pieces and isinstance(pieces[-1], str):
                pieces[-1] += p
            else:
                pieces.append(p)
        if any("tw_setseed(" in p for p in pieces if type(p) is str):  # its own random() is of that seed
            pieces = ["true" if p == SEEDED else p for p in pieces]
        growth.within_limits(pieces, self.emitter.shapes.values())
        slots = {p.name for p in pieces if type(p) is Slot}
        uses: list[RelationUse | SystemUse | ChangesUse] = []
        dealing: dict[int, Table] = {}
        for r in self.tables:
            assert r.table is not None
            if r.slot in slots:
                use = RelationUse(
                    r.slot,
                    r.table,
                    tuple(sorted(r.used | r.guarded)),
                    r.number == with_rid or r.rid,
                    self.ranges.get(r.number),
                    terms=self.searches.get(r.number),
                    asked=self.own_conditions.get(r.number, ()),
                )
                if partitioned.is_one(r):
                    text, leaves = partitioned.written(self, r, use)
                    pieces = [x for p in pieces for x in (text if p == Slot(r.slot) else (p,))]
                    uses += leaves
                    dealing |= {x.oid: x for x in partitioned.dealing(self.ctx.catalog, r.table)}
                else:
                    uses.append(use)
        asked = {slot: tuple(sorted(r.used)) for slot, r in self.system_relations.values()}
        for s in self.system:
            if s.slot in slots:
                uses.append(replace(s, columns=asked[s.slot]) if isinstance(s, SystemUse) else s)
        return Query(tuple(pieces), tuple(uses), self.volatile, dealing=tuple(dealing.values()))  # type: ignore[arg-type]


def _ordered_anew(parts: Parts) -> bool:
    """Whether what is ordered by is shown, and would be another value if it were asked for twice."""
    keys = [k.expr for k in parts.order] + list(parts.distinct_on or ())
    shown = [x.node for x in parts.targets]
    return any(ir.varies(k) and k in shown for k in keys)


def _is_constant(node: ir.Node) -> bool:
    """Whether it is the same in all rows, by the look of it: what parameters and literals make."""
    plain = ir.Lit | ir.Parm | ir.Cast | ir.Collated | ir.Call | ir.Logic
    return all(isinstance(n, plain) for n in ir.walk(node)) and not ir.varies(node)


def _apart(column: ResultColumn) -> str:
    """The collation by which a column's values are told apart, if that is not by bytes."""
    return telling_apart(column.collation)
