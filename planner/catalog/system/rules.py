"""Rules as tools ask for them: pg_rewrite, pg_rules, pg_get_ruledef. A view's query is one of them, `_RETURN`, under the view's OID."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from planner.abc import Column, Oid, Rule, Table
from planner.catalog.catalog import Catalog
from planner.catalog.names import quote_identifier
from planner.catalog.objects import View
from planner.catalog.routine_objects import Function
from planner.catalog.stored_queries import stored_queries, stored_query
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.definitions import qualified, rule_definition
from planner.catalog.system.function_table import system
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.written import rule_text, spelled
from planner.types.oids import BOOL, OID, TEXT

_EVENTS: Final = {"2": "UPDATE", "3": "INSERT", "4": "DELETE"}


def listed(catalog: Catalog) -> Iterator[tuple[Table | View, Rule]]:
    """All rules that are no view's query, with their relations."""
    holders: list[Table | View] = [*catalog.objects(Table), *catalog.objects(View)]
    for holder in holders:
        for rule in holder.rules:
            yield holder, rule


_MEANS_ITSELF: Final = re.compile(r'[\s(){}\\]|^[<"\d+-]')


def _tree(columns: Sequence[Column]) -> str:
    """Of a view's query as pg_node_tree: its columns, and where they come from, which PostgREST reads. Nobody keeps the rest here."""
    targets = (
        f"{{TARGETENTRY :expr <> :resno {n} :resname {_MEANS_ITSELF.sub(_escaped, c.name)} :ressortgroupref 0"
        f" :resorigtbl {c.origin[0]} :resorigcol {c.origin[1]} :resjunk false}}"
        for n, c in enumerate((c for c in columns if not c.hidden), 1)
    )
    return f"({{QUERY :commandType 1 :querySource 0 :canSetTag true :targetList ({' '.join(targets)}) :override 0}})"


def _escaped(m: re.Match[str]) -> str:
    return "\\" + m[0]


def pg_rewrite(context: SystemContext) -> Rows:
    make = RowMaker("pg_rewrite")
    found = [
        make(
            oid=v.holder.oid,
            rulename="_RETURN",
            ev_class=v.holder.oid,
            ev_type="1",
            ev_enabled="O",
            is_instead=True,
            ev_qual="<>",
            ev_action=_tree(v.holder.columns),
        )
        for v in stored_queries(context.catalog)
        if not isinstance(v.holder, Function)
    ]
    for holder, r in listed(context.catalog):
        found.append(
            make(
                oid=r.oid,
                rulename=r.name,
                ev_class=holder.oid,
                ev_type=r.event,
                ev_enabled=r.enabled,
                is_instead=r.instead,
                ev_qual="<>",
                ev_action="<>",
            )
        )
    return found


def pg_rules(context: SystemContext) -> Rows:
    make = RowMaker("pg_rules")
    return [
        make(
            schemaname=context.catalog.schema_of(holder.schema_oid).name,
            tablename=holder.name,
            rulename=r.name,
            definition=definition(context.catalog, holder, r, context.search_path, False),
        )
        for holder, r in listed(context.catalog)
    ]


def definition(
    catalog: Catalog, holder: Table | View, r: Rule, search_path: tuple[str, ...], pretty: bool
) -> str:
    """As pg_get_ruledef()."""
    table = qualified(catalog, holder.schema_oid, holder.name, search_path if pretty else ())
    text = f"CREATE RULE {quote_identifier(r.name)} AS\n    ON {_EVENTS[r.event]} TO {table}"
    if r.condition:
        shown = rule_text(catalog, holder, r, "", search_path, pretty)
        text += "\n   WHERE " + (shown if shown is not None else f"({spelled(r.condition)})")
    text += " DO INSTEAD " if r.instead else " DO "
    actions = [_action(catalog, holder, r, a, search_path, pretty) for a in r.actions]
    if not actions:
        return text + "NOTHING;"
    if len(actions) == 1:
        return (text.rstrip() if actions[0][:1] == "\n" else text) + actions[0] + ";"
    return text + "(" + "".join(f"{a};\n" for a in actions) + ");"


def _action(
    catalog: Catalog, holder: Table | View, r: Rule, text: str, search_path: tuple[str, ...], pretty: bool
) -> str:
    shown = rule_text(catalog, holder, r, text, search_path, pretty)
    return shown if shown is not None else " " + text.strip()


@system("pg_get_ruledef", (OID, BOOL), TEXT, optional=1)
def _get_ruledef(context: SystemContext, oid: Oid | None, pretty: bool | None = False) -> str | None:
    """Views' queries have their views' OIDs."""
    if oid is None or pretty is None:
        return None
    holder = context.catalog.get(oid)
    if holder is None:
        found = context.catalog.holder_of(oid)
        rule = next((r for r in getattr(found, "rules", ()) if r.oid == oid), None)
        if rule is None or not isinstance(found, Table | View):
            return None
        return definition(context.catalog, found, rule, context.search_path, pretty)
    if not isinstance(holder, View | Table) or stored_query(holder) is None:
        return None
    return rule_definition(context.catalog, holder, context.search_path, pretty)


__all__ = ["definition", "listed", "pg_rewrite", "pg_rules"]
