-- Who shares a row with those who have it does not wait behind who wants it alone.
levels: read committed
setup: CREATE TABLE parent (id int PRIMARY KEY, v int)
setup: CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent)
setup: CREATE TABLE bare (v int)
setup: INSERT INTO parent VALUES (1, 1), (2, 2)
setup: INSERT INTO bare VALUES (1)
== children come while somebody waits to delete their parent
a: BEGIN
a: INSERT INTO child VALUES (1, 1)
b: DELETE FROM parent WHERE id = 1
c: BEGIN
c: INSERT INTO child VALUES (2, 1)
a: COMMIT
c: INSERT INTO child VALUES (3, 1)
c: ROLLBACK
a: SELECT * FROM child
== readers that lock it
a: BEGIN
a: SELECT * FROM parent WHERE id = 1 FOR SHARE
b: BEGIN
b: SELECT * FROM parent WHERE id = 1 FOR UPDATE
c: BEGIN
c: SELECT * FROM parent WHERE id = 1 FOR SHARE
c: SELECT * FROM parent WHERE id = 1 FOR KEY SHARE NOWAIT
a: COMMIT
c: COMMIT
b: COMMIT
== a change of other columns, beside a child
a: BEGIN
a: INSERT INTO child VALUES (1, 1)
b: BEGIN
b: SELECT * FROM parent WHERE id = 1 FOR UPDATE
c: UPDATE parent SET v = 7 WHERE id = 1
a: COMMIT
b: COMMIT
a: SELECT * FROM parent
== who comes for less than he waits for, by turns
a: BEGIN
a: UPDATE parent SET v = 7 WHERE id = 1
b: BEGIN
b: SELECT id FROM parent WHERE id = 1 FOR SHARE
c: SELECT id FROM parent WHERE id = 1 FOR KEY SHARE
a: COMMIT
c: UPDATE parent SET v = 8 WHERE id = 1
b: COMMIT
== rows without a key
a: BEGIN
a: SELECT * FROM bare FOR SHARE
b: BEGIN
b: SELECT * FROM bare FOR UPDATE
c: BEGIN
c: SELECT * FROM bare FOR SHARE
a: COMMIT
c: COMMIT
b: COMMIT
== of tables it is first come, first served
a: BEGIN
a: LOCK TABLE bare IN ACCESS SHARE MODE
b: BEGIN
b: LOCK TABLE bare
c: BEGIN
c: LOCK TABLE bare IN ACCESS SHARE MODE
a: COMMIT
b: COMMIT
c: COMMIT
