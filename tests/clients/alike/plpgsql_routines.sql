-- functions and procedures: made, called everywhere, dropped
\set SHOW_CONTEXT errors
CREATE TABLE t (id int PRIMARY KEY, x int, n text);
INSERT INTO t SELECT g, g*10, 'n'||g FROM generate_series(1,5) g;
CREATE FUNCTION add1(i int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN i + 1; END $$;
SELECT add1(2), add1(3) + add1(4);
SELECT id, add1(x) FROM t ORDER BY id;
SELECT id FROM t WHERE add1(x) = 31;
CREATE FUNCTION fact(n int) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN IF n <= 1 THEN RETURN 1; END IF; RETURN n * fact(n - 1); END $$;
SELECT fact(20);
CREATE FUNCTION fact2(n int) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN CASE WHEN n <= 1 THEN 1 ELSE n * fact2(n - 1) END; END $$;
SELECT fact2(10);
CREATE FUNCTION rows_of(k int) RETURNS SETOF t LANGUAGE plpgsql AS $$ DECLARE r t%ROWTYPE; BEGIN FOR r IN SELECT * FROM t WHERE id > k ORDER BY id LOOP r.x := r.x + 1; RETURN NEXT r; END LOOP; END $$;
SELECT * FROM rows_of(3);
CREATE FUNCTION tab(k int) RETURNS TABLE (a int, b text) LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT id, n FROM t WHERE id > k ORDER BY 1; a := 99; b := 'last'; RETURN NEXT; END $$;
SELECT * FROM tab(4);
SELECT tab.b, t.x FROM t, tab(t.id) WHERE tab.a = 99 ORDER BY t.id;
CREATE FUNCTION outs(i int, OUT a int, OUT b text) LANGUAGE plpgsql AS $$ BEGIN a := i * 2; b := 'x' || i; END $$;
SELECT * FROM outs(4);
CREATE FUNCTION out1(OUT a int) LANGUAGE plpgsql AS $$ BEGIN a := 7; END $$;
SELECT out1();
CREATE FUNCTION w(i int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO t VALUES (i, i, 'w'); END $$;
SELECT w(50);
SELECT * FROM t WHERE id = 50;
SELECT w(50);
INSERT INTO t VALUES (add1(59), add1(1), 'f');
UPDATE t SET x = add1(x) WHERE id = 60 RETURNING x;
SELECT sum(add1(x)) FROM t;
CREATE FUNCTION gen(n int) RETURNS SETOF int LANGUAGE plpgsql AS $$ BEGIN FOR i IN 1..n LOOP RETURN NEXT i * i; END LOOP; RETURN; END $$;
SELECT * FROM gen(3); SELECT gen(2);
CREATE FUNCTION bad(i int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  IF i > 2 THEN
    RAISE EXCEPTION 'too big: %', i USING HINT = 'less', ERRCODE = '22023';
  END IF;
  RETURN i;
END $$;
SELECT bad(3);
SELECT bad(x) FROM t;
CREATE FUNCTION outer_f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM bad(9); RETURN 1; EXCEPTION WHEN invalid_parameter_value THEN RETURN -1; END $$;
SELECT outer_f();
CREATE PROCEDURE p(INOUT a int, b int) LANGUAGE plpgsql AS $$ BEGIN a := a + b; INSERT INTO t VALUES (a, b, 'p'); COMMIT; INSERT INTO t VALUES (a + 1, b, 'p'); ROLLBACK; END $$;
CALL p(100, 1);
SELECT * FROM t WHERE id > 99;
BEGIN; CALL p(200, 1); ROLLBACK;
DO $$ DECLARE v int := 300; BEGIN CALL p(v, 5); RAISE NOTICE 'v = %', v; END $$;
SELECT p(1, 2); CALL add1(3); CALL nope(1); SELECT nope(1);
CREATE FUNCTION noret() RETURNS int LANGUAGE plpgsql AS $$ BEGIN END $$;
SELECT noret();
CREATE FUNCTION syn() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETRUN 1; x = 3; END $$;
CREATE FUNCTION syn() RETURNS int LANGUAGE plpgsql AS $$ BEGIN IF true THEN RETURN 1; END $$;
CREATE FUNCTION syn() RETURNS void LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;
CREATE FUNCTION many() RETURNS int LANGUAGE sql AS $$ INSERT INTO t VALUES (500, 1, 's'); UPDATE t SET x = 2 WHERE id = 500; SELECT x FROM t WHERE id = 500; $$;
SELECT many();
CREATE FUNCTION sv(k int) RETURNS void LANGUAGE sql AS $$ DELETE FROM t WHERE id = k; $$;
SELECT sv(500);
SELECT count(*) FROM t WHERE id = 500;
SELECT many() FROM t WHERE id < 0;
CREATE FUNCTION inf(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN inf(n + 1); END $$;
SELECT prosrc, prokind, prolang, proname FROM pg_proc WHERE proname IN ('p', 'add1') ORDER BY proname;
SELECT lanname, lanpltrusted FROM pg_language ORDER BY 1;
\df
\sf add1
SELECT pg_get_functiondef('p'::regproc);
DROP FUNCTION p; DROP PROCEDURE p; DROP FUNCTION add1(int); DROP ROUTINE gen;
CREATE FUNCTION pg_temp.tf() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 5; END $$; SELECT pg_temp.tf(); SELECT * FROM pg_temp.tf(); SELECT tf(); DROP FUNCTION pg_temp.tf();
CREATE FUNCTION pg_temp.testfunc(OUT response text, OUT sequelize_caught_exception text) RETURNS RECORD AS $func$ BEGIN response := 'a'; EXCEPTION WHEN unique_violation THEN GET STACKED DIAGNOSTICS sequelize_caught_exception = PG_EXCEPTION_DETAIL; END $func$ LANGUAGE plpgsql; SELECT (testfunc.response), testfunc.sequelize_caught_exception FROM pg_temp.testfunc(); DROP FUNCTION IF EXISTS pg_temp.testfunc();
CREATE TABLE "users" (id serial PRIMARY KEY, email text UNIQUE, age int, tags text[], meta jsonb, "createdAt" timestamptz);
START TRANSACTION;
CREATE OR REPLACE FUNCTION pg_temp.testfunc(OUT response "users", OUT sequelize_caught_exception text) RETURNS RECORD AS $func_1$ BEGIN INSERT INTO "users" ("id","email","age","tags","meta","createdAt") VALUES (DEFAULT,'a@x',3,ARRAY['x','y,z'],'{"k":1}','2024-01-01 00:00:00+00') RETURNING * INTO response; EXCEPTION WHEN unique_violation THEN GET STACKED DIAGNOSTICS sequelize_caught_exception = PG_EXCEPTION_DETAIL; END $func_1$ LANGUAGE plpgsql; SELECT (testfunc.response)."id", (testfunc.response)."email", (testfunc.response)."age", (testfunc.response).tags, (testfunc.response).meta, (testfunc.response)."createdAt", testfunc.sequelize_caught_exception FROM pg_temp.testfunc(); DROP FUNCTION IF EXISTS pg_temp.testfunc();
COMMIT;
START TRANSACTION;
CREATE OR REPLACE FUNCTION pg_temp.testfunc(OUT response "users", OUT sequelize_caught_exception text) RETURNS RECORD AS $func_1$ BEGIN INSERT INTO "users" ("id","email","age") VALUES (DEFAULT,'a@x',3) RETURNING * INTO response; EXCEPTION WHEN unique_violation THEN GET STACKED DIAGNOSTICS sequelize_caught_exception = PG_EXCEPTION_DETAIL; END $func_1$ LANGUAGE plpgsql; SELECT (testfunc.response)."id", (testfunc.response)."email", testfunc.sequelize_caught_exception FROM pg_temp.testfunc(); DROP FUNCTION IF EXISTS pg_temp.testfunc();
COMMIT;
SELECT count(*) FROM users;
