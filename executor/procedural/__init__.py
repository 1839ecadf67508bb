"""PL/pgSQL at work: routines, DO and triggers are programs that are walked step by step on the event loop.

    routine's text -> planner.parse.plpgsql -> program -> Walk (frames of values, statements by the session's own planner)

A program never holds the loop: what a statement waits for, it waits for, and a loop without statements yields now and then.
"""
