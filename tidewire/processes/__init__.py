"""Several server processes behind one port, for machines with more cores than one Python uses.

    tidewire serve --processes 3
      │
      supervisor          holds the data directory and the port (bound, never listening)
      ├── process 0       data_dir/processes/0     listens on the port with SO_REUSEPORT
      ├── process 1       data_dir/processes/1     ...
      └── process 2       each is a server of one shared environment (`txn/shared`): one log, one blob store

The kernel deals new connections out among the processes. What they share is what any servers of one environment share:
the log. So reads scale and commits do not, and row locks are each process's own (docs/operations.md).

* **One life.** A process that dies is said and started again; when too many die in a minute the server ends. When the
  supervisor is gone, the processes notice (their standard input ends) and go as well.
* **One name space of backends.** Process `i` of `n` numbers its sessions i + 1, i + 1 + n, ...: a backend's number says whose it is.
  A cancel request arrives wherever the kernel sends it, and goes on to that process in one datagram (`relay`).

The parent is in `supervisor`, what a child does more than any server in `seat`.
"""
