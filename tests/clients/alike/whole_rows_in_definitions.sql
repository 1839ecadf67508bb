-- Whole rows in the definitions of views: t.*, whose fields have names.
create table tab (a int, b text);
insert into tab values (1, 'x');
create view vt as select t::text as x from tab t;
create function f(tab) returns int language sql as 'select $1.a + 1';
create view v2 as select f(t) as x, to_json(t) as y, t is null as z from tab t;
create view v4 as select row_to_json(t) as j, count(t) as n, json_agg(t order by t.a) as k from tab t group by t.*;
create view v5 as select (select row_to_json(u) from tab u where u.a = t.a) as j, row_to_json(q) as q from tab t left join tab q on q.a = t.a + 1;
create view v6 as select f(t.*) as x, to_json(t.*) as y, to_json(row(t.a, t.b)) as z from tab t;
create view v7 as with c as (select 1 as one, 'z' as two) select to_json(c) as j from c;
create view v8 as select to_jsonb(tab) - 'a' as j from tab where to_json(tab) is not null;
select c.relname, pg_get_viewdef(c.oid) from pg_class c where relkind = 'v' and relnamespace = 'public'::regnamespace order by 1;
select * from v2; select * from v4; select * from v5; select * from v6; select * from v7; select * from v8;
select format('create view w%s as %s', right(relname, 1), pg_get_viewdef(oid)) from pg_class c where relkind = 'v' and relname ~ '^v[24678]' order by 1 \gexec
select * from w2; select * from w4; select * from w6; select * from w7; select * from w8;
-- A table's whole row in its own conditions is written `t.*`, and what is made of its columns by itself is not.
CREATE TABLE weighed (a int, b text);
CREATE FUNCTION weighs(weighed) RETURNS bool IMMUTABLE LANGUAGE sql AS 'SELECT $1.a > 0';
ALTER TABLE weighed ADD CHECK (weighs(weighed.*)), ADD CONSTRAINT other CHECK (weighs(weighed) OR ROW(a, b) IS NOT NULL OR a IS NULL);
CREATE INDEX weighed_by ON weighed (weighs(weighed)) WHERE weighs(weighed.*);
SELECT conname, pg_get_constraintdef(oid), pg_get_constraintdef(oid, true) FROM pg_constraint WHERE conrelid = 'weighed'::regclass ORDER BY 1;
SELECT pg_get_indexdef('weighed_by'::regclass);
INSERT INTO weighed VALUES (1, 'x'), (-1, 'y');
DROP TABLE weighed CASCADE;
