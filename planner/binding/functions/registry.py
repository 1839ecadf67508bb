"""Where an implementation is found: signature -> what makes DuckDB text of it.

An entry is one line in a family's file:

    template("lower(text)", "lower({0})")            text with the arguments' places
    same("ascii(text) chr(int4) ...")                 DuckDB's function of that name is PostgreSQL's
    @implements("round(numeric, int4)")               a function of (emitter, call, argument fragments)
    @natively("lpad(text, int4, text)")               a function of (call, argument fragments) before a template

Signatures are PostgreSQL's declared ones, as resolution gives them, `, ` between arguments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import import_module

from planner.binding import ir
from planner.binding.emit import Emitter, Implementation
from planner.binding.facts import operators
from planner.binding.fragments import Frag, Item, sql
from planner.binding.numeric_forms import as_text_numeric
from planner.binding.offered import signs

_TABLE: dict[str, Implementation] = {}
_TEXTS: dict[str, str] = {}
"""What templates were made of."""
_HOLE = re.compile(r"\{(\d)\}")
_FAMILIES = (
    "math",
    "comparison",
    "enums",
    "text",
    "datetime",
    "date_texts",
    "json",
    "jsonb_parts",
    "jsonpath",
    "arrays",
    "records",
    "system",
    "catalog",
    "sequences",
    "native",
    "networks",
    "log_places",
    "instants",
    "internals",
    "matrices",
    "ranges",
    "bits",
    "patterns",
    "variadics",
    "extensions",
    "citext",
    "textsearch",
    "hstore",
    "ltree",
    "intarray",
    "vectors",
    "geometry",
    "money",
    "xml",
    "written_out",
)
_loaded = False


def register(signature: str, made: Implementation) -> None:
    assert signature not in _TABLE, f"{signature} has two implementations"
    _TABLE[signature] = made


def template(signature: str, text: str) -> None:
    """Numerics reach a template as text, whatever form they had."""
    cut = _HOLE.split(text)

    def made(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
        items: list[Item] = [as_text_numeric(args[int(c)]) if i % 2 else c for i, c in enumerate(cut)]
        return sql(*items)

    register(signature, made)
    _TEXTS[signature] = text


def templates(table: str) -> None:
    """Lines of `signature => text`."""
    for line in table.strip().splitlines():
        if line.strip():
            signature, _, text = line.partition("=>")
            template(signature.strip(), text.strip())


def same(signatures: str) -> None:
    """Functions that DuckDB has under the same name with the same meaning; one per line or `; `."""
    for signature in re.split(r"[;\n]", signatures):
        signature = signature.strip()
        if not signature:
            continue
        name, _, args = signature[:-1].partition("(")
        count = len(args.split(", ")) if args else 0
        template(signature, name + "(" + ", ".join(f"{{{i}}}" for i in range(count)) + ")")


def implements(*signatures: str) -> Callable[[Implementation], Implementation]:
    def decorate(made: Implementation) -> Implementation:
        for s in signatures:
            register(s, made)
        return made

    return decorate


Natively = Callable[[ir.Call, list[Frag]], Frag | None]


def natively(*signatures: str) -> Callable[[Natively], Natively]:
    """What DuckDB computes itself of certain arguments, instead of a template that is there already; None: the template's turn."""

    def decorate(made: Natively) -> Natively:
        for s in signatures:
            _TABLE[s] = _rather(made, _TABLE[s])
        return made

    return decorate


def _rather(made: Natively, otherwise: Implementation) -> Implementation:
    def either(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        found = made(call, args) if emitter.for_duckdb else None
        return otherwise(emitter, call, args) if found is None else found

    return either


def implementation(signature: str) -> Implementation | None:
    _load()
    if signature.startswith("#"):  # of one of a user's types
        signature = "#" + signature.lstrip("#0123456789")
    return _TABLE.get(signature)


def texts() -> Mapping[str, str]:
    """The texts of those that are templates."""
    _load()
    return _TEXTS


def signatures() -> list[str]:
    """All that is implemented (for the compatibility table and the tests)."""
    _load()
    return sorted(_TABLE)


def _load() -> None:
    global _loaded
    if not _loaded:
        _loaded = True
        for family in _FAMILIES:
            import_module(f"planner.binding.functions.{family}")
        _name_operators()


def _name_operators() -> None:
    """`int4eq(a, b)` is `a = b`: the functions behind operators, by pg_operator."""
    for rows in (*operators().values(), *signs()):
        for o in rows:
            made = _TABLE.get(f"{o.left} {o.name} {o.right}" if o.left else f"{o.name} {o.right}")
            arguments = f"{o.left}, {o.right}" if o.left else o.right
            if made is not None and o.function:
                _TABLE.setdefault(f"{o.function}({arguments})", made)
