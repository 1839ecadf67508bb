-- Parents and children in programs, prepared statements, foreign keys, domains, enums and temporary tables.

create table firsts (tomorrow date default now()::date + 1, a int);
create table seconds (tomorrow date default  now() :: date  +  1, b int);
create table joint () inherits (firsts, seconds);
create table thirds (tomorrow date default now()::date + 2);
create table joint_2 (x int, tomorrow date default '2024-01-01') inherits (firsts, thirds);
\d joint_2
select attname, attislocal from pg_attribute where attrelid = 'joint'::regclass and attnum < 0 order by 1;

create table base (id int, v int);
create table derived (own text) inherits (base);
insert into base values (1, 1);
insert into derived values (2, 2, 'two');
create function add_all(n int) returns int language plpgsql as $$
declare r record; total int := 0; one base;
begin
  for r in select id, v from base order by id loop total := total + r.v; end loop;
  update base set v = v + n;
  select * into one from base where id = 2;
  total := total + one.v;
  perform 1 from only base where id = 2;
  if found then raise exception 'not its own'; end if;
  delete from base where id = 1;
  return total;
end $$;
select add_all(10);
select tableoid::regclass, * from base order by id;
select * from derived;
do $$ begin update base set v = 0 where id = 2; if not found then raise exception 'none'; end if; end $$;
select * from derived;
create function count_base() returns bigint language sql as 'select count(*) from base';
insert into derived values (3, 3, 'three');
select count_base();
with w as (insert into derived values (4, 4, 'four') returning id) select (select count(*) from base), w.id from w;
with w as (update base set v = v + 1 returning id, v) select * from w order by id;
with a as (update base set v = 100 where id = 2), b as (select v from base where id = 2) select * from b;
insert into base select id + 100, v from base returning *;
select count(*) from base where v = any (select v from derived);
select distinct on (v) v from base order by v;
select b.id, x.own from base b left join lateral (select own from derived d where d.id = b.id) x on true order by b.id;
select sum(v) over (order by id), id from base order by id;
create materialized view summed as select count(*) as n from base;
select * from summed;
delete from base where id > 100;
refresh materialized view summed;
select * from summed;

-- Foreign keys are of the one table.
create table targets (id int primary key);
create table heirs_of_targets () inherits (targets);
create table referring (t int references targets on delete cascade on update cascade);
create table referring_more (x int) inherits (referring);
insert into targets values (1);
insert into heirs_of_targets values (2);
insert into referring values (2);
insert into referring values (1);
insert into referring_more values (1, 5), (77, 6);
update targets set id = id + 10;
select tableoid::regclass, t from referring order by t;
delete from targets;
select tableoid::regclass, t from referring order by t;
truncate targets;
truncate targets, referring;
alter table targets add primary key (id);
alter table only heirs_of_targets add primary key (id);
select conrelid::regclass, contype from pg_constraint where conrelid in ('targets'::regclass, 'heirs_of_targets'::regclass) order by 1;

-- Domains and enums of columns that are inherited.
create domain small as int;
create type mood as enum ('sad', 'happy');
create table feelings (m mood default 'sad', s small);
create table deeper_feelings (d int) inherits (feelings);
insert into deeper_feelings (s) values (200);
alter domain small add constraint below check (value < 100);
update feelings set s = 5, m = 'happy';
alter domain small add constraint below check (value < 100);
update feelings set s = 500;
alter type mood add value 'calm';
insert into deeper_feelings values ('calm', 1, 1);
select m, s from feelings order by m;
alter type mood rename value 'happy' to 'glad';
select * from deeper_feelings order by m;
drop domain small cascade;
\d deeper_feelings
comment on column feelings.m is 'how';
select col_description('deeper_feelings'::regclass, 1);

-- Temporary ones.
begin;
create temporary table temporaries (a int) on commit drop;
create temporary table more_temporaries (b int) inherits (temporaries) on commit drop;
insert into more_temporaries values (1, 2);
select * from temporaries;
commit;
select * from temporaries;
create temporary table temporaries (a int) on commit delete rows;
create temporary table more_temporaries (b int) inherits (temporaries);
insert into temporaries values (1);
insert into more_temporaries values (1, 2);
select * from temporaries;
discard temp;
select * from temporaries;

-- By name and in schemas.
create schema elsewhere;
create table elsewhere.derived (z int) inherits (public.base);
insert into elsewhere.derived values (9, 9, 9);
select tableoid::regclass, id from base order by id;
drop materialized view summed;
alter table base rename to bottom;
alter table bottom set schema elsewhere;
select tableoid::regclass, id from elsewhere.bottom order by id;
drop table elsewhere.derived;
drop table derived;
drop schema elsewhere cascade;

-- What looks at rows looks at those of one table.
create table checked (a text constraint wide check (a similar to '(x|y)%' and length(md5(a)) = 32), n int, m int generated always as (n + 1) stored);
create table also_checked (z int) inherits (checked);
insert into checked values ('x1', 1);
insert into checked values ('z1', 1);
insert into also_checked values ('y1', 1, default, 4), ('y2', 5, default, 4);
insert into also_checked values ('z1', 1, default, 4);
update checked set a = 'q' where a = 'y1';
update checked set a = 'yy', n = 10 where a = 'y1';
select * from also_checked order by a;
copy checked (a, n) from stdin where n < 100;
x7	7
x8	800
\.
copy checked (a, n) from stdin;
w	1
\.
select * from only checked order by a;
create table numbers (n int primary key);
insert into numbers values (1), (7);
alter table checked add foreign key (n) references numbers;
alter table also_checked add foreign key (n) references numbers;
select count(*) from checked tablesample bernoulli (100);
select count(*) from only checked tablesample system (100);
alter table only checked alter column n set not null;
insert into also_checked (a, n) values ('y9', null);
alter table checked alter column n set not null;
analyze checked;
vacuum also_checked;
select a from checked where a = 'yy' for share;
select a from checked order by a for update skip locked limit 1;
