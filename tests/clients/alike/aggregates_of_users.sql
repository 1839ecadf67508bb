-- CREATE AGGREGATE: what it says, what it computes, what it is listed as.
CREATE TABLE t (id int PRIMARY KEY, g text, n int, x numeric, s text);
INSERT INTO t VALUES (1, 'a', 3, 1.5, 'one'), (2, 'a', NULL, 2.25, 'two'), (3, 'b', 5, NULL, NULL), (4, 'b', 7, 4, 'four'),
  (5, 'b', 5, 4.0, 'four'), (6, NULL, NULL, NULL, NULL);

-- the ones that migrations make
CREATE FUNCTION first_agg(anyelement, anyelement) RETURNS anyelement LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT $1';
CREATE AGGREGATE first (anyelement) (SFUNC = first_agg, STYPE = anyelement, PARALLEL = safe);
CREATE FUNCTION last_agg(anyelement, anyelement) RETURNS anyelement LANGUAGE sql IMMUTABLE STRICT AS 'SELECT $2';
CREATE AGGREGATE last (basetype = anyelement, sfunc = last_agg, stype = anyelement);
CREATE AGGREGATE array_accum (anyelement) (sfunc = array_append, stype = anyarray, initcond = '{}');
CREATE AGGREGATE array_accum (anycompatible) (sfunc = array_append, stype = anycompatiblearray, initcond = '{}');
SELECT first(n ORDER BY id), last(n ORDER BY id), first(s ORDER BY id DESC), last(x ORDER BY id) FROM t;
SELECT g, first(n ORDER BY id), last(s ORDER BY id), array_accum(n ORDER BY id) FROM t GROUP BY g ORDER BY g;
SELECT array_accum(s ORDER BY id), array_accum(x ORDER BY id), array_accum(DISTINCT n) FROM t;
SELECT first(n), array_accum(n) FROM t WHERE false;
SELECT (array_accum(x ORDER BY id))[2], array_length(array_accum(n), 1), 5 = ANY (array_accum(n)), array_accum(n ORDER BY id) || 1 FROM t;
SELECT unnest(array_accum(n ORDER BY id)) FROM t;
SELECT * FROM t WHERE id = ANY (SELECT unnest(array_accum(id)) FROM t WHERE n = 5) ORDER BY id;
SELECT first(id ORDER BY id) FILTER (WHERE n > 4), array_accum(id ORDER BY id) FILTER (WHERE n = 5) FROM t;
SELECT id, first(n) OVER (ORDER BY id), last(n) OVER (PARTITION BY g ORDER BY id), array_accum(id) OVER (ORDER BY id ROWS 2 PRECEDING) FROM t ORDER BY id;
SELECT g FROM t GROUP BY g HAVING first(n ORDER BY id) > 4;
SELECT g, count(*), sum(n), first(n ORDER BY n) + 1 AS more FROM t GROUP BY ROLLUP (g) ORDER BY g NULLS LAST, 2;
SELECT (SELECT first(b.s ORDER BY b.id) FROM t b WHERE b.g = a.g AND b.id >= a.id) FROM t a ORDER BY a.id;

-- functions in SQL and PL/pgSQL, several arguments, states of other types, final functions
CREATE FUNCTION weighted(state numeric[], v numeric, w numeric) RETURNS numeric[] LANGUAGE plpgsql AS $$
BEGIN
  IF v IS NULL OR w IS NULL THEN RETURN state; END IF;
  RETURN ARRAY[state[1] + v * w, state[2] + w];
END $$;
CREATE FUNCTION weighted_end(state numeric[]) RETURNS numeric LANGUAGE sql AS 'SELECT round(state[1] / nullif(state[2], 0), 3)';
CREATE AGGREGATE weighted_mean (v numeric, w numeric) (sfunc = weighted, stype = numeric[], initcond = '{0,0}', finalfunc = weighted_end);
SELECT weighted_mean(x, n), weighted_mean(x, 1) FROM t;
SELECT g, weighted_mean(x, id) FROM t GROUP BY g ORDER BY g;
CREATE FUNCTION glue(a text, b text, c text) RETURNS text LANGUAGE sql AS $$ SELECT CASE WHEN a IS NULL THEN b ELSE a || c || coalesce(b, '?') END $$;
CREATE AGGREGATE glued (text, text) (sfunc = glue, stype = text);
SELECT glued(s, '-' ORDER BY id), glued(DISTINCT s, '+' ORDER BY s) FROM t;
CREATE AGGREGATE counted (*) (sfunc = int8inc, stype = int8, initcond = '0');
SELECT counted(*), counted(*) FILTER (WHERE n IS NULL) FROM t;
SELECT g, counted(*) FROM t GROUP BY g ORDER BY g;
CREATE AGGREGATE product (numeric) (sfunc = numeric_mul, stype = numeric);
CREATE AGGREGATE product (int4) (sfunc = int4mul, stype = int4, initcond = 1);
SELECT product(x), product(n), product(x + 0.5) FROM t;
CREATE AGGREGATE concat_all (anycompatiblearray) (sfunc = array_cat, stype = anycompatiblearray, initcond = '{}');
SELECT concat_all(ARRAY[n, id] ORDER BY id) FROM t WHERE n IS NOT NULL;
CREATE AGGREGATE last_int (int) (sfunc = last_agg, stype = int);
CREATE AGGREGATE ints (int) (sfunc = array_append, stype = int[]);
CREATE FUNCTION least_of(anyelement, VARIADIC anyarray) RETURNS anyelement LANGUAGE sql AS 'SELECT least($1, min($2[i])) FROM generate_subscripts($2, 1) g(i)';
CREATE AGGREGATE least_agg (VARIADIC items anyarray) (stype = anyelement, sfunc = least_of);
CREATE AGGREGATE mean_of (int) (sfunc = int4_avg_accum, stype = int8[], finalfunc = int8_avg, initcond = '{0,0}');
SELECT last_int(n ORDER BY id), ints(n ORDER BY id), least_agg(n, id), mean_of(n) FROM t;
CREATE AGGREGATE highest (int) (sfunc = int4larger, stype = int, sortop = >, combinefunc = int4larger);
SELECT highest(n), g FROM t GROUP BY g ORDER BY g;
CREATE FUNCTION any_of(bool, bool) RETURNS bool LANGUAGE sql AS 'SELECT coalesce($1, false) OR coalesce($2, false)';
CREATE AGGREGATE some_of (bool) (sfunc = any_of, stype = bool, initcond = 'false');
SELECT some_of(n = 7), some_of(n = 8), some_of(NULL) FROM t;
CREATE FUNCTION logged(int, int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES ($1, $2); RETURN coalesce($1, 0) + coalesce($2, 0); END $$;
CREATE TABLE log (a int, b int);
CREATE AGGREGATE logged_sum (int) (sfunc = logged, stype = int);
SELECT logged_sum(n ORDER BY id) FROM t WHERE id < 4;
SELECT * FROM log;
CREATE FUNCTION failing(int, int) RETURNS int LANGUAGE sql AS 'SELECT $1 / $2';
CREATE AGGREGATE fails (int) (sfunc = failing, stype = int, initcond = 100);
SELECT fails(n ORDER BY id) FROM t WHERE n IS NOT NULL;
SELECT fails(id - 2) FROM t;
SELECT fails(n), 1 FROM t WHERE false;
CREATE FUNCTION in_query(int, int) RETURNS int LANGUAGE sql AS 'SELECT $1 + count(*)::int FROM t WHERE id <= $2';
CREATE AGGREGATE ranks (int) (sfunc = in_query, stype = int, initcond = 0);
SELECT ranks(n) FROM t;
CREATE TYPE pair AS (lo int, hi int);
CREATE FUNCTION widen(p pair, n int) RETURNS pair LANGUAGE plpgsql AS 'BEGIN p.lo := least(p.lo, n); p.hi := greatest(p.hi, n); RETURN p; END';
CREATE AGGREGATE range_of (int) (sfunc = widen, stype = pair);
SELECT range_of(n) FROM t;
SELECT g, (range_of(id)).hi FROM t GROUP BY g ORDER BY g;
CREATE FUNCTION ended(state int[], VARIADIC more int[]) RETURNS int[] LANGUAGE sql AS 'SELECT state || more';
CREATE AGGREGATE all_of (VARIADIC int[]) (sfunc = ended, stype = int[], initcond = '{}');
SELECT all_of(id, n ORDER BY id) FROM t WHERE n IS NOT NULL;
CREATE FUNCTION with_type(state anycompatiblearray, v anycompatible) RETURNS text LANGUAGE sql AS 'SELECT array_to_string(state, ''/'') || pg_typeof(v)::text';
CREATE AGGREGATE typed (anycompatible) (sfunc = array_append, stype = anycompatiblearray, finalfunc = with_type, finalfunc_extra);
SELECT typed(n ORDER BY id), typed(s ORDER BY id) FROM t WHERE n IS NOT NULL;

-- views, statements that write, PL/pgSQL
CREATE VIEW firsts AS SELECT g, first(n ORDER BY id DESC) FILTER (WHERE n > 0) AS f, counted(*) AS c FROM t GROUP BY g;
SELECT * FROM firsts ORDER BY g;
SELECT pg_get_viewdef('firsts');
CREATE TABLE kept AS SELECT g, array_accum(id ORDER BY id) AS ids FROM t GROUP BY g;
SELECT * FROM kept ORDER BY g;
UPDATE kept SET ids = (SELECT array_accum(id ORDER BY id DESC) FROM t WHERE t.g = kept.g) WHERE g IS NOT NULL;
SELECT * FROM kept ORDER BY g;
DO $$ DECLARE v int; BEGIN SELECT first(n ORDER BY id DESC) INTO v FROM t; RAISE NOTICE '%', v; v := (SELECT last(id) FROM (SELECT id FROM t ORDER BY id LIMIT 3) x); RAISE NOTICE '%', v; END $$;
PREPARE p(int) AS SELECT array_accum(id + $1 ORDER BY id) FROM t WHERE id > $2;
EXECUTE p(10, 4);
EXECUTE p(20, 5);

-- what is wrong with calls
SELECT first(*) FROM t;
SELECT counted() FROM t;
SELECT counted(n) FROM t;
SELECT first(first(n)) FROM t;
SELECT n FROM t WHERE first(n) > 1;
SELECT id, first(n) FROM t;
SELECT glued(DISTINCT s, ',' ORDER BY id) FROM t;
SELECT first(DISTINCT n) OVER () FROM t;
SELECT glued(s) FROM t;
SELECT * FROM first(1);
CALL first(1);
CREATE TABLE checked (a int CHECK (first(a) > 1));
CREATE TABLE checked (a int DEFAULT first(1));
CREATE INDEX ON t (first(n));

-- what is wrong with definitions
CREATE AGGREGATE bad (int) (stype = int);
CREATE AGGREGATE bad (int) (sfunc = int4pl);
CREATE AGGREGATE bad (int) (sfunc = nothing_such, stype = int);
CREATE AGGREGATE bad (int) (sfunc = int8inc, stype = int);
CREATE AGGREGATE bad (text) (sfunc = textlen, stype = text);
CREATE AGGREGATE bad (text) (sfunc = array_append, stype = text[]);
CREATE AGGREGATE bad2 (int) (sfunc = numeric_add, stype = numeric);
CREATE AGGREGATE bad (int) (sfunc = int4pl, stype = int, initcond = 'x');
CREATE AGGREGATE bad (int) (sfunc = int4pl, stype = int, finalfunc = no_final);
CREATE AGGREGATE bad (sfunc = int4pl, stype = int);
CREATE AGGREGATE bad (int) (sfunc = array_append, stype = anyarray);
CREATE AGGREGATE odd (int) (sfunc = int4pl, stype = int, "Sfunc1" = x);
CREATE AGGREGATE first (anyelement) (sfunc = last_agg, stype = anyelement);
CREATE FUNCTION first(anyelement) RETURNS anyelement LANGUAGE sql AS 'SELECT $1';
CREATE OR REPLACE FUNCTION first(anyelement) RETURNS anyelement LANGUAGE sql AS 'SELECT $1';
CREATE OR REPLACE AGGREGATE first_agg (anyelement, anyelement) (sfunc = last_agg, stype = anyelement);
CREATE OR REPLACE AGGREGATE highest (int) (sfunc = int4smaller, stype = int);
SELECT highest(n) FROM t;
CREATE OR REPLACE AGGREGATE highest (int) (sfunc = int8inc, stype = int8);

-- listed, altered, dropped
SELECT aggfnoid, aggkind, aggtransfn, aggfinalfn, aggfinalextra, aggcombinefn, aggsortop::regoper, aggtranstype::regtype, agginitval
  FROM pg_aggregate WHERE aggfnoid::oid >= 16384 ORDER BY aggfnoid::regprocedure::text;
SELECT proname, prokind, prosrc, proisstrict, provolatile, proparallel, pg_get_function_arguments(oid), pg_get_function_result(oid)
  FROM pg_proc WHERE prokind = 'a' AND oid >= 16384 ORDER BY 1, 7;
\da
\df first
SELECT pg_get_functiondef('first(anyelement)'::regprocedure);
COMMENT ON AGGREGATE first (anyelement) IS 'the first one';
SELECT obj_description('first(anyelement)'::regprocedure, 'pg_proc');
COMMENT ON AGGREGATE counted (*) IS 'all';
COMMENT ON AGGREGATE first_agg (anyelement, anyelement) IS 'none';
ALTER AGGREGATE highest (int) RENAME TO lowest;
SELECT lowest(n) FROM t;
CREATE SCHEMA s;
ALTER AGGREGATE lowest (int) SET SCHEMA s;
SELECT s.lowest(n) FROM t;
ALTER AGGREGATE s.lowest (int) OWNER TO nobody_such;
ALTER FUNCTION int_nothing(int) RENAME TO x;
DROP FUNCTION first_agg(anyelement, anyelement);
DROP FUNCTION first(anyelement);
DROP AGGREGATE first_agg(anyelement, anyelement);
DROP AGGREGATE nothing_such(int);
DROP AGGREGATE nothing_such(*);
DROP AGGREGATE IF EXISTS nothing_such(int);
DROP AGGREGATE first(anyelement);
DROP VIEW firsts;
DROP AGGREGATE first(anyelement), counted(*);
DROP FUNCTION weighted CASCADE;
DROP TYPE pair CASCADE;
SELECT proname FROM pg_proc WHERE prokind = 'a' AND oid >= 16384 ORDER BY 1;
