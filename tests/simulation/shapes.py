"""What applications put around a few rows, in worlds of sessions: subqueries, joins, UNION, an index; writes that look rows up; queues.

    reads     a list, or two, by a query in a query                       reads of the history, like any other
    writes    UPDATE ... FROM, by an index, by a subquery's keys           appends, and a read of what they were made from
    undone    what a handler of DO takes back                              appends of a transaction that failed
    jobs      FOR UPDATE SKIP LOCKED in the UPDATE that takes one          nobody has a job that another one has taken
    seats     INSERT ... WHERE NOT EXISTS, one of two                      serializable: never both

The first three are judged with all other operations (`tests.histories.checker`). Of jobs and seats a row is a promise by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.histories.history import Append, Read, Txn

if TYPE_CHECKING:
    from tests.executor.sql import Client
    from tests.simulation.sql_world import Attempt

JOBS = 24
PAIRS = 6
TABLES = (
    "CREATE TABLE jobs (id int PRIMARY KEY, state text NOT NULL, taken text NOT NULL)",
    "CREATE INDEX ON jobs (state)",
    f"INSERT INTO jobs SELECT i, 'new', '' FROM generate_series(1, {JOBS}) g(i)",
    "CREATE TABLE seats (pair int, side int, who int, PRIMARY KEY (pair, side))",
)

ONE = (
    "SELECT {c} FROM lists WHERE k IN (SELECT b.k FROM lists b WHERE b.k = {k})",
    "SELECT a.{c} FROM lists a WHERE a.k = {k} AND EXISTS (SELECT 1 FROM lists b WHERE b.k = a.k)",
    "SELECT (SELECT b.{c} FROM lists b WHERE b.k = a.k) FROM lists a WHERE a.k = {k}",
    "SELECT max({c}) FROM lists WHERE k = {k} GROUP BY k",
    "SELECT {c} FROM lists WHERE k = {k} AND NOT EXISTS (SELECT 1 FROM seats WHERE pair = -1)",
    "WITH x AS (SELECT k, {c} FROM lists WHERE k = {k}) SELECT {c} FROM x",
    "SELECT b.{c} FROM lists a JOIN lists b ON b.k = a.k WHERE a.k = {k}",
    "SELECT {c} FROM lists WHERE k = {k} UNION SELECT {c} FROM lists WHERE k = {k}",
    "SELECT x.{c} FROM lists a, LATERAL (SELECT b.{c} FROM lists b WHERE b.k = a.k LIMIT 1) x WHERE a.k = {k}",
    "SELECT {c} FROM lists WHERE g = {k} % 2 AND k = {k}",
)
"""A list, of column `c` and row `k`."""
TWO = (
    "SELECT a.{c}, b.{d} FROM lists a, lists b WHERE a.k = {k} AND b.k = {m}",
    "SELECT (SELECT {c} FROM lists WHERE k = {k}), (SELECT {d} FROM lists WHERE k = {m})",
    "SELECT max(v), max(w) FROM (SELECT {c} AS v, NULL AS w FROM lists WHERE k = {k}"
    " UNION ALL SELECT NULL, {d} FROM lists WHERE k = {m}) x",
)
APPEND = (
    "UPDATE lists SET {c} = {c} || '{value},' WHERE k = (SELECT max(k) FROM lists WHERE k = {k})",
    "UPDATE lists SET {c} = {c} || '{value},' WHERE k IN (SELECT k FROM lists WHERE k = {k} FOR UPDATE)",
    "UPDATE lists a SET {c} = a.{c} || '{value},' FROM lists b WHERE a.k = b.k AND b.k = {k}",
    "UPDATE lists SET {c} = {c} || '{value},' WHERE g = {k} % 2 AND k = {k}",
)
TAKE = (
    "UPDATE jobs SET state = 'taken', taken = taken || '{who},' WHERE id = (SELECT id FROM jobs WHERE state = 'new'"
    " ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id",
    "WITH x AS (SELECT id FROM jobs WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)"
    " UPDATE jobs j SET state = 'taken', taken = taken || '{who},' FROM x WHERE j.id = x.id RETURNING j.id",
)
SIT = "INSERT INTO seats SELECT {p}, {s}, {who} WHERE NOT EXISTS (SELECT 1 FROM seats WHERE pair = {p} AND side = {t})"


@dataclass(frozen=True)
class Claim:
    """A row that a transaction was told it has: a job's id, or a seat."""

    txn: Txn
    row: int | tuple[int, int]
    who: int


async def operation(attempt: Attempt) -> None:
    """One of all these."""
    kinds = (read_one, read_two, append_to_one, append_from_another, append_by_index, take_job, sit, undo)
    await attempt.rng.choice(kinds)(attempt)


async def read_one(a: Attempt) -> None:
    key, column, k = a.place()
    read = Read(key)
    a.txn.operations.append(read)
    [(text,)] = await a.client.rows(a.rng.choice(ONE).format(c=column, k=k))
    read.seen = a.listed(text)


async def read_two(a: Attempt) -> None:
    (one, c, k), (other, d, m) = a.place(), a.place()
    reads = [Read(one), Read(other)]
    a.txn.operations += reads
    [texts] = await a.client.rows(a.rng.choice(TWO).format(c=c, d=d, k=k, m=m))
    for read, text in zip(reads, texts, strict=True):
        read.seen = a.listed(text)


async def append_to_one(a: Attempt) -> None:
    key, column, k = a.place()
    value = a.value()
    a.txn.operations.append(Append(key, value))
    await a.client.query(a.rng.choice(APPEND).format(c=column, k=k, value=value))


async def append_from_another(a: Attempt) -> None:
    """What the write looked at is told as it was before."""
    (key, c, k), (other, d, m) = a.place(), a.place()
    read, value = Read(other), a.value()
    a.txn.operations += [read, Append(key, value)]
    [(text,)] = await a.client.rows(
        f"UPDATE lists a SET {c} = a.{c} || '{value},' FROM lists b WHERE a.k = {k} AND b.k = {m} RETURNING b.{d}"
    )
    read.seen = a.listed(text)


async def append_by_index(a: Attempt) -> None:
    """The rows of one key of the index."""
    column, g, value = a.rng.randrange(2), a.rng.randrange(2), a.value()
    rows = a.world.rows
    a.txn.operations += [Append(column * rows + k, value) for k in range(rows) if k % 2 == g]
    name = "vw"[column]
    await a.client.query(f"UPDATE lists SET {name} = {name} || '{value},' WHERE g = {g}")


async def take_job(a: Attempt) -> None:
    who = a.value()
    for (job,) in await a.client.rows(a.rng.choice(TAKE).format(who=who)):
        a.world.claims.append(Claim(a.txn, int(str(job)), who))


async def sit(a: Attempt) -> None:
    who, p, s = a.value(), a.rng.randrange(PAIRS), a.rng.randrange(2)
    if (await a.client.rows(f"SELECT 1 FROM seats WHERE pair = {p} AND side = {s}")) == []:
        [(tag, _, _)] = await a.client.query(
            SIT.format(p=p, s=s, t=1 - s, who=who) + " ON CONFLICT DO NOTHING"
        )
        if tag == "INSERT 0 1":
            a.world.claims.append(Claim(a.txn, (p, s), who))


async def undo(a: Attempt) -> None:
    """DO whose handler takes back what it wrote, a row or all of them."""
    key, column, k = a.place()
    value = a.value()
    where, keys = (f"WHERE k = {k}", [key])
    if a.rng.random() < 0.5:
        where, keys = "", [(key // a.world.rows) * a.world.rows + i for i in range(a.world.rows)]
    a.undone += [Append(x, value) for x in keys]
    await a.client.query(
        f"DO $$ BEGIN UPDATE lists SET {column} = {column} || '{value},' {where}; RAISE EXCEPTION 'no';"
        " EXCEPTION WHEN raise_exception THEN NULL; END $$"
    )


async def broken(claims: list[Claim], client: Client, *, serializable: bool) -> list[str]:
    """What the rows say that must not be."""
    problems = []
    taken = {int(str(i)): str(who) for i, who in await client.rows("SELECT id, taken FROM jobs ORDER BY id")}
    problems += [f"job {i} was taken more than once: {who}" for i, who in taken.items() if who.count(",") > 1]
    seats = {(p, s): who for p, s, who in await client.rows("SELECT pair, side, who FROM seats")}
    for claim in claims:
        there = (
            taken[claim.row] == f"{claim.who},"
            if isinstance(claim.row, int)
            else seats.get(claim.row) == claim.who
        )
        if there and claim.txn.outcome == "fail":
            problems.append(f"T{claim.txn.id} has failed and has {claim.row}")
        if not there and claim.txn.outcome == "ok":
            problems.append(f"T{claim.txn.id} has committed and has not {claim.row}")
    if serializable:
        problems += [f"both seats of pair {p} are taken" for p, s in seats if s == 0 and (p, 1) in seats]
    return problems


__all__ = ["TABLES", "Claim", "broken", "operation"]
