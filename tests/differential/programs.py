"""Random programs in PL/pgSQL: blocks within loops within handlers, over typed variables and three small tables.

    SETUP                  the tables, a row type, an enum and a domain; `STATE` shows what is in the tables
    Author(seed).program() the definition of one function, and calls of it

An expression is written for a kind (`int`, `texts`, `pair`, ...) out of `_OVER`, whose braces ask for other kinds, down to variables in scope
and literals. A statement is put together of expressions; now and then one of another kind than is wanted, for an assignment casts. Many
programs end in an error, or catch one: which error that is, with what was said before it and what is in the tables after it, is compared.

The programs end: every loop counts, or walks over few rows.
"""

from __future__ import annotations

import re
from random import Random
from typing import Final

SETUP: Final = (
    "CREATE DOMAIN pos AS int CHECK (VALUE > 0)",
    "CREATE TYPE pair AS (x int, y text)",
    "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')",
    "CREATE TABLE t (id int PRIMARY KEY, a int, b text, c numeric(8,2), d date, arr int[], p pair)",
    "INSERT INTO t VALUES (1, 10, 'one', 1.5, '2024-01-01', '{1,2,3}', '(1,x)'), (2, 20, 'two', 2.25, '2024-02-29', '{}', NULL),"
    " (3, NULL, NULL, NULL, NULL, NULL, '(,)'), (4, -5, 'four', -4.75, '1999-12-31', '{{1,2},{3,4}}', '(7,\"a b\")')",
    "CREATE TABLE u (k int PRIMARY KEY, tid int REFERENCES t, v text NOT NULL CHECK (v <> 'bad'), n smallint UNIQUE)",
    "INSERT INTO u VALUES (1, 1, 'p', 11), (2, 1, 'q', 12), (3, 2, 'r', 13)",
    "CREATE TABLE w (what text, how text)",
)
STATE: Final = (
    "SELECT * FROM t ORDER BY id",
    "SELECT * FROM u ORDER BY k",
    'SELECT * FROM w ORDER BY what COLLATE "C", how COLLATE "C"',
)
_TYPES: Final = {
    "int": "int", "bigint": "bigint", "text": "text", "short": "varchar(4)", "num": "numeric", "fixed": "numeric(6,2)", "bool": "bool",
    "date": "date", "ints": "int[]", "texts": "text[]", "json": "jsonb", "pos": "pos", "pair": "pair", "mood": "mood", "row": "t",
}  # fmt: skip
_KINDS: Final = (*["int"] * 6, *["text"] * 5, *_TYPES)
_LITERALS: Final = {
    "int": ("0", "1", "2", "3", "-4", "100", "2147483647"), "bigint": ("0::bigint", "9000000000"), "text": ("'a'", "'abc'", "''", "'12'", "'x y'", "'é'", "'1.5'"),
    "short": ("'ab'::varchar(4)", "''::varchar(4)"), "num": ("1.5", "2.345", "-0.005", "1e3"), "fixed": ("1.555", "-2", "99999"), "bool": ("true", "false"),
    "date": ("'2024-01-31'::date", "'infinity'::date"), "ints": ("'{1,2,3}'::int[]", "'{}'::int[]", "ARRAY[4, NULL, 6]", "'{{1,2},{3,4}}'::int[]"),
    "texts": ("'{a,b}'::text[]", "ARRAY['x', NULL, 'é']"), "json": ("'{\"a\":1,\"b\":[1,2]}'::jsonb", "'null'::jsonb"), "pos": ("1", "5", "-1"),
    "pair": ("ROW(1, 'q')::pair", "ROW(NULL, NULL)::pair", "'(5,z)'::pair"), "mood": ("'sad'::mood", "'happy'::mood"), "row": ("ROW(9, 1, 'n', 1.0, NULL, NULL, NULL)::t",),
}  # fmt: skip
_OVER: Final = {
    "int": (
        "({int} + {int})", "({int} * {int})", "({int} / {int})", "({int} % {int})", "length({text})", "cardinality({ints})", "({pair}).x", "({ints})[{int}]",
        "({text})::int", "({num})::int", "coalesce({int}, {int})", "(SELECT max(a) FROM t WHERE id > {int})", "(({json})->>'a')::int",
        "CASE WHEN {bool} THEN {int} ELSE {int} END", "nullif({int}, {int})", "({row}).a", "array_position({ints}, {int})",
    ),
    "bigint": ("({bigint} + {int})", "(SELECT count(*) FROM t)"),
    "text": (
        "({text} || {text})", "upper({text})", "substr({text}, {int}, 2)", "({int})::text", "({num})::text", "({ints})::text", "({pair})::text",
        "({bool})::text", "coalesce({text}, 'nil')", "format('%s-%s', {text}, {int})", "({texts})[1]", "({pair}).y", "({json})::text", "quote_nullable({text})",
        "array_to_string({ints}, ',', '-')", "(SELECT b FROM t WHERE id = {int})", "concat({text}, {int}, {bool})", "({row})::text", "({mood})::text", "{short}",
    ),
    "short": ("({text})::varchar(4)", "left({text}, 4)"), "num": ("({num} + {num})", "round({num}, 1)", "({int} / 2.0)", "(SELECT sum(c) FROM t)", "({text})::numeric"),
    "fixed": ("{num}",),
    "bool": (
        "({int} > {int})", "({text} LIKE 'a%')", "({int} IS NULL)", "(NOT {bool})", "({bool} AND {bool})", "({int} = ANY ({ints}))", "({pair} IS NULL)",
        "EXISTS (SELECT FROM t WHERE id = {int})", "({text} IS DISTINCT FROM {text})", "({int} IN (SELECT id FROM t))", "({pair} = {pair})",
    ),
    "date": ("({date} + {int})", "(SELECT max(d) FROM t)", "({text})::date"),
    "ints": ("({ints} || {int})", "ARRAY[{int}, {int}]", "({ints})[1:2]", "(SELECT array_agg(id ORDER BY id) FROM t)", "ARRAY(SELECT a FROM t ORDER BY id)"),
    "texts": ("({texts} || {text})", "string_to_array({text}, ' ')", "({ints})::text[]"),
    "json": ("to_jsonb({int})", "jsonb_build_object('k', {text}, 'n', {num})", "to_jsonb({pair})", "(({json})->'b')", "to_jsonb({row})"),
    "pos": ("{int}",), "pair": ("ROW({int}, {text})::pair", "(SELECT p FROM t WHERE id = {int})", "coalesce({pair}, {pair})"), "mood": ("({text})::mood",),
    "row": ("(SELECT x FROM t x WHERE id = {int})", "ROW({int}, {int}, {text}, {num}, {date}, {ints}, {pair})::t"),
}  # fmt: skip
_ERRORS: Final = (
    "division_by_zero", "unique_violation", "foreign_key_violation", "not_null_violation", "check_violation", "invalid_text_representation", "raise_exception",
    "no_data_found", "too_many_rows", "others", "others", "data_exception", "integrity_constraint_violation", "numeric_value_out_of_range", "assert_failure",
    "SQLSTATE 'U0001'", "case_not_found", "null_value_not_allowed",
)  # fmt: skip
_TOLD: Final = ("RETURNED_SQLSTATE", "MESSAGE_TEXT", "PG_EXCEPTION_DETAIL", "PG_EXCEPTION_HINT", "COLUMN_NAME", "CONSTRAINT_NAME", "TABLE_NAME")  # fmt: skip
_QUERIES: Final = (
    ("SELECT id, b FROM t WHERE id > {int} ORDER BY id", ("int", "text")),
    ("SELECT x FROM generate_series(1, 3) x", ("int",)),
    ("SELECT t.id, u.v FROM t LEFT JOIN u ON u.tid = t.id ORDER BY t.id, u.k", ("int", "text")),
    ("SELECT count(*), max(b) FROM t WHERE a > {int}", ("bigint", "text")),
    ("SELECT b FROM t WHERE id = {int}", ("text",)),
    ("UPDATE t SET a = coalesce(a, 0) + 1 WHERE id = {int} RETURNING id, b", ("int", "text")),
    ("DELETE FROM u WHERE k = {int} RETURNING k, v", ("int", "text")),
)
_WRITES: Final = (
    "INSERT INTO w VALUES ({text}, ({any})::text);",
    "INSERT INTO u VALUES ({int}, 1, {text}, {int});",
    "INSERT INTO t (id, a, b) VALUES ({int}, {int}, {text}) ON CONFLICT (id) DO UPDATE SET b = t.b || EXCLUDED.b, a = {int};",
    "INSERT INTO u SELECT id + 20, id, b, id FROM t WHERE id = {int} ON CONFLICT DO NOTHING;",
    "UPDATE t SET a = {int} WHERE id = {int};",
    "UPDATE t SET b = {text}, c = {num} WHERE a > {int};",
    "UPDATE t SET arr = {ints}, p = {pair} WHERE id = {int};",
    "UPDATE u SET v = {text} WHERE k = {int};",
    "DELETE FROM u WHERE k = {int};",
    "DELETE FROM t WHERE id = {int};",
    "EXECUTE 'UPDATE t SET a = $1 WHERE id = $2' USING {int}, {int};",
)
_OTHERS: Final = (
    "RAISE NOTICE 'n %', {any};",
    "RAISE NOTICE 'n % %', {any}, {any};",
    "RAISE NOTICE 'found %', FOUND;",
    "PERFORM {any};",
    "PERFORM 1 FROM t WHERE a > {int};",
    "ASSERT {bool}, {text};",
    "RAISE EXCEPTION 'boom %', {text};",
    "RAISE EXCEPTION USING ERRCODE = 'U0001', MESSAGE = concat('m', {text}), HINT = 'h', COLUMN = 'c', TABLE = 't';",
    "EXECUTE 'INSERT INTO w VALUES ($1, $2)' USING {text}, {text};",
)
_DEPTH_MAX: Final = 3


class Author:
    """Writes programs one after another; the same seed writes the same ones."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._names = 0
        self._scope: list[tuple[str, str]] = []
        self._compounds = 0

    def program(self) -> tuple[str, list[str]]:
        """A function's definition, and what calls it."""
        name, result = self._name("f"), self._one(_KINDS)
        arguments = [self._one(_KINDS) for _ in range(self._random.randint(0, 2))]
        self._scope = [(self._name("a"), kind) for kind in arguments]
        given = ", ".join(f"{n} {_TYPES[kind]}" for n, kind in self._scope)
        self._compounds = 5
        body = [
            *self._declared(),
            "BEGIN",
            *self._steps(_DEPTH_MAX),
            *self._steps(1),
            f"RETURN {self._value(result)};",
        ]
        if self._may(0.3):
            body += [f"EXCEPTION WHEN {self._one(_ERRORS)} THEN", "RAISE NOTICE 'outer % %', SQLSTATE, SQLERRM;", "RETURN NULL;"]  # fmt: skip
        text = "\n".join([*body, "END"])
        self._scope = []
        calls = [
            f"SELECT {name}({', '.join(self._literal(kind) for kind in arguments)})"
            for _ in range(self._random.randint(1, 3))
        ]
        return (
            f"CREATE FUNCTION {name}({given}) RETURNS {_TYPES[result]} LANGUAGE plpgsql AS $f$\n{text}\n$f$",
            calls,
        )

    # --- parts -----------------------------------------------------------------------------------

    def _may(self, chance: float) -> bool:
        return self._random.random() < chance

    def _one(self, of: tuple[str, ...] | list[str]) -> str:
        return self._random.choice(of)

    def _name(self, prefix: str) -> str:
        self._names += 1
        return f"{prefix}{self._names}"

    def _literal(self, kind: str) -> str:
        return f"NULL::{_TYPES[kind]}" if self._may(0.08) else self._one(_LITERALS[kind])

    def _value(self, kind: str, depth: int = 2) -> str:
        """An expression of a kind."""
        known = [n for n, of in self._scope if of == kind]
        if depth <= 0 or self._may(0.3):
            return self._one(known) if known and self._may(0.8) else self._literal(kind)
        return self._filled(self._one(_OVER[kind]), depth - 1)

    def _filled(self, text: str, depth: int = 1) -> str:
        def part(found: re.Match[str]) -> str:
            kind = found[1] if found[1] != "any" else self._one(_KINDS)
            value = self._value(kind, depth)
            return value if value.isidentifier() or value.startswith("(") else f"({value})"

        return re.sub(r"\{(\w+)\}", part, text)

    def _declared(self) -> list[str]:
        out = ["DECLARE"]
        for _ in range(self._random.randint(1, 3)):
            kind, name = self._one(_KINDS), self._name("v")
            default = f" := {self._value(kind, 1)}" if self._may(0.7) else ""
            out.append(f"{name} {_TYPES[kind]}{default};")
            self._scope.append((name, kind))
        return out

    def _target(self, kind: str = "", *, whole: bool = True) -> str:
        """A variable, of a kind if one is there."""
        known = [n for n, of in self._scope if not kind or of == kind]
        known = known or [n for n, of in self._scope if of not in ("pair", "row")]
        if not whole:
            known = [n for n, of in self._scope if n in known and of not in ("pair", "row")]
        return self._one(known) if known else ""

    # --- statements ------------------------------------------------------------------------------

    def _steps(self, depth: int) -> list[str]:
        out: list[str] = []
        for _ in range(self._random.randint(1, 4 if depth > 0 else 2)):
            if depth > 0 and self._compounds > 0 and self._may(0.45):
                self._compounds -= 1
                out += self._compound(depth - 1)
            else:
                out.append(self._step())
        return out

    def _step(self) -> str:
        chance = self._random.random()
        if chance < 0.35 and self._scope:
            name, kind = self._random.choice(self._scope)
            return f"{name} := {self._value(kind if self._may(0.9) else self._one(_KINDS[:13]))};"
        if chance < 0.45:
            return self._into()
        if chance < 0.55:
            return self._of_a_part()
        return self._filled(self._one(_WRITES if chance < 0.75 else _OTHERS))

    def _into(self) -> str:
        query, kinds = self._random.choice(_QUERIES)
        targets = [self._target(kind, whole=False) for kind in kinds]
        if not all(targets) or len(set(targets)) < len(targets):
            return "NULL;"
        into = f" INTO{' STRICT' if self._may(0.3) else ''} {', '.join(targets)}"
        text = self._filled(query)
        return (text.replace(" FROM", into + " FROM", 1) if text.startswith("SELECT") else text + into) + ";"

    def _of_a_part(self) -> str:
        """An element or a field is assigned to; or how many rows there were is asked."""
        for name, kind in self._random.sample(self._scope, len(self._scope)):
            if kind == "ints":
                return f"{name}[{self._one(('1', '2', '5'))}] := {self._value('int', 1)};"
            if kind == "pair":
                return self._filled(self._one((f"{name}.x := {{int}};", f"{name}.y := {{text}};")))
            if kind == "row":
                return self._filled(
                    self._one((f"{name}.a := {{int}};", f"SELECT * INTO {name} FROM t WHERE id = {{int}};"))
                )
            if kind in ("bigint", "text"):
                return f"GET DIAGNOSTICS {name} = ROW_COUNT;"
        return "NULL;"

    def _compound(self, depth: int) -> list[str]:
        """A statement with statements in it."""
        before = len(self._scope)
        write = self._random.choice(
            (
                self._if,
                self._case,
                self._block,
                self._block,
                self._numbers,
                self._rows,
                self._while,
                self._each,
            )
        )
        try:
            return write(depth)
        finally:
            del self._scope[before:]

    def _if(self, depth: int) -> list[str]:
        return [f"IF {self._value('bool')} THEN", *self._steps(depth), "ELSE", *self._steps(depth), "END IF;"]

    def _case(self, depth: int) -> list[str]:
        kind = self._one(("int", "text"))
        out = [
            f"CASE {self._value(kind)} WHEN {self._value(kind, 0)}, {self._value(kind, 1)} THEN",
            *self._steps(depth),
        ]
        return [*out, *(["ELSE", *self._steps(depth)] if self._may(0.6) else ()), "END CASE;"]

    def _block(self, depth: int) -> list[str]:
        out = [*(self._declared() if self._may(0.6) else ()), "BEGIN", *self._steps(depth)]
        if self._may(0.7):
            out += [f"EXCEPTION WHEN {self._one(_ERRORS)} OR {self._one(_ERRORS)} THEN"]
            if (text := self._target("text", whole=False)) and (text, "text") in self._scope:
                out += [
                    f"GET STACKED DIAGNOSTICS {text} = {self._one(_TOLD)};",
                    f"RAISE NOTICE 'told %', {text};",
                ]
            out += ["RAISE NOTICE 'caught % %', SQLSTATE, SQLERRM;", *self._steps(0)]
        return [*out, "END;"]

    def _numbers(self, depth: int) -> list[str]:
        name = self._name("i")
        self._scope.append((name, "int"))
        bounds = self._one(("1..3", "REVERSE 3..1", "1..4 BY 2", f"1..least({self._value('int', 1)}, 3)"))
        leave = (
            [f"{self._one(('EXIT', 'CONTINUE'))} WHEN {self._value('bool', 1)};"] if self._may(0.4) else []
        )
        return [f"FOR {name} IN {bounds} LOOP", *leave, *self._steps(depth), "END LOOP;"]

    def _rows(self, depth: int) -> list[str]:
        name, query = self._name("r"), self._filled(self._random.choice(_QUERIES)[0])
        out = [
            "DECLARE",
            f"{name} record;",
            "BEGIN",
            f"FOR {name} IN {query} LOOP",
            f"RAISE NOTICE 'row %', {name};",
        ]
        return [*out, *self._steps(depth), "END LOOP;", "END;"]

    def _while(self, depth: int) -> list[str]:
        name = self._name("n")
        out = ["DECLARE", f"{name} int := 0;", "BEGIN", f"WHILE {name} < 3 AND {self._value('bool', 1)} LOOP"]
        return [*out, f"{name} := {name} + 1;", *self._steps(depth), "END LOOP;", "END;"]

    def _each(self, depth: int) -> list[str]:
        kind = self._one(("int", "text"))
        name = self._name("e")
        over = self._value({"int": "ints", "text": "texts"}[kind], 1)
        out = ["DECLARE", f"{name} {kind};", "BEGIN", f"FOREACH {name} IN ARRAY {over} LOOP"]
        self._scope.append((name, kind))
        return [*out, *self._steps(depth), "END LOOP;", "END;"]
