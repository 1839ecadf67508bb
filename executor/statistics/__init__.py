"""What the server counts of itself, for pg_stat_... to tell.

counts      who counts what: a C counter where statements pass by the hundred thousand, an addition elsewhere
reported    what the views and functions are told of it (`planner.catalog.system.context.Statistics`)
"""
