"""Functions in SQL as tools ask for them: rows of pg_proc, signatures, definitions.

    pg_get_functiondef(f)      CREATE OR REPLACE FUNCTION public.f(a integer) RETURNS integer LANGUAGE sql ...
    pg_get_function_arguments  a integer DEFAULT 1, OUT b text
"""

from __future__ import annotations

from planner.abc import TypeRef
from planner.catalog.catalog import Catalog
from planner.catalog.objects import Function
from planner.catalog.system.definitions import type_name


def signature_shown(catalog: Catalog, f: Function, separator: str = ",") -> str:
    """The types that a function is called with, as messages and regprocedure name it."""
    return separator.join(type_name(catalog, TypeRef(p.type.oid)) for p in f.inputs)
