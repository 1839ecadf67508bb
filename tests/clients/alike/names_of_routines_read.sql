-- Functions, operators and collations by name: numbers, schemas that are not there, what is no name at all.
select 'now'::regproc, '"now"'::regproc, 'NOW'::regproc, 'pg_catalog.now'::regproc, '-'::regproc, '1299'::regproc, 0::regproc;
select 'foo.now'::regproc;
select 'foo.abs(int)'::regprocedure;
select 'foo."C"'::regcollation;
select x::regproc from (values ('²'), ('x')) v(x);
select '²'::text::regtype::text from generate_series(1, 1);
select x::regproc from (values ('99999999999')) v(x);
select 'format(text,"any")'::regprocedure, 'abs( integer )'::regprocedure, 'hashbpchar(character)'::regprocedure;
select '"C"'::regcollation, 'pg_catalog."POSIX"'::regcollation, '-'::regcollation, '0'::regcollation;
select array['"C"'::regcollation, '"POSIX"'], array['simple'::regconfig], array['now'::regproc];
select to_regprocedure('abs(int)'), to_regprocedure('abs(text)'), to_regproc('foo.now'), to_regproc('abs');
select to_regprocedure('abs(nope)');
select to_regprocedure('abs(');
select to_regoperator('+');
-- what a name stands for is found once for a query, and anew after a definition
SELECT count(*) FROM pg_proc WHERE oid = 'made_later(integer)'::regprocedure;
BEGIN;
CREATE FUNCTION made_later(integer) RETURNS integer LANGUAGE sql AS 'SELECT 1';
SELECT count(*), min(proname) FROM pg_proc WHERE oid = 'made_later(integer)'::regprocedure;
CREATE SCHEMA elsewhere; ALTER FUNCTION made_later(integer) SET SCHEMA elsewhere;
SAVEPOINT s;
SELECT count(*) FROM pg_proc WHERE oid = 'made_later(integer)'::regprocedure;
ROLLBACK TO s;
SET LOCAL search_path = elsewhere;
SELECT count(*) FROM pg_proc WHERE oid = 'made_later(integer)'::regprocedure;
ROLLBACK;
SELECT t.typname FROM pg_type t WHERE t.typinput = 'array_in(cstring,oid,integer)'::regprocedure AND t.typname LIKE '\_int_' ORDER BY 1;
