"""regclass and its kin as parameters: their names are looked up where the session's statements look, its own relations included."""

from __future__ import annotations

from tests.server.process import ServerProcess


def test_a_parameter_names_a_temporary_relation(server: ServerProcess) -> None:
    with server.connect() as c:
        c.autocommit = True
        c.execute("CREATE TABLE public.named (a int)")
        outside = c.execute("SELECT %s::regclass::oid", ("named",)).fetchone()
        c.execute("CREATE TEMP SEQUENCE numbers")
        c.execute("CREATE TEMP TABLE named (id serial, a int)")
        for _ in range(2):
            assert c.execute("SELECT %s::regclass", ("named",)).fetchone() == ("named",)
            assert c.execute("SELECT %s::regclass", ("public.named",)).fetchone() == ("public.named",)
        assert c.execute("SELECT %s::regclass::oid", ("named",)).fetchone() != outside
        assert c.execute("SELECT nextval(%s)", ("numbers",)).fetchone() == (1,)
        assert c.execute("SELECT currval(%s::regclass)", ("numbers",)).fetchone() == (1,)
        assert c.execute("SELECT pg_get_serial_sequence(%s, 'id')", ("named",)).fetchone() == (
            "pg_temp.named_id_seq",
        )
        c.execute("DROP TABLE pg_temp.named")
        assert c.execute("SELECT %s::regclass::oid", ("named",)).fetchone() == outside
        c.execute("DROP TABLE named")
