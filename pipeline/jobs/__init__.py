"""Jobs on the command line.

    files --> sources --> text columns --> COPY --> server          tidewire load      (load.py)
    server, one snapshot --> COPY --> Arrow --> Parquet, CSV        tidewire export    (export.py)
    blob + consensus, no server --> every part read and checked     tidewire verify    (verify.py)
    blob + consensus --> parts rewritten, fewer and larger          tidewire compact   (compact.py)

`load` and `export` are clients: they speak the Postgres protocol, so every constraint, type and limit of
the server holds, and PostgreSQL itself could stand at the other end of a load. `verify` is the opposite: it
believes nothing that a server says and reads the bytes.

Each job is a function that returns a summary (tests and programs call it) and a command around it
(`commands.py`) that prints. Exit codes: 0 done, 1 failed or something is wrong, 2 wrong usage.
"""
