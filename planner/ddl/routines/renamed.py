"""A function has another name or schema: what is kept as text calls it by that.

    CHECK (public.f(a) > 0)             ->      CHECK (s.g(a) > 0)
    SELECT f(a) FROM t                  ->      SELECT s.g(t.a) AS f FROM t

PostgreSQL's definitions hold a function's OID. Here a query is written out anew, bound in the catalog of before, with the names of after.
In an expression a name in front of a parenthesis is replaced where it can mean nobody else: one function in the database is called so,
and none of PostgreSQL's; where there are others, it is written out anew as well. Policies, rules, conditions of triggers and
bodies in strings keep their texts, so what the first three call stays as it is called (0A000).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from sqlglot import exp

from planner.abc import PlanError, Table, TypeRef
from planner.binding.deparse import domain_conditions
from planner.binding.deparse.expressions import NotWritable, expression_text
from planner.binding.facts import procs
from planner.binding.naming import identifier
from planner.catalog import (
    Cast,
    CatalogChange,
    Domain,
    Function,
    Index,
    Operator,
    quote_identifier,
    quote_qualified,
)
from planner.catalog.routine_objects import EventTrigger
from planner.catalog.stored_queries import stored_query
from planner.catalog.system.definitions import type_name
from planner.ddl.dependencies.dependents import Dependent, dependents
from planner.ddl.dependencies.renamed_in_queries import Renaming, keep, written_anew
from planner.ddl.scope import Scope
from planner.ddl.types import domains
from planner.lexer import QUOTED, WORD, is_sign, tokenize
from planner.parse import parse_expression
from planner.records import replace


def follow(scope: Scope, f: Function, new: Function, what: str) -> None:
    """Before the function is `new`. Raises 0A000 for a text in which nobody can say what is meant."""
    reading = [d for d in dependents(scope, f) if not _by_oid(d, f)]
    if not reading:
        return
    refusal = PlanError(
        "0A000",
        f"{what} to another name or schema is not supported while policies, rules, triggers' conditions or functions call it, or what calls it may mean another",
    )
    others = [x for x in scope.catalog.objects(Function) if x.name == f.name and x.oid != f.oid]
    alone = not others and not procs().get(f.name)
    texts = _Texts(scope, f, new, refusal, alone)
    for oid in dict.fromkeys(d.thing.oid for d in reading):
        held = scope.catalog.get(oid)
        if oid == f.oid or any(d.policy or d.rule or d.trigger for d in reading if d.thing.oid == oid):
            raise refusal
        kept = stored_query(held)
        if kept is not None:
            text = written_anew(scope, kept, Renaming(f.oid), f, changes=[CatalogChange(f, new)])
            if text is None:
                raise refusal
            keep(scope, kept, text)
        elif isinstance(held, Table | Index | Domain):
            scope.replace(held, texts.of_definition(held))
        else:
            raise refusal
    if any(isinstance(d.thing, Domain) for d in reading):
        domains.spread(scope)


def _by_oid(d: Dependent, f: Function) -> bool:
    """As triggers know it (but their conditions), operators, casts and aggregates."""
    return (
        (d.trigger is not None and d.trigger.function == f.oid)
        or isinstance(d.thing, Operator | Cast | EventTrigger)
        or (isinstance(d.thing, Function) and d.thing.aggregate is not None)
    )


@dataclasses.dataclass(frozen=True, slots=True)
class _Texts:
    scope: Scope
    old: Function
    new: Function
    refusal: PlanError
    alone: bool
    """Nobody else is called so."""

    def of_definition(self, held: Table | Index | Domain) -> Table | Index | Domain:
        if isinstance(held, Index):
            on = self.scope.catalog.table(held.table_oid)
            keys = tuple(replace(k, expression=self._said(k.expression, on)) for k in held.keys)
            return replace(held, keys=keys, predicate=self._said(held.predicate, on))
        constraints = tuple(
            replace(
                c,
                expression=self._said(c.expression, held),
                shown=tuple(self._said(s, held, shown=True) for s in c.shown),
            )
            for c in held.constraints
        )
        if isinstance(held, Domain):
            default = self._said(held.default, held) if held.default else held.default
            return replace(held, constraints=constraints, default=default)
        columns = tuple(
            replace(c, default=self._said(c.default, held)) if c.default else c for c in held.columns
        )
        return replace(held, columns=columns, constraints=constraints)

    def _said(self, text: str, of: Table | Domain, *, shown: bool = False) -> str:
        if self.old.name not in text.lower() and '"' not in text:
            return text
        if self.alone:
            return self.reworded(text, list(parse_expression(text).find_all(exp.Anonymous)), shown=shown)
        return self._written_anew(text, of, shown=shown)

    def _written_anew(self, text: str, of: Table | Domain, *, shown: bool) -> str:
        context = self.scope.context()
        after = self.scope.catalog.with_changes([CatalogChange(self.old, self.new)])
        path = self.scope.search_path if shown else ()
        kinds: Callable[[TypeRef], str] = lambda ref: type_name(after, ref, path)  # noqa: E731
        try:
            if isinstance(of, Domain):
                return domain_conditions.shown(context, of.base, text, kinds, False)
            return expression_text(context, of, text, kinds)
        except NotWritable:
            raise self.refusal from None

    def reworded(self, text: str, calls: Sequence[exp.Anonymous], *, shown: bool = False) -> str:
        """The text with the function's new name for the old one. `calls`: all that are in it. `shown`: to people, in messages."""
        catalog = self.scope.catalog
        home = catalog.schema_of(self.old.schema_oid).name
        now = catalog.schema_of(self.new.schema_oid).name
        bare = shown and now in self.scope.search_path
        said = quote_identifier(self.new.name) if bare else quote_qualified(now, self.new.name)
        tokens = tokenize(text)
        out, done, count = "", 0, 0
        for i, token in enumerate(tokens[:-1]):
            named = token.kind in (WORD, QUOTED) and token.value == self.old.name
            if not named or not is_sign(tokens[i + 1], "("):
                continue
            start, count = token.start, count + 1
            if i and is_sign(tokens[i - 1], "."):
                if i < 2 or tokens[i - 2].value != home:
                    raise self.refusal
                start = tokens[i - 2].start
            out, done = out + text[done:start] + said, token.end
        if count != sum(_name(c) == self.old.name for c in calls):
            raise self.refusal
        return out + text[done:]


def _name(call: exp.Anonymous) -> str:
    return identifier(call.this) if isinstance(call.this, exp.Identifier) else str(call.this).lower()


__all__ = ["follow"]
