# ruff: noqa: SIM905 (lists of words read better as words)
"""PostgreSQL's keywords and what each may still be used for.

A word is a keyword only by its place in the grammar, so PostgreSQL sorts them into four drawers:

    drawer                  column, table    function, type     bare alias
    unreserved              yes              yes                yes (but a few)
    column name             yes              no                 yes (but a few)
    function or type name   no               yes                yes (but a few)
    reserved                no               no                 a few

The lists are the facts that `pg_get_keywords()` of PostgreSQL 15 tells.
"""

from __future__ import annotations

from typing import Final

UNRESERVED: Final = frozenset(
    """abort absolute access action add admin after aggregate also alter always asensitive assertion
    assignment at atomic attach attribute backward before begin breadth by cache call called cascade
    cascaded catalog chain characteristics checkpoint class close cluster columns comment comments commit
    committed compression configuration conflict connection constraints content continue conversion copy
    cost csv cube current cursor cycle data database day deallocate declare defaults deferred definer
    delete delimiter delimiters depends depth detach dictionary disable discard document domain double
    drop each enable encoding encrypted enum escape event exclude excluding exclusive execute explain
    expression extension external family filter finalize first following force forward function functions
    generated global granted groups handler header hold hour identity if immediate immutable implicit
    import include including increment index indexes inherit inherits inline input insensitive insert
    instead invoker isolation key label language large last leakproof level listen load local location
    lock locked logged mapping match matched materialized maxvalue merge method minute minvalue mode month
    move name names new next nfc nfd nfkc nfkd no normalized nothing notify nowait nulls object of off
    oids old operator option options ordinality others over overriding owned owner parallel parameter
    parser partial partition passing password plans policy preceding prepare prepared preserve prior
    privileges procedural procedure procedures program publication quote range read reassign recheck
    recursive ref referencing refresh reindex relative release rename repeatable replace replica reset
    restart restrict return returns revoke role rollback rollup routine routines rows rule savepoint
    schema schemas scroll search second security sequence sequences serializable server session set sets
    share show simple skip snapshot sql stable standalone start statement statistics stdin stdout storage
    stored strict strip subscription support sysid system tables tablespace temp template temporary text
    ties transaction transform trigger truncate trusted type types uescape unbounded uncommitted
    unencrypted unknown unlisten unlogged until update vacuum valid validate validator value varying
    version view views volatile whitespace within without work wrapper write xml year yes zone""".split()
)

COLUMN_NAME: Final = frozenset(
    """between bigint bit boolean char character coalesce dec decimal exists extract float greatest
    grouping inout int integer interval least national nchar none normalize nullif numeric out overlay
    position precision real row setof smallint substring time timestamp treat trim values varchar
    xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot
    xmlserialize xmltable""".split()
)

TYPE_FUNCTION_NAME: Final = frozenset(
    """authorization binary collation concurrently cross current_schema freeze full ilike inner is isnull
    join left like natural notnull outer overlaps right similar tablesample verbose""".split()
)

RESERVED: Final = frozenset(
    """all analyse analyze and any array as asc asymmetric both case cast check collate column constraint
    create current_catalog current_date current_role current_time current_timestamp current_user default
    deferrable desc distinct do else end except false fetch for foreign from grant group having in
    initially intersect into lateral leading limit localtime localtimestamp not null offset on only or
    order placing primary references returning select session_user some symmetric table then to trailing
    true union unique user using variadic when where window with""".split()
)

KEYWORDS: Final = UNRESERVED | COLUMN_NAME | TYPE_FUNCTION_NAME | RESERVED

NOT_BARE_LABEL: Final = frozenset(
    """array as char character create day except fetch filter for from grant group having hour intersect
    into isnull limit minute month notnull offset on order over overlaps precision returning second to
    union varying where window with within without year""".split()
)
"""Words that are a column's alias only after AS."""

NEEDS_QUOTES: Final = COLUMN_NAME | TYPE_FUNCTION_NAME | RESERVED
"""Words that quote_ident() quotes."""
