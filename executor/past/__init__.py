"""The past across DDL: the catalog of a time gone by, and the rows of tables that have been defined anew since.

    versions.py   the catalog's shard is a multiset over time like any table's: every row, from when, until when
    catalogs.py   rows at a timestamp -> the catalog as it was; a few are kept
    tables.py     a table of that catalog -> an image of its rows: today's, or one made of its parts

Nothing is recorded for this. A dropped table's shard, like that of one which was truncated or rewritten, is forgotten by
the log at once and buried when retention has passed; until then its parts are where they were.
"""
