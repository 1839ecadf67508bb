"""Statements that are a call by which a client asks or changes its session: the executor answers them on the spot.

    SELECT nextval('s')    SELECT set_config('app.user', $1, true)    SELECT pg_try_advisory_lock($1)    SELECT pg_notify('jobs', $1)

Such a call acts each time it is computed, so it is computed once, and nothing beside it may fail when it has acted. Settings alone may
be several, as API servers send them at the beginning of a transaction: what was set is taken back with the statement.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Final

from planner import types as t
from planner.abc import Call, Expr
from planner.binding import ir
from planner.catalog.system.reg_names import RegNames

SETTING: Final = "set_config(text, text, bool)"
_LOCKING: Final = [
    f"pg_{word}{shared}({types})"
    for word, shared, types in itertools.product(
        (
            "advisory_lock",
            "advisory_xact_lock",
            "try_advisory_lock",
            "try_advisory_xact_lock",
            "advisory_unlock",
        ),
        ("", "_shared"),
        ("int8", "int4, int4"),
    )
]
RESTARTING: Final = ("setval(regclass, int8)", "setval(regclass, int8, bool)")
"""What begins a sequence anew: a definition, so that only the wide door can do it."""
ACTS: Final = frozenset(
    (SETTING, *RESTARTING, "nextval(regclass)", "pg_notify(text, text)", "currval(regclass)", "lastval()", "pg_advisory_unlock_all()", *_LOCKING)
)  # fmt: skip
NUMBERS: Final = ("txid", "txid_if_numbered")
"""Session values that number the transaction."""


class WithActs(dict[int, int]):
    """Of one row of nothing, in whose values there is a call that acts."""


def expression(node: ir.Node, of: Callable[[ir.Node], Expr]) -> Expr | None:
    """A call that acts; None: it is none. `of` says what its arguments are."""
    if isinstance(node, ir.Call) and node.op in ACTS:
        return Call(f"act {node.op}", tuple(of(a) for a in node.args), node.type)
    if isinstance(node, ir.Session) and node.name in NUMBERS:
        return Call(f"act {node.name}", (), node.type)
    return None


def with_oids(node: ir.Node, names: RegNames | None) -> ir.Node:
    """The tree with the OIDs of relations in place of their names. A plan is of one catalog, and so are these. Raises SqlError."""
    if (
        isinstance(node, ir.Cast)
        and node.type.oid == t.REGCLASS
        and isinstance(node.arg, ir.Lit)
        and isinstance(node.arg.value, str)
        and names is not None
    ):
        return ir.Lit(node.type, names.input(t.REGCLASS, node.arg.value.strip()))
    return ir.replace_children(node, lambda n: with_oids(n, names))


def act_alone(nodes: Sequence[ir.Node]) -> bool:
    """Whether a row of these values is one call that acts, or one setting beside the other."""
    found = 0
    for n in (n for node in nodes for n in ir.walk(node)):
        acts = isinstance(n, ir.Call) and n.op in ACTS
        if not acts and ir.is_volatile(n):
            return False
        found += acts or (isinstance(n, ir.Session) and n.name in NUMBERS)
    if len(nodes) > 1:
        return found == len(nodes) and all(isinstance(n, ir.Call) and n.op == SETTING for n in nodes)
    return found == 1


def restarts(nodes: Sequence[ir.Node]) -> bool:
    """Whether the call that acts in these values is one that only the wide door can do."""
    return any(isinstance(n, ir.Call) and n.op in RESTARTING for node in nodes for n in ir.walk(node))


__all__ = ["ACTS", "RESTARTING", "WithActs", "act_alone", "expression", "restarts", "with_oids"]
