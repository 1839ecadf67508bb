"""Who stands on whom: pg_depend, and pg_rewrite, through which a view's query is tied to what it reads.

sequence ──auto──> column            index ──internal──> constraint ──auto──> column
                                     of a partition: ──P──> the parent's, ──S──> the partition
default  ──auto──> column            index ──auto──────> column
default  ──normal─> sequence         rule of a view ──normal──> relation, ──internal──> the view
trigger  ──auto──> table             trigger ──normal──> function, columns of UPDATE OF
array    ──internal─> element        multirange ─internal─> range           what is made of a type ──normal──> the type
"""

from __future__ import annotations

from collections.abc import Iterable

from planner import aims
from planner.abc import Constraint, Oid, Table
from planner.catalog.catalog import Catalog
from planner.catalog.class_objects import ClassMember, OperatorClass, OperatorFamily
from planner.catalog.collations import oid_of
from planner.catalog.constants import with_constants
from planner.catalog.foreign_objects import ForeignServer, UserMapping
from planner.catalog.names import split_name
from planner.catalog.objects import FIRST_USER_OID, Index, Sequence, StatisticsObject, UserType, View
from planner.catalog.publication_objects import Publication
from planner.catalog.routine_objects import Cast, EventTrigger, Function, Operator
from planner.catalog.row_types import row_type
from planner.catalog.stored_queries import stored_queries
from planner.catalog.system import homes, policies, publications, rules, text_search
from planner.catalog.system.attributes import attrdef_oid
from planner.catalog.system.classes import composite_class_oid
from planner.catalog.system.constraints import referenced_index
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.definitions import has_default
from planner.catalog.system.extension_classes import classes_in
from planner.catalog.system.extension_functions import functions_in
from planner.catalog.system.index_columns import index_columns
from planner.catalog.system.relations import (
    AMOP_OID,
    AMPROC_OID,
    ATTRDEF_OID,
    CAST_OID,
    CLASS_OID,
    COLLATION_OID,
    CONSTRAINT_OID,
    EVENT_TRIGGER_OID,
    EXTENSION_OID,
    NAMESPACE_OID,
    OPCLASS_OID,
    OPERATOR_OID,
    OPFAMILY_OID,
    POLICY_OID,
    PROC_OID,
    PUBLICATION_NAMESPACE_OID,
    PUBLICATION_OID,
    PUBLICATION_REL_OID,
    REWRITE_OID,
    SERVER_OID,
    STATISTIC_EXT_OID,
    TRIGGER_OID,
    TS_CONFIG_OID,
    TS_DICT_OID,
    TS_TEMPLATE_OID,
    TYPE_OID,
    USER_MAPPING_OID,
    WRAPPER_OID,
)
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.triggers import listed
from planner.catalog.system.written import (
    called_by,
    called_by_domain,
    columns_of_expression,
    columns_of_policy,
    columns_of_query,
    columns_of_rule,
    types_of_constants,
)
from planner.catalog.text_search_objects import TextSearchConfiguration, TextSearchDictionary
from planner.catalog.type_objects import (
    BaseType,
    Collation,
    CompositeType,
    Domain,
    EnumType,
    MultirangeType,
    RangeType,
)
from planner.lexer import Token, tokenize
from planner.types import element_of
from planner.types.of_extensions import EXTENSION_OF

_CLASSES: dict[type[object], Oid] = {
    Function: PROC_OID,
    Operator: OPERATOR_OID,
    Cast: CAST_OID,
    TextSearchConfiguration: TS_CONFIG_OID,
    TextSearchDictionary: TS_DICT_OID,
    Collation: COLLATION_OID,
    EnumType: TYPE_OID,
    Domain: TYPE_OID,
    CompositeType: TYPE_OID,
    RangeType: TYPE_OID,
    MultirangeType: TYPE_OID,
    BaseType: TYPE_OID,
}
_AUTO, _INTERNAL, _NORMAL, _OF_EXTENSION = "a", "i", "n", "e"
_OF_PARENT, _OF_PARTITION = "P", "S"  # what a partition has because its parent has it goes with either


def _named(catalog: Catalog, default: str) -> list[Oid]:
    """The relations that a default names by constants, `nextval('public.s')`: without them pg_dump puts a table before its sequence."""
    found: list[Oid] = []

    def note(name: Token) -> str:
        schema, bare = split_name(name.value)
        if schema and catalog.find_schema(schema) is None:
            return name.value
        relation = catalog.find_relation(bare, schema, ("public",))
        if relation is not None and relation.oid not in found:
            found.append(relation.oid)
        return name.value

    said = default.lower()
    if "nextval" in said or "regclass" in said:
        with_constants(default, note)
    return found


def pg_depend(context: SystemContext) -> Rows:
    """What clients ask it for: owned sequences, constraints' indexes, defaults, views' relations."""
    catalog = context.catalog
    make = RowMaker("pg_depend")
    found: Rows = []

    def edge(class_oid: Oid, oid: Oid, kind: str, on_class: Oid, on: Oid, attnum: int = 0) -> None:
        found.append(
            make(
                classid=class_oid,
                objid=oid,
                refclassid=on_class,
                refobjid=on,
                refobjsubid=attnum,
                deptype=kind,
            )
        )

    def on_query(
        class_oid: Oid, oid: Oid, depends: Iterable[Oid], columns: Iterable[tuple[Oid, int]]
    ) -> None:
        """What a stored query needs: relations by the columns that it names of them, as a whole where there are none."""
        by_column = {relation for relation, _ in columns}
        for relation, attnum in sorted(columns):
            edge(class_oid, oid, _NORMAL, CLASS_OID, relation, attnum)
        for needed in depends:
            if needed not in by_column:
                # What is no object of its own is a key that says what a group's other columns are.
                kind = CONSTRAINT_OID if catalog.get(needed) is None else _needed(catalog, needed)
                edge(class_oid, oid, _NORMAL, kind, needed)

    for s in catalog.objects(Sequence):
        if s.table_oid:
            edge(CLASS_OID, s.oid, _INTERNAL if s.identity else _AUTO, CLASS_OID, s.table_oid, s.attnum)
    for i in catalog.objects(Index):
        if i.constraint_oid:
            edge(CLASS_OID, i.oid, _INTERNAL, CONSTRAINT_OID, i.constraint_oid)
        else:
            for attnum in _of_index(catalog, i):
                edge(CLASS_OID, i.oid, _AUTO, CLASS_OID, i.table_oid, attnum)
        if i.parent:
            edge(CLASS_OID, i.oid, _OF_PARENT, CLASS_OID, i.parent)
            edge(CLASS_OID, i.oid, _OF_PARTITION, CLASS_OID, i.table_oid)
    for t in catalog.objects(Table):
        for c in t.visible:
            if c.default is not None and not c.identity and has_default(c):
                default = attrdef_oid(t, c)
                edge(ATTRDEF_OID, default, _INTERNAL if c.generated else _AUTO, CLASS_OID, t.oid, c.attnum)
                for attnum in _named_by(catalog, t.oid, [c.default]) if c.generated else ():
                    edge(ATTRDEF_OID, default, _NORMAL, CLASS_OID, t.oid, attnum)
                for sequence in [c.sequence_oid] if c.sequence_oid else _named(catalog, c.default):
                    edge(ATTRDEF_OID, default, _NORMAL, CLASS_OID, sequence)
                for kind in {c.declared.oid} | types_of_constants(catalog, t, c.default):
                    if kind >= FIRST_USER_OID:
                        edge(ATTRDEF_OID, default, _NORMAL, TYPE_OID, kind)
        for constraint in aims.listed(catalog, t):
            for kind in (
                types_of_constants(catalog, t, constraint.expression) if constraint.kind == "c" else ()
            ):
                edge(CONSTRAINT_OID, constraint.oid, _NORMAL, TYPE_OID, kind)
            for attnum in (*constraint.columns, *_included(catalog, constraint)):
                edge(CONSTRAINT_OID, constraint.oid, _AUTO, CLASS_OID, t.oid, attnum)
                if constraint.kind == "c":  # once as its columns, once as what its condition asks of
                    edge(CONSTRAINT_OID, constraint.oid, _NORMAL, CLASS_OID, t.oid, attnum)
            if constraint.parent and constraint.kind != "c":
                edge(CONSTRAINT_OID, constraint.oid, _OF_PARENT, CONSTRAINT_OID, constraint.parent)
                edge(CONSTRAINT_OID, constraint.oid, _OF_PARTITION, CLASS_OID, t.oid)
            if constraint.kind == "f":
                for attnum in constraint.foreign_columns:
                    edge(CONSTRAINT_OID, constraint.oid, _NORMAL, CLASS_OID, constraint.foreign_table, attnum)
                if key := referenced_index(catalog, constraint):
                    edge(CONSTRAINT_OID, constraint.oid, _NORMAL, CLASS_OID, key)
    for made in catalog.objects(TextSearchConfiguration):
        for by in dict.fromkeys(d for m in made.mappings for d in m.dictionaries):
            if by >= FIRST_USER_OID:
                edge(TS_CONFIG_OID, made.oid, _NORMAL, TS_DICT_OID, by)
    for own in catalog.objects(TextSearchDictionary):
        if own.extension:
            edge(TS_DICT_OID, own.oid, _OF_EXTENSION, EXTENSION_OID, own.extension)
    for view in catalog.objects(View):
        if view.extension:
            edge(CLASS_OID, view.oid, _OF_EXTENSION, EXTENSION_OID, view.extension)
    for template, extension in text_search.of_extension(context):
        edge(TS_TEMPLATE_OID, template, _OF_EXTENSION, EXTENSION_OID, extension)
    for theirs, extension_of in classes_in(catalog):  # pg_dump leaves out what is an extension's
        edge(OPCLASS_OID, theirs.oid, _OF_EXTENSION, EXTENSION_OID, extension_of.oid)
        edge(OPFAMILY_OID, theirs.family, _OF_EXTENSION, EXTENSION_OID, extension_of.oid)
    for read_or_written, extension_of in functions_in(catalog):
        edge(PROC_OID, read_or_written.oid, _OF_EXTENSION, EXTENSION_OID, extension_of.oid)
    for counted in catalog.objects(StatisticsObject):
        for k in counted.keys:
            on = [k.attnum] if k.attnum else _named_by(catalog, counted.table_oid, [k.expression])
            for attnum in on:
                edge(STATISTIC_EXT_OID, counted.oid, _AUTO, CLASS_OID, counted.table_oid, attnum)
    functions = list(catalog.objects(Function))
    for f in functions:
        for called in f.aggregate.functions if f.aggregate is not None else ():
            if called >= FIRST_USER_OID:
                edge(PROC_OID, f.oid, _NORMAL, PROC_OID, called)
        for needed in () if f.standard else f.depends:
            edge(PROC_OID, f.oid, _NORMAL, _needed(catalog, needed), needed)
        for kind in dict.fromkeys((f.returns, *(p.declared for p in f.parameters))):
            if (element := element_of(kind) or kind) >= FIRST_USER_OID or element in EXTENSION_OF:
                edge(PROC_OID, f.oid, _NORMAL, TYPE_OID, element)
    for server in catalog.objects(ForeignServer):
        edge(SERVER_OID, server.oid, _NORMAL, WRAPPER_OID, server.wrapper)
    for mapping in catalog.objects(UserMapping):
        edge(USER_MAPPING_OID, mapping.oid, _NORMAL, SERVER_OID, mapping.server)
    for of_events in catalog.objects(EventTrigger):
        edge(EVENT_TRIGGER_OID, of_events.oid, _NORMAL, PROC_OID, of_events.function)
    for publication in catalog.objects(Publication):
        for part in publication.tables:
            edge(PUBLICATION_REL_OID, part.oid, _AUTO, PUBLICATION_OID, publication.oid)
            edge(PUBLICATION_REL_OID, part.oid, _AUTO, CLASS_OID, part.table)
            for attnum in publications.columns_used(context, part):
                edge(PUBLICATION_REL_OID, part.oid, _NORMAL, CLASS_OID, part.table, attnum)
        for inside in publication.schemas:
            edge(PUBLICATION_NAMESPACE_OID, inside.oid, _AUTO, PUBLICATION_OID, publication.oid)
            edge(PUBLICATION_NAMESPACE_OID, inside.oid, _AUTO, NAMESPACE_OID, inside.schema)
    for cast in catalog.objects(Cast):
        if cast.function >= FIRST_USER_OID:
            edge(CAST_OID, cast.oid, _NORMAL, PROC_OID, cast.function)
        for kind in (cast.source, cast.target):
            if (element := element_of(kind) or kind) >= FIRST_USER_OID or element in EXTENSION_OF:
                edge(CAST_OID, cast.oid, _NORMAL, TYPE_OID, element)
    for o in catalog.objects(Operator):
        if o.function >= FIRST_USER_OID:
            edge(OPERATOR_OID, o.oid, _NORMAL, PROC_OID, o.function)
        for kind in dict.fromkeys((o.left, o.right, o.result)):
            if (element := element_of(kind) or kind) >= FIRST_USER_OID or element in EXTENSION_OF:
                edge(OPERATOR_OID, o.oid, _NORMAL, TYPE_OID, element)
    for of_class in catalog.objects(OperatorClass):
        if of_class.family >= FIRST_USER_OID:
            edge(OPCLASS_OID, of_class.oid, _AUTO, OPFAMILY_OID, of_class.family)
        for kind in dict.fromkeys((of_class.type_oid, of_class.storage)):
            if (element := element_of(kind) or kind) >= FIRST_USER_OID or element in EXTENSION_OF:
                edge(OPCLASS_OID, of_class.oid, _NORMAL, TYPE_OID, element)
        for one in of_class.members:
            edge(_member_class(one), one.oid, _INTERNAL, OPCLASS_OID, of_class.oid)
            if one.does >= FIRST_USER_OID:
                edge(
                    _member_class(one), one.oid, _NORMAL, PROC_OID if one.function else OPERATOR_OID, one.does
                )
    for family in catalog.objects(OperatorFamily):
        for one in family.members:
            edge(_member_class(one), one.oid, _AUTO, OPFAMILY_OID, family.oid)
            if one.does >= FIRST_USER_OID:
                edge(_member_class(one), one.oid, _AUTO, PROC_OID if one.function else OPERATOR_OID, one.does)
    of_extensions = {theirs.oid for theirs, _ in classes_in(catalog)}
    for i in catalog.objects(Index):
        for indexed in index_columns(catalog, catalog.table(i.table_oid), i) if i.keys else ():
            if indexed.opclass >= FIRST_USER_OID or indexed.opclass in of_extensions:
                edge(CLASS_OID, i.oid, _NORMAL, OPCLASS_OID, indexed.opclass)
            if indexed.collation >= FIRST_USER_OID:
                edge(CLASS_OID, i.oid, _NORMAL, COLLATION_OID, indexed.collation)
    for i in catalog.objects(Index) if functions else ():
        for text in i.texts:
            for called in called_by(catalog, catalog.table(i.table_oid), text):
                edge(CLASS_OID, i.oid, _NORMAL, _needed(catalog, called), called)
    for t in catalog.objects(Table) if functions else ():
        for c in t.visible:
            if c.default is not None and not c.identity:
                for called in called_by(catalog, t, c.default):
                    edge(ATTRDEF_OID, attrdef_oid(t, c), _NORMAL, _needed(catalog, called), called)
        for constraint in t.listed:
            if constraint.kind == "c":
                for called in called_by(catalog, t, constraint.expression):
                    edge(CONSTRAINT_OID, constraint.oid, _NORMAL, _needed(catalog, called), called)
    for holder, x in listed(catalog):
        edge(TRIGGER_OID, x.oid, _AUTO, CLASS_OID, holder.oid)
        if x.function >= FIRST_USER_OID:
            edge(TRIGGER_OID, x.oid, _NORMAL, PROC_OID, x.function)
        for attnum in (*x.columns, *_of_condition(holder, x.condition)):
            edge(TRIGGER_OID, x.oid, _NORMAL, CLASS_OID, holder.oid, attnum)
        if x.parent:
            edge(TRIGGER_OID, x.oid, _OF_PARENT, TRIGGER_OID, x.parent)
            edge(TRIGGER_OID, x.oid, _OF_PARTITION, CLASS_OID, holder.oid)
        if x.foreign_table:
            edge(TRIGGER_OID, x.oid, _AUTO, CLASS_OID, x.foreign_table)
        if x.constraint:
            edge(CONSTRAINT_OID, x.oid, _AUTO, CLASS_OID, holder.oid)
            edge(CONSTRAINT_OID, x.oid, _INTERNAL, TRIGGER_OID, x.oid)
    for holder, policy in policies.listed(catalog):
        edge(POLICY_OID, policy.oid, _AUTO, CLASS_OID, holder.oid)
        read = {
            column
            for text in (policy.using, policy.check)
            if text
            for column in columns_of_policy(catalog, holder, text, policy.search_path, policy.depends)
        }
        on_query(POLICY_OID, policy.oid, policy.depends, read)
    for owner, rule in rules.listed(catalog):
        edge(REWRITE_OID, rule.oid, _AUTO, CLASS_OID, owner.oid)
        on_query(REWRITE_OID, rule.oid, rule.depends, columns_of_rule(catalog, owner, rule))
    for v in stored_queries(catalog):
        if isinstance(v.holder, Function):
            on_query(PROC_OID, v.holder.oid, v.depends, columns_of_query(catalog, v))
            continue
        # The rule is the view's own: who looks for what stands on a relation goes from a rule to its view by this row.
        edge(REWRITE_OID, v.holder.oid, _INTERNAL, CLASS_OID, v.holder.oid)
        edge(REWRITE_OID, v.holder.oid, _NORMAL, CLASS_OID, v.holder.oid)
        on_query(REWRITE_OID, v.holder.oid, v.depends, columns_of_query(catalog, v))
    found += _of_types(context)
    found += homes.edges(context)
    return found


def _of_index(catalog: Catalog, i: Index) -> list[int]:
    """The columns that an index stands on; 0, the table, where none is a key of its own."""
    own = [k.attnum for k in i.keys if k.attnum] + list(i.include)
    expressions = [k.expression for k in i.keys if k.expression]
    named = _named_by(catalog, i.table_oid, expressions)
    named += _named_by(catalog, i.table_oid, [i.predicate] if i.predicate else [])
    return (own or [0]) + named


def _of_key(t: Table) -> list[tuple[int, str]]:
    """What a table is partitioned by: columns, or expressions."""
    if t.partitioning is None:
        return []
    columns = [t.columns[t.index_of(n)] for n in t.partitioning.columns]
    return [(c.attnum, (c.default or "") if c.hidden else "") for c in columns]


def _of_condition(holder: Table | View, text: str) -> list[int]:
    """The columns that a trigger's WHEN names, of the old row or the new one."""
    tokens = tokenize(text) if text else []
    named = {
        c.value
        for row, _, c in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if row.value in ("old", "new")
    }
    return [c.attnum for c in holder.columns if c.name in named and not c.hidden]


def _included(catalog: Catalog, constraint: Constraint) -> tuple[int, ...]:
    index = catalog.get(constraint.index_oid) if constraint.index_oid else None
    return index.include if isinstance(index, Index) else ()


def _named_by(catalog: Catalog, table_oid: Oid, texts: list[str]) -> list[int]:
    """The columns that expressions over a table's rows name."""
    table = catalog.get(table_oid)
    if not isinstance(table, Table):
        return []
    return sorted({attnum for text in texts for _, attnum in columns_of_expression(catalog, table, text)})


def _member_class(one: ClassMember) -> Oid:
    return AMPROC_OID if one.function else AMOP_OID


def _needed(catalog: Catalog, oid: Oid) -> Oid:
    """Of which kind something is that a definition needs."""
    thing = catalog.get(oid)
    return _CLASSES.get(type(thing), CLASS_OID)


def _of_types(context: SystemContext) -> Rows:
    """Users' types: what is made of one comes after it, in a dump above all."""
    catalog = context.catalog
    make = RowMaker("pg_depend")
    found: Rows = []

    def edge(
        oid: Oid, kind: str, on: Oid, class_oid: Oid = TYPE_OID, sub: int = 0, on_class: Oid = TYPE_OID
    ) -> None:
        if on >= FIRST_USER_OID or on in EXTENSION_OF:
            found.append(
                make(
                    classid=class_oid, objid=oid, objsubid=sub, refclassid=on_class, refobjid=on, deptype=kind
                )
            )

    users: list[UserType] = [
        *catalog.objects(EnumType),
        *catalog.objects(Domain),
        *catalog.objects(CompositeType),
        *catalog.objects(RangeType),
        *catalog.objects(MultirangeType),
        *catalog.base_types(),
    ]
    for made in users:
        edge(made.array_oid, _INTERNAL, made.oid)
        if isinstance(made, BaseType):
            edge(made.oid, _OF_EXTENSION, made.extension, on_class=EXTENSION_OID)
        elif isinstance(made, Domain):
            edge(made.oid, _NORMAL, made.base.oid)
            for check in made.constraints:
                edge(check.oid, _AUTO, made.oid, CONSTRAINT_OID)
                for called in called_by_domain(catalog, made, check.expression):
                    edge(check.oid, _NORMAL, called, CONSTRAINT_OID, on_class=_needed(catalog, called))
        elif isinstance(made, RangeType):
            edge(made.oid, _NORMAL, made.subtype.oid)
        elif isinstance(made, MultirangeType):
            edge(made.oid, _INTERNAL, made.range_oid)
        elif isinstance(made, CompositeType):
            rows = composite_class_oid(made)
            edge(rows, _INTERNAL, made.oid, CLASS_OID)
            for c in made.columns:
                edge(rows, _NORMAL, c.declared.oid, CLASS_OID, c.attnum)
    with_rows: list[Table | View] = [*catalog.objects(Table), *catalog.objects(View)]
    for relation in with_rows:
        of_rows = row_type(relation)
        edge(of_rows.oid, _INTERNAL, relation.oid, on_class=CLASS_OID)
        edge(of_rows.array_oid, _INTERNAL, of_rows.oid)
        for c in of_rows.columns:
            edge(relation.oid, _NORMAL, c.declared.oid, CLASS_OID, c.attnum)
            if c.collation and (collated := oid_of(c.collation)) >= FIRST_USER_OID:
                edge(relation.oid, _NORMAL, collated, CLASS_OID, c.attnum, COLLATION_OID)
    for t in catalog.objects(Table):
        if t.partition is not None:
            edge(t.oid, _AUTO, t.partition.parent, CLASS_OID, 0, CLASS_OID)
        for parent in filter(None, t.parents):
            edge(t.oid, _NORMAL, parent, CLASS_OID, 0, CLASS_OID)
        if t.foreign is not None:
            found.append(
                make(
                    classid=CLASS_OID,
                    objid=t.oid,
                    refclassid=SERVER_OID,
                    refobjid=t.foreign.server,
                    deptype=_NORMAL,
                )
            )
        if t.of_type:
            edge(t.oid, _NORMAL, t.of_type, CLASS_OID)
        for attnum, text in _of_key(t):
            if not text:
                edge(t.oid, _INTERNAL, t.oid, CLASS_OID, attnum, CLASS_OID)
                continue
            for named in _named_by(catalog, t.oid, [text]):
                edge(t.oid, _INTERNAL, t.oid, CLASS_OID, named, CLASS_OID)
            for called in called_by(catalog, t, text):
                edge(t.oid, _NORMAL, called, CLASS_OID, on_class=_needed(catalog, called))
    return found
