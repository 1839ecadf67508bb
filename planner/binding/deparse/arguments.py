"""The arguments of a call, as a definition shows them.

concat(a, '-', 'x'::text)              "any" leaves a string literal without a type; one that was given a type shows it
jsonb_build_object(VARIADIC pairs)     an array that stands for the arguments says so
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Final

from planner import types as t
from planner.abc import TypeRef
from planner.binding import ir
from planner.lexer import STRING, tokenize

_VARIADIC: Final = "variadic "


def written(
    op: str,
    args: Sequence[ir.Node],
    text: str,
    write: Callable[[ir.Node], str],
    quoted: Callable[[str, TypeRef], str],
) -> list[str]:
    """The arguments of a call of `op`, which is its name and the types that are declared: `concat(any)`."""
    declared = op.partition("(")[2].removesuffix(")")
    kinds = declared.removeprefix(_VARIADIC).split(", ")
    shown = []
    for i, a in enumerate(args):
        if kinds[min(i, len(kinds) - 1)] == "any" and isinstance(a, ir.Lit) and _has_no_type(a, text):
            shown.append(quoted(str(a.value), TypeRef(t.UNKNOWN)))
        else:
            shown.append(write(a))
    if declared.startswith(_VARIADIC):
        shown[-1] = f"VARIADIC {shown[-1]}"
    return shown


def _has_no_type(literal: ir.Lit, text: str) -> bool:
    """Whether the text says a string and nothing of its type: neither `'x'::text` nor `CAST('x' AS text)`."""
    if literal.type != TypeRef(t.TEXT):
        return False
    tokens = tokenize(text)
    for token, after in itertools.pairwise(tokens):
        if token.start == literal.position - 1:
            cast = after.keyword == "as" or (after.kind != STRING and after.value == "::")
            return token.kind == STRING and not cast
    return False
