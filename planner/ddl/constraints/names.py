"""Which names are free for what nobody named.

    CHECK, FOREIGN KEY, a domain's CHECK      no constraint of the schema has it, whichever table or domain that is of
    PRIMARY KEY, UNIQUE, EXCLUDE              nor any relation, for their index is one

So a table that takes the place of one that was renamed (`t` to `t_old`, and a new `t`) has constraints of other names. A name that somebody gives
has to be free on its own table only.
"""

from __future__ import annotations

from collections.abc import Callable

from planner.abc import Table
from planner.ddl.scope import Scope


def is_taken_for_index(scope: Scope, table: Table) -> Callable[[str], bool]:
    """Whether an index's name is taken in the table's schema."""
    schema = scope.catalog.schema_of(table.schema_oid)
    own = table.constraint_names
    return lambda name: name in own or scope.is_taken(schema, name)


def is_taken_for_key(scope: Scope, table: Table) -> Callable[[str], bool]:
    """Whether the name of a constraint that has an index is taken in the table's schema."""
    of_index, of_constraint = is_taken_for_index(scope, table), is_taken_for_condition(scope, table)
    return lambda name: of_index(name) or of_constraint(name)


def is_taken_for_condition(scope: Scope, table: Table) -> Callable[[str], bool]:
    """Whether a constraint of the table's schema has the name; the table may have come to more than its catalog knows."""
    own, catalog = table.constraint_names, scope.catalog
    return lambda name: name in own or catalog.has_constraint(table.schema_oid, name)
