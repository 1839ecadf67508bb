-- An heir that comes keeps nobody waiting who reads or writes its parent, and waits for nobody; what else changes the parent does.
levels: read committed
setup: CREATE TABLE h (id int, n int)
setup: CREATE TABLE hc () INHERITS (h)
setup: CREATE TABLE hd (id int, n int)
setup: INSERT INTO h VALUES (1, 1)
setup: INSERT INTO hc VALUES (2, 2)
== statements that begin
a: BEGIN
a: CREATE TABLE hh () INHERITS (h)
a: INSERT INTO hh VALUES (3, 3)
b: SELECT count(*) FROM h
c: BEGIN
c: SELECT count(*) FROM h
c: INSERT INTO h VALUES (4, 4)
b: UPDATE h SET n = 0 WHERE id = 1
c: COMMIT
a: SELECT count(*) FROM h
a: COMMIT
b: SELECT count(*) FROM h
== blocks that go on
c: BEGIN
c: SELECT count(*) FROM h
c: INSERT INTO h VALUES (4, 4)
a: BEGIN
a: CREATE TABLE hh () INHERITS (h)
a: INSERT INTO hh VALUES (3, 3)
c: SELECT count(*) FROM h
c: UPDATE h SET n = n + 1
a: COMMIT
c: SELECT count(*) FROM h
c: COMMIT
b: SELECT count(*) FROM h
== ALTER TABLE INHERIT
a: BEGIN
a: ALTER TABLE hd INHERIT h
b: BEGIN
b: SELECT count(*) FROM h
b: INSERT INTO h VALUES (5, 5)
a: COMMIT
b: SELECT count(*) FROM h
b: COMMIT
== and a column
a: BEGIN
a: CREATE TABLE hh () INHERITS (h)
a: ALTER TABLE h ADD COLUMN x int
b: INSERT INTO h VALUES (5, 5)
a: COMMIT
b: SELECT count(*) FROM h
== a column, and an heir
a: BEGIN
a: ALTER TABLE h ADD COLUMN x int
a: CREATE TABLE hh () INHERITS (h)
b: INSERT INTO h VALUES (5, 5)
a: COMMIT
b: SELECT count(*) FROM h
== who defines waits
a: BEGIN
a: CREATE TABLE hh () INHERITS (h)
b: BEGIN
b: SELECT count(*) FROM h
c: ALTER TABLE h ADD COLUMN x int
a: COMMIT
b: COMMIT
c: SELECT * FROM h ORDER BY id
