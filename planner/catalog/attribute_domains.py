"""What a composite type's values have to obey, because attributes of it are of domains that demand something.

    CREATE TYPE line AS (price posint, note text)        posint: CHECK (VALUE > 0)

    line   ->   CAST(VALUE AS text) IS NULL OR (((VALUE).price > 0))        of the value, whole

A value is asked when it is made (`planner.binding.coerce`, what fills up rows from JSON) and when a table takes it, by
COPY or a driver (`planner.catalog.domains`). So a condition is said of the whole value, as a domain over the type would say
it, and fails in the words of the attribute's domain. NULL has no attributes, so nothing is asked of it.
"""

from __future__ import annotations

from planner.abc import DomainUse
from planner.catalog.names import quote_identifier
from planner.catalog.type_objects import CompositeType
from planner.lexer import WORD, tokenize
from planner.types import AttributeCondition, composite_conditions

VALUE = "value"


def said_of(expression: str, thing: str) -> str:
    """A condition over VALUE, said of something else. Pure."""
    out, last = [], 0
    for token in tokenize(expression):
        if token.kind == WORD and token.value == VALUE:
            out.append(expression[last : token.start] + thing)
            last = token.start + len(VALUE)
    return "".join(out) + expression[last:]


def demands(use: DomainUse | None) -> bool:
    return use is not None and bool(use.checks or use.not_null)


def conditions_of(made: CompositeType) -> tuple[AttributeCondition, ...]:
    """What the type asks of its values: that of its attributes' domains, and of types with such attributes within."""
    found: list[AttributeCondition] = []
    for column in made.columns:
        here = f"({VALUE}).{quote_identifier(column.name)}"
        for inner in composite_conditions(column.type.oid):
            found.append(inner._replace(expression=_of_whole(said_of(inner.expression, here))))
        use = column.domain
        if use is None or use.over_elements:
            continue
        if use.not_null:
            text = _of_whole(f"CAST({here} AS text) IS NOT NULL")
            found.append(AttributeCondition(use.oid, use.name, "", text))
        for name, text in use.checks:
            found.append(AttributeCondition(use.oid, use.name, name, _of_whole(said_of(text, here))))
    return tuple(found)


def _of_whole(test: str) -> str:
    return f"CAST({VALUE} AS text) IS NULL OR ({test})"


__all__ = ["VALUE", "conditions_of", "demands", "said_of"]
