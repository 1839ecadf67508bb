-- The place behind an array's last element has a number as well, whichever way the array comes to be.
select '[2147483646:2147483646]={1}'::int[]; select '[2147483647:2147483647]={1}'::int[];
create table places (id int primary key, a int[]); insert into places values (1, '[2147483646:2147483646]={1}'), (2, '[2147483645:2147483645]={1}');
select a || 2 from places where id = 1; select a || '{2}'::int[] from places where id = 1; select 2 || a from places where id = 1; select a || 2 from places where id = 2;
select a || 2 from places order by id; select a || '{2,3}'::int[] from places order by id; select array_append(a, 2) from places where int4range(2, 3) @> id;
do $$ declare a int[] = '[2147483646:2147483646]={1}'; begin a := a || 2; raise notice '%', a; end $$;
do $$ declare a text[] = '[2147483644:2147483646][1:1]={{1},{2},{3}}'; begin a := a || array['x']; raise notice '%', a; end $$;
-- Options of patterns are looked at one by one, before what a function does not take.
select regexp_like('a', 'a', 'go'); select regexp_like('a', 'a', 'bcg'); select regexp_match('a', 'a', 'zg'); select regexp_match('a', 'a', 'cg');
-- Nor has the place before the first one.
select array_prepend(1, '[-2147483648:-2147483648]={1}'::int[]);
select 5 || '[-2147483648:-2147483648]={1}'::int[];
select array_prepend(1, '[-2147483647:-2147483647]={1}'::int[]);
select array_append('[-2147483648:-2147483648]={1}'::int[], 2);
