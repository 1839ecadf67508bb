"""The types: what PostgreSQL's types are called, how values are read, shown, stored and passed on.

    oids        constants: INT4, TEXT, ...            facts      pg_type's rows of every built-in type
    base        what a type must be able to do        registry   TypeRef -> behaviour; the functions below
    settings    DateStyle, TimeZone and their kin
    arrow_columns   datums <-> Arrow columns          sameness   one datum for all that are equal, for keys
    booleans integers floats numeric texts bytea uuids jsons arrays
    declared (enums composites user_ranges)
    datetimes (datetime_fields, datetime_decoder, calendar_days, timezones) intervals (interval_input)

A value is a datum (`storage.abc`) everywhere. On hot paths ask once for a closure and call it:

    >>> show = text_output(TypeRef(INT4))
    >>> show(42)
    '42'
"""

from planner.abc import TypeRef as TypeRef
from planner.types.arrow_columns import from_datums as from_datums
from planner.types.arrow_columns import to_datums as to_datums
from planner.types.base import Coercion as Coercion
from planner.types.base import SqlType as SqlType
from planner.types.base import TextInput as TextInput
from planner.types.base import TextOutput as TextOutput
from planner.types.composites import AttributeCondition as AttributeCondition
from planner.types.composites import composite_conditions as composite_conditions
from planner.types.composites import composite_declared as composite_declared
from planner.types.composites import composite_fields as composite_fields
from planner.types.composites import join_record as join_record
from planner.types.composites import register_composite as register_composite
from planner.types.composites import split_record as split_record
from planner.types.declared import DOMAIN_ARRAYS as DOMAIN_ARRAYS
from planner.types.declared import base_of as base_of
from planner.types.declared import register_domain as register_domain
from planner.types.enums import UNSAFE_HINT as UNSAFE_HINT
from planner.types.enums import enum_order as enum_order
from planner.types.enums import labels_of as labels_of
from planner.types.enums import refuse_unsafe as refuse_unsafe
from planner.types.enums import register_enum as register_enum
from planner.types.enums import unsafe_labels as unsafe_labels
from planner.types.facts import ARRAY_OF as ARRAY_OF
from planner.types.facts import BUILTIN_TYPES as BUILTIN_TYPES
from planner.types.facts import BY_NAME as BY_NAME
from planner.types.facts import BY_OID as BY_OID
from planner.types.facts import ELEMENT_OF as ELEMENT_OF
from planner.types.facts import BuiltinType as BuiltinType
from planner.types.oids import *  # noqa: F403
from planner.types.registry import CLOCK_OIDS as CLOCK_OIDS
from planner.types.registry import TYPES as TYPES
from planner.types.registry import array_datum as array_datum
from planner.types.registry import array_items as array_items
from planner.types.registry import array_of as array_of
from planner.types.registry import array_slices as array_slices
from planner.types.registry import arrow_type as arrow_type
from planner.types.registry import bare_type as bare_type
from planner.types.registry import called as called
from planner.types.registry import check_storable as check_storable
from planner.types.registry import coercion as coercion
from planner.types.registry import duckdb_type as duckdb_type
from planner.types.registry import element_of as element_of
from planner.types.registry import format_type as format_type
from planner.types.registry import input_text as input_text
from planner.types.registry import is_known as is_known
from planner.types.registry import is_volatile_input as is_volatile_input
from planner.types.registry import list_type as list_type
from planner.types.registry import literal_sql as literal_sql
from planner.types.registry import modifier as modifier
from planner.types.registry import output_text as output_text
from planner.types.registry import resolve_name as resolve_name
from planner.types.registry import select_sql as select_sql
from planner.types.registry import sql_type as sql_type
from planner.types.registry import store_sql as store_sql
from planner.types.registry import text_input as text_input
from planner.types.registry import text_output as text_output
from planner.types.registry import to_canonical as to_canonical
from planner.types.registry import type_in_words as type_in_words
from planner.types.sameness import NAN_IN_KEY as NAN_IN_KEY
from planner.types.sameness import alike as alike
from planner.types.sameness import alike_column as alike_column
from planner.types.sameness import refuse_nan as refuse_nan
from planner.types.settings import DEFAULT_SETTINGS as DEFAULT_SETTINGS
from planner.types.settings import TypeSettings as TypeSettings
