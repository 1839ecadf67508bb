"""What a plan's rows look like is made once for all sessions whose settings look alike: it asks nothing of the session that was first.

That one may have been in a transaction that had changed the catalog, where users' types are its own (`TypeSettings.shown`), and may be gone:
each connection that then asked the catalog the same, in such a transaction too, was ended.
"""

from __future__ import annotations

import contextlib
from typing import NoReturn

from executor.abc import Prepared
from pgwire.shapes import decode_parameters, shape_of
from planner.types import TypeSettings
from tests.planner.world import World


def _gone(*_: object) -> NoReturn:
    raise AssertionError("a session that is gone was asked")


GONE = TypeSettings(reg_output=_gone, reg_input=_gone, shown=_gone)
OTHERS = (TypeSettings(), TypeSettings(shown=contextlib.nullcontext))


def test_rows_and_parameters_of_plain_types_are_everybodys() -> None:
    world = World()
    plan, _ = world.planner.plan(
        "select relname from pg_class where relname = $1 and relpages < $2", world.context()
    )
    prepared = Prepared("", "", plan, plan.parameters)
    for settings in (GONE, *OTHERS):
        assert shape_of(plan, (), settings) is shape_of(plan, (), GONE)
        assert (
            shape_of(plan, (), settings).encode_rows([("t",)])
            == b"D\x00\x00\x00\x0b\x00\x01\x00\x00\x00\x01t"
        )
        assert decode_parameters(prepared, (), (b"t", b"5"), settings) == ("t", 5)


def test_names_of_objects_are_each_sessions_own() -> None:
    world = World()
    plan, _ = world.planner.plan("select 'pg_class'::regclass", world.context())
    here, there = (
        TypeSettings(reg_output=lambda kind, oid: "here"),
        TypeSettings(reg_output=lambda kind, oid: "there"),
    )
    assert [shape_of(plan, (), s).encode_rows([(1259,)])[-5:] for s in (here, there)] == [
        b"\x04here",
        b"there",
    ]
