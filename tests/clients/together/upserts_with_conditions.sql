-- ON CONFLICT DO UPDATE locks the row that it meets, also where its condition is not true of it as it was.
levels: read committed
setup: CREATE TABLE u (id int PRIMARY KEY, email text UNIQUE, name text UNIQUE, n int DEFAULT 0)
setup: INSERT INTO u VALUES (1, 'a@x', 'a', 0), (2, 'b@x', 'b', 0)
setup: CREATE TABLE s (id int, email text, n int)
setup: INSERT INTO s VALUES (1, 'a@x', 4), (7, 'g@x', 4)
setup: CREATE TABLE bare (code text UNIQUE, n int)
setup: INSERT INTO bare VALUES ('x', 0)
== a condition that becomes true
a: BEGIN
a: UPDATE u SET n = 5 WHERE id = 1
b: INSERT INTO u VALUES (1, 'q', 'q') ON CONFLICT (id) DO UPDATE SET n = u.n + 1 WHERE u.n < 3 RETURNING *
c: INSERT INTO u VALUES (1, 'q', 'q') ON CONFLICT (id) DO UPDATE SET n = u.n + 1 WHERE u.n >= 3 RETURNING *
a: COMMIT
a: SELECT * FROM u ORDER BY id
== a condition that would become true
a: BEGIN
a: UPDATE u SET n = 5 WHERE id = 1
c: INSERT INTO u VALUES (1, 'q', 'q') ON CONFLICT (id) DO UPDATE SET n = u.n + 1 WHERE u.n >= 3
a: ROLLBACK
a: SELECT * FROM u ORDER BY id
== by another key
a: BEGIN
a: UPDATE u SET n = 5 WHERE id = 1
b: BEGIN
b: INSERT INTO u VALUES (8, 'a@x', 'q') ON CONFLICT (email) DO UPDATE SET n = u.n + 1 WHERE u.n < 3
a: COMMIT
c: INSERT INTO u VALUES (9, 'a@x', 'q') ON CONFLICT (email) DO UPDATE SET n = u.n + 1 WHERE u.n >= 3 RETURNING *
b: COMMIT
a: SELECT * FROM u ORDER BY id
== in a block, and it stays locked
a: BEGIN
a: INSERT INTO u VALUES (1, 'q', 'q') ON CONFLICT (id) DO UPDATE SET n = u.n + 1 WHERE u.n > 3
b: UPDATE u SET n = 7 WHERE id = 1
c: SELECT id FROM u WHERE id = 2 FOR UPDATE NOWAIT
a: COMMIT
== of rows of a query
a: BEGIN
a: UPDATE u SET n = 5 WHERE id = 1
b: INSERT INTO u SELECT id, email, 'z' || id, n FROM s ON CONFLICT (id) DO UPDATE SET n = excluded.n + u.n WHERE u.n > excluded.n RETURNING *
a: COMMIT
a: SELECT * FROM u ORDER BY id
== of several rows
a: BEGIN
a: UPDATE u SET n = 5 WHERE id = 1
b: INSERT INTO u VALUES (3, 'c@x', 'c', 3), (1, 'x', 'x', 4), (2, 'y', 'y', 0) ON CONFLICT (id) DO UPDATE SET n = excluded.n + u.n WHERE u.n > excluded.n RETURNING *
a: COMMIT
a: SELECT * FROM u ORDER BY id
== a row that is locked only
a: BEGIN
a: SELECT id FROM u WHERE id = 1 FOR SHARE
b: INSERT INTO u VALUES (1, 'q', 'q') ON CONFLICT (id) DO UPDATE SET n = 3 WHERE u.n > 3
c: INSERT INTO u VALUES (1, 'q', 'q') ON CONFLICT (id) DO NOTHING
a: COMMIT
== a table without a primary key
a: BEGIN
a: UPDATE bare SET n = 5
b: INSERT INTO bare VALUES ('x', 1) ON CONFLICT (code) DO UPDATE SET n = bare.n + 1 WHERE bare.n > 3 RETURNING *
a: COMMIT
a: SELECT * FROM bare
== a condition that asks another table
a: BEGIN
a: UPDATE u SET n = 5 WHERE id = 1
b: INSERT INTO u VALUES (1, 'q', 'q') ON CONFLICT (id) DO UPDATE SET n = u.n + 1 WHERE u.n > (SELECT min(n) FROM s WHERE id = u.id) RETURNING *
a: COMMIT
a: SELECT * FROM u ORDER BY id
== the later version wins
a: BEGIN
a: INSERT INTO u VALUES (1, 'v', 'v', 9) ON CONFLICT (id) DO UPDATE SET n = excluded.n WHERE u.n < excluded.n
b: INSERT INTO u VALUES (1, 'v', 'v', 7) ON CONFLICT (id) DO UPDATE SET n = excluded.n WHERE u.n < excluded.n
c: INSERT INTO u VALUES (1, 'v', 'v', 11) ON CONFLICT (id) DO UPDATE SET n = excluded.n WHERE u.n < excluded.n
a: COMMIT
a: SELECT * FROM u ORDER BY id
