"""Connections with `replication=database`: commands of PostgreSQL's replication protocol beside SQL (manual, 55.4).

commands     their grammar
walsender    what they do; and the stream of changes, with the follower's word on how far it has come
"""
