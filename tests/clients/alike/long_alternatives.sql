-- Hundreds of alternatives, as ORMs join them: what is unknown stays so, under NOT and beside other conditions, in joins and writes.
create table alt(id int primary key, a int, b int, t text);
insert into alt select i, nullif(i % 7, 3), nullif(i % 11, 5), 'v' || i % 3 from generate_series(1, 500) i;
select string_agg(format('a = %s and b = %s and id > %s', i % 9, i % 13, i), ' or ') as long,
  string_agg(format('id between %s and %s', i * 3, i * 3 + 1), ' or ') as ranges, string_agg(format('(a = $1 and b = $2 and id <> %s)', i), ' or ') as given
from generate_series(1, 300) i \gset
select count(*), sum(id) from alt where :long;
select count(*), sum(id) from alt where not (:long);
select count(*), sum(id) from alt where (:long) is null;
select (:long) as x, count(*) from alt group by 1 order by 1;
select count(*), sum(id) from alt where :ranges;
select count(*), sum(x.id) from alt x join alt y on x.id = y.id where x.t = 'v1' and (y.a = 1 or y.b is null or y.id in (1, 2)) and exists (select 1 from alt where id = y.id and (:long));
prepare p(int, int) as select count(*), sum(id) from alt where :given;
execute p(1, 2);
execute p(1, null);
execute p(null, null);
update alt set t = 'found' where :long;
select count(*) from alt where t = 'found';
delete from alt where :ranges;
select count(*), sum(id) from alt;
select null or :long from alt order by id limit 1;
-- Of one row, found by its key.
select string_agg(format('b <> %s', i + 20), ' and ') as excepted, string_agg(i::text, ', ') as listed, string_agg(format('a = %s and b = %s', i, i % 11), ' or ') as many
from generate_series(1, 1000) i \gset
select id, null or :long as x, not (:long) as y, :excepted as z from alt where id = 8;
select * from alt where id = 10 and a in (:listed);
select * from alt where id = 10 and a not in (:listed);
select * from alt where id = 10 and :excepted and (:many);
prepare q(int) as select * from alt where id = $1 and (a in (:listed) or :many);
execute q(8);
execute q(10);
execute q(null);
update alt set t = 'one' where id = 8 and a in (:listed) returning *;
update alt set t = case when :long then 'a' else 'b' end where id = 8 returning *;
insert into alt values (8, 1, 1, 'x') on conflict (id) do update set t = 'again' where alt.a in (:listed) returning *;
delete from alt where id = 8 and (:many) returning *;
create table chk(id int primary key, a int check (a in (:listed)), b int generated always as (case when a in (:listed) then 1 end) stored);
insert into chk values (1, 5) returning *;
insert into chk values (2, 5000);
update chk set a = 7 where id = 1 returning *;
drop table chk;
drop table alt;
