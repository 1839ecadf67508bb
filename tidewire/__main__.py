"""`python -m tidewire` is the `tidewire` command."""

from tidewire.cli import main

main()
