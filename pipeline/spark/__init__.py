"""Spark beside the server: large reads, large writes, change feeds, big SELECTs.

    java.py        a Java that Spark can run on
    session.py     how every Spark session of ours is built

Needs the extra `tidewire[spark]` (PySpark) and Java 17 or newer. Nothing of Spark is imported before it is used, so the
server and the other jobs start without it.
"""
