-- Aggregates of users over frames: a frame that holds the last one goes on from what that came to.
create table t (id int primary key, g text, n int);
insert into t select i, 'g' || i % 3, case when i % 5 > 0 then i % 4 end from generate_series(1, 30) i;
create function sf(int, int) returns int language plpgsql strict as 'begin return $1 * 3 % 1000 + $2; end';
create function fin(int) returns text language sql as $$ select 'f' || coalesce($1::text, '?') $$;
create aggregate ag(int) (sfunc = sf, stype = int, finalfunc = fin);
create aggregate ag0(int) (sfunc = sf, stype = int, initcond = '7');
create aggregate acc2(int) (sfunc=array_append, stype=int[], initcond='{0}');
create function two(int, int, int) returns int language sql as 'select coalesce($1, 1) * 2 + coalesce($2, 0) + $3';
create aggregate tw(int, int) (sfunc = two, stype = int);
select id, ag(n) over (order by id), ag0(n) over (partition by g order by id), acc2(n) over (order by id rows 3 preceding) from t where id < 12 order by id;
select id, ag(n) over (order by id desc), ag0(n) over (partition by g order by id rows between unbounded preceding and unbounded following), tw(n, 1) over (order by id rows between 2 preceding and 1 following) from t where id < 12 order by id;
select id, ag(1) over (), ag(1) over (order by g), tw(1, 2) over (order by g range between unbounded preceding and current row exclude group) from t where id < 12 order by id;
select id, ag(n) over w, ag0(n) over w, acc2(n) over w, ag(n) filter (where n > 1) over w from t window w as (partition by n order by id) order by id;
select id, ag(n) over (order by id rows between current row and unbounded following), ag(1) over (partition by id), ag(1) over (order by id rows 1 preceding) from t where id < 9 order by id;
select count(*), md5(string_agg(a || coalesce(b, 0) || c, ',' order by id)) from (select i as id, ag(i % 7) over (order by i) a, ag0(i % 5) over (partition by i % 17 order by i) b, ag(1) over (partition by i % 2) c from generate_series(1, 2500) i) x;

-- frames that are whole partitions: each is computed once
CREATE SEQUENCE calls;
CREATE FUNCTION counted_sum(int, int) RETURNS int LANGUAGE plpgsql AS 'BEGIN PERFORM nextval(''calls''); RETURN $1 + $2; END';
CREATE AGGREGATE summed (int) (sfunc = counted_sum, stype = int, initcond = '0');
SELECT x, summed(x) OVER (PARTITION BY x % 3) FROM generate_series(1, 12) x ORDER BY x;
SELECT last_value FROM calls;
SELECT x, summed(x) OVER () FROM generate_series(1, 5) x ORDER BY x;
SELECT last_value FROM calls;
SELECT x, summed(x) OVER (PARTITION BY x % 2 ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM generate_series(1, 6) x ORDER BY x;
SELECT last_value FROM calls;
