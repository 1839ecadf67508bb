-- What is grouped by, told apart or sorted by is what is shown, also where it is another value each time; and it is drawn once for each row.
create sequence s; create table t(id int, g int); insert into t select i, i % 2 from generate_series(1, 40) i;
select count(*) <= 2, count(distinct k) = count(*), sum(c) from (select trunc(random() * 2)::numeric as k, count(*) as c from t group by 1) q;
select count(*) <= 4, count(distinct (k, g)) = count(*), sum(c) from (select trunc(random() * 2)::numeric as k, g, count(*) as c from t group by 1, 2) q;
select count(distinct k) = count(*), sum(c) from (select array[trunc(random() * 2)::int] as k, count(*) as c from t group by 1) q;
select count(distinct k) = count(*), sum(c) from (select jsonb_build_object('a', trunc(random() * 2)) as k, count(*) as c from t group by k having min(id) > 0) q;
select count(*) <= 2 from (select distinct trunc(random() * 2)::numeric from t) q; select count(distinct k) = count(*) from (select distinct trunc(random() * 2)::numeric as k from t) q;
select count(distinct k) = count(*) from (select distinct on (trunc(random() * 2)::numeric) trunc(random() * 2)::numeric as k from t) q;
select nextval('s') > 0, count(*) from t group by nextval('s') > 0; select nextval('s');
select nextval('s') % 3 as k, count(*), sum(nextval('s')) > 0 from t group by k order by k; select nextval('s');
select setval('s', 100); select (nextval('s') / 10)::numeric as k, min(id), count(*) from t group by rollup(1) order by 1; select nextval('s');
select setval('s', 100); select distinct (nextval('s') % 2)::numeric as k, g from t order by 1, g; select nextval('s');
select setval('s', 100); select nextval('s') % 7 as k, id from t where id < 6 order by nextval('s') % 7; select nextval('s');
select setval('s', 100); select nextval('s') % 2 as k, rank() over (partition by nextval('s') % 2 order by id) from t where id < 6 order by 2, 1; select nextval('s');
select count(*) from (select trunc(random() * 2)::numeric as k, row_number() over (partition by trunc(random() * 2)::numeric order by id) as n from t) q where n = 1 and k not in (select k from generate_series(0, 1) k);
