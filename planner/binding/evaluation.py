"""The order of evaluation: what a statement computes is computed as often, and in that order, as PostgreSQL does it.

DuckDB promises neither. Its texts are made of templates and macros that name an argument several times, it computes all sides of a
condition, and leaves out what nobody reads. That is free for columns. It is seen where a value is another one each time (`random()`),
where it is long, where it does something (`nextval('s')`, a routine that writes) and where it may raise. Each of these keeps the rule in one place:

    once              one value that an expression names in several places: BETWEEN, NULLIF, a macro's argument
    in_turn           the sides of AND and OR: from left to right, and no further than it takes
    drawn_arguments   an aggregate's arguments: drawn below the grouping, once for each row
    below_windows       what windows are over: computed one storey below them
    effects           columns that nobody reads and that do something: they are read

All of them name a value in one way, for which DuckDB has no word: the parameter of a lambda over a list of one (`let`).

    let x = nextval('s') in x + x        list_transform([nextval('s')], lambda x: x + x)[1]

No query may stand in a lambda (`has_query`), nor what is computed before its row is there (`shapes.BEFORE`).
"""

from __future__ import annotations

from planner.binding.fragments import Frag, Item, sql


def let(name: str, value: Item, body: Frag) -> Frag:
    """The body, in which `name` is the value, computed once."""
    return sql("list_transform([", value, f"], lambda {name}: ", body, ")[1]", form=body.form)


def has_query(body: Frag) -> bool:
    """Whether a query is in a text: it can be no body of `let`."""
    return any(isinstance(p, str) and "SELECT " in p for p in body.parts)


__all__ = ["has_query", "let"]
