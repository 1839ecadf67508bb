-- pg_temp names the schema of the session's own temporary tables, in whatever statement.
create temp table t (a int primary key, b text);
insert into pg_temp.t values (1,'x'),(2,'y');
update pg_temp.t set b = 'z' where a = 1 returning *;
delete from pg_temp.t where a = 2;
merge into pg_temp.t using (values (3)) v(a) on t.a = v.a when not matched then insert values (v.a, 'm');
select * from pg_temp.t order by a;
truncate pg_temp.t;
copy pg_temp.t from stdin;
5	q
\.
table pg_temp.t;
insert into pg_temp.nope values (1);
insert into pg_tempx.t values (1);
drop table pg_temp.t;
insert into pg_temp.t values (1);
-- Types by the temporary schema's name.
CREATE TYPE pg_temp.pair AS (a int); DROP TYPE pg_temp.pair;
CREATE TYPE pg_temp.label AS ENUM ('x'); ALTER TYPE pg_temp.label ADD VALUE 'y'; DROP TYPE pg_temp.label;
CREATE DOMAIN pg_temp.number AS int; ALTER DOMAIN pg_temp.number SET DEFAULT 3; DROP DOMAIN pg_temp.number;
DROP TYPE IF EXISTS pg_temp.nothing; DROP TYPE pg_temp.nothing;
