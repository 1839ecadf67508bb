-- calls, parameters, names and privileges of routines that run
CREATE TABLE t (id int PRIMARY KEY, x int, n text);
INSERT INTO t SELECT g, g*10, 'n'||g FROM generate_series(1,5) g;
CREATE TYPE pair AS (a int, b text);
CREATE FUNCTION d(a int, b int DEFAULT 5, c text DEFAULT 'z') RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN a || '-' || b || '-' || c; END $$;
SELECT d(1), d(1, 2), d(1, c => 'q'), d(b => 3, a => 4);
CREATE FUNCTION st(a int) RETURNS int STRICT LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'called'; RETURN a; END $$;
SELECT st(NULL); SELECT st(1);
CREATE FUNCTION mkpair(a int) RETURNS pair LANGUAGE plpgsql AS $$ DECLARE p pair; BEGIN p.a := a; p.b := 'b' || a; RETURN p; END $$;
SELECT mkpair(3), (mkpair(4)).b; SELECT * FROM mkpair(5);
CREATE FUNCTION usepair(p pair) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN p.b || p.a; END $$;
SELECT usepair(ROW(1, 'x')::pair); SELECT usepair(mkpair(2));
CREATE FUNCTION conflict(id int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE r int; BEGIN SELECT x INTO r FROM t WHERE t.id = conflict.id; RETURN r; END $$;
SELECT conflict(3);
CREATE FUNCTION conflict2(id int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT x FROM t WHERE id = id); END $$;
SELECT conflict2(3);
CREATE FUNCTION conflict3(id int) RETURNS bigint LANGUAGE plpgsql AS $$ #variable_conflict use_column
BEGIN RETURN (SELECT count(*) FROM t WHERE id = id); END $$;
SELECT conflict3(3);
CREATE FUNCTION dyn(tab text, k int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE r int; BEGIN EXECUTE format('SELECT x FROM %I WHERE id = $1', tab) INTO r USING k; RETURN r; END $$;
SELECT dyn('t', 2); SELECT dyn('nope', 2);
CREATE FUNCTION rq() RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE 'SELECT n FROM t WHERE id < $1 ORDER BY id' USING 3; RETURN NEXT 'end'; END $$;
SELECT * FROM rq(); SELECT upper(r) FROM rq() AS r; SELECT count(*) FROM rq() r JOIN t ON t.n = r;
CREATE FUNCTION badrq() RETURNS SETOF int LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT n FROM t; END $$;
SELECT * FROM badrq();
CREATE FUNCTION rec() RETURNS record LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN SELECT 1, 'a'::text INTO r; RETURN r; END $$;
SELECT * FROM rec() AS f(a int, b text); SELECT * FROM rec();
CREATE FUNCTION upsert(k int, v text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  LOOP
    UPDATE t SET n = v WHERE id = k;
    IF found THEN RETURN 'updated'; END IF;
    BEGIN
      INSERT INTO t (id, n) VALUES (k, v);
      RETURN 'inserted';
    EXCEPTION WHEN unique_violation THEN
      NULL;
    END;
  END LOOP;
END $$;
SELECT upsert(1, 'one'), upsert(77, 'seven');
SELECT * FROM t WHERE id IN (1, 77) ORDER BY id;
CREATE FUNCTION arr(a int[]) RETURNS int LANGUAGE plpgsql AS $$ DECLARE s int := 0; e int; BEGIN FOREACH e IN ARRAY a LOOP s := s + e; END LOOP; RETURN s; END $$;
SELECT arr(ARRAY[1,2,3]), arr('{4,5}'); SELECT arr(NULL);
CREATE TABLE log (m text); CREATE FUNCTION logit(m text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES (m); END $$;
SELECT logit('a'); BEGIN; SELECT logit('b'); SELECT logit('c'); ROLLBACK; SELECT logit(n) FROM t ORDER BY id LIMIT 2; SELECT * FROM log ORDER BY m;
WITH w AS (SELECT logit('w')) SELECT 1; 
INSERT INTO t SELECT id + 1000, st(x), d(id) FROM t WHERE id < 3; SELECT * FROM t WHERE id > 1000 ORDER BY id;
DELETE FROM t WHERE st(id) > 1000; UPDATE t SET x = arr(ARRAY[x, 1]) WHERE id = 2; SELECT x FROM t WHERE id = 2;
SELECT CASE WHEN id = 1 THEN d(id) ELSE 'no' END FROM t WHERE id < 3 ORDER BY id;
PREPARE q(int) AS SELECT conflict($1); EXECUTE q(2); EXECUTE q(4);
CREATE VIEW v AS SELECT id, d(id) AS s FROM t WHERE id < 3; SELECT * FROM v ORDER BY id;
CREATE FUNCTION dv() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 42; END $$; CREATE TABLE dflt (a int, b int DEFAULT dv()); INSERT INTO dflt VALUES (1); INSERT INTO dflt (a) SELECT 2; SELECT * FROM dflt ORDER BY a; DROP FUNCTION dv();
ALTER FUNCTION st(int) RENAME TO st2; SELECT st2(2); ALTER FUNCTION st2(int) STABLE; SELECT provolatile, prokind FROM pg_proc WHERE proname = 'st2';
CREATE OR REPLACE FUNCTION st2(a int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN a * 100; END $$; SELECT st2(2);
CREATE OR REPLACE FUNCTION st2(a int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN a; END $$;
CREATE ROLE plpgsql_guest; REVOKE EXECUTE ON FUNCTION st2 FROM PUBLIC; SET ROLE plpgsql_guest; SELECT st2(1); RESET ROLE; GRANT EXECUTE ON FUNCTION st2 TO plpgsql_guest; SET ROLE plpgsql_guest; SELECT st2(1); RESET ROLE; REVOKE ALL ON FUNCTION st2 FROM plpgsql_guest; DROP ROLE plpgsql_guest;
CREATE PROCEDURE moves(k int, INOUT done bool DEFAULT false) LANGUAGE plpgsql AS $$ BEGIN UPDATE t SET x = 0 WHERE id = k; done := found; END $$;
CALL moves(1); CALL moves(9999, NULL); CALL moves(k => 2); COMMENT ON PROCEDURE moves IS 'it moves'; SELECT obj_description('moves'::regproc);
CREATE PROCEDURE outp(a int, OUT b int) LANGUAGE plpgsql AS $$ BEGIN b := a * 2; END $$; CALL outp(4, NULL);
DO $$ DECLARE r int; BEGIN CALL outp(21, r); RAISE NOTICE '%', r; END $$;
CREATE PROCEDURE sqlp(k int) LANGUAGE sql AS $$ DELETE FROM t WHERE id = k; INSERT INTO t VALUES (k, 1, 'again'); $$; CALL sqlp(3); SELECT * FROM t WHERE id = 3;
CREATE FUNCTION fetches() RETURNS int LANGUAGE sql AS $$ UPDATE t SET x = 5 WHERE id = 3 RETURNING x $$; SELECT fetches();
SELECT routine_name, routine_type, data_type, external_language FROM information_schema.routines WHERE specific_schema = 'public' ORDER BY 1;
SELECT p.parameter_name, p.ordinal_position, p.parameter_mode, p.data_type, p.parameter_default FROM information_schema.parameters p WHERE specific_schema = 'public' AND specific_name LIKE 'd\_%' ORDER BY 2;
SELECT extname, extversion FROM pg_extension ORDER BY 1;
\df d
\sf usepair
\set SHOW_CONTEXT errors
CREATE FUNCTION inner_f(i int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  y int := 10 / i;
BEGIN
  IF y > 4 THEN
    RAISE EXCEPTION 'y is %', y USING DETAIL = 'd', HINT = 'h', ERRCODE = 'check_violation';
  END IF;
  RETURN y;
END $$;
CREATE FUNCTION outer_f(i int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  PERFORM inner_f(i);
  RETURN inner_f(i + 1);
END $$;
SELECT inner_f(0); SELECT inner_f(2); SELECT outer_f(2); SELECT outer_f(-1);
CREATE FUNCTION diag() RETURNS text LANGUAGE plpgsql AS $$ DECLARE c text; m text; s text; BEGIN PERFORM inner_f(1); EXCEPTION WHEN check_violation THEN GET STACKED DIAGNOSTICS m = MESSAGE_TEXT, s = RETURNED_SQLSTATE, c = PG_EXCEPTION_CONTEXT; RETURN m || '|' || s || '|' || c; END $$;
SELECT diag();
DO $$ BEGIN UPDATE t SET x = 1 / 0 WHERE id = 1; END $$;
DO $$ BEGIN EXECUTE 'SELECT 1 FROM nope'; END $$;
DO $$ DECLARE x int := 'a'; BEGIN END $$;
DO $$ BEGIN FOR i IN 1..NULL LOOP END LOOP; END $$;
DO $$ BEGIN CASE 3 WHEN 1 THEN NULL; END CASE; END $$;
DO $$ DECLARE x int NOT NULL := 1; BEGIN x := NULL; END $$;
DO $$ DECLARE x CONSTANT int := 1; BEGIN x := 2; END $$;
DO $$ BEGIN EXIT; END $$;
DO $$ BEGIN RAISE; END $$;
DO $$ BEGIN RAISE NOTICE '%'; END $$;
DO $$ BEGIN x; END $$;
DO $$ DECLARE x nope; BEGIN END $$;
DO $$ DECLARE a int; a text; BEGIN END $$;
DO $$ BEGIN RETURN 1; END $$;
