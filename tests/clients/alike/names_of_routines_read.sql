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
