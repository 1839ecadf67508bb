"""CREATE, ALTER and DROP RULE: what PostgreSQL asks of a rule, and what becomes of its relation.

A rule is a part of its relation's definition, as triggers and policies are: whoever has planned a write without it plans it anew. Its
texts keep the search path that they were said on. Names in them do not follow those of what they name: renaming that is refused.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

from planner import statements as st
from planner.abc import Column, Oid, PlanError, Rule, Table
from planner.binding.writes import rule_sketches
from planner.binding.writes.rule_sketches import Sketch
from planner.catalog import CatalogObject, View, quote_identifier
from planner.catalog.uses import HAS_RULES
from planner.ddl import moments
from planner.ddl.dependencies import depends
from planner.ddl.dependencies.columns_named import in_rule
from planner.ddl.scope import Scope
from planner.lexer import QUOTED, WORD, tokenize

Holder = Table | View
OF_VIEWS: Final = "_RETURN"


def create_rule(scope: Scope, said: st.CreateRule) -> None:
    """Raises 42P17, 42710, 42809, 0A000, and what its statements raise when they are bound."""
    holder = _holder(scope, said.table)
    if said.event == "1":
        _create_view_rule(scope, holder, said)
        return
    if said.name == OF_VIEWS:
        raise PlanError("42P17", f'non-view rule for "{holder.name}" must not be named "{OF_VIEWS}"')
    old = next((r for r in holder.rules if r.name == said.name), None)
    needs: set[Oid] = set()
    kept = ""
    if said.condition is not None:
        found = _at(said.condition, partial(_condition, scope, holder, said))
        needs |= _needs(scope, found)
        kept = moments.frozen(scope, said.condition.text)
    actions: list[str] = []
    returns = 0
    for text in said.actions:
        made = _at(text, partial(_action, scope, holder, said))
        if made.plan is None and said.condition is not None:
            raise PlanError(
                "42P17", "rules with WHERE conditions can only have SELECT, INSERT, UPDATE, or DELETE actions"
            )
        returns += made.returns
        if returns > 1:
            raise PlanError("0A000", "cannot have multiple RETURNING lists in a rule")
        needs |= _needs(scope, made)
        actions.append(_written_out(holder, text.text))
    if old is not None and not said.replace:
        raise PlanError("42710", f'rule "{said.name}" for relation "{holder.name}" already exists')
    rule = Rule(
        old.oid if old is not None else scope.allocate(),
        said.name,
        said.event,
        said.instead,
        kept,
        tuple(actions),
        depends=tuple(sorted(needs)),
        search_path=scope.search_path,
    )
    put(scope, holder, [*(r for r in holder.rules if r is not old), rule])


def _create_view_rule(scope: Scope, holder: Holder, said: st.CreateRule) -> None:
    """ON SELECT: the query of a view, by another name."""
    if not said.actions:
        raise PlanError("0A000", "rules on SELECT must have action INSTEAD SELECT")
    if len(said.actions) > 1:
        raise PlanError("0A000", "multiple actions for rules on SELECT are not implemented")
    (query,) = said.actions
    words = [x.value for x in tokenize(query.text)[:1]]
    if not said.instead or words[0] not in ("select", "values", "with", "("):
        raise PlanError("0A000", "rules on SELECT must have action INSTEAD SELECT")
    if said.condition is not None:
        raise PlanError("0A000", "event qualifications are not implemented for rules on SELECT")
    if isinstance(holder, Table):
        raise PlanError("0A000", f'turning table "{holder.name}" into a view by a rule is not supported')
    if not said.replace:
        raise PlanError("55000", f'"{holder.name}" is already a view')
    if said.name != OF_VIEWS:
        raise PlanError("42P17", f'view rule for "{holder.name}" must be named "{OF_VIEWS}"')
    from planner.ddl import views

    options = tuple((o.partition("=")[0], o.partition("=")[2]) for o in holder.options)
    names = tuple(c.name for c in holder.columns)
    schema = scope.catalog.schema_of(holder.schema_oid).name
    views.create_view(
        scope, st.CreateView(st.Name(holder.name, schema), query, names, replace=True, options=options)
    )


def _at(said: st.Sql, bind: Callable[[str], Sketch]) -> Sketch:
    """What is found of a slice of the statement; positions of its errors count in the whole."""
    return bind(" " * said.offset + said.text)


def _action(scope: Scope, holder: Holder, said: st.CreateRule, text: str) -> Sketch:
    why = "RETURNING lists are not supported in "
    if said.condition is not None:
        why += "conditional rules"
    else:
        why = "" if said.instead else why + "non-INSTEAD rules"
    return rule_sketches.action(scope.context(), holder, said.event, text, returning=why)


def _condition(scope: Scope, holder: Holder, said: st.CreateRule, text: str) -> Sketch:
    return rule_sketches.condition(scope.context(), holder, said.event, text)


def _needs(scope: Scope, found: Sketch) -> set[Oid]:
    if found.tree is None or found.plan is None:
        return set()
    return set(depends.needs_of_plan(scope, found.tree, found.plan))


def _written_out(holder: Holder, text: str) -> str:
    """`NEW.*` as the columns that there are now."""
    tokens = tokenize(text)
    pieces: list[str] = []
    done = 0
    for i, token in enumerate(tokens[:-2]):
        side = token.value
        if token.kind not in (WORD, QUOTED) or side not in ("new", "old"):
            continue
        if tokens[i + 1].value != "." or tokens[i + 2].value != "*":
            continue
        columns = [f"{side}.{quote_identifier(c.name)}" for c in holder.columns if not c.hidden]
        pieces += [text[done : token.start], ", ".join(columns)]
        done = tokens[i + 2].end
    return "".join(pieces) + text[done:]


def rename_rule(scope: Scope, said: st.RenameRule) -> None:
    """Raises 42704, 42710, 42P17."""
    holder = _holder(scope, said.table)
    if isinstance(holder, View) and said.name == OF_VIEWS:
        raise PlanError("42P17", "renaming an ON SELECT rule is not allowed")
    old = existing(holder, said.name)
    if any(r.name == said.new_name for r in holder.rules) or (
        isinstance(holder, View) and said.new_name == OF_VIEWS
    ):
        raise PlanError("42710", f'rule "{said.new_name}" for relation "{holder.name}" already exists')
    renamed = dataclasses.replace(old, name=said.new_name)
    put(scope, holder, [*(r for r in holder.rules if r is not old), renamed])


def drop_rule(scope: Scope, said: st.DropRule) -> None:
    """Raises 42704, 2BP01."""
    name = said.table
    if scope.passes_relation(name, said.if_exists):
        return
    holder = _holder(scope, name)
    if isinstance(holder, View) and said.name == OF_VIEWS:
        shown = f"view {quote_identifier(holder.name)}"
        raise PlanError(
            "2BP01",
            f"cannot drop rule {OF_VIEWS} on {shown} because {shown} requires it",
            hint=f"You can drop {shown} instead.",
        )
    if said.if_exists and all(r.name != said.name for r in holder.rules):
        scope.notice(f'rule "{said.name}" for relation "{name}" does not exist, skipping')
        return
    remove(scope, holder, [existing(holder, said.name)])


def remove(scope: Scope, holder: Holder, doomed: Sequence[Rule]) -> None:
    """Takes rules from a relation, with what was said of them."""
    gone = {r.oid for r in doomed}
    scope.forget_comments(gone)
    put(scope, holder, [r for r in holder.rules if r.oid not in gone])


def put(scope: Scope, holder: Holder, kept: Sequence[Rule]) -> None:
    """The relation with these rules."""
    ordered = tuple(sorted(kept, key=lambda r: r.name.encode()))
    scope.replace(holder, dataclasses.replace(holder, rules=ordered))


def switched(holder: Holder, name: str, enabled: str) -> tuple[Rule, ...]:
    """ENABLE and DISABLE RULE. Raises 42704."""
    old = existing(holder, name)
    return tuple(dataclasses.replace(r, enabled=enabled) if r is old else r for r in holder.rules)


def named(scope: Scope, name: st.Name, rule: str) -> Oid:
    """Of a relation, for COMMENT. Raises 42704, 42P01."""
    holder = _holder(scope, name)
    return holder.oid if isinstance(holder, View) and rule == OF_VIEWS else existing(holder, rule).oid


def existing(holder: Holder, name: str) -> Rule:
    """Raises 42704."""
    found = next((r for r in holder.rules if r.name == name), None)
    if found is None:
        raise PlanError("42704", f'rule "{name}" for relation "{holder.name}" does not exist')
    return found


def _holder(scope: Scope, name: st.Name) -> Holder:
    found = scope.relation(st.Name(name.name, name.schema))
    if isinstance(found, View) or (isinstance(found, Table) and found.foreign is None):
        return found
    kind = "foreign tables" if isinstance(found, Table) else "indexes"
    if type(found).__name__ == "Sequence":
        kind = "sequences"
    raise PlanError(
        "42809",
        f'relation "{found.name}" cannot have rules',
        detail=f"This operation is not supported for {kind}.",
    )


def settle(scope: Scope) -> None:
    """Raises 0A000 for rules of a table whose rows foreign keys delete or change: PostgreSQL asks them then, and nobody does here."""
    for oid, _ in scope.first_states():
        table = scope.catalog.get(oid)
        if not isinstance(table, Table) or not table.rules:
            continue
        events = {r.event for r in table.rules}
        for c in table.constraints:
            changes = c.kind == "f" and (c.on_update in "cnd" or c.on_delete in "nd")
            if (changes and "2" in events) or (c.kind == "f" and c.on_delete == "c" and "4" in events):
                raise PlanError(
                    "0A000",
                    f'rules of table "{table.name}" for what the foreign key "{c.name}" does to its rows are not supported',
                )


# --- what depends on what ---------------------------------------------------------------------------------


def _all(scope: Scope) -> list[tuple[Holder, Rule]]:
    return _of(scope.catalog.using(HAS_RULES))


def _of(holders: Iterable[CatalogObject]) -> list[tuple[Holder, Rule]]:
    return [(h, r) for h in holders if isinstance(h, Table | View) for r in h.rules]


def needing(scope: Scope, thing: CatalogObject) -> list[tuple[Holder, Rule]]:
    """The rules that read, write or call an object, but for those of the relation itself."""
    found = _of(scope.catalog.using(thing.oid))
    return [(h, r) for h, r in found if thing.oid in r.depends and thing.oid != h.oid]


def using(scope: Scope, holder: Holder, column: Column) -> list[tuple[Holder, Rule]]:
    """The rules, of whatever relation, that name a column of this one."""
    return [
        (h, r)
        for h, r in _all(scope)
        if (h.oid == holder.oid or holder.oid in r.depends) and in_rule(scope.catalog, h, r, holder, column)
    ]


def names(rule: Rule, name: str) -> bool:
    return any(t.value == name for text in (rule.condition, *rule.actions) if text for t in tokenize(text))


def refuse_renaming(scope: Scope, thing: CatalogObject, name: str = "") -> None:
    """Raises 0A000 for an object that rules name, or a column of it: their text would not find it."""
    said = name or getattr(thing, "name", "")
    for holder, rule in _all(scope):
        if (thing.oid == holder.oid or thing.oid in rule.depends) and names(rule, said):
            raise _not_renamed(f'"{said}"', holder, rule)


def refuse_renaming_column(scope: Scope, holder: Holder, column: Column) -> None:
    """The same of a column."""
    for owner, rule in using(scope, holder, column):
        if names(rule, column.name):
            raise _not_renamed(f'"{column.name}"', owner, rule)


def follow_schema(scope: Scope, old: str, new: str) -> None:
    """After a schema has another name. Raises 0A000 where a rule says the old one."""
    for holder in {h.oid: h for h, _ in _all(scope)}.values():
        for r in holder.rules:
            if names(r, old):
                raise _not_renamed(f'schema "{old}"', holder, r)
        kept = tuple(
            dataclasses.replace(r, search_path=tuple(new if s == old else s for s in r.search_path))
            for r in holder.rules
        )
        if kept != holder.rules:
            scope.replace(holder, dataclasses.replace(holder, rules=kept))


def _not_renamed(what: str, holder: Holder, rule: Rule) -> PlanError:
    return PlanError(
        "0A000", f'renaming {what}, which rule "{rule.name}" of "{holder.name}" names, is not supported'
    )


__all__ = [
    "create_rule", "drop_rule", "existing", "follow_schema", "named", "names", "needing", "put", "refuse_renaming",
    "refuse_renaming_column", "remove", "rename_rule", "settle", "switched", "using",
]  # fmt: skip
