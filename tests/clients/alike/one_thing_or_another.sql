-- Materialized views whose unique indexes are over expressions are filled again.
create table summed (a int);
insert into summed values (1), (2);
create materialized view sums as select sum(a) as total from summed;
create unique index on sums ((total > 0));
create unique index on sums (total) where total < 0;
insert into summed values (5);
refresh materialized view sums;
select * from sums;
-- The collation of an expression.
select collation for ('foo'), collation for ('foo'::text), collation for (('a' collate "C")), collation for ('a'::name);
select collation for (x) from (values ('a'::varchar)) v(x);
select collation for (1);
-- Sleep, and the number of a transaction.
select pg_sleep_for('1 millisecond'), pg_sleep_until(now()), pg_sleep_until(clock_timestamp() + interval '2 ms'), pg_sleep_for(null);
select pg_current_xact_id() is not null, pg_typeof(pg_current_xact_id());
-- Types without a modifier.
select 'char(3)'::regtype, '1014'::regtype, pg_typeof(min('a'::char(3))), format_type(1042, null), format_type(1042, -1);
-- Sizes.
select size, pg_size_bytes(size) from (values ('1'), ('123bytes'), (' 1 GB'), ('1.5 GB '), ('1e6 MB'), ('-.1kb'), ('1.5')) x(size);
select pg_size_bytes('1 AB A    ');
select pg_size_bytes('1 b');
select pg_size_bytes('9223372036854775807.9');
select pg_size_bytes('1e1000000000000000000');
select pg_size_bytes('+912+ kB');
-- The comma of UPDATE's FROM binds less than JOIN.
create table ua (x int, k int);
create table ub (k int, y int);
insert into ua values (1, 1), (2, 2);
insert into ub values (1, 10), (2, 20);
update ua set x = e.y + f.y from ub, ub as e join ub as f using (k) where ua.k = e.k and ub.k = 1 and e.k = 1 returning ua.*;
update ua set x = 7 from ub, lateral (select ub.k + 1 as kk) l where l.kk = ua.k returning *;
update ua set x = 1 from ua;
delete from ua using ub, ub e join ub f using (k) where ua.k = f.k and ub.k = 2 and e.y = 10 returning *;
-- What is checked late is no arbiter.
create table late (a int primary key deferrable, b int unique);
insert into late values (1, 2) on conflict (a) do nothing;
insert into late values (1, 2) on conflict do nothing;
insert into late values (1, 2) on conflict on constraint late_pkey do nothing;
insert into late values (1, 2) on conflict (b) do nothing;
-- ORDER BY is read before GROUP BY; DISTINCT ON says which of its keys is passed over.
select count(*) from ua x, ua y where x.k = y.k group by k order by k;
select distinct on (x, k) x, k from ua order by x, x + k;
-- A superuser that is made later is nothing else.
create role made_super superuser;
select rolsuper, rolreplication, rolbypassrls from pg_roles where rolname = 'made_super';
drop role made_super;
