-- Queries that say a field of a row go on doing so when the field has another name.
create type pair as (x int, y text); create table held (id int, p pair, x int); insert into held values (1, row(5, 'z'), 9);
create table t (id int, b text); insert into t values (1, 'b');
create view plain as select (p).x from held;
create view own as select (h.p).x as a, h.x, (row(3, 'u')::pair).x as made from held h where (h.p).x > 1;
create view apart as select id, x from held;
create materialized view kept as select (p).y, (p).x from held;
create function told() returns int language sql begin atomic select (p).x from held; end;
create view whole as select (s.w).b from (select t as w from t) s;
create view over as select x from plain;
alter type pair rename attribute x to xx;
select * from plain; select * from own; select * from apart; select told(); refresh materialized view kept; select * from kept; select * from over;
select pg_get_viewdef('plain'), pg_get_viewdef('own');
alter type pair rename attribute y to x; select * from plain; refresh materialized view kept; select * from kept;
alter table t rename b to bb; select * from whole; alter table t rename to t2; select * from whole;
alter type pair rename to two; select * from own; select * from plain; select told();
