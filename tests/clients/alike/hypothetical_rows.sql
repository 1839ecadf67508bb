-- What rank and its kin within a group are asked for meets the column's type, and what may not stand in their calls.
create table marks (id int, n numeric, t text, b bigint); insert into marks values (1, 1.5, 'a', 10), (2, 2.5, 'c', 20), (3, 2.5, 'x', 30);
select rank(2.5) within group (order by id), dense_rank(2) within group (order by n), percent_rank(15.5) within group (order by b), cume_dist('c') within group (order by t) from marks;
select rank(2, 'b') within group (order by id, t), rank(2, 'b'::varchar) within group (order by n, t), rank(1::smallint) within group (order by b desc) from marks;
select rank(3) within group (order by t) from marks; select rank('a'::text) within group (order by id) from marks; select rank(1, 2) within group (order by id) from marks;
select rank(sum(id)) within group (order by id) from marks; select rank(id) within group (order by id) from marks; select rank('x') within group (order by id) from marks;
select percentile_cont(0.5 order by n) within group (order by id) from marks; select percentile_cont(distinct 0.5) within group (order by id) from marks;
select sum(id) within group (order by id) from marks; select percentile_cont(0.5) from marks;
prepare asked(numeric) as select rank($1) within group (order by id) from marks; execute asked(1.5);
prepare told(text, int) as select rank($1) within group (order by t), dense_rank($2) within group (order by n), cume_dist($1) within group (order by t) from marks;
execute told('c', 2);
prepare untold as select rank($1) within group (order by t), rank($2, $3) within group (order by id, t), percent_rank($4) within group (order by b) from marks;
execute untold('c', 2, 'b', 15);
select name, parameter_types from pg_prepared_statements order by name;
