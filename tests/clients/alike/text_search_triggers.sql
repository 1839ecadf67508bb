-- tsvector_update_trigger and its kin: vectors that are made before rows are written.
create table m (id int primary key, title text, body varchar, n int, c char(5), cfg regconfig, tsv tsvector);
create trigger up before insert or update on m for each row execute function tsvector_update_trigger(tsv, 'pg_catalog.english', title, body);
\d m
insert into m values (1, 'The title here', 'the body text is here', 1);
insert into m (id, title) values (2, 'The fat cats');
insert into m (id, body) select g, 'rats ' || g from generate_series(3, 5) g;
insert into m (id) values (6);
select id, tsv from m order by id;
update m set tsv = 'kept' where id = 1;
update m set n = 2 where id = 1;
select id, tsv from m where id = 1;
update m set body = 'dogs' where id = 1;
update m set title = title, tsv = 'lost' where id > 1;
select id, tsv from m order by id;
update m set tsv = 'kept' from (values (1), (2)) v(i) where id = i returning tsv;
insert into m values (1, 'new', 'rows') on conflict (id) do update set title = excluded.title, tsv = 'gone' returning title, tsv;
merge into m using (values (2, 'merged'), (9, 'made')) v(i, s) on id = i when matched then update set body = s when not matched then insert (id, body) values (i, s);
select id, tsv from m where id in (2, 9) order by id;
copy m (id, title) from stdin;
20	copied cats
21	\N
\.
select id, tsv from m where id >= 20 order by id;
prepare p as insert into m (id, title) values ($1, $2) returning tsv;
execute p(30, 'prepared cats');
create text search configuration own (copy = simple);
drop trigger up on m;
create trigger up before insert or update on m for each row execute function tsvector_update_trigger_column(tsv, cfg, title);
insert into m (id, title, cfg) values (40, 'the cats', 'english'), (41, 'the cats', 'own'), (42, 'the cats', 'simple') returning id, tsv;
insert into m (id, title) values (43, 'the cats');
update m set cfg = 'english' where id = 41 returning tsv;
update m set cfg = 'english', title = 'the dogs' where id = 41 returning tsv;
drop trigger up on m;
create trigger up before insert or update on m for each row execute function tsvector_update_trigger(tsv, 'english', title);
insert into m (id, title) values (50, 'x');
\echo :LAST_ERROR_SQLSTATE
drop trigger up on m;
create trigger up before insert or update on m for each row execute function tsvector_update_trigger(tsv, 'public.own', title, n);
insert into m (id, title) values (50, 'x');
\echo :LAST_ERROR_SQLSTATE
drop trigger up on m;
create trigger up before insert or update on m for each row execute function tsvector_update_trigger(tsv, 'public.own', title, c);
insert into m (id, title) values (50, 'x');
\echo :LAST_ERROR_SQLSTATE
drop trigger up on m;
create trigger up before insert or update on m for each row execute function tsvector_update_trigger(tsv, 'public.own', title, nosuch);
insert into m (id, title) values (50, 'x');
\echo :LAST_ERROR_SQLSTATE
drop trigger up on m;
create trigger up before insert or update on m for each row execute function tsvector_update_trigger(nosuch, 'public.own', title);
insert into m (id, title) values (50, 'x');
\echo :LAST_ERROR_SQLSTATE
drop trigger up on m;
create trigger up before insert or update on m for each row execute function tsvector_update_trigger(title, 'public.own', title);
insert into m (id, title) values (50, 'x');
\echo :LAST_ERROR_SQLSTATE
drop trigger up on m;
create trigger up before insert or update on m for each row execute function tsvector_update_trigger(tsv, 'public.nosuch', title);
insert into m (id, title) values (50, 'x');
\echo :LAST_ERROR_SQLSTATE
drop trigger up on m;
create trigger up before insert or update on m for each row execute function tsvector_update_trigger(tsv, 'pg_catalog.simple');
insert into m (id, title) values (50, 'x');
\echo :LAST_ERROR_SQLSTATE
drop trigger up on m;
create trigger up after insert or update on m for each row execute function tsvector_update_trigger(tsv, 'pg_catalog.simple', title);
insert into m (id, title) values (50, 'x');
\echo :LAST_ERROR_SQLSTATE
drop trigger up on m;
create trigger up before insert or update on m execute function tsvector_update_trigger(tsv, 'pg_catalog.simple', title);
insert into m (id, title) values (50, 'x');
\echo :LAST_ERROR_SQLSTATE
drop trigger up on m;
create trigger up before delete on m for each row execute function tsvector_update_trigger(tsv, 'pg_catalog.simple', title);
delete from m where id = 1;
drop trigger up on m;
create trigger up before insert or update on m for each row execute function tsvector_update_trigger_column(tsv, nosuch, title);
insert into m (id, title) values (50, 'x');
\echo :LAST_ERROR_SQLSTATE
drop trigger up on m;
create trigger up before insert or update on m for each row execute function tsvector_update_trigger_column(tsv, n, title);
insert into m (id, title) values (50, 'x');
\echo :LAST_ERROR_SQLSTATE
drop trigger up on m;
create table parts (k int, a text, v tsvector) partition by list (k);
create table parts1 partition of parts for values in (1);
create trigger up before insert or update on parts for each row execute function tsvector_update_trigger(v, 'public.own', a);
insert into parts values (1, 'The one') returning v;
alter text search configuration own alter mapping for asciiword with english_stem;
update parts set a = 'The ones' returning v;
select tgname, tgfoid::regproc, pg_get_triggerdef(oid) from pg_trigger where tgrelid = 'parts'::regclass;
