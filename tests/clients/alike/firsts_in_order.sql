-- DISTINCT ON gives its rows in the order of its expressions, also where no ORDER BY says so.
create table firsts (a int, b text);
insert into firsts select nullif(i % 7, 3), 'x' || i % 5 from generate_series(1, 500) i;
select distinct on (a) a from firsts;
select distinct on (b, a) b, a from firsts;
select distinct on (b) b, 1 as one from firsts limit 2;
select distinct on (a) a, b from firsts order by a desc, b;
