"""Spark beside the server: large reads, large writes, change feeds, big SELECTs.

    java.py session.py        a Java that Spark can run on, and how every session of ours is built
    server.py blobs.py        the two places that drivers and tasks talk to
    tables.py filters.py      columns and conditions, as both sides have them
    snapshot.py               reading: several tables at one timestamp, Spark's own scans
    writing.py commits.py     writing: staged files, one transaction, once
    creating.py               tables made from a frame's schema
    source.py streams.py      `format("tidewire")`: the same in Arrow, and streams both ways
    options.py                which options each of its doors takes
    history_hold.py           what a running stream has not read yet stays readable
    selects/                  big SELECTs of any client, answered by Spark

Needs the extra `tidewire[spark]` (PySpark) and Java 17 or newer. Nothing of Spark is imported before it is used, so the
server and the other jobs start without it.
"""
