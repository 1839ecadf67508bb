levels: read committed
-- Rows that refer to others while those come and go.
setup: CREATE TABLE parents (id int PRIMARY KEY, u int UNIQUE, v text)
setup: CREATE TABLE children (id int PRIMARY KEY, parent int REFERENCES parents, u int REFERENCES parents (u) ON DELETE CASCADE)
setup: INSERT INTO parents VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c')
== a child of a parent that is being deleted
a: BEGIN
a: DELETE FROM parents WHERE id = 1
b: INSERT INTO children VALUES (1, 1, NULL)
a: COMMIT
b: SELECT * FROM children
== a child of a parent that is being deleted, and stays
a: BEGIN
a: DELETE FROM parents WHERE id = 1
b: BEGIN
b: INSERT INTO children VALUES (1, 1, NULL)
a: ROLLBACK
b: COMMIT
== children that a query makes, of a parent that is being deleted
a: BEGIN
a: DELETE FROM parents WHERE id = 1
b: INSERT INTO children SELECT g, g, NULL FROM generate_series(1, 3) g
a: COMMIT
== a child by another key of its parent
a: BEGIN
a: DELETE FROM parents WHERE id = 1
b: INSERT INTO children VALUES (1, NULL, 10)
a: COMMIT
== a parent of a child that is being brought
a: BEGIN
a: INSERT INTO children VALUES (1, 1, NULL)
b: DELETE FROM parents WHERE id = 1
a: COMMIT
b: SELECT id FROM parents ORDER BY 1
== a parent of a child that is being brought, and is not
a: BEGIN
a: INSERT INTO children VALUES (1, 1, NULL)
b: BEGIN
b: DELETE FROM parents WHERE id = 1
a: ROLLBACK
b: COMMIT
b: SELECT id FROM parents ORDER BY 1
== a parent by another key, of a child that is being brought
a: BEGIN
a: INSERT INTO children VALUES (1, NULL, 10)
b: DELETE FROM parents WHERE id = 1
a: COMMIT
b: SELECT * FROM children
== a parent that a query finds, of a child that is being brought
a: BEGIN
a: INSERT INTO children VALUES (1, 1, NULL)
b: DELETE FROM parents WHERE v = 'a'
a: COMMIT
b: SELECT id FROM parents ORDER BY 1
== a parent that is being brought is not there
a: BEGIN
a: INSERT INTO parents VALUES (4, 40, 'd')
b: INSERT INTO children VALUES (1, 4, NULL)
a: COMMIT
b: INSERT INTO children VALUES (1, 4, NULL)
== what is not a key of a parent may change meanwhile
a: BEGIN
a: UPDATE parents SET v = 'changed' WHERE id = 1
b: INSERT INTO children VALUES (1, 1, NULL)
b: BEGIN
b: INSERT INTO children VALUES (2, 1, NULL)
a: UPDATE parents SET v = 'again' WHERE id = 1
a: COMMIT
c: UPDATE parents SET v = 'once more' WHERE id = 1
b: COMMIT
== a key of a parent may not
a: BEGIN
a: UPDATE parents SET id = 7 WHERE id = 1
b: INSERT INTO children VALUES (1, 1, NULL)
a: COMMIT
== two children of one parent do not wait for each other
a: BEGIN
b: BEGIN
a: INSERT INTO children VALUES (1, 1, NULL)
b: INSERT INTO children VALUES (2, 1, NULL)
c: SELECT id FROM parents WHERE id = 1 FOR NO KEY UPDATE NOWAIT
c: SELECT id FROM parents WHERE id = 1 FOR UPDATE NOWAIT
a: COMMIT
b: COMMIT
== a child that moves to a parent that is being deleted
a: INSERT INTO children VALUES (1, 1, NULL)
a: BEGIN
a: DELETE FROM parents WHERE id = 2
b: UPDATE children SET parent = 2 WHERE id = 1
a: COMMIT
b: SELECT * FROM children
== each waits for the other
a: BEGIN
b: BEGIN
a: SET deadlock_timeout = '1min'
a: INSERT INTO children VALUES (1, 1, NULL)
b: INSERT INTO children VALUES (2, 2, NULL)
a: DELETE FROM parents WHERE id = 2
b!: DELETE FROM parents WHERE id = 1
b: ROLLBACK
a: COMMIT
== a child goes with its parent
c: INSERT INTO children VALUES (1, NULL, 10)
a: BEGIN
a: DELETE FROM parents WHERE id = 1
b: DELETE FROM children WHERE id = 1
c: INSERT INTO children VALUES (1, 2, NULL)
a: COMMIT
c: SELECT * FROM children
== a child that is being changed would go with its parent
c: INSERT INTO children VALUES (1, NULL, 10), (2, NULL, 20)
a: BEGIN
a: UPDATE children SET u = 30 WHERE id = 1
b: DELETE FROM parents WHERE id = 1
a: COMMIT
c: SELECT * FROM children ORDER BY 1
c: SELECT id FROM parents ORDER BY 1
== a child that is being deleted would go with its parent
c: INSERT INTO children VALUES (1, NULL, 10), (2, NULL, 20)
a: BEGIN
a: DELETE FROM children WHERE id = 1
b: DELETE FROM parents WHERE u + 0 = 10
a: ROLLBACK
c: SELECT * FROM children ORDER BY 1
== a child of a parent whose other columns two others change, one after the other
a: BEGIN
a: UPDATE parents SET v = 'x' WHERE id = 1
b: BEGIN
b: UPDATE parents SET v = 'y' WHERE id = 1
c: BEGIN
c: INSERT INTO children VALUES (1, 1, NULL)
a: INSERT INTO children VALUES (2, 1, NULL)
a: COMMIT
c: UPDATE children SET id = 3 WHERE id = 1
b: COMMIT
c: COMMIT
c: SELECT id, parent FROM children ORDER BY 1
