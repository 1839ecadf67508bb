-- The function of an index element may be quoted, and its schema, too.
CREATE SCHEMA s;
CREATE FUNCTION s."F f"(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 + 1';
CREATE FUNCTION "G g"(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 + 1';
CREATE TABLE t (a int, "B b" text);
CREATE INDEX ON t ("G g"(a));
CREATE INDEX ON t (s."F f"(a) DESC, s."F f"(a + 1));
CREATE INDEX ON t ("abs"(a));
CREATE INDEX ON t (pg_catalog."abs"(a) int4_ops);
CREATE INDEX ON t ("lower"("B b"));
CREATE STATISTICS st ON a, "lower"("B b") FROM t;
CREATE TABLE p (a int) PARTITION BY RANGE (s."F f"(a));
CREATE TABLE ex (a int, EXCLUDE USING btree (s."F f"(a) WITH =));
INSERT INTO t VALUES (1, 'X'), (2, 'Y');
SELECT * FROM t WHERE s."F f"(a) = 3;
SELECT * FROM t WHERE "lower"("B b") = 'x';
\d t
\d p
\d ex
INSERT INTO ex VALUES (1);
INSERT INTO ex VALUES (1);
CREATE UNIQUE INDEX ON t (s."F f"(a));
INSERT INTO t VALUES (1) ON CONFLICT (s."F f"(a)) DO NOTHING;
INSERT INTO t VALUES (1) ON CONFLICT (s."F f"(a)) DO UPDATE SET a = 10 RETURNING *;
SELECT * FROM t ORDER BY a;
