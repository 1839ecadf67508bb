-- PREPARE may say domains: EXECUTE asks their conditions of what it gives.
create domain dm as int check (value > 0) not null; create table pdt(a dm);
prepare p(dm) as select $1; execute p(5); execute p(-5); execute p(null); execute p('-5'); execute p(1-6); execute p('x');
prepare q(dm) as insert into pdt values ($1); execute q(-1); execute q(3); table pdt;
prepare r(dm[]) as select $1; execute r(array[1,2]); execute r(array[1,-2]); execute r('{1,2}');
create domain words as text check (value <> 'x'); prepare s(words) as select $1 || 'y'; execute s('x'); execute s('z'); execute s(1); execute s(null);
insert into pdt values (1); prepare u as update pdt set a = $1 where a = $2; execute u(7, 3); execute u(-7, 7); execute u(null, 7); table pdt;
select name, parameter_types from pg_prepared_statements order by 1;
explain (costs off) execute p(-1); prepare w(dm) as select $1 as a; create table made as execute w(4); create table made2 as execute w(-4); table made; prepare y(dm[], timestamp) as select $1 as a, $2 as b; create table made3 as execute y('{1,2}', '2020-01-02'); table made3;
