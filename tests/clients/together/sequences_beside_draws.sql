-- Who alters a sequence waits for those who have drawn from it, and who draws waits for him: no number comes twice.
setup: CREATE SEQUENCE s
setup: CREATE TABLE t (id serial PRIMARY KEY, n int)
== it goes on behind what was drawn
a: BEGIN
a: ALTER SEQUENCE s INCREMENT 2
b: SELECT nextval('s')
a: COMMIT
b: SELECT nextval('s')
== nothing comes of it
a: BEGIN
a: ALTER SEQUENCE s RESTART 100
a: SELECT nextval('s')
b: SELECT nextval('s')
a: ROLLBACK
b: SELECT nextval('s')
== its own block goes on
a: BEGIN
a: ALTER SEQUENCE s RESTART 100
a: SELECT nextval('s')
b: SELECT nextval('s') FROM generate_series(1, 2)
a: SELECT nextval('s')
a: COMMIT
b: SELECT nextval('s')
== a serial
a: BEGIN
a: ALTER SEQUENCE t_id_seq INCREMENT 10
b: INSERT INTO t (n) VALUES (1) RETURNING id
a: COMMIT
b: INSERT INTO t (n) VALUES (1) RETURNING id
== a serial, in the middle of a query
a: BEGIN
a: ALTER SEQUENCE t_id_seq INCREMENT 10
b: INSERT INTO t (n) SELECT 2 FROM generate_series(1, 2) RETURNING id
a: COMMIT
== who has drawn
a: BEGIN
a: SELECT nextval('s')
b: ALTER SEQUENCE s INCREMENT 2
a: SELECT nextval('s')
c: SELECT nextval('s')
a: COMMIT
b: SELECT nextval('s')
== who has drawn by an INSERT
a: BEGIN
a: INSERT INTO t (n) VALUES (1) RETURNING id
b: ALTER SEQUENCE t_id_seq MAXVALUE 1000
a: INSERT INTO t (n) VALUES (2) RETURNING id
a: ROLLBACK
b: INSERT INTO t (n) VALUES (3) RETURNING id
== who has set it
a: BEGIN
a: SELECT setval('s', 7)
b: ALTER SEQUENCE s INCREMENT 2
a: COMMIT
b: SELECT nextval('s')
== who sets it
a: BEGIN
a: ALTER SEQUENCE s INCREMENT 2
b: SELECT setval('s', 7)
a: COMMIT
b: SELECT nextval('s')
== it goes
a: BEGIN
a: SELECT nextval('s')
b: DROP SEQUENCE s
a: COMMIT
b: SELECT to_regclass('s')
== it is gone
a: BEGIN
a: DROP SEQUENCE s
b: BEGIN
b: SELECT 1
a: COMMIT
b: SELECT nextval('s')
== another name
a: BEGIN
a: SELECT nextval('s')
b: ALTER SEQUENCE s RENAME TO r
a: COMMIT
b: SELECT nextval('r')
== another owner is another definition, too
a: BEGIN
a: ALTER SEQUENCE s MAXVALUE 50
b: ALTER SEQUENCE s INCREMENT 3
a: COMMIT
b: SELECT nextval('s'), nextval('s')
== not for ever
a: BEGIN
a: ALTER SEQUENCE s INCREMENT 2
b: SET lock_timeout = '50ms'
b!: SELECT nextval('s')
b!: SELECT nextval('s') FROM generate_series(1, 3) WHERE random() >= 0
b: SET lock_timeout = 0
b: SET statement_timeout = '50ms'
b!: SELECT nextval('s')
b!: SELECT nextval('s') FROM generate_series(1, 3) WHERE random() >= 0
a: COMMIT
== a circle
b: SET deadlock_timeout = '1min'
a: BEGIN
a: ALTER SEQUENCE s INCREMENT 2
b: BEGIN
b: INSERT INTO t VALUES (1, 1)
b: SELECT nextval('s')
a!: INSERT INTO t VALUES (1, 2)
a: ROLLBACK
b: COMMIT
== a circle in the middle of a query
b: SET deadlock_timeout = '1min'
a: BEGIN
a: ALTER SEQUENCE s INCREMENT 2
b: BEGIN
b: INSERT INTO t VALUES (1, 1)
b: SELECT nextval('s') FROM generate_series(1, 3) WHERE random() >= 0
a!: INSERT INTO t VALUES (1, 2)
a: ROLLBACK
b: COMMIT
== the circle is closed in the middle of a query
a: SET deadlock_timeout = '1min'
a: BEGIN
a: ALTER SEQUENCE s INCREMENT 2
b: BEGIN
b: INSERT INTO t VALUES (1, 1)
a: INSERT INTO t VALUES (1, 2)
b!: SELECT nextval('s') FROM generate_series(1, 3) WHERE random() >= 0
b: ROLLBACK
a: COMMIT
== a block that has defined something of its own draws with everybody
a: BEGIN
a: CREATE TABLE u (id int)
b: ALTER SEQUENCE s INCREMENT 5
b: SELECT nextval('s')
a: SELECT nextval('s')
b: SELECT nextval('s')
a: COMMIT
