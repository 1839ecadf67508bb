"""Pipeline: what outgrows one statement, one process, or one machine.

    jobs/     `tidewire load`, `export`, `verify`, `compact`: whole files and whole tables, no Spark needed
    spark/    tables and streams in Spark, and Spark behind SELECTs (`tidewire.spark` is what programs import)

Spark reaches the server through PostgreSQL's own JDBC driver; `docs/pipeline.md` shows how, and how all
partitions of a job read one snapshot (`tidewire.as_of`). Of all this the server imports only
the client of its own Spark process (`spark/selects/engine.py`), which needs no Spark to be there.
"""
