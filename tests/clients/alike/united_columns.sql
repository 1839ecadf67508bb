-- What columns of UNION and of recursions are: collations that cannot be united, types that the first term decides.
create table t (a int, b text, n numeric(3, 1), v varchar(4));
insert into t values (1, 'x', 1.5, 'v');
select 'a' collate "C" union select 'b' collate "POSIX" order by 1;
select b collate "C" from t union all select 'y' collate "POSIX" limit 1;
select x from (select b collate "C" as x from t union select ('y') collate "sv-x-icu") s order by x;
select 'a' collate "C" as x union select 'b' order by x;
create temp table ic (a text collate "sv-x-icu", b text collate "de-x-icu", c text);
insert into ic values ('z', 'z', 'z'), ('å', 'å', 'å'), ('a', 'a', 'a');
select a from ic union select b from ic;
select a from ic union all select b from ic;
select a from ic union select c from ic order by 1;
select a from ic intersect select b collate "sv-x-icu" from ic order by a;
select a from ic except select b from ic;
with recursive r (n) as (select 1::numeric(3, 1) union all select n + 0.5 from r where n < 2) select * from r;
with recursive r (n) as (select 1::numeric(3, 1) union all select (n + 0.25)::numeric(3, 1) from r where n < 2) select * from r;
with recursive r (n) as (select n from t union all select n + 1 from r where n < 3) select * from r;
with recursive r (n) as (select n::numeric from t union all select n + 1 from r where n < 3) select * from r;
with recursive r (n) as (select coalesce(n, 0.0::numeric(3, 1)) from t union all select t.n from r, t where false) select * from r;
with recursive r (n) as (select 'a'::varchar(3) union all select n || 'a' from r where length(n) < 3) select * from r;
with recursive r (n) as (select v::varchar from t union all select n || 'a' from r where length(n) < 3) select * from r;
with recursive r (n) as (select 'x' union all select n || 'x' from r where length(n) < 3) select * from r;
with recursive r (n) as (select 1::bigint union all select 1 from r where false) select * from r;
with recursive r (n) as (select 1 union all select n::bigint from r where false) select * from r;
with recursive r (n, m) as (select 1, '2020-01-01'::timestamp(0) union all select n + 1, m + interval '1 s' from r where n < 3) select * from r;
-- a recursion with a WITH of its own
with recursive o (x) as (with i as (select 1 as a union select 2) select a from i union select x + 1 from o where x < 6) select * from o order by 1;
with recursive x (n) as (with recursive y (m) as (select 1 union all select m + 1 from y where m < 3) select m from y union all select n * 10 from x where n < 50) select * from x order by 1;
with recursive x (n) as (with x1 as (select 1 from x) select 0 union select * from x1) select * from x;
with a as (select 5 v), x as (with b as (select v + 1 as w from a) select w from b union select 1) select * from x order by 1;
with y as (select * from z), z as (select 1) select * from y;
select n::numeric, n from t \gdesc
