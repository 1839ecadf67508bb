"""DO: a program without a name, which is its own statement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from executor.abc import Rows
from executor.procedural.frame import Frame, code_of
from executor.procedural.walk import Walk
from executor.session.blocks.own_block import block_at_hand
from executor.session.permissions import require_language
from planner import statements as st
from planner import types as t
from planner.abc import Plan, TypeRef
from planner.ddl.routines.declarations import Declarations
from planner.parse.plpgsql.program import INLINE

if TYPE_CHECKING:
    from executor.session.session import Session


async def run(session: Session, plan: Plan, s: st.Do, params: Sequence[Any], autocommit: bool) -> Rows:
    """Runs the block. Raises what its steps raise, with where it was as context.

    Where it is its own transaction it may end that, and begins the next.
    """
    require_language(session, "plpgsql")
    own = session.block is None and autocommit
    async with block_at_hand(session, autocommit):
        path = session.search_path()
        code = code_of(Declarations(session.catalog, path, s.program, [TypeRef(t.BOOL)], INLINE), INLINE)
        code.once = True
        walk = Walk(session, code, Frame(code), atomic=not own)
        await walk.whole()
    return Rows("DO")


__all__ = ["run"]
