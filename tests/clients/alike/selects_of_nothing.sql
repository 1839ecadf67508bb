-- SELECT ALL, and queries without columns
create table sofn (a int); insert into sofn values (1), (2);
select all; select all 1; select all a from sofn order by a; select all from sofn; select from sofn; select distinct from sofn; select;
select count(*) from (select all from sofn) s; select exists (select all from sofn); select all union all select; select all distinct a from sofn; select distinct all a from sofn; select all all a from sofn;
create view sofn_v as select all a from sofn; \d+ sofn_v
select all (select all max(a) from sofn), array(select all a from sofn order by a); with s as (select all) select all from s; insert into sofn select all 3; select count(all a), sum(all a) from sofn;
prepare sofn_p as select all $1::int; execute sofn_p (1);
-- Thousands of savepoints
\t on
\o /dev/null
begin;
select 'savepoint sofn_' || i from generate_series(1, 1500) i \gexec
\o
insert into sofn values (10); rollback to sofn_1400; insert into sofn values (11); release sofn_2; commit;
\t off
select * from sofn order by a;
