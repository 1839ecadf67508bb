"""Triggers at work: which ones a statement fires, when, and what becomes of its rows.

    statement on t                                       who
      BEFORE STATEMENT                                   firing.Statement
      for each row   BEFORE ROW -> generated columns -> constraints -> the block's buffer     rows
      foreign keys   (their actions fire the triggers of other tables)                        executor.session.references.at_work
      AFTER ROW, AFTER STATEMENT                         firing.Level: a queue, emptied when the statement is over
      AFTER ROW of constraint triggers that are deferred                                      firing.Deferred, at COMMIT

A table without triggers has none of this: that is found out when a plan is compiled (`table.fires`), or once a statement.
Statements with row triggers that come before the write go row by row, each row seen by the triggers of the next; others are
written as they always are, and only tell what they have changed.
"""
