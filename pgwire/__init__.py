"""pgwire: bytes <-> statements. The protocol of PostgreSQL, versions 3.0 and 3.2.

    connection.py      a socket: start-up, TLS, authentication, flow control       (asyncio)
        |
    session.py         a conversation: the loop over messages, and its states
        |-- simple.py      Query
        |-- extended.py    Parse Bind Describe Execute Close Flush Sync
        |-- copying.py     COPY FROM STDIN
        |-- results.py     rows and streams on their way out; portals that stop between rows
        |
    messages.py        what clients say         (pure: bytes -> values)
    replies.py         what servers say         (pure: values -> bytes)
    shapes.py          what a plan looks like on the wire, made once per plan
    encoding/          values as bytes: rows, columns, parameters, COPY formats
    errors.py          exceptions -> SQLSTATEs: the one table
    authentication.py, scram.py    who may come in
    server.py          listening, places, cancel keys, drain

**Jargon.** A *message* is a typed frame of the protocol. A *statement* is prepared text (Parse), a
*portal* a statement with its parameters and its position in the result (Bind). The *fast door* of a
session answers within the turn of the event loop, the *wide door* from a task. *Backpressure* holds
back whoever is ahead: a client that sends, or a result that nobody reads.

**Invariants.** One statement at a time per connection. Every message that asks for an answer gets one, in
order. All answers to one read leave in one write. Nothing that a client sends can end more than its own
connection, and no client's slowness takes more memory than the limits in `server.WireLimits` allow.

Not here: what statements mean. This room sees a `Session` (executor.abc) and nothing behind it, but for
the parser, which it asks whether a string of several statements is one before it runs the first.
"""
