-- Unique indexes of partitioned tables over expressions and over some rows, which partitions have as parts of them.
\set VERBOSITY verbose
create table job(id int not null, name text not null, state text not null default 'new', key text, at int) partition by list (name);
create table ja partition of job for values in ('a');
create table jb (key text, name text not null, at int, id int not null, state text not null default 'new');
insert into jb (id, name, key, at) values (1, 'b', 'one', 1), (2, 'b', 'ONE', 2);
create unique index jb_own on jb (name, lower(key)) where state = 'done';
create unique index jb_abs on jb (abs(at));
alter table job attach partition jb for values in ('b');
create unique index job_bad on job (lower(key));
create unique index job_bad on job (lower(name));
create unique index job_bad on job (key) where state = 'new';
create unique index job_key on job (name, lower(key));
update jb set key = 'two' where id = 2;
create unique index job_key on job (name, lower(key));
create unique index job_done on job (name, lower(key)) where state = 'done';
create unique index job_active on job (name) where state = 'active';
create unique index jb_done on jb (name) where state = 'done';
\d job
\d ja
\d jb
select c.relname, i.indisunique, i.indisvalid, pg_get_indexdef(c.oid) from pg_index i join pg_class c on c.oid = i.indexrelid where c.relname ~ '^j' order by 1;
insert into job values (3, 'a', 'new', 'one', 3), (4, 'b', 'new', 'One', 4);
insert into job values (3, 'a', 'new', 'one', 3), (4, 'b', 'new', 'three', 4) returning tableoid::regclass, *;
insert into job values (5, 'a', 'new', 'ONE', 3);
insert into job values (5, 'a', 'new', 'ONE', 3) on conflict do nothing returning id;
insert into job values (5, 'a', 'new', 'ONE', 3) on conflict (name, lower(key)) do nothing returning id;
insert into job values (5, 'b', 'new', 'five', -4) on conflict (name, lower(key)) do nothing returning id;
insert into job values (5, 'b', 'new', 'five', -4) on conflict do nothing returning id;
insert into job values (5, 'a', 'new', 'one', 3) on conflict (name) where state = 'active' do nothing returning id;
insert into job values (5, 'a', 'new', 'one', 3) on conflict (lower(key)) do nothing;
update job set state = 'active' where id in (1, 3) returning id;
update job set state = 'active' where id in (2);
update job set state = 'active' where id in (4) and name = 'b';
insert into job values (6, 'a', 'active', 'six', 6) on conflict (name) where state = 'active' do nothing returning id;
insert into job values (6, 'a', 'new', 'six', 6) on conflict (name) where state = 'active' do nothing returning id;
update job set name = 'b' where id = 3;
update job set name = 'b', key = 'threex' where id = 3;
update job set name = 'b', key = 'threex', state = 'old' where id = 3 returning tableoid::regclass, *;
update job set name = 'b', at = 17, key = 'six' where id = 6 returning tableoid::regclass, *;
insert into job values (6, 'a', 'x', 'o', 1) on conflict (name, lower(key)) do update set at = excluded.at returning *;
insert into job values (7, 'a', 'x', 'O', 9) on conflict (name, lower(key)) do update set at = excluded.at, key = 'p' returning *;
insert into job values (7, 'a', 'x', 'P', 9) on conflict (name, lower(key)) do nothing returning *;
insert into job values (7, 'a', 'x', 'O', 9) on conflict (name, lower(key)) do nothing returning *;
copy job from stdin;
50	a	new	fifty	50
51	b	new	fifty	51
\.
copy job from stdin;
52	a	new	FIFTY	50
\.
insert into job select g, 'a', 'new', 'k' || g, g from generate_series(100, 300) g;
insert into job select g, 'a', 'new', 'K' || g, g from generate_series(300, 400) g;
update job set key = upper(key) where id >= 100;
update job set key = 'k101' where id = 102;
merge into job j using (values (50, 'a', 'K200')) v(id, name, key) on j.id = v.id and j.name = v.name when matched then update set key = v.key;
merge into job j using (values (50, 'a', 'K2000')) v(id, name, key) on j.id = v.id and j.name = v.name when matched then update set key = v.key;
create table jc partition of job for values in ('c') partition by range (id);
create table jc partition of job for values in ('c', 'e') partition by list (name);
create unique index jc_x on jc (name, abs(at)) where key is null;
create table jc1 partition of jc for values in ('c');
create table jc2 partition of jc for values in ('e');
insert into job values (1, 'c', 'new', null, 1), (11, 'e', 'new', null, 1), (1, 'c', 'old', null, 2) returning tableoid::regclass;
insert into job values (1, 'c', 'new', null, -1);
insert into jc values (1, 'e', 'new', null, -1) on conflict do nothing returning id;
update jc set name = 'e' where id = 1 and at = 1;
update jc set name = 'e' where id = 1 and at = 2 returning tableoid::regclass, *;
update job set name = 'c', at = 3 where id = 1 and at = 2 returning tableoid::regclass, *;
alter table job add column more int default 7;
create table jd partition of job default;
insert into job values (1, 'c', 'new', 'x', 1), (2, 'd', 'new', 'x', 1);
create unique index jc_bad on jc (lower(key));
create unique index job_two on job (name, id, (at + more)) where at > 0;
insert into job values (1, 'c', 'new', null, 1), (11, 'c', 'new', null, 1) returning tableoid::regclass;
insert into job values (1, 'c', 'new', null, -1);
insert into job values (1, 'c', 'old', 'X', -1);
insert into job values (2, 'd', 'new', 'X', 1);
insert into job values (2, 'd', 'new', 'y', 1);
select count(*), sum(at), sum(more) from job;
alter table job detach partition jb;
insert into jb (id, name, key) values (90, 'b', 'FIFTY');
alter table job attach partition jb for values in ('b');
insert into job (id, name, key) values (90, 'b', 'FIFTY');
drop index jb_name_lower_idx;
drop index job_key;
insert into job (id, name, key) values (90, 'b', 'FIFTY'), (90, 'a', 'FIFTY') returning id;
\d jb
create index job_plain on job (lower(key));
drop table job;
-- indexes of partitions that become parts of one
create table t (id int, k text) partition by range (id);
create table t1 partition of t for values from (1) to (10);
create table t2 partition of t for values from (10) to (20);
insert into t select g, 'k' || g from generate_series(1, 19) g;
create unique index on only t (id, lower(k)) ;
create unique index t1i on t1 (id, lower(k));
insert into t values (1, 'K1');
create unique index t2i on t2 (id, lower(k));
alter index t_id_lower_idx attach partition t1i;
alter index t_id_lower_idx attach partition t2i;
insert into t values (11, 'K11');
insert into t values (11, 'K12') returning *;
insert into t values (11, 'k12') on conflict (id, lower(k)) do nothing returning *;
update t set k = 'K11' where k = 'K12';
update t set k = 'k13' where k = 'K12' returning *;
select i.indisvalid, pg_get_indexdef(i.indexrelid) from pg_index i where i.indrelid in ('t'::regclass, 't1'::regclass, 't2'::regclass) order by 2;
drop table t;
create table t (id int, k text) partition by range (id);
create unique index t_plain on t (id, k);
create unique index t_id on t (id);
create table t1 partition of t for values from (1) to (10) partition by list (k);
drop table t;
