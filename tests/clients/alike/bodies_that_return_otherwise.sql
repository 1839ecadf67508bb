-- A function in SQL that nobody has looked at when it was made, or whose tables are others since, is refused when it is
-- called: what its last statement finds may be assigned to what it returns, but is not read as it from its text.
SET check_function_bodies = off;

CREATE TABLE t (a int, b text);
CREATE FUNCTION apart() RETURNS int SET work_mem = '4MB' AS $$ SELECT text '12' $$ LANGUAGE sql;
SELECT apart();
SELECT * FROM apart();
CREATE FUNCTION defines() RETURNS int AS $$ CREATE TABLE other (a int) $$ LANGUAGE sql;
SELECT defines();

CREATE FUNCTION w1() RETURNS int AS $$ INSERT INTO t VALUES (1, '5') RETURNING b $$ LANGUAGE sql;
SELECT w1();
CREATE FUNCTION w2() RETURNS t AS $$ INSERT INTO t VALUES (1, '5') RETURNING b, a $$ LANGUAGE sql;
SELECT w2();
CREATE FUNCTION w3() RETURNS t AS $$ INSERT INTO t VALUES (1, 'whole, "row"') RETURNING t $$ LANGUAGE sql;
SELECT w3();
SELECT * FROM w3();
CREATE FUNCTION w4() RETURNS t AS $$ INSERT INTO t VALUES (1, '5') RETURNING NULL::t $$ LANGUAGE sql;
SELECT w4(), w4() IS NULL;
CREATE FUNCTION w5() RETURNS bigint AS $$ INSERT INTO t VALUES (1, '5') RETURNING a $$ LANGUAGE sql;
SELECT w5();
CREATE FUNCTION w6() RETURNS text AS $$ INSERT INTO t VALUES (1, '5') RETURNING a $$ LANGUAGE sql;
SELECT w6();
CREATE FUNCTION w7() RETURNS SETOF t AS $$ INSERT INTO t VALUES (1, '5') RETURNING a $$ LANGUAGE sql;
SELECT w7();
CREATE FUNCTION w8(OUT x bool, OUT y varchar) AS $$ INSERT INTO t VALUES (1, '5') RETURNING a, b $$ LANGUAGE sql;
SELECT w8();
CREATE FUNCTION w9() RETURNS int AS $$ INSERT INTO t VALUES (1, '5') RETURNING '12' $$ LANGUAGE sql;
SELECT w9();
CREATE PROCEDURE p1(INOUT x int) AS $$ INSERT INTO t VALUES (1, '5') RETURNING b $$ LANGUAGE sql;
CALL p1(1);

-- A cast of one's own allows it.
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE FUNCTION w10() RETURNS mood AS $$ INSERT INTO t VALUES (1, 'glad') RETURNING b $$ LANGUAGE sql;
SELECT w10();
CREATE CAST (text AS mood) WITH INOUT AS ASSIGNMENT;
SELECT w10();

-- The table is another one since.
SET check_function_bodies = on;
CREATE TABLE u (a int);
CREATE FUNCTION later() RETURNS int AS $$ INSERT INTO u VALUES (DEFAULT) RETURNING a $$ LANGUAGE sql;
SELECT later();
ALTER TABLE u ALTER a TYPE text;
SELECT later();
