"""EXECUTE inside of other statements: CREATE TABLE ... AS EXECUTE and EXPLAIN EXECUTE.

A table takes its columns from the query when it is made, before anything runs. So CREATE TABLE AS is given the prepared
text itself, each parameter replaced by the argument's expression as a value of the parameter's type.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from executor.abc import ExecutionError, Prepared
from executor.session import acting
from executor.session.arguments import arguments, expect_count
from planner import statements as st
from planner.abc import Plan, Utility
from planner.catalog.system.definitions import type_name
from planner.lexer import PARAMETER, tokenize
from planner.parse.statement import parse_statement
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.session.session import Session


def prepared_as(session: Session, name: str) -> Prepared:
    """The prepared statement of a name. Raises 26000."""
    found = session.statements.get(name)
    if found is None:
        raise ExecutionError("26000", f'prepared statement "{name}" does not exist')
    return found


async def bound(session: Session, said: st.Execute) -> tuple[Plan, tuple[Datum, ...]]:
    """What an EXECUTE runs, and the values that it is given. Raises 26000, and what the arguments raise."""
    prepared = session.renewed(prepared_as(session, said.name))
    if prepared.literals is not None:
        expect_count(said.name, said.arguments, ())
        return prepared.plan, prepared.literals
    listing = prepared.listing
    wanted = prepared.plan.parameters if listing is None else listing.each(prepared.plan)
    values = await arguments(session, said.name, said.arguments, wanted, prepared.parameter_types)
    return acting.plan_here(session, prepared), values if listing is None else listing.folded(values)


async def meant_by(session: Session, plan: Plan, params: Sequence[Datum]) -> tuple[Plan, Sequence[Datum]]:
    """The plan that EXPLAIN is asked of, and its parameters: an EXECUTE stands for what was prepared."""
    said = plan.body.statement if isinstance(plan.body, Utility) else None
    if not isinstance(said, st.Execute):
        return plan, params
    prepared, values = await bound(session, said)
    return session.compiled(prepared).plan, values


def written_out(session: Session, said: st.CreateTableAs) -> st.CreateTableAs:
    """CREATE TABLE AS with the prepared query in EXECUTE's place. Raises 26000, 42601, 42809."""
    if said.query.text[:7].lower() != "execute":
        return said
    executed = parse_statement(" " * said.query.offset + said.query.text)
    if not isinstance(executed, st.Execute):
        return said
    prepared = prepared_as(session, executed.name)
    if prepared.plan.tag != "SELECT":
        raise ExecutionError("42809", "prepared statement is not a SELECT")
    expect_count(executed.name, executed.arguments, prepared.parameter_types)
    values = [
        f"CAST(({argument.text}) AS {type_name(session.catalog, ref, ())})"
        for argument, ref in zip(executed.arguments, prepared.parameter_types, strict=False)
    ]
    text, pieces, at = prepared.plan.text if prepared.listing is None else prepared.text, [], 0
    for token in tokenize(text):
        if token.kind == PARAMETER:
            pieces += [text[at : token.start], values[int(token.value) - 1]]
            at = token.end
    query = st.Sql("".join([*pieces, text[at:]]).strip(), 0)
    return dataclasses.replace(said, query=query, variables=None, given=None)
