"""What may not be the query of DECLARE CURSOR: writes, and locks together with what needs the rows as they were. And
what may not be COPY's: a write that returns nothing.

    DECLARE c CURSOR FOR WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d      0A000
    DECLARE c SCROLL CURSOR FOR SELECT * FROM t FOR UPDATE                          0A000

The grammar takes queries only (`planner.parse.utility`); these rules are those of PostgreSQL's `transformDeclareCursorStmt`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from planner import statements as st
from planner.abc import KeyedRead, LockingQuery, Plan, PlanError, WithWrites
from planner.binding.writes import rule_actions, rules
from planner.parse import parse_query
from planner.parse import position as first_position

if TYPE_CHECKING:
    from planner.plan_context import PlanContext

_KINDS: Final = {
    (False, False): "DO ALSO", (False, True): "DO ALSO",
    (True, False): "multi-statement DO INSTEAD", (True, True): "conditional DO INSTEAD",
}  # fmt: skip
"""How messages call a rule, by whether it is INSTEAD and has a condition."""


def is_select_into(query: Plan) -> bool:
    """Whether a query is one that makes a table: as a part of another statement it is none."""
    return query.tag == "SELECT" and query.columns is None


def writes_in_with(query: Plan) -> bool:
    """Whether a part of its WITH writes; one that locks rows does not."""
    body = query.body
    return isinstance(body, WithWrites) and not all(isinstance(w.body, LockingQuery) for w in body.writes)


def refuse(said: st.DeclareCursor, query: Plan) -> None:
    """Raises 42601, 0A000, 42P11."""
    if is_select_into(query):
        into = parse_query(" " * said.query.offset + said.query.text).find(exp.Into)
        at = first_position(into) if into is not None else 0
        raise PlanError("42601", "SELECT ... INTO is not allowed here", position=at)
    if query.columns is None:
        raise PlanError("42601", "query does not return rows", position=said.query.offset + 1)
    if writes_in_with(query):
        raise PlanError("0A000", "DECLARE CURSOR must not contain data-modifying statements in WITH")
    lock = _lock(query.body)
    if not lock:
        return
    for asked, word, code, ending, detail in (
        (said.hold, "CURSOR WITH HOLD", "0A000", "supported", "Holdable"),
        (said.scroll, "SCROLL CURSOR", "0A000", "supported", "Scrollable"),
        (said.insensitive, "INSENSITIVE CURSOR", "42P11", "valid", "Insensitive"),
    ):
        if asked:
            raise PlanError(
                code,
                f"DECLARE {word} ... FOR {lock.upper()} is not {ending}",
                detail=f"{detail} cursors must be READ ONLY.",
            )


def refuse_copied(said: st.Sql, query: Plan) -> None:
    """Raises 0A000, 42601."""
    if query.tag == "MERGE":
        raise PlanError("0A000", "MERGE not supported in COPY")
    if query.columns is None and query.tag in ("INSERT", "UPDATE", "DELETE"):
        raise PlanError("0A000", "COPY query must have a RETURNING clause")
    if is_select_into(query):
        raise PlanError("0A000", "COPY (SELECT INTO) is not supported")
    if query.columns is None:
        raise PlanError("42601", "query does not return rows", position=said.offset + 1)


def refuse_rules(said: st.Sql, ctx: PlanContext) -> None:
    """COPY runs one statement: raises 0A000 for a write that rules make none, several or something else of."""
    if said.text.lstrip()[:6].lower() not in ("insert", "update", "delete"):
        return
    tree = parse_query(said.text)
    event = rule_actions.event_of(tree)
    holder = rule_actions.target_of(tree, ctx.catalog, ctx.search_path) if event else None
    heeded = rules.asked(holder, event) if holder is not None else []
    if holder is None or not heeded:
        return
    rules.refuse_returning(tree, holder, event, heeded)
    made = [
        (_KINDS[rule.instead, bool(rule.condition)], action) for rule in heeded for action in rule.actions
    ]
    if not any(rule.instead and not rule.condition for rule in heeded):
        made.append(("", said.text))
    if not made:
        raise PlanError("0A000", "DO INSTEAD NOTHING rules are not supported for COPY")
    if len(made) > 1:
        kind = next((kind for kind, _ in made if kind in ("DO ALSO", "conditional DO INSTEAD")), "")
        raise PlanError("0A000", f"{kind or 'multi-statement DO INSTEAD'} rules are not supported for COPY")
    if made[0][1].split(None, 1)[0].lower() == "notify":
        raise PlanError("0A000", "COPY query must not be a utility command")


def _lock(body: object) -> str:
    """How strong the query's own locking clause is; nothing if it has none."""
    if isinstance(body, WithWrites):
        body = body.body
    if isinstance(body, LockingQuery) and body.locks:
        return body.locks[0].strength
    return body.lock if isinstance(body, KeyedRead) else ""


__all__ = ["refuse", "refuse_copied", "refuse_rules"]
