"""A whole body: its options, its block, and nothing behind it. DO's statement."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from planner.abc import PlanError
from planner.lexer import STRING, Token
from planner.parse.cursor import Cursor
from planner.parse.plpgsql.names import Names
from planner.parse.plpgsql.steps import DEPTH_MAX, StepReader
from planner.statements.plpgsql import Do, Dynamic, Level, Program

_AT_CURSOR: Final = re.compile(r"\bcurrent\s+of\b", re.IGNORECASE)
INLINE = "inline_code_block"
TRIGGER_NAMES = (
    "new", "old", "tg_name", "tg_when", "tg_level", "tg_op", "tg_relid", "tg_relname", "tg_table_name",
    "tg_table_schema", "tg_nargs", "tg_argv",
)  # fmt: skip
"""What a trigger function knows without being told, in the order of its slots."""


def parse_program(
    text: str,
    *,
    name: str = INLINE,
    shown: str = "",
    start: int = -1,
    parameters: Sequence[str] = (),
    returns: str = "block",
    has_outputs: bool = False,
    commonest: str = "error",
    checks: bool = True,
) -> Program:
    """Raises 42601, 42804, 0A000 and others, at the places where they are.

    `parameters`: names by slot, "" for one without; `$1` and so on name them as well. Behind them is FOUND,
    and NEW, OLD, ... of a trigger. `start`: where the text begins in the statement that carries it; -1: nowhere.
    """
    outer = Level("" if name == INLINE else name)
    for i, parameter in enumerate(parameters):
        outer.slots[f"${i + 1}"] = i
        if parameter:
            outer.slots[parameter] = i
    count = len(parameters)
    outer.slots["found"] = count
    count += 1
    if returns == "trigger":
        for more in TRIGGER_NAMES:
            outer.slots[more] = count
            count += 1
    if returns == "event_trigger":
        for more in ("tg_event", "tg_tag"):
            outer.slots[more] = count
            count += 1
    names = Names(outer, count)
    r = StepReader(text, shown or name, start, names)
    r.returns, r.has_outputs, r.checks = returns, has_outputs, checks
    prints_strict: bool | None = None
    while r.c.symbol_is("#"):
        word = _option(r, commonest)
        if word in ("on", "off"):
            prints_strict = word == "on"
        else:
            commonest = word
    block = r.block(r.label())
    r.c.accept_symbol(";")
    if not r.c.ended:
        r.fail()
    dynamic = frozenset(
        i for i, v in enumerate(names.variables_seen) if v is not None and isinstance(v.kind, Dynamic)
    )
    return Program(
        text, block, len(names.variables_seen), r.texts, outer, commonest, dynamic, r.scrolls,
        _AT_CURSOR.search(text) is not None, r.ends, prints_strict, tuple(names.shadows),
    )  # fmt: skip


def _option(r: StepReader, commonest: str) -> str:
    """`#variable_conflict use_column`, `#print_strict_params on`"""
    c = r.c
    c.at += 1
    if c.accept("variable_conflict"):
        word = c.accept_one("error", "use_variable", "use_column")
        if not word:
            r.fail()
        return word
    if c.accept("print_strict_params"):
        word = c.accept_one("on", "off")
        if not word:
            r.fail()
        return word
    if c.accept("dump"):
        return commonest
    r.fail()


def do(c: Cursor) -> Do:
    """DO [LANGUAGE name] 'text', in either order. Raises 42601, 0A000."""
    body, language, start = None, "plpgsql", -1
    while not c.ended:
        if c.accept("language"):
            language = c.string() if c.token.kind == STRING else c.name()
        elif c.token.kind == STRING and body is None:
            start = content(c.text, c.token)
            body = c.string()
        elif c.token.kind == STRING:
            raise PlanError("42601", "conflicting or redundant options", position=c.position)
        else:
            c.fail()
    if body is None:
        if c.at == 1:
            c.fail()
        raise PlanError("42601", "no inline code specified")
    if language != "plpgsql":
        if language in ("sql", "c", "internal"):
            raise PlanError("0A000", f'language "{language}" does not support inline code execution')
        raise PlanError("42704", f'language "{language}" does not exist')
    return Do(parse_program(body, start=start))


def content(text: str, token: Token) -> int:
    """Where what a string says begins in the statement; -1 where it is not written there letter by letter."""
    written = text[token.start : token.end]
    quote = len(written) - len(token.value)
    begins = token.start + quote // 2
    return begins if text.startswith(token.value, begins) else -1


__all__ = ["DEPTH_MAX", "INLINE", "TRIGGER_NAMES", "content", "do", "parse_program"]
