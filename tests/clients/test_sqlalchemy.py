"""SQLAlchemy over psycopg: create_all, reflection, the ORM's unit of work, savepoints, upserts."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from tests.server.process import ServerProcess

sa = pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed")
orm = pytest.importorskip("sqlalchemy.orm")
pg = pytest.importorskip("sqlalchemy.dialects.postgresql")


@pytest.fixture(scope="module")
def engine(server: ServerProcess) -> Iterator[Any]:
    made = sa.create_engine(f"postgresql+psycopg://tidewire@{server.host}:{server.port}/tidewire")
    yield made
    made.dispose()


registry = orm.registry()
users = sa.Table(
    "users",
    registry.metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(50), unique=True),
    sa.Column("created", sa.DateTime(timezone=True), server_default=sa.func.now()),
    sa.Column("data", sa.JSON),
)
addresses = sa.Table(
    "addresses",
    registry.metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("email", sa.Text, index=True, nullable=False),
    sa.Column("user_id", sa.ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    sa.Column("price", sa.Numeric(10, 2)),
    sa.CheckConstraint("email <> ''", name="ck_email"),
    sa.UniqueConstraint("user_id", "email"),
)
things = sa.Table(
    "things",
    registry.metadata,
    sa.Column("id", sa.Integer, sa.Identity(), primary_key=True),
    sa.Column("a", pg.ARRAY(sa.Integer)),
    sa.Column("j", pg.JSONB),
    sa.Column("u", pg.UUID(as_uuid=True)),
    sa.Column("d", sa.Date),
    sa.Column("i", sa.Interval),
    sa.Column("b", sa.LargeBinary),
    sa.Column("n", sa.Numeric),
    comment="of all kinds",
)


class Address:
    pass


class User:
    pass


registry.map_imperatively(Address, addresses)
registry.map_imperatively(
    User,
    users,
    properties={"addresses": orm.relationship(Address, cascade="all, delete-orphan", backref="user")},
)


def made(kind: type[Any], **values: Any) -> Any:
    return kind(**values)


@pytest.fixture(scope="module", autouse=True)
def tables(engine: Any) -> None:
    registry.metadata.create_all(engine)
    registry.metadata.create_all(engine)  # finds that all are there


def test_the_units_of_work_of_a_session(engine: Any) -> None:
    with orm.Session(engine) as s:
        ann = made(User, name="ann", data={"a": 1})
        ann.addresses = [made(Address, email="a@x", price=1.5), made(Address, email="b@x")]
        s.add_all([ann, made(User, name="bob")])
        s.commit()
        ann.addresses[0].email = "c@x"
        s.delete(s.scalars(sa.select(User).where(users.c.name == "bob")).one())
        s.commit()
        found = s.execute(
            sa.select(users.c.name, sa.func.count(addresses.c.id))
            .join(addresses, addresses.c.user_id == users.c.id)
            .group_by(users.c.name)
            .having(sa.func.count() > 1)
        ).all()
        assert found == [("ann", 2)]
        assert sorted(a.email for a in s.scalars(sa.select(Address))) == ["b@x", "c@x"]


def test_a_savepoint_survives_a_violation(engine: Any) -> None:
    with orm.Session(engine) as s, s.begin():
        s.add(made(User, name="once"))
        s.flush()
        with pytest.raises(sa.exc.IntegrityError, match='"users_name_key"'), s.begin_nested():
            s.add(made(User, name="once"))
            s.flush()
        s.add(made(User, name="twice"))
    with orm.Session(engine) as s:
        assert s.scalar(sa.select(sa.func.count()).where(users.c.name.in_(["once", "twice"]))) == 2


def test_rows_in_bulk_and_upserts(engine: Any) -> None:
    with engine.begin() as c:
        ids = c.execute(
            users.insert().returning(users.c.id), [{"name": f"bulk {i}"} for i in range(300)]
        ).all()
        assert len({i for (i,) in ids}) == 300
        upsert = pg.insert(users).values(name="bulk 1", data={"z": 2})
        upsert = upsert.on_conflict_do_update(index_elements=["name"], set_={"data": upsert.excluded.data})
        assert c.execute(upsert.returning(users.c.data)).all() == [({"z": 2},)]


def test_values_of_all_kinds(engine: Any) -> None:
    given = {
        "a": [1, 2], "j": {"k": [1]}, "u": uuid.UUID(int=5), "d": datetime.date(2020, 1, 1),
        "i": datetime.timedelta(hours=1), "b": b"x\0", "n": 2,
    }  # fmt: skip
    with engine.begin() as c:
        c.execute(things.insert(), given)
        found = c.execute(
            sa.select(things, things.c.j["k"][0], things.c.a[1]).where(
                things.c.a.contains([1]), things.c.j.contains({"k": [1]})
            )
        ).one()
    assert dict(zip(given, found[1:8], strict=True)) == given
    assert found[8:] == (1, 1)


def test_reflection_finds_what_was_made(engine: Any) -> None:
    i = sa.inspect(engine)
    assert {"users", "addresses", "things"} <= set(i.get_table_names())
    columns = {c["name"]: c for c in i.get_columns("addresses")}
    assert str(columns["price"]["type"]) == "NUMERIC(10, 2)"
    assert columns["id"]["autoincrement"] and not columns["email"]["nullable"]
    assert i.get_pk_constraint("addresses")["constrained_columns"] == ["id"]
    (key,) = i.get_foreign_keys("addresses")
    assert (key["referred_table"], key["referred_columns"], key["options"]) == (
        "users",
        ["id"],
        {"ondelete": "CASCADE"},
    )
    assert {x["name"]: x["unique"] for x in i.get_indexes("addresses")} == {
        "addresses_user_id_email_key": True,
        "ix_addresses_email": False,
    }
    assert [c["name"] for c in i.get_unique_constraints("addresses")] == ["addresses_user_id_email_key"]
    assert [c["name"] for c in i.get_check_constraints("addresses")] == ["ck_email"]
    assert i.get_table_comment("things") == {"text": "of all kinds"}
    assert i.has_table("users") and not i.has_table("nothing")
    again = sa.MetaData()
    again.reflect(engine, only=["users", "addresses", "things"])
    assert set(again.tables) == {"users", "addresses", "things"}


def test_a_column_keeps_its_collation(engine: Any) -> None:
    metadata = sa.MetaData()
    sa.Table("collated", metadata, sa.Column("a", sa.Text(collation="POSIX")), sa.Column("b", sa.Text))
    metadata.create_all(engine)
    columns = sa.inspect(engine).get_columns("collated")
    assert [c["type"].collation for c in columns] == ["POSIX", None]
    refused = sa.Table("collated_otherwise", metadata, sa.Column("a", sa.Text(collation="xx_XX")))
    with pytest.raises(sa.exc.ProgrammingError, match='collation "xx_XX" for encoding "UTF8" does not exist'):
        refused.create(engine)


def test_an_offset_without_a_limit(engine: Any) -> None:
    """It is sent as LIMIT ALL OFFSET."""
    numbers = sa.select(sa.func.generate_series(1, 4).label("n")).subquery()
    with engine.connect() as connection:
        assert connection.scalars(sa.select(numbers.c.n).order_by(numbers.c.n).offset(2)).all() == [3, 4]
