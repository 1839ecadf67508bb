"""Catalog objects as rows of the catalog shard: (oid, kind, payload), the payload versioned JSON.

    Table(16384, ...)  <->  (16384, "table", '{"v":1,"oid":16384,"name":"t","columns":[...]}')

Field names are the dataclasses' own. A reader fills what an older writer did not know with the field's
default, refuses what a newer one wrote (`FormatTooNew`), and drops nothing: an unknown field of the same version
is an error, because writing the object back would lose it.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import types
import typing
from typing import Any, Final

from planner.abc import Table
from planner.catalog import (
    analyses,
    class_objects,
    foreign_objects,
    objects,
    publication_objects,
    routine_objects,
    text_search_objects,
    type_objects,
)
from planner.catalog.objects import CatalogObject
from planner.records import fields_of
from storage.abc import FormatTooNew

PAYLOAD_VERSION: Final = 1

KINDS: Final[dict[str, type[Any]]] = {
    "counter": objects.Counter,
    "database": objects.Database,
    "schema": objects.Schema,
    "table": Table,
    "index": objects.Index,
    "view": objects.View,
    "sequence": objects.Sequence,
    "enum": type_objects.EnumType,
    "domain": type_objects.Domain,
    "composite": type_objects.CompositeType,
    "function": routine_objects.Function,
    "event_trigger": routine_objects.EventTrigger,
    "publication": publication_objects.Publication,
    "subscription": publication_objects.Subscription,
    "cast": routine_objects.Cast,
    "conversion": routine_objects.Conversion,
    "operator": routine_objects.Operator,
    "operator_class": class_objects.OperatorClass,
    "operator_family": class_objects.OperatorFamily,
    "collation": type_objects.Collation,
    "statistics": objects.StatisticsObject,
    "ts_configuration": text_search_objects.TextSearchConfiguration,
    "ts_dictionary": text_search_objects.TextSearchDictionary,
    "wrapper": foreign_objects.ForeignDataWrapper,
    "server": foreign_objects.ForeignServer,
    "user_mapping": foreign_objects.UserMapping,
    "extension": objects.Extension,
    "range": type_objects.RangeType,
    "multirange": type_objects.MultirangeType,
    "role": objects.Role,
    "comment": objects.Comment,
    "grant": objects.Grant,
    "parameter": objects.Parameter,
    "default_grant": objects.DefaultGrant,
    "session_defaults": objects.SessionDefaults,
    "analysis": analyses.Analysis,
}
_KIND_OF: Final = {cls: kind for kind, cls in KINDS.items()}

CatalogRow = tuple[int, str, str]


def encode(thing: CatalogObject) -> CatalogRow:
    """The row of an object."""
    return thing.oid, _KIND_OF[type(thing)], _text({"v": PAYLOAD_VERSION, **fields_of(thing)})


_text: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=fields_of).encode
"""Objects within an object the encoder asks for when it comes to them: nothing is copied."""


def decode(row: CatalogRow) -> CatalogObject:
    """The object of a row. Raises FormatTooNew, and ValueError for what no version ever wrote."""
    oid, kind, payload = row
    fields = json.loads(payload)
    version = fields.pop("v", 0)
    if version > PAYLOAD_VERSION:
        raise FormatTooNew(f"catalog object {oid} has format {version}, this server knows {PAYLOAD_VERSION}")
    cls = KINDS.get(kind)
    if cls is None:
        raise FormatTooNew(f"catalog object {oid} is of unknown kind {kind!r}")
    thing = _build(cls, fields)
    if thing.oid != oid:
        raise ValueError(f"catalog row {oid} holds object {thing.oid}")
    return typing.cast(CatalogObject, thing)


def _build(cls: type[Any], fields: dict[str, Any]) -> Any:
    readers: dict[str, Any] = _readers(cls)  # type: ignore[arg-type]
    unknown = fields.keys() - readers.keys()
    if unknown:
        raise ValueError(f"unknown fields of {cls.__name__}: {sorted(unknown)}")
    return cls(**{name: readers[name](value) for name, value in fields.items()})


@functools.cache
def _readers(cls: type[Any]) -> dict[str, Any]:
    hints = typing.get_type_hints(cls)
    return {f.name: _reader(hints[f.name]) for f in dataclasses.fields(cls)}


def _reader(hint: Any) -> Any:
    """How JSON becomes a field of this type: tuples and nested dataclasses need help, the rest is as it is."""
    origin = typing.get_origin(hint)
    if origin is tuple:
        inner = _reader(typing.get_args(hint)[0])
        return lambda value: tuple(inner(v) for v in value)
    if origin in (types.UnionType, typing.Union):
        inner = _reader(next(a for a in typing.get_args(hint) if a is not type(None)))
        return lambda value: None if value is None else inner(value)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return lambda value: _build(hint, value)
    return lambda value: value
