"""Logical replication: what was committed, transaction by transaction, for subscribers and tools that follow changes.

slots        how far each follower has come, and the history that is kept for it
eras         a table between two of its definitions: the rows that came, changed and went
decoding     all published tables' changes, merged into transactions in the order of their commits
pgoutput     PostgreSQL's own plugin: the messages that subscriptions and connectors read
test_decoding    the plugin of texts
"""
