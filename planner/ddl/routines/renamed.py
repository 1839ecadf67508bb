"""A function has another name or schema: what is kept as text calls it by that.

    CHECK (public.f(a) > 0)             ->      CHECK (s.g(a) > 0)
    SELECT f(a) FROM t                  ->      SELECT s.g(t.a) AS f FROM t

PostgreSQL's definitions hold a function's OID. Here a name in front of a parenthesis can be replaced where it can mean nobody
else: one function in the database is called so, and none of PostgreSQL's. A query is written out anew first, for its columns are called
by functions. Policies, rules and bodies of functions keep their texts, so what they call stays as it is called (0A000).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from sqlglot import exp

from planner.abc import PlanError, Table
from planner.binding.facts import procs
from planner.binding.naming import identifier
from planner.catalog import (
    Cast,
    Domain,
    Function,
    Index,
    Operator,
    Relation,
    View,
    quote_identifier,
    quote_qualified,
)
from planner.catalog.routine_objects import EventTrigger
from planner.catalog.stored_queries import stored_query
from planner.ddl.dependencies.dependents import Dependent, dependents
from planner.ddl.dependencies.renamed_in_queries import Renaming, keep, written_anew
from planner.ddl.scope import Scope
from planner.ddl.types import domains
from planner.lexer import QUOTED, WORD, is_sign, tokenize
from planner.parse import parse_expression, parse_query
from planner.records import replace


def follow(scope: Scope, f: Function, new: Function, what: str) -> None:
    """Before the function is `new`. Raises 0A000 for a text in which nobody can say what is meant."""
    reading = [d for d in dependents(scope, f) if not _by_oid(d)]
    if not reading:
        return
    refusal = PlanError(
        "0A000",
        f"{what} to another name or schema is not supported while policies, rules or functions call it, or what calls it may mean another",
    )
    others = [x for x in scope.catalog.objects(Function) if x.name == f.name and x.oid != f.oid]
    if others or procs().get(f.name):
        raise refusal
    texts = _Texts(scope, f, new, refusal)
    for oid in dict.fromkeys(d.thing.oid for d in reading):
        held = scope.catalog.get(oid)
        if any(d.policy is not None or d.rule is not None for d in reading if d.thing.oid == oid):
            raise refusal
        if isinstance(held, View) or (isinstance(held, Table) and held.materialized is not None):
            _follow_query(scope, held, texts)
        elif isinstance(held, Table | Index | Domain):
            scope.replace(held, texts.of_definition(held))
        else:
            raise refusal
    if any(isinstance(d.thing, Domain) for d in reading):
        domains.spread(scope)


def _by_oid(d: Dependent) -> bool:
    """As triggers know it, operators, casts and aggregates."""
    return (
        d.trigger is not None
        or isinstance(d.thing, Operator | Cast | EventTrigger)
        or (isinstance(d.thing, Function) and d.thing.aggregate is not None)
    )


def _follow_query(scope: Scope, held: Relation, texts: _Texts) -> None:
    kept = stored_query(held)
    assert kept is not None
    text = written_anew(scope, kept, Renaming(held.oid), held)
    if text is None:
        raise texts.refusal
    calls = parse_query(text).find_all(exp.Anonymous)
    keep(scope, kept, texts.reworded(text, list(calls)))


@dataclasses.dataclass(frozen=True, slots=True)
class _Texts:
    scope: Scope
    old: Function
    new: Function
    refusal: PlanError

    def of_definition(self, held: Table | Index | Domain) -> Table | Index | Domain:
        if isinstance(held, Index):
            keys = tuple(replace(k, expression=self._said(k.expression)) for k in held.keys)
            return replace(held, keys=keys, predicate=self._said(held.predicate))
        constraints = tuple(
            replace(
                c,
                expression=self._said(c.expression),
                shown=tuple(self._said(s, shown=True) for s in c.shown),
            )
            for c in held.constraints
        )
        if isinstance(held, Domain):
            default = self._said(held.default) if held.default else held.default
            return replace(held, constraints=constraints, default=default)
        columns = tuple(replace(c, default=self._said(c.default)) if c.default else c for c in held.columns)
        return replace(held, columns=columns, constraints=constraints)

    def _said(self, text: str, *, shown: bool = False) -> str:
        if self.old.name not in text.lower() and '"' not in text:
            return text
        return self.reworded(text, list(parse_expression(text).find_all(exp.Anonymous)), shown=shown)

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
