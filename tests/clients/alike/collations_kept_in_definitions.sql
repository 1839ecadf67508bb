-- COLLATE "C", "POSIX" and "default" change no order here, but what is defined with them is written with them; names of index columns.
create table ct (a int, b text collate "C" not null, d text, p text collate "POSIX");
create view v1 as select * from ct where b >= 'bbc' collate "C";
create view v2 as select a, lower((b || d) collate "POSIX") as x, d collate "C" as y from ct order by d collate "C" desc, b collate "default";
create view v3 as select a, max(d collate "C") over (partition by b collate "C" order by a) m, array_agg(d order by p collate "C") filter (where d collate "C" > 'a') from ct group by a, b, d, p;
create view v4 as select d from ct group by d having max(d collate "C") > 'x' union select d collate "POSIX" from ct;
select viewname, definition from pg_views where viewname ~ '^v[1-4]' order by 1;
alter table ct add check (d collate "C" > 'a'), add constraint cc check (b <> p collate "C");
create index i1 on ct (b collate "POSIX");
create index i2 on ct ((b collate "POSIX"));
create index i3 on ct ((d || 'x') collate "C");
create index i4 on ct ((lower(d) collate "C"), (d collate "C"));
create index i5 on ct (a) where d collate "C" = 'x';
create index on ct (a, b) include (a, b);
create index on ct (a, (a+1), (a+2), a);
select indexdef from pg_indexes where tablename = 'ct' order by indexname;
alter table ct enable row level security;
create policy pp on ct using (d collate "C" > 'a');
\d ct
create table lc (like ct including all);
\d lc
create function cf(x text) returns bool language sql return x collate "C" > 'a';
select pg_get_functiondef('cf'::regproc);
create table gc (a text, g text generated always as (lower(a collate "C")) stored, f text default ('q' collate "C"));
\d gc
insert into ct values (1, 'bbd', 'z', 'y'), (2, 'bba', 'b', 'b');
insert into ct values (1, 'x', 'A', 'y');
create materialized view mv as select d collate "C" as d from ct;
select pg_get_viewdef('mv');
select * from v1; select * from v2; select * from v3; select * from v4 order by d;
create view v5 as select a, lower((b || d) collate "POSIX") as x, d collate "C" as y, (d collate "C") || 'x' as z, case when d collate "C" > 'a' then d collate "C" end, array[d collate "C"], (d collate "C") is null as n, not (d collate "C" = 'x') q, d collate "C" in ('a', 'b') as i, coalesce(d collate "C", 'x') as co, -a as neg, length(d collate "C") as l, max(d collate "C") over (order by d collate "C") as w from ct order by d collate "C" desc, b collate "default";
select pg_get_viewdef('v5', true);
select pg_get_viewdef('v5');
create table gd (h text default ('q' collate "C") || 'x');
\d gd
create index on ct ((a collate "POSIX"));
create index on ct (a collate "POSIX");
