"""PL/pgSQL's grammar: what is read, and where what is wrong is said to be. The messages are PostgreSQL's."""

from __future__ import annotations

import pytest

from planner.abc import SqlError
from planner.parse.plpgsql import parse_program
from planner.parse.plpgsql.names import looked_up
from planner.statements import plpgsql as pl


def steps_of(body: str, **said: object) -> tuple[pl.Step, ...]:
    return parse_program(body, **said).body.steps  # type: ignore[arg-type]


KINDS = [
    ("x := 1", pl.Assign),
    ("x = 1", pl.Assign),
    ("x[1] := 2", pl.Assign),
    ("r.f := 2", pl.Assign),
    ("SELECT 1 INTO x", pl.RunSql),
    ("INSERT INTO t VALUES (1)", pl.RunSql),
    ("INSERT INTO t VALUES (1) RETURNING a INTO STRICT x", pl.RunSql),
    ("PERFORM f(1)", pl.Perform),
    ("EXECUTE 'x' INTO x USING 1, 2", pl.Execute),
    ("EXECUTE 'x' USING 1 INTO x", pl.Execute),
    ("IF x = 1 THEN NULL; ELSIF true THEN NULL; ELSE NULL; END IF", pl.If),
    ("CASE x WHEN 1, 2 THEN NULL; END CASE", pl.Case),
    ("CASE WHEN x = 1 THEN NULL; ELSE NULL; END CASE", pl.Case),
    ("LOOP EXIT; END LOOP", pl.Loop),
    ("WHILE x > 1 LOOP CONTINUE; END LOOP", pl.Loop),
    ("FOR i IN REVERSE 10..1 BY 2 LOOP NULL; END LOOP", pl.ForRange),
    ("FOR r IN SELECT 1 LOOP NULL; END LOOP", pl.ForRows),
    ("FOR r IN EXECUTE 'x' USING 1 LOOP NULL; END LOOP", pl.ForRows),
    ("FOREACH x IN ARRAY a LOOP NULL; END LOOP", pl.ForEach),
    ("<<l>> LOOP EXIT l WHEN true; END LOOP l", pl.Loop),
    ("BEGIN NULL; EXCEPTION WHEN others THEN NULL; END", pl.Nested),
    ("RAISE NOTICE 'a % b', x USING HINT = 'h'", pl.Raise),
    ("ASSERT x = 1, 'm'", pl.Assert),
    ("GET DIAGNOSTICS x = ROW_COUNT", pl.GetDiagnostics),
    ("COMMIT", pl.EndTransaction),
    ("CALL p(x, 1 + 2)", pl.Call),
    ("NULL", pl.Nothing),
]


@pytest.mark.parametrize(("text", "kind"), KINDS, ids=lambda x: x if isinstance(x, str) else "")
def test_a_step_is_what_it_says(text: str, kind: type[pl.Step]) -> None:
    declared = "DECLARE x int; r record; a int[]; BEGIN"
    (step,) = steps_of(f"{declared} {text}; END")
    assert type(step) is kind


WRONG = [
    ("BEGIN RETRUN 1; END", "42601", 'syntax error at or near "RETRUN"', 6),
    ("BEGIN x := 1; END", "42601", '"x" is not a known variable', 6),
    ("BEGIN IF true THEN END", "42601", "syntax error at end of input", 22),
    ("BEGIN IF true; END IF; END", "42601", 'missing "THEN" at end of SQL expression', 13),
    ("BEGIN EXIT; END", "42601", "EXIT cannot be used outside a loop, unless it has a label", 6),
    ("BEGIN CONTINUE; END", "42601", "CONTINUE cannot be used outside a loop", 6),
    ("BEGIN RETURN 1; END", "42804", "RETURN cannot have a parameter in function returning void", 13),
    ("DECLARE x CONSTANT int := 1; BEGIN x := 2; END", "22005", 'variable "x" is declared CONSTANT', 35),
    ("DECLARE x int; x int; BEGIN END", "42601", 'duplicate declaration at or near "x"', 15),
    ("DECLARE x int NOT NULL; BEGIN END", "22004", 'variable "x" must have a default value, since it\'s declared NOT NULL', 14),
    ("<<a>> BEGIN LOOP EXIT b; END LOOP; END", "42601", 'there is no label "b" attached to any block or loop enclosing this statement', 22),
    ("<<a>> BEGIN LOOP CONTINUE a; END LOOP; END", "42601", 'block label "a" cannot be used in CONTINUE', 26),
    ("<<a>> BEGIN END b", "42601", 'end label "b" differs from block\'s label "a"', 16),
    ("DECLARE x int; BEGIN SELECT 1 INTO x INTO x; END", "42601", "INTO specified more than once", 37),
    ("DECLARE x int; BEGIN x := (1; END", "42601", "mismatched parentheses", 28),
    ("DECLARE x int; BEGIN x := ; END", "42601", 'missing expression at or near ";"', 26),
    ("BEGIN RAISE NOTICE '%'; END", "42601", "too few parameters specified for RAISE", -1),
    ("BEGIN RAISE NOTICE 'a', 1; END", "42601", "too many parameters specified for RAISE", -1),
    ("BEGIN RAISE nope; END", "42704", 'unrecognized exception condition "nope"', -1),
    ("BEGIN RETURN NEXT 1; END", "42804", "cannot use RETURN NEXT in a non-SETOF function", 13),
]  # fmt: skip


@pytest.mark.parametrize(("body", "sqlstate", "message", "place"), WRONG, ids=[w[0] for w in WRONG])
def test_what_is_wrong_is_said_where_it_is(body: str, sqlstate: str, message: str, place: int) -> None:
    with pytest.raises(SqlError) as caught:
        parse_program(body, start=100)
    assert (caught.value.sqlstate, caught.value.message) == (sqlstate, message)
    assert caught.value.position == (0 if place < 0 else 100 + place + 1)


def test_names_are_found_from_the_inside_out_and_by_labels() -> None:
    program = parse_program(
        "<<b>> DECLARE x int; BEGIN DECLARE x int; y int; BEGIN y := x; y := b.x; END; END"
    )
    inner = program.body.steps[0]
    assert isinstance(inner, pl.Nested)
    first, second = inner.steps
    assert isinstance(first, pl.Assign) and isinstance(second, pl.Assign)
    near, far = (looked_up(s.value.names, s.value.text.split("."), s.value.seen) for s in (first, second))
    assert near == (inner.variables[0].slot, []) and far == (program.body.variables[0].slot, [])


def test_a_default_does_not_see_what_is_declared_behind_it() -> None:
    program = parse_program("DECLARE a int := b; b int; BEGIN END")
    default = program.body.variables[0].default
    assert default is not None and looked_up(default.names, ["b"], default.seen) is None


def test_into_leaves_blanks_so_that_places_stay() -> None:
    (step,) = steps_of("DECLARE x int; BEGIN SELECT a INTO x FROM t; END")
    assert isinstance(step, pl.RunSql)
    assert step.text.text == "SELECT a        FROM t"


def test_blocks_are_nested_so_deep_at_most() -> None:
    with pytest.raises(SqlError) as caught:
        parse_program("BEGIN " * 60 + "END; " * 60)
    assert caught.value.sqlstate == "54001"
