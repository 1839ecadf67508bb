"""The grammar of functions: CREATE FUNCTION with its parameters, options and body, ALTER, DROP, and naming one.

    CREATE FUNCTION f(a int, OUT b text DEFAULT 'x') RETURNS SETOF t LANGUAGE sql STABLE AS $$ ... $$
    CREATE FUNCTION f(a int) RETURNS int RETURN a + 1
    CREATE FUNCTION f(a int) RETURNS int BEGIN ATOMIC SELECT a + 1; END
    DROP FUNCTION f(int), g

What a function may be in PostgreSQL and not here (other languages, VARIADIC, procedures, ...) is refused where it is read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from planner import statements as st
from planner.abc import PlanError
from planner.keywords import COLUMN_NAME, RESERVED, TYPE_FUNCTION_NAME
from planner.lexer import DECIMAL, INTEGER, QUOTED, STRING, WORD, Token
from planner.parse import clauses
from planner.parse.cursor import Cursor
from planner.parse.first_settings import first_settings

LANGUAGES: Final = ("sql", "plpgsql")
_COMPILED: Final = ("c", "internal")
"""Those that every PostgreSQL has besides."""
_NO_PARAMETER: Final = RESERVED | COLUMN_NAME
_MODES: Final = {"in": "i", "out": "o", "inout": "b", "variadic": "v"}


def create_function(c: Cursor, replace: bool, at: Token, kind: str = "function") -> st.CreateFunction:
    """After CREATE [OR REPLACE] FUNCTION or PROCEDURE."""
    name = function_name(c)
    c.expect_symbol("(")
    parameters: tuple[st.ParameterDef, ...] = ()
    if not c.symbol_is(")"):
        parameters = c.listed(lambda c: _parameter(c, with_default=True))
    c.expect_symbol(")")
    returns: st.TypeName | None = None
    if kind == "function" and c.next_is("returns") and not c.next_is("returns", "null"):
        c.advance()
        if c.accept("table"):
            returns = st.TypeName(("record",), setof=True, position=c.position)
            parameters += tuple(_table_columns(c))
        else:
            returns = _type(c)
    options: dict[str, Any] = {}
    body: Token | None = None
    while not c.ended:
        here = c.token
        if c.accept("as"):
            _once(options, "as", here)
            if c.token.kind != STRING:
                c.fail()
            body = c.advance()
            if c.symbol_is(","):
                c.unsupported("an object file and link symbol as the body of a function", here)
        elif c.next_is("return") or c.next_is("begin", "atomic"):
            break
        elif kind == "procedure" and not (c.next_is("language") or c.word in ("security", "external", "set")):
            if c.next_is("window") or _option(c, options, created=True):
                raise PlanError("42P13", "invalid attribute in procedure definition", position=here.start + 1)
            c.fail()
        elif not _option(c, options, created=True):
            c.fail()
    language = options.get("language")
    standard = c.next_is("return") or c.next_is("begin", "atomic")
    if standard and body is not None:
        raise PlanError("42P13", "duplicate function body specified")
    if language is None and not standard:
        raise PlanError("42P13", "no language specified")
    if body is None and not standard:
        raise PlanError("42P13", "no function body specified")
    if language not in (None, "sql"):
        if standard:
            raise PlanError("42P13", "inline SQL function body only valid for language SQL")
        if language not in LANGUAGES:
            if language not in _COMPILED:
                raise PlanError("42704", f'language "{language}" does not exist')
            c.unsupported(f"CREATE {kind.upper()} in language {language}", at)
    if body is not None:
        written, text = st.Sql(c.text[body.start : body.end], body.start), body.value
    else:
        written = _standard_body(c)
        text = written.text
    return st.CreateFunction(name, parameters, returns, text, written, standard, replace, options, kind)


def function_name(c: Cursor) -> st.Name:
    """func_name: words that are column names only are no function's name unless qualified."""
    token = c.token
    if token.kind == WORD and token.keyword in RESERVED:
        c.fail()
    if token.kind == WORD and token.keyword and c.ahead().value == "(" and token.keyword in COLUMN_NAME:
        c.fail()
    if token.keyword in TYPE_FUNCTION_NAME:  # such a word is no schema's
        return st.Name(c.advance().value, "", token.start + 1)
    return c.qualified()


def _type(c: Cursor) -> st.TypeName:
    made = c.type_name()
    if c.symbol_is("%") and len(made.names) > 1 and not (made.modifiers or made.dimensions):
        c.advance()
        c.expect("type")
        return replace(made, copied=True)
    return made


def _parameter(c: Cursor, *, with_default: bool) -> st.ParameterDef:
    position = c.position
    mode = _mode(c)
    name = ""
    if _is_parameter_name(c):
        name = c.advance().value
        if not mode:
            mode = _mode(c)
    made = _type(c)
    default: st.Sql | None = None
    if with_default and (c.accept("default") or c.accept_symbol("=")):
        default = c.expression()
    return st.ParameterDef(name, made, mode, default, position)


def parameter(c: Cursor) -> st.ParameterDef:
    """One without a default."""
    return _parameter(c, with_default=False)


def _mode(c: Cursor) -> str:
    word = c.accept_one(*_MODES)
    if word == "in" and c.accept("out"):
        return "b"
    return _MODES[word] if word else ""


def _is_parameter_name(c: Cursor) -> bool:
    """Whether a name stands here, before a type: `a int`, and not `int` or `double precision`."""
    token, after = c.token, c.ahead()
    if token.kind != QUOTED and (token.kind != WORD or token.keyword in _NO_PARAMETER):
        return False
    if after.kind not in (WORD, QUOTED) or after.keyword in ("default", "array", "order"):
        return False
    return not (token.value == "double" and after.value == "precision" and token.kind == WORD)


def _table_columns(c: Cursor) -> list[st.ParameterDef]:
    c.expect_symbol("(")
    found: list[st.ParameterDef] = []
    while True:
        position = c.position
        if not _is_parameter_name(c):
            c.fail()
        name = c.advance().value
        found.append(st.ParameterDef(name, _type(c), "t", None, position))
        if not c.accept_symbol(","):
            break
    c.expect_symbol(")")
    return found


def _once(options: dict[str, Any], name: str, at: Token, value: Any = True) -> None:
    if name in options:
        raise PlanError("42601", "conflicting or redundant options", position=at.start + 1)
    options[name] = value


def _option(c: Cursor, options: dict[str, Any], *, created: bool) -> bool:
    """One option of CREATE or ALTER FUNCTION, if one is here."""
    at = c.token
    if created and c.accept("language"):
        language = c.advance().value if c.token.kind == STRING else c.unreserved()
        _once(options, "language", at, language)
    elif word := c.accept_one("immutable", "stable", "volatile"):
        _once(options, "volatility", at, word[0])
    elif c.accept("strict") or c.accept("returns", "null", "on", "null", "input"):
        _once(options, "strict", at, True)
    elif c.accept("called", "on", "null", "input"):
        _once(options, "strict", at, False)
    elif c.accept("not", "leakproof"):
        _once(options, "leakproof", at, False)
    elif c.accept("leakproof"):
        _once(options, "leakproof", at, True)
    elif c.accept("external", "security", "definer") or c.accept("security", "definer"):
        _once(options, "definer", at, True)
    elif c.accept("external", "security", "invoker") or c.accept("security", "invoker"):
        _once(options, "definer", at, False)
    elif word := c.accept_one("cost", "rows"):
        _once(options, word, at, _number(c))
        if options[word] <= 0:
            raise PlanError("22023", f"{word.upper()} must be positive")
    elif c.accept("parallel"):
        level = c.label()
        if level not in ("safe", "unsafe", "restricted"):
            raise PlanError("42601", 'parameter "parallel" must be SAFE, RESTRICTED, or UNSAFE')
        _once(options, "parallel", at, level[0])
    elif c.next_is("set") or (c.next_is("reset") and not created):
        options.setdefault("set", []).append(
            first_settings(c, st.AlterSettings("CREATE FUNCTION" if created else "ALTER FUNCTION"))
        )
    elif c.next_is("support") or c.next_is("transform"):
        c.unsupported(f"{c.word.upper()} of a function", at)
    elif created and c.accept("window"):
        c.unsupported("WINDOW of a function", at)
    else:
        return False
    return True


def _number(c: Cursor) -> float:
    if c.token.kind not in (INTEGER, DECIMAL) and not c.symbol_is("-") and not c.symbol_is("+"):
        c.fail()
    return float(c.number())


def _standard_body(c: Cursor) -> st.Sql:
    """`RETURN expression`, or `BEGIN ATOMIC statement; ... END`."""
    if c.accept("return"):
        if c.ended:
            c.fail()
        c.at -= 1
        return c.rest()
    last = c.tokens[len(c.tokens) - 2]
    if last.value != "end" or last.kind != WORD:
        c.fail(c.tokens[-1])
    return c.rest()


# --- naming one ----------------------------------------------------------------------------------------


def signature(c: Cursor) -> st.Signature:
    """`f`, `f(int, text)`: modes and names may stand there, and mean nothing but for OUT."""
    name = function_name(c)
    if not c.accept_symbol("("):
        return st.Signature(name)
    found: tuple[st.ParameterDef, ...] = ()
    if not c.symbol_is(")"):
        found = c.listed(lambda c: _parameter(c, with_default=False))
    c.expect_symbol(")")
    return st.Signature(name, found)


def drop_functions(c: Cursor, kind: str) -> st.DropFunctions:
    """After DROP FUNCTION, PROCEDURE or ROUTINE."""
    exists = c.accept("if", "exists")
    found = c.listed(signature)
    return st.DropFunctions(found, exists, clauses.drop_behaviour(c), kind)


_OF_PROCEDURES: Final = ("security", "external", "set", "reset")
"""What begins the options that procedures have, too."""


def alter_function(c: Cursor, kind: str) -> st.AlterFunction:
    """After ALTER FUNCTION, PROCEDURE or ROUTINE."""
    said, tag = signature(c), f"ALTER {kind.upper()}"
    action = renamed_or_moved(c)
    if action is not None:
        return st.AlterFunction(said, action, tag=tag)
    if c.next_is("depends") or c.next_is("no", "depends"):
        c.unsupported("ALTER FUNCTION ... DEPENDS ON EXTENSION")
    options: dict[str, Any] = {}
    misplaced = 0
    while True:
        here, of_both = c.token, c.word in _OF_PROCEDURES
        if not _option(c, options, created=False):
            break
        if not of_both:
            misplaced = misplaced or here.start + 1
    if not options:
        c.fail()
    c.accept("restrict")
    return st.AlterFunction(said, None, options, tag, misplaced)


def renamed_or_moved(c: Cursor) -> st.AlterAction | None:
    """RENAME TO, OWNER TO, SET SCHEMA, if one of these is here."""
    position = c.position
    if c.accept("rename", "to"):
        return st.AlterAction("rename", new_name=c.name(), position=position)
    if c.accept("owner", "to"):
        return st.AlterAction("owner", c.role(), position=position)
    if c.accept("set", "schema"):
        return st.AlterAction("set schema", c.name(), position=position)
    return None


def call(c: Cursor) -> st.Call:
    """After CALL: a function's name and what it is called with."""
    if c.token.kind not in (WORD, QUOTED):
        c.fail()
    at = c.at
    function_name(c)
    if not c.symbol_is("("):
        c.fail()
    c.at = at
    said = c.call()
    c.expect_end()
    return st.Call(said)
