"""A driver that names no statements sends Parse each time: what came before is not parsed again, and means what it means now.

Two clients do the same, one after the other, each from the same beginning: one as drivers do, the other says Flush before, and is
answered message by message (`tests.server.test_repeated_reads`).
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pgwire import parsed
from tests.pgwire.script import cstr, frame
from tests.server.test_repeated_in_blocks import SCRIPTS, STATEMENTS
from tests.server.test_repeated_reads import READS, SYNC, Both, Client, between_two, bound

Step = tuple[str | None, ...]


def unnamed(text: str, values: Sequence[str | None], *, describe: bool = True) -> bytes:
    return frame("P", cstr("") + cstr(text) + b"\0\0") + bound("", values, describe=describe)


def without_oids(said: bytes) -> bytes:
    """An answer whose RowDescriptions say of no column which table it is of: tables that were made anew have other numbers."""
    out, at = bytearray(said), 0
    while at < len(said):
        end = at + 1 + int.from_bytes(said[at + 1 : at + 5], "big")
        if said[at : at + 1] == b"T":
            field = at + 7
            while field < end:
                oid = said.index(b"\0", field) + 1
                out[oid : oid + 4] = bytes(4)
                field = oid + 18
        at = end
    return bytes(out)


async def _from_the_beginning(client: Client) -> None:
    await client.run("DROP TABLE IF EXISTS h; CREATE TABLE h (a int, n bigint, c text)")
    await client.run(
        "DELETE FROM t; INSERT INTO t SELECT i, i % 7, 'key ' || i, 'ä' || i, 1 FROM generate_series(1, 50) i"
    )


async def _played(client: Client, script: Sequence[Step]) -> list[bytes]:
    answers = []
    for what, *values in script:
        assert what is not None
        text = STATEMENTS.get(what, what)
        answers.append(without_oids(await client.ask(unnamed(text, values))))
    return answers


@pytest.mark.parametrize("name", SCRIPTS)
def test_statements_in_blocks_and_by_themselves(name: str) -> None:
    _in_blocks_and_by_themselves(name)


@between_two
async def _in_blocks_and_by_themselves(both: Both, name: str) -> None:
    told = []
    for client in both:
        await _from_the_beginning(client)
        # The second round finds what the first one has left to know.
        told.append([await _played(client, SCRIPTS[name]) for _ in range(3)])
        await client.ask(unnamed("ROLLBACK", ()))
    assert told[0] == told[1]


@pytest.mark.parametrize("name", READS)
def test_reads(name: str) -> None:
    _reads(name)


@between_two
async def _reads(both: Both, name: str) -> None:
    text, questions = READS[name]
    one, two = both
    for values in [*questions, *questions, *questions]:
        question = unnamed(text, values)
        assert await one.ask(question) == await two.ask(question)


MEANINGS: dict[str, tuple[str, list[str]]] = {
    "search path": (
        "SELECT n FROM m WHERE a = 1",
        ["SET search_path = one", "SET search_path = two", "SET search_path = two, one", "RESET search_path", "SET search_path = one"],
    ),
    "another role": (
        "SELECT n FROM one.m WHERE a = 1",
        ["SET ROLE nobody_special", "RESET ROLE", "GRANT USAGE ON SCHEMA one TO nobody_special", "SET ROLE nobody_special", "RESET ROLE"],
    ),
    "another type": (
        "SELECT n FROM one.m WHERE a = 1",
        ["ALTER TABLE one.m ALTER n TYPE text", "ALTER TABLE one.m RENAME n TO was", "ALTER TABLE one.m ADD n date", "DROP TABLE one.m"],
    ),
    "a temporary table": (
        "SELECT n FROM m WHERE a = 1",
        ["SET search_path = one", "CREATE TEMP TABLE m (a int PRIMARY KEY, n text)", "INSERT INTO m VALUES (1, 'mine')", "DROP TABLE m"],
    ),
    "in a block": (
        "SELECT n FROM one.m WHERE a = 1",
        [
            "BEGIN", "ALTER TABLE one.m ALTER n TYPE text", "ROLLBACK", "BEGIN", "SET LOCAL search_path = two", "SELECT 1 / 0", "ROLLBACK",
            "BEGIN", "DROP TABLE one.m", "ROLLBACK",
        ],
    ),
    "settings": (
        "SELECT '2026-03-04'::date, '01/02/2026'::date, c FROM one.m WHERE a = 1",
        ["SET datestyle = 'German, DMY'", "SET client_encoding = 'LATIN1'", "RESET client_encoding", "RESET datestyle"],
    ),
    "a constant of its time": ("SELECT now() = transaction_timestamp(), a FROM one.m WHERE a = 1", ["BEGIN", "COMMIT"]),
    "definitions": ("CREATE TABLE again (a int)", ["DROP TABLE again", "CREATE TABLE again (a text)", "DROP TABLE again"]),
    "settings by statement": ("SET application_name = 'x'", ["SHOW application_name", "RESET application_name", "SHOW application_name"]),
    "deallocated": ("SELECT n FROM one.m WHERE a = 1", ["DEALLOCATE ALL", "DISCARD ALL", "DISCARD PLANS"]),
}  # fmt: skip
WORLD = """
    DROP TABLE IF EXISTS again; DROP SCHEMA IF EXISTS one, two CASCADE; CREATE SCHEMA one; CREATE SCHEMA two;
    CREATE TABLE one.m (a int PRIMARY KEY, n int, c text); CREATE TABLE two.m (a int PRIMARY KEY, n text);
    INSERT INTO one.m VALUES (1, 11, 'ä'); INSERT INTO two.m VALUES (1, 'zwei');
    DROP ROLE IF EXISTS nobody_special; CREATE ROLE nobody_special;
    GRANT SELECT ON one.m TO nobody_special
"""


@pytest.mark.parametrize("name", MEANINGS)
def test_a_text_means_what_it_means_now(name: str) -> None:
    _means_now(name)


@between_two
async def _means_now(both: Both, name: str) -> None:
    text, changes = MEANINGS[name]
    told = []
    for client in both:
        for statement in WORLD.split(";"):
            await client.run(statement)
        answers = []
        for change in ["SELECT 1", *changes]:
            await client.ask(
                unnamed("SELECT 'between'", ())
            )  # so that the other one is not there when all is planned anew
            await client.run(change)
            answers += [without_oids(await client.ask(unnamed(text, ()))) for _ in range(3)]
        told.append(answers)
        await client.run("ROLLBACK")
        await client.run("RESET ALL")
    assert told[0] == told[1]
    if name not in ("settings by statement", "a constant of its time", "deallocated"):
        assert len(set(told[0])) > 1, "nothing has changed"


@between_two
async def test_another_session_alters_what_is_read(both: Both) -> None:
    one, two = both
    text = "SELECT * FROM t WHERE a = 3"
    before = [await one.ask(unnamed(text, ())) for _ in range(3)]
    assert len(set(before)) == 1
    await two.run("ALTER TABLE t ADD COLUMN more int DEFAULT 7")
    after = await one.ask(unnamed(text, ()))
    assert after == await two.ask(unnamed(text, ()))
    assert b"more" in after and after != before[0]


@between_two
async def test_pieces_of_a_message_and_other_messages_behind_parse(both: Both) -> None:
    one, two = both
    text = "SELECT c FROM t WHERE a = $1"
    whole = unnamed(text, ("7",))
    expected = await two.ask(whole)
    for _ in range(3):
        assert await one.ask(whole) == expected
    for cut in (1, 3, 5, 20, len(whole) - 30, len(whole) - 1):
        one.conversation.receive(whole[:cut])
        assert await one.ask(whole[cut:]) == expected
    parse = frame("P", cstr("") + cstr(text) + b"\0\0")
    for data in (parse + SYNC, parse + frame("D", b"S" + cstr("")) + SYNC, parse + whole):
        assert await one.ask(data) == await two.ask(data)
    assert await one.ask(bound("", ("7",))) == await two.ask(bound("", ("7",)))


@between_two
async def test_only_so_many_are_kept(both: Both) -> None:
    one, two = both
    for round_ in range(2):
        for n in range(parsed.KEPT_MAX + 5):
            question = unnamed(f"SELECT c, {n} FROM t WHERE a = $1", (str(n + round_),))
            assert await one.ask(question) == await two.ask(question)
    assert len(one.conversation.parsed) == parsed.KEPT_MAX
    long = unnamed("SELECT c FROM t WHERE a = $1 -- " + "x" * parsed.MESSAGE_BYTES_MAX, ("7",))
    assert await one.ask(long) == await two.ask(long)
    assert len(one.conversation.parsed) == parsed.KEPT_MAX


@between_two
async def test_surroundings_that_are_no_more_are_not_kept(both: Both) -> None:
    one, _ = both
    for n in range(3):
        await one.run(f"SET search_path = public, path_{n}")
        for text in ("SELECT 1", "SELECT 2"):
            await one.ask(unnamed(text, ()))
    now = one.conversation.session.surroundings()
    assert len(one.conversation.parsed) == 2
    assert all(then is now for _, then in one.conversation.parsed.values())


@between_two
async def test_lengths_that_cannot_be_are_left_to_the_handlers(both: Both) -> None:
    one, _ = both
    for length in (-(2**31), -1, 0, 3, 2**31 - 1):
        data = b"P" + length.to_bytes(4, "big", signed=True) + b"BBBB"
        assert not parsed.answered(one.conversation, data)


@between_two
async def test_a_statement_is_known_in_the_next_block_as_well(both: Both) -> None:
    one, _ = both
    read, found = unnamed("SELECT c FROM t WHERE a = $1", ("7",)), []
    for end in ("COMMIT", "ROLLBACK", "COMMIT"):
        await one.run("BEGIN")
        await one.ask(read)
        found.append(one.conversation.session.statements[""])
        await one.run(end)
    assert found[0] is found[1] is found[2]
