-- currval() and lastval() beside nextval(): each row's own.
create sequence s;
create table t(x int default nextval('s'), y text, z int default -1*currval('s'));
insert into t(y) select 'a' from generate_series(1,3);
insert into t(y) values ('b'),('c'),('d');
insert into t(y) values ('e');
select * from t order by x;
select nextval('s'), currval('s'), lastval() from generate_series(1,3);
select currval('s'), lastval() from generate_series(1,3);
create table u(x int default nextval('s'), y text, z int default lastval());
insert into u(y) select 'a' from generate_series(1,5000);
select count(*), count(distinct z) from u where x = z;
insert into u(y) select 'a' from generate_series(1,3) returning z - x;
with new as (insert into t(y) select 'n' from generate_series(1,2) returning x, z) select x + z from new;
do $$ begin
  insert into t(y) select 'p' from generate_series(1,3);
  raise notice '% %', (select count(distinct c) from (select currval('s') c from generate_series(1,3)) q), (select count(distinct z) from t where y = 'p');
end $$;
