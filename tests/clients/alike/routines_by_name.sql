-- Functions, operators and others by name: alone, or with the types of their arguments.
select 'now'::regproc, 'abs(numeric)'::regprocedure, 'now()'::regprocedure, '||/'::regoper, '+(int4,int4)'::regoperator, '-(none,int4)'::regoperator;
select 'pg_catalog.now'::regproc, 'pg_catalog.+(int4, int4)'::regoperator, 'pg_catalog.||/'::regoper, '-'::regproc, 0::regproc, 0::regoper;
select 1397::regproc, 1397::regprocedure, 551::regoper, 551::regoperator, 99999::regproc, 99999::regprocedure, 99999::regoper;
select regproc('now'), regprocedure('abs(numeric)'), regoper('||/'), regoperator('+(int4,int4)'), regtype('int4'), regclass('pg_class'), regnamespace('pg_catalog');
select to_regproc('now'), to_regprocedure('abs(numeric)'), to_regoper('||/'), to_regoperator('+(int4,int4)'), to_regcollation('"C"');
select to_regproc('abs'), to_regoper('+'), to_regprocedure('abs(text)'), to_regoperator('+(text,text)'), to_regproc('elsewhere.now'), to_regcollation('"none"');
select '"C"'::regcollation, '"default"'::regcollation, 'english'::regconfig, 'simple'::regdictionary, 950::regcollation;
select 'character_length(char)'::regprocedure, 'length(varchar, int)'::regprocedure;
select 'abs'::regproc;
select 'nothing'::regproc;
select '+'::regoper;
select '//'::regoper;
select 'abs(numeric'::regprocedure;
select 'abs'::regprocedure;
select 'abs(nothing)'::regprocedure;
select 'abs(text)'::regprocedure;
select '+(int4)'::regoperator;
select '+(int4,int4,int4)'::regoperator;
select 'nothing'::regcollation;
select 'nothing'::regconfig;
select 'nothing'::regdictionary;
select x::regprocedure from (values ('abs(int4)'), ('lower(text)')) v(x) order by x;
select oprcode::regprocedure, oid::regoperator from pg_operator where oprname = '||' order by oid limit 3;
-- An ARRAY[...] may be made a vector of the catalogs' own, as ActiveRecord asks what lower() takes.
SELECT ARRAY['uuid'::regtype]::oidvector v, ARRAY[1, 2]::int2vector w;
SELECT array['uuid'::regtype, 'int'::regtype]::oidvector = '2950 23'::oidvector;
SELECT exists(SELECT * FROM pg_proc WHERE proname = 'lower' AND proargtypes = ARRAY['character varying'::regtype]::oidvector), exists(SELECT * FROM pg_proc WHERE proname = 'lower' AND proargtypes = ARRAY['text'::regtype]::oidvector);
