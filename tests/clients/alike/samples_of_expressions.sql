-- TABLESAMPLE takes expressions and parameters.
create table many (id int primary key); insert into many select generate_series(1, 1000);
select count(*) from many tablesample bernoulli (-1); select count(*) from many tablesample system (101); select count(*) from many tablesample bernoulli (null);
select count(*) from many tablesample bernoulli (100) repeatable (null); select count(*) from many tablesample system (50 * 2) repeatable (1 + 2);
prepare part(float, float) as select count(*) from many tablesample bernoulli ($1) repeatable ($2); execute part(100, 1); execute part(0, 1); execute part(-1, 1); execute part(100, null);
select count(*) from many m tablesample bernoulli ((select 100)) where m.id > 500; select count(*) from many tablesample bernoulli (99.5 + 0.5), many b tablesample system (0);
create view sampled as select id from many tablesample system (60 + 40) repeatable (2); select count(*) from sampled;
select count(*) from many tablesample foo (1); select count(*) from many tablesample nosuch ($$1$$);
select a.count from (select count(*) from many tablesample bernoulli (100)) a;
create function f() returns int language plpgsql as $$ begin return ; end $$; create function f() returns int language plpgsql as $$ begin if then return 1; end if; end $$;
create function f() returns void language plpgsql as $$ declare c refcursor; begin for r in c loop null; end loop; end $$;
do $$ begin for i in 1.. loop null; end loop; end $$;
create function half(state bigint, x int) returns bigint language sql immutable strict as $$ select state + x / 2 $$;
create aggregate halves(int) (sfunc = half(bigint, int), stype = bigint, initcond = '0'); select halves(id) from many where id < 10;
create aggregate halves2(int) (sfunc = half(bigint, int, stype = bigint);
