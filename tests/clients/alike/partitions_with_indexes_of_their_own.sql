-- Unique indexes over expressions, and over some rows, that partitions have of their own: written to through the table above.
\set VERBOSITY verbose
create type st as enum ('created', 'active', 'done');
create table job(id int not null, name text not null, state st not null default 'created', key text, at int) partition by list (name);
create table ja (name text not null, at int, key text, id int not null, state st not null default 'created');
create unique index ja_key on ja (name, coalesce(key, '')) where state = 'created';
create unique index ja_lower on ja (lower(key));
alter table job attach partition ja for values in ('a');
create table jb partition of job for values in ('b');
create unique index jb_active on jb (name) where state = 'active';
create unique index jb_at on jb (abs(at));
\d jb
insert into job (id, name, key) values (1, 'a', 'K'), (2, 'b', 'K'), (3, 'b', 'K') returning tableoid::regclass, *;
insert into job (id, name, key) values (4, 'a', 'k');
insert into job (id, name, key) values (5, 'a', 'k') on conflict do nothing returning id;
insert into job (id, name, key) values (6, 'a', null), (7, 'a', null) on conflict do nothing returning id;
insert into job (id, name, key) values (8, 'a', '');
insert into job (id, name, key, state) values (8, 'a', '', 'done') returning *;
insert into job (id, name, key) values (8, 'a', 'x') on conflict (key) do nothing;
insert into job (id, name, key) values (8, 'a', 'x') on conflict (lower(key)) do nothing;
update job set state = 'active' where id = 2 returning *;
update job set state = 'active' where id = 3;
update job set state = 'done' where id = 2;
update job set state = 'active' where id = 3 returning id, state;
update job set state = 'active' where name = 'b';
update job set at = id where name = 'b';
update job set at = -2 where id = 3;
update job set at = -at where id = 3 returning at;
update job set name = 'a', key = 'k', at = 0 where id = 3;
update job set name = 'a', key = 'Z', at = 0 where id = 3 returning tableoid::regclass, *;
update job set name = 'b', at = 2 where id = 3;
update job set name = 'b', at = 5 where id = 3 returning tableoid::regclass, *;
update job set state = 'created' where id = 8;
delete from job where id = 6 returning *;
update job set state = 'created' where id = 8 returning *;
insert into job (id, name, at) select g, 'b', g from generate_series(100, 300) g;
insert into job (id, name, at) select g, 'b', -g from generate_series(300, 400) g;
insert into job (id, name, at) select g, 'b', -g from generate_series(290, 310) g on conflict do nothing;
select count(*) from job;
update job set at = at + 1000 where id >= 100;
select sum(at) from jb;
update job set at = 7 where id in (100, 101);
copy job (id, name, key, at) from stdin;
20	a	cc	1
21	b	cc	20
\.
copy job (id, name, key, at) from stdin;
22	a	CC	1
\.
copy job (id, name, key, at) from stdin where id > 23;
23	a	CC	1
24	a	DD	1
\.
merge into job j using (values (24, 'a', 'ee', 9), (25, 'b', 'ff', 99)) v(id, name, key, at) on j.id = v.id and j.name = v.name
  when matched then update set key = v.key when not matched then insert (id, name, key, at) values (v.id, v.name, v.key, v.at);
select * from job where id between 20 and 30 order by id;
merge into job j using (values (24, 'a', 'CC'), (25, 'b', 'ff')) v(id, name, key) on j.id = v.id and j.name = v.name
  when matched then update set key = v.key;
merge into job j using (values (26, 'b', -99)) v(id, name, at) on j.id = v.id and j.name = v.name
  when not matched then insert (id, name, at) values (v.id, v.name, v.at);
prepare p(int, text, text) as insert into job (id, name, key) values ($1, $2, $3) on conflict do nothing returning id;
execute p(30, 'a', 'pp');
execute p(31, 'a', 'PP');
execute p(32, 'b', 'PP');
begin;
delete from job where id = 30;
execute p(31, 'a', 'PP');
rollback;
alter table job add column more int default 3;
insert into job (id, name, key, more) values (40, 'a', 'Cc', 4);
insert into job (id, name, key, more) values (40, 'a', 'Ccc', 4) returning *;
update job set more = 5 where id = 40 returning *;
create function up() returns trigger language plpgsql as $$ begin new.key := upper(new.key); return new; end $$;
create trigger up before insert or update on job for each row execute function up();
insert into job (id, name, key) values (41, 'a', 'ccc');
insert into job (id, name, key) values (41, 'a', 'ccd') returning key;
update job set key = 'ccc' where id = 41;
drop trigger up on job;
drop index ja_lower;
insert into job (id, name, key) values (42, 'a', 'cC') returning id;
insert into job (id, name, at) values (43, 'b', -2147483648);
alter table job detach partition jb;
insert into jb (id, name, at) values (44, 'b', -99);
select count(*) from job;
drop table job, jb;
drop function up;
drop type st;
-- Generated columns and conditions of COPY: of the rows that come, whatever partitions have
create table g (id int, iv interval, ar text[], d numeric(10,2), n int generated always as (id * 2) stored);
copy g (id, iv, ar, d) from stdin where id > 1;
1	1 day	{a,b}	1.5
2	2 day	{a,b}	1.5
\.
select * from g;
create table gp (id int, iv interval, ar text[], d numeric(10,2), n int generated always as (id * 2) stored) partition by range (id);
create table gp1 partition of gp for values from (1) to (10);
create table gp2 partition of gp for values from (10) to (maxvalue);
insert into gp values (3, '1 mon', '{x}', 2), (30, '1 mon', '{x}', 2);
copy gp (id, iv, ar, d) from stdin where id > 1;
1	1 day	{a,b}	1.5
2	2 day	{a,b}	1.5
20	2 day	{a,b}	1.5
\.
select tableoid::regclass, * from gp order by id;
create unique index gp1u on gp1 (abs(id)) where iv > '1 hour';
insert into gp values (3, '1 mon', '{x}', 2);
insert into gp values (3, '1 min', '{x}', 2);
insert into gp select 3, '1 day', '{x}', 2 from generate_series(1,70);
insert into gp select 3, '1 min', '{x}', 2 from generate_series(1,70);
update gp set iv = '1 day' where id < 10 and iv < '1 hour';
select count(*) from gp;
drop table g, gp;
