"""The normaliser: the same key for the same statement with other constants, and never a wrong one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as s

from planner.abc import PlanError
from planner.lexer import DECIMAL, INTEGER, STRING, Token, tokenize
from planner.normalise import _normalised, _split, normalise, parameterised, scaled

TAKEN = [
    ("select a from t where k = 5", "select a from t where k = $i", "i", ["5"]),
    ("select a from t where k = 5;", "select a from t where k = $i", "i", ["5"]),
    ("SELECT a FROM t WHERE k='it''s'", "SELECT a FROM t WHERE k=$s", "s", ["it's"]),
    ("update t set a = a + -5 where k = 1", "update t set a = a + $i where k = $i", "ii", ["-5", "1"]),
    ("update t set a=a-5 where k=1", "update t set a=a-$i where k=$i", "ii", ["5", "1"]),
    (
        "insert into t values (1, -2, 3.5, 'x', null)",
        "insert into t values ($i, $i, $n, $s, null)",
        "iins",
        None,
    ),
    ("delete from t where k = 99999999999", "delete from t where k = $l", "l", None),
    ("delete from t where k = 2147483647", "delete from t where k = $i", "i", None),
    ("delete from t where k = 2147483648", "delete from t where k = $l", "l", None),
    ("delete from t where k = -2147483648", "delete from t where k = $i", "i", None),
    ("select -(-2147483648) from t where k = 1", "select -(-2147483648) from t where k = $i", "i", None),
    ("select -2147483648 - 1 from t where k = 1", "select -2147483648 - $i from t where k = $i", "ii", None),
    (
        "select -02147483648 - 1 from t where k = 1",
        "select -02147483648 - $i from t where k = $i",
        "ii",
        None,
    ),
    ("select - (2147483648) from t where k = 1", "select - (2147483648) from t where k = $i", "i", None),
    (
        "select a between -9223372036854775808 and 5",
        "select a between -9223372036854775808 and $i",
        "i",
        None,
    ),
    ("delete from t where k = 9223372036854775808", "delete from t where k = $n", "n", None),
    ("select a from t where k = 1 limit 10", "select a from t where k = $i limit $i", "ii", None),
    ('select "a1" from "T2" where "k"=3', 'select "a1" from "T2" where "k"=$i', "i", ["3"]),
    ("select a from t1 where k1 between 1 and 2", "select a from t1 where k1 between $i and $i", "ii", None),
    ("select a from t where k = 1 order by 2", "select a from t where k = $i order by 2", "i", ["1"]),
    (
        "select a from t where k = 1 order by a limit 5 offset 6",
        "select a from t where k = $i order by a limit $i offset $i",
        "iii",
        None,
    ),
    ("select a from t order by 1 limit 5", "select a from t order by 1 limit $i", "i", ["5"]),
    ("select a from t where k = 1 order by a, 2", "select a from t where k = $i order by a, 2", "i", ["1"]),
    (
        "select a from (select a from t order by a) x where a >= 5 order by 1",
        "select a from (select a from t order by a) x where a >= $i order by 1",
        "i",
        ["5"],
    ),
    (
        "with x as (select a from t where b = 1) select * from x",
        "with x as (select a from t where b = $i) select * from x",
        "i",
        ["1"],
    ),
    (
        "select a from t where d = date '2020-01-01' and k = 1",
        "select a from t where d = $s::date and k = $i",
        "si",
        None,
    ),
    ("select now()-INTERVAL'1 day'", "select now()-$s::INTERVAL", "s", ["1 day"]),
    (
        "select a from t where d > timestamp '2020-01-01' at time zone 'UTC'",
        "select a from t where d > $s::timestamp at time zone 'UTC'",
        "s",
        None,
    ),
    ("select a from t where d > now() - interval '1' day and k = 1", None, "i", ["1"]),
    ("select a from t where d = date 'today' and k = 1", None, "i", ["1"]),
    ("select a from t where d = time '10:00' and k = 1", None, "i", ["1"]),
    ("select extract(day from interval '1 day') from t where k = 1", None, "i", ["1"]),
    ("select a.interval '1 day' from t where k = 1", None, "i", ["1"]),
    (
        "select a::numeric(12, 1) from t where k = 5",
        "select a::numeric(12, 1) from t where k = $i",
        "i",
        ["5"],
    ),
    (
        "select cast(a as varchar (4)) from t where k=5",
        "select cast(a as varchar (4)) from t where k=$i",
        "i",
        ["5"],
    ),
    (
        "select date_trunc('day', a) from t where k = 5",
        "select date_trunc('day', a) from t where k = $i",
        "i",
        None,
    ),
    ("select nextval('s'), a from t where k = 5", "select nextval('s'), a from t where k = $i", "i", None),
    ("select (select 'x' from t where k = 5)", "select (select $s from t where k = $i)", "si", ["x", "5"]),
    ("select a from t where k = -1::int2", None, None, None),
    ("select a from t where f(a) = time '10:00'", None, None, None),
]


@pytest.mark.parametrize(("text", "key", "kinds", "values"), TAKEN)
def test_keys(text: str, key: str | None, kinds: str | None, values: list[str] | None) -> None:
    found = normalise(text)
    if kinds is None:
        assert found is None
        return
    assert found is not None
    assert key is None or found[0] == key
    assert found[1] == kinds
    assert values is None or found[2] == values


AROUND_INTEGERS = [
    "select a from t where k = {}",
    "update t set a = a + -{} where k = {};",
    "update t set a = a - {} where k in ({}, - {})",
    "select a from t where k = {} order by {}",
    "select a from t where k = {} order by a limit {}",
    "select a from t where k = -{}::int2",
    "select a[{}] from t where b = array[{}, {}]",
    "insert into t values ({}, -{}, null)  ;  ",
]


@given(text=s.sampled_from(AROUND_INTEGERS), numbers=s.lists(s.integers(0, 1 << 40), min_size=3, max_size=3))
def test_what_was_found_around_other_integers_is_found_around_these(text: str, numbers: list[int]) -> None:
    said = text.format(*numbers)
    normalise(text.format(7, 7, 7))
    normalise(text.format(11, 12, 13))
    found = normalise(said)
    ends = said.rstrip().removesuffix(";")
    fresh = _normalised(ends, _split(ends))
    assert (found is None) == (fresh is None)
    if found is not None and fresh is not None:
        assert (found[0].rstrip(), found[1:]) == (fresh[0].rstrip(), fresh[1:])


DECLINED = [
    "select E'a'  || E'\\'' from t where k = 1",
    "select 1 -- 'x'",
    "select /* ' */ 1",
    "select $$ 1 $$",
    "select $1, 2",
    "select 'a'\n'b'",
    "select U&'d\\0061t'",
    "select 'unclosed",
    "set x = 1",
    "create table t (a varchar(10))",
    "select 1; select 2",
]


@pytest.mark.parametrize("text", DECLINED)
def test_it_declines_what_hides_where_strings_end(text: str) -> None:
    assert normalise(text) is None


KEPT = [
    "select b'1', x'f', n'x' from t where k=1",
    "select e'a' from t where k=1",
    "select u&'abc' from t where k=1",
]


@pytest.mark.parametrize("text", KEPT)
def test_prefixed_strings_stay_in_the_key(text: str) -> None:
    found = normalise(text)
    assert found is not None
    assert found[2] == ["1"]


def shape(tokens: list[Token]) -> list[tuple[int, str]]:
    return [(t.kind, t.value) for t in tokens]


LITERAL = s.one_of(
    s.integers(min_value=-(10**20), max_value=10**20).map(str),
    s.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-1000, max_value=1000).map(
        lambda d: f"{d:f}"
    ),
    s.text(max_size=8)
    .filter(lambda x: "\0" not in x and "\\" not in x)
    .map(lambda v: "'" + v.replace("'", "''") + "'"),
)
PIECE = s.sampled_from(
    ["a", "t1.b2", '"q 5"', '"it\'s"', "f(", ")", ",", "=", " = ", "+", " - ", "(", " and ", " or not ", " like ",
     " in (", "::int", " date ", " order by ", " limit ", "$x", ";", "--c\n", "/*", "e", "N", "u&", "\n", ".", "!=", "<>"]
)  # fmt: skip


@given(s.lists(s.one_of(PIECE, LITERAL), min_size=1, max_size=12))
def test_substituting_back_gives_the_same_tokens(pieces: list[str]) -> None:
    """Whatever is taken out, putting it back at its mark is the statement that was sent."""
    text = "select " + "".join(pieces)
    found = normalise(text)
    if found is None:
        return
    key, kinds, values = found
    planned = parameterised(key)
    for number, (kind, value) in reversed(list(enumerate(zip(kinds, values, strict=True), 1))):
        shown = "'" + value.replace("'", "''") + "'" if kind == "s" else value
        planned = planned.replace(f"${number}", shown)
    try:
        sent = tokenize(text.rstrip().rstrip(";"))
    except PlanError:
        with pytest.raises(PlanError):
            tokenize(planned)
        return
    assert shape(tokenize(planned)) == shape(sent)


@given(s.lists(LITERAL, min_size=1, max_size=6))
def test_other_constants_of_the_same_kinds_have_the_same_key(literals: list[str]) -> None:
    text = "insert into t values (" + ", ".join(literals) + ")"
    found = normalise(text)
    if found is None:
        return
    tokens = [t for t in tokenize(text) if t.kind in (STRING, INTEGER, DECIMAL)]
    assert len(tokens) == len(found[2])
    other = {"i": "7", "l": "7777777777", "n": "7.7", "s": "'seven'"}
    again = normalise("insert into t values (" + ", ".join(other[k] for k in found[1]) + ")")
    assert again is not None
    assert again[0] == found[0]


def test_scales_of_short_numerics() -> None:
    found = normalise(
        "select a from t where k > 9.99 and b < -0.5 and c = 'x' and d = 12345678901234.5 and e = 1.123456789"
    )
    assert found is not None
    assert scaled(found[1], found[2]) == "bas" + "n" + "n"
