"""WITH: queries that others name, and those that name themselves.

WITH a AS (SELECT ...), b AS MATERIALIZED (SELECT ... FROM a) SELECT ...     a common table for each, in the scope of what follows
WITH RECURSIVE r AS (base UNION further) ...                                base and further are bound apart, and run by turns
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, ResultColumn, TypeRef
from planner.binding import effects, ir, recursion, shapes
from planner.binding.compound import UNITED, CompoundBinder
from planner.binding.fragments import Form, Frag, Item, join, sql
from planner.binding.from_items import CommonTable
from planner.binding.keyed.selects import BoundSelect
from planner.binding.naming import identifier
from planner.binding.numeric_forms import column_form
from planner.binding.scope import FromStep, Recursion, Relation, RelationColumn, Scope
from planner.binding.search_and_cycle import rewritten
from planner.binding.state import BoundQuery, Parts, Target
from planner.parse import position as first_position
from planner.records import replace


class CommonTableBinder(CompoundBinder):
    """Binds WITH in front of whatever it stands."""

    def with_clause(self, node: exp.Expression, scope: Scope) -> Frag | None:
        recursive, items = self.with_items(node, scope, [])
        return with_text(recursive, items)

    def with_items(
        self, node: exp.Expression, scope: Scope, inherited: list[Item]
    ) -> tuple[bool, list[Item]]:
        """Binds WITH: whether it is recursive, and the text of each query. `inherited`: those around it."""
        clause = node.args.get("with_")
        if clause is None:
            return False, []
        recursive = bool(clause.args.get("recursive"))
        items: list[Item] = []
        for cte in recursion.in_order_of_need(clause.expressions) if recursive else clause.expressions:
            if cte is clause.expressions[-1] and (clause.args.get("search") or clause.args.get("cycle")):
                cte = rewritten(cte, clause)
            name = identifier(cte.args["alias"].this)
            if name in scope.ctes:
                raise PlanError(
                    "42712",
                    f'WITH query name "{name}" specified more than once',
                    position=first_position(cte.args["alias"]),
                )
            if recursive:
                recursion.check(cte, name, self._aggregates_only)
            else:
                at = clause.expressions.index(cte)
                scope.later = [identifier(c.args["alias"].this) for c in clause.expressions[at:]]
            if isinstance(cte.this, exp.DML):
                if scope.parent is not None or self._depth > 1 or self.in_common_write:
                    raise PlanError(
                        "0A000",
                        "WITH clause containing a data-modifying statement must be at the top level",
                        position=first_position(cte),
                    )
                self.common_write(cte, name, scope, recursive, [*inherited, *items])
                continue
            names = [identifier(c) for c in cte.args["alias"].args.get("columns") or ()]
            sql_name = f"w{self.next_relation()}"
            wanted, does_something = cte.args.get("materialized"), False
            if recursive and recursion.mentions(cte.this, name):
                frag, before = self._recursive(cte, name, names, sql_name, scope)
                items += before
            else:
                drawn, self.volatile = self.volatile, False
                bound = self.nested(cte.this, scope)
                scope.outer += bound.outer
                columns = renamed(bound.columns, names, name, first_position(cte.args["alias"].this))
                if self.volatile and any(isinstance(c.this, exp.DML) for c in clause.expressions):
                    self.common_rows(bound, columns, name, scope, recursive, [*inherited, *items])
                    self.volatile = drawn
                    continue
                self.volatile = self.volatile or drawn
                locked = self.locked_texts.get(bound.frag, ())
                does_something = bool(bound.effects)
                # What does something is done for all of its rows: those who read them narrow nothing.
                by_key = bound.by_key if not bound.outer and not does_something else None
                scope.ctes[name] = CommonTable(sql_name, columns, bound.forms, by_key, locked)
                frag = effects.computed_whole(bound, self.next_relation())
            made = scope.ctes[name]
            assert isinstance(made, CommonTable) and made.columns is not None
            cols = ", ".join(f"c{i}" for i in range(len(made.columns)))
            if (wanted is False and shapes.asked_again(frag.parts)) or does_something:
                wanted = True  # PostgreSQL writes out no query for each who reads it whose rows would be others each time
            word = "" if wanted is None else "MATERIALIZED " if wanted else "NOT MATERIALIZED "
            named = f"{sql_name}({cols})" if cols else sql_name  # SELECT FROM t shows nothing, and has rows
            items.append(sql(f"{named} AS {word}(", frag, ")"))
            self.with_texts[sql_name] = sql(items[-1])
        scope.later = ()
        return recursive, items

    def _aggregates_only(self, name: str) -> bool:
        """Whether what users call so are aggregates."""
        found = self.ctx.catalog.functions(name, "", self.search_path)
        return bool(found) and all(f.kind == "a" for f in found)

    def common_write(
        self, cte: exp.CTE, name: str, scope: Scope, recursive: bool, inherited: list[Item]
    ) -> None:
        """A data-modifying query of WITH: a part of the plan of its own, and a relation for the parts after it."""
        raise NotImplementedError

    def common_rows(
        self,
        bound: BoundQuery,
        columns: list[RelationColumn],
        name: str,
        scope: Scope,
        recursive: bool,
        inherited: list[Item],
    ) -> None:
        """A query of WITH that draws (`nextval`, `random`), beside writes: a part as these are, for each part would draw anew."""
        raise NotImplementedError

    def _recursive(
        self, cte: exp.CTE, name: str, names: list[str], sql_name: str, scope: Scope
    ) -> tuple[Frag, list[Item]]:
        """The query's text, and the WITH queries of its own: they come before it, for DuckDB takes nothing but a UNION."""
        union = cte.this
        around = self.new_scope(scope)
        _, before = self.with_items(union, around, [])
        base = self.nested(union.this, around)
        forms: list[Form] = [
            None if c.type.oid == t.NUMERIC else column_form(c.type) if t.element_of(c.type.oid) else f
            for c, f in zip(base.columns, base.forms, strict=True)
        ]
        computed = [replace(c, table_oid=0, attnum=0) for c in base.columns]
        columns = renamed(computed, names, name, first_position(cte.args["alias"].this))
        number = self.next_relation()
        made = scope.ctes[name] = CommonTable(sql_name, columns, forms)
        around.ctes[name] = replace(made, iterated=number)
        step = self.nested(union.expression, around, [c.type for c in base.columns])
        if len(step.columns) != len(base.columns):
            raise PlanError(
                "42601",
                "each UNION query must have the same number of columns",
                position=first_position(union.expression),
            )
        recursion.check_types(self.expressions, name, union, base.columns, step.columns)
        scope.outer += around.outer
        word = "UNION" if union.args.get("distinct") else "UNION ALL"
        refs = [c.type for c in base.columns]
        if not (base.outer or step.outer or around.outer or any(c.collation for c in base.columns)):
            by_key = self._recursed(base, step, number, refs, once=word == "UNION")
            scope.ctes[name] = replace(made, by_key=by_key)
        text = sql(self.cast_columns(base, refs, forms), f" {word} ", self.cast_columns(step, refs, forms))
        return text, before

    def _recursed(
        self, base: BoundQuery, step: BoundQuery, number: int, refs: Sequence[TypeRef], *, once: bool
    ) -> BoundSelect | None:
        """The recursion for the keyed engine."""
        if base.by_key is None or step.by_key is None:
            return None
        own = [c.type for c in step.columns]
        further = step.by_key if own == refs else self.over((step.by_key,), own, refs, (), False)
        if further is None:
            return None
        relation = Relation(UNITED, "", [RelationColumn("", ref) for ref in refs])
        targets = [Target("", ir.Var(ref, UNITED, i)) for i, ref in enumerate(refs)]
        made = FromStep(relation, recursion=Recursion(number, base.by_key, further, once))
        return self.kept(Parts(None, None, targets), (made,))


def with_text(recursive: bool, items: Sequence[Item]) -> Frag | None:
    """WITH in front of a statement; None without any queries."""
    return sql("WITH ", "RECURSIVE " if recursive else "", join(", ", items), " ") if items else None


def renamed(
    columns: Sequence[ResultColumn], names: Sequence[str], query: str, position: int = 0
) -> list[RelationColumn]:
    if len(names) > len(columns):
        raise PlanError(
            "42P10",
            f'WITH query "{query}" has {len(columns)} columns available but {len(names)} columns specified',
            position=position,
        )
    return [
        RelationColumn(
            names[i] if i < len(names) else c.name, c.type, c.table_oid, c.attnum, collation=c.collation
        )
        for i, c in enumerate(columns)
    ]
