"""Routines that run: which ones do, and what is wrong with their bodies when they are made.

LANGUAGE plpgsql         its text is read; its statements are planned when they are reached, as in PostgreSQL
LANGUAGE sql, run        several statements, or one that writes, or no result: a program of these statements
                         also one that acts as its owner or has settings of its own: those are around a run
LANGUAGE sql, inlined    all others (`planner.binding.routines.inlined`)
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sqlglot import exp

from planner import statements as st
from planner import types as t
from planner.abc import Oid, PlanError, SqlError, TypeRef
from planner.binding.naming import function_name, identifier
from planner.binding.routines.bodies import statements_of
from planner.binding.routines.variables import Kind, kind_of
from planner.catalog import Catalog, Function, polymorphic, quote_identifier, quote_qualified
from planner.catalog.domains import underneath
from planner.ddl.routines.declarations import Declarations
from planner.lexer import WORD, Token, tokenize
from planner.parse import parse_expression
from planner.parse.plpgsql.program import content, parse_program
from planner.parse.statement import parse_statement
from planner.split import statement_ends
from planner.statements import plpgsql as pl

_READS = frozenset(("select", "values", "table", "with", "("))
_WRITES = frozenset(("insert", "update", "delete", "merge"))
_TRANSACTIONS = (
    st.Begin,
    st.Commit,
    st.Rollback,
    st.PrepareTransaction,
    st.EndPrepared,
    st.Savepoint,
    st.ReleaseSavepoint,
    st.RollbackTo,
)


def runs(f: Function) -> bool:
    """Whether calls of it are runs of a program."""
    return f.language != "sql" or f.kind == "p" or f.is_apart or not is_query(f)


def is_query(f: Function) -> bool:
    """Whether the body of a function in SQL is one statement, which only reads, and something is returned."""
    found = _statements(statements_of(f))
    if len(found) != 1:
        return not found and f.result.oid != t.VOID
    (only,) = found
    word = only[0].value
    reads = word in _READS and not (word == "with" and any(x.keyword in _WRITES for x in only))
    return reads and f.result.oid != t.VOID


def _statements(body: str) -> list[list[Token]]:
    tokens = tokenize(body)
    cuts = [-1, *statement_ends(tokens), len(tokens) - 1]
    return [tokens[a + 1 : b] for a, b in itertools.pairwise(cuts) if b > a + 1]


def shown(f: Function, catalog: Catalog, path: Sequence[str]) -> str:
    """How contexts name it: `f(integer,text)`, with its schema where that is not on the path."""
    inputs = polymorphic.declared(f).inputs
    home = catalog.schema_of(f.schema_oid).name
    name = quote_identifier(f.name) if home in path else quote_qualified(home, f.name)
    return f"{name}({','.join(t.type_in_words(p.declared).replace('bpchar', 'character') for p in inputs)})"


@functools.lru_cache(maxsize=512)
def program(
    name: str, where: str, language: str, body: str, parameters: tuple[str, ...], returns: str, outputs: bool
) -> pl.Program:  # fmt: skip
    """A body as a program. Raises what is wrong with it."""
    if language == "sql":
        return _of_statements(name, body, parameters, returns)
    return parse_program(
        body, name=name, shown=where, parameters=parameters, returns=returns, has_outputs=outputs, checks=False, start=0
    )  # fmt: skip


def program_of(f: Function) -> pl.Program:
    """The program of a routine that runs."""
    names = tuple(p.name for p in f.parameters)
    return program(f.name, f.name, f.language, statements_of(f), names, _returns(f), bool(f.outputs))


@contextmanager
def compiling(f: Function) -> Iterator[None]:
    """Errors of a body that is read because it runs: their places are in its text, and nowhere in what was sent."""
    try:
        yield
    except SqlError as e:
        if e.position and not e.query:
            line = f.body.count("\n", 0, e.position - 1) + 1
            near = f'compilation of PL/pgSQL function "{f.name}" near line {line}'
            e.query, e.context = f.body, f"{e.context}\n{near}" if e.context else near
        raise


def declared(f: Function, made: pl.Program, catalog: Catalog, path: Sequence[str]) -> Declarations:
    """What its parameters and its variables are. Raises what is wrong with their types."""
    kinds: list[Kind] = [kind_of(fitting(catalog, p.type, p.domain)) for p in f.parameters]
    domains = {i: p.domain for i, p in enumerate(f.parameters) if p.domain}
    kinds.append(TypeRef(t.BOOL))
    if f.result.oid == t.TRIGGER:
        kinds += [None, None]  # NEW and OLD, of no table yet
    return Declarations(catalog, path, made, kinds, f.name, domains)


def fitting(catalog: Catalog, ref: TypeRef, domain: Oid) -> TypeRef:
    """What a value is made to fit: modifiers are a domain's, functions keep none of their own."""
    if ref.oid == t.RECORD:
        return ref  # its modifier says what fields it has
    return underneath(catalog, TypeRef(domain))[0] if domain else TypeRef(ref.oid)


def _returns(f: Function) -> str:
    if f.kind == "p":
        return "one" if f.language == "sql" and f.outputs else "procedure"
    if f.result.oid == t.TRIGGER:
        return "trigger"
    if f.result.oid == t.EVENT_TRIGGER:
        return "event_trigger"
    if f.returns_set:
        return "set"
    return "void" if f.result.oid == t.VOID else "one"


def _of_statements(name: str, body: str, parameters: tuple[str, ...], returns: str) -> pl.Program:
    """Statements of SQL one after the other; what the last one finds is the result."""
    outer = pl.Level(name)
    for i, parameter in enumerate(parameters):
        outer.slots[f"${i + 1}"] = i
        if parameter:
            outer.slots[parameter] = i
    count = len(parameters)
    outer.slots["found"] = count  # nobody may name it
    steps: list[pl.Step] = []
    found = _statements(body)
    for i, tokens in enumerate(found):
        text = body[tokens[0].start : tokens[-1].end]
        made = pl.Text(text, tokens[0].start, i, outer, count)
        last = i == len(found) - 1
        finds = last and returns not in ("void", "procedure")
        steps.append(pl.RunLast(i + 1, made) if finds else pl.RunAny(i + 1, made))
    block = pl.Nested(1, "", (), tuple(steps))
    return pl.Program(body, block, count + 1, len(found), outer, "use_column")


def validate(
    said: st.CreateFunction, f: Function, catalog: Catalog, path: Sequence[str]
) -> Sequence[tuple[str, int]]:
    """Reads the body; errors point into the statement. The variables that shadow others, and where. Raises 42601, 42704, 42P01,
    42P13, 0A000."""
    if f.language == "sql":
        _validate_statements(f, catalog, path)
        return ()
    written = said.written
    literal = next(iter(tokenize(written.text)))
    start = content(written.text, literal)
    try:
        made = parse_program(
            f.body,
            name=f.name,
            start=written.offset + start if start >= 0 else -1,
            parameters=tuple(p.name for p in f.parameters),
            returns=_returns(f),
            has_outputs=bool(f.outputs),
        )
    except SqlError as e:
        if not e.position and not e.context:
            e.context = f'compilation of PL/pgSQL function "{f.name}" near line 1'
        raise
    declared(f, made, catalog, path)
    return made.shadows


def _validate_statements(f: Function, catalog: Catalog, path: Sequence[str]) -> None:
    body = statements_of(f)
    found = _statements(body)
    for tokens in found:
        statement = parse_statement(" " * tokens[0].start + body[tokens[0].start : tokens[-1].end])
        if isinstance(statement, _TRANSACTIONS):
            shown = tokens[0].value.upper()
            why = (
                "is not yet supported in unquoted SQL function body"
                if f.standard
                else "is not allowed in an SQL function"
            )
            raise PlanError("0A000", f"{shown} {why}")
        if isinstance(statement, st.Copy):
            raise PlanError("0A000", "COPY in functions in SQL is not supported")
        if isinstance(statement, st.Call) and not f.standard and _gives_back(statement, catalog, path):
            message = "calling procedures with output arguments is not supported in SQL functions"
            raise PlanError("0A000", message, context=f'SQL function "{f.name}"')
    if f.result.oid != t.VOID:
        last = found[-1] if found else []
        words = {x.value for x in last if x.kind == WORD}
        finds = bool(last) and (
            last[0].value in _READS or (last[0].value in _WRITES and "returning" in words)
        )
        if not finds:
            kind = t.type_in_words(f.result.oid)
            raise PlanError(
                "42P13",
                f"return type mismatch in function declared to return {kind}",
                detail="Function's final statement must be SELECT or INSERT/UPDATE/DELETE RETURNING.",
            )


def _gives_back(said: st.Call, catalog: Catalog, path: Sequence[str]) -> bool:
    """Whether what is called, as far as its name and the number of its arguments tell, has something to give back."""
    tree = parse_expression(said.query.text)
    call = tree.expression if isinstance(tree, exp.Dot) else tree
    schema = identifier(tree.this) if isinstance(tree, exp.Dot) else ""
    found = catalog.functions(function_name(call), schema, path)
    alike = [x for x in found if x.kind == "p" and len(x.parameters) == len(call.expressions)]
    return bool(alike) and all(x.outputs for x in alike)


__all__ = ["is_query", "program_of", "runs", "shown", "validate"]
