-- ROLLBACK TO lets go of the transaction's advisory locks that came since, and of none that were there before or are the session's.
== of the transaction
a: BEGIN
a: SAVEPOINT s
a: SELECT pg_advisory_xact_lock(1), pg_advisory_lock(2), pg_advisory_xact_lock_shared(3)
a: ROLLBACK TO s
b: SELECT pg_try_advisory_lock(1), pg_try_advisory_lock(2), pg_try_advisory_lock(3)
a: COMMIT
a: SELECT pg_advisory_unlock(2), pg_advisory_unlock(1)
b: SELECT pg_advisory_unlock_all()
== locked before, and again
a: BEGIN
a: SELECT pg_advisory_xact_lock(1)
a: SAVEPOINT s
a: SELECT pg_advisory_xact_lock(1), pg_advisory_xact_lock(4)
a: ROLLBACK TO s
b: SELECT pg_try_advisory_xact_lock(1), pg_try_advisory_xact_lock(4)
a: RELEASE s
a: COMMIT
b: SELECT pg_try_advisory_xact_lock(1)
== shared, and alone since
a: BEGIN
a: SELECT pg_advisory_xact_lock_shared(1)
a: SAVEPOINT s
a: SELECT pg_advisory_xact_lock(1)
b: BEGIN
b: SELECT pg_advisory_xact_lock_shared(1)
a: ROLLBACK TO s
b: SELECT pg_try_advisory_xact_lock(1)
a: COMMIT
b: COMMIT
== a savepoint that is released keeps them
a: BEGIN
a: SAVEPOINT s
a: SELECT pg_advisory_xact_lock(1)
a: RELEASE s
b: SELECT pg_try_advisory_xact_lock(1)
a: COMMIT
== a savepoint around
a: BEGIN
a: SAVEPOINT s
a: SELECT pg_advisory_xact_lock(1)
a: SAVEPOINT t
a: SELECT pg_advisory_xact_lock(2)
a: ROLLBACK TO t
b: SELECT pg_try_advisory_xact_lock(1), pg_try_advisory_xact_lock(2)
a: ROLLBACK TO s
b: SELECT pg_try_advisory_xact_lock(1), pg_try_advisory_xact_lock(2)
a: COMMIT
== who waits goes on
a: BEGIN
a: SAVEPOINT s
a: SELECT pg_advisory_xact_lock(1)
b: SELECT pg_advisory_xact_lock(1)
a: ROLLBACK TO s
a: COMMIT
== a block of a body that has failed
w: CREATE FUNCTION tried() RETURNS void LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(1); PERFORM 1 / 0; EXCEPTION WHEN division_by_zero THEN NULL; END'
a: BEGIN
a: SELECT tried()
b: SELECT pg_try_advisory_xact_lock(1)
a: COMMIT
