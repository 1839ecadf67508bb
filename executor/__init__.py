"""executor: plan + transaction -> rows.

    executor.py     what all sessions share: catalog, images, compiled plans, assembly
    session/        one client: the two doors, blocks, settings, cursors, COPY, every utility statement
    keyed/          primary-key statements as generated Python functions over row versions in memory
    columnar/       everything else, in DuckDB: threads, streams, cancellation, error codes, pg_catalog
    ddl/            catalog changes and their work on data, in the commit that makes them; sequences
    constraints/    what a row must satisfy, compiled once per table definition
    snapshot/       the local image of the shards that all of them read

A keyed SELECT is a timestamp, a look into an image, and a tuple; a keyed UPDATE is a member of a commit
group that computes its row when it is admitted. `abc.py` says what pgwire sees of all this.
"""
