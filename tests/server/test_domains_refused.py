"""What of domains functions and programs refuse: by name, so that nothing passes unchecked."""

from __future__ import annotations

import psycopg
import pytest

from tests.server.process import ServerProcess

_COMPOSITE = "over a composite type is not supported"


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("CREATE FUNCTION f(x whole) RETURNS int LANGUAGE sql AS 'SELECT 1'", f"a function with a domain {_COMPOSITE}"),
        ("CREATE FUNCTION f() RETURNS whole LANGUAGE plpgsql AS 'BEGIN END'", f"a function with a domain {_COMPOSITE}"),
        ("DO $$ DECLARE x whole; BEGIN END $$", f"a variable of a domain {_COMPOSITE}"),
        ("DO $$ DECLARE x held.w%TYPE; BEGIN END $$", f"a variable of a domain {_COMPOSITE}"),
        ("CREATE FUNCTION known(x int) RETURNS int LANGUAGE sql AS 'SELECT 1'", "functions known that differ in domains only are not supported"),
        ("CREATE DOMAIN several AS positive[]", "domains over arrays of domains are not supported"),
        ("CREATE AGGREGATE a (positive) (sfunc = int4pl, stype = int)", "an aggregate over a domain is not supported"),
        ("CREATE AGGREGATE a (int) (sfunc = int4pl, stype = internal)", "a state of type internal is not supported"),
    ],
)  # fmt: skip
def test_it_is_refused_by_name(server: ServerProcess, statement: str, message: str) -> None:
    with server.connect(autocommit=False) as c:
        c.execute("CREATE TYPE parts AS (a int)")
        c.execute("CREATE DOMAIN whole AS parts CHECK ((VALUE).a > 0)")
        c.execute("CREATE DOMAIN positive AS int CHECK (VALUE > 0)")
        c.execute("CREATE FUNCTION known(x positive) RETURNS int LANGUAGE sql AS 'SELECT 1'")
        c.execute("CREATE TABLE held (w whole)")
        with pytest.raises(psycopg.errors.FeatureNotSupported) as caught:
            c.execute(statement.encode())
        assert caught.value.diag.message_primary == message
        c.rollback()
