-- Hundreds of operators in a row, as queries have that put all columns of a wide table together.
create table wide (id int primary key, a text, n bigint); insert into wide select i, 'v' || i, i from generate_series(1, 20) i;
select 'select ' || string_agg('1', ' + ') from generate_series(1, 1000) \gexec
select 'select length(' || string_agg('a', ' || '','' || ') || ') from wide where id = 7' from generate_series(1, 500) \gexec
select 'select sum(' || string_agg('n', ' + ') || ') from wide' from generate_series(1, 900) \gexec
select 'select max(md5(' || string_agg('coalesce(a, '''')', ' || ') || ')) from wide where n > 3' from generate_series(1, 300) \gexec
select 'update wide set n = ' || string_agg('n', ' + ') || ' where id = 3 returning n' from generate_series(1, 600) \gexec
select 'create view put_together as select id, ' || string_agg('n', ' - ') || ' as x from wide' from generate_series(1, 400) \gexec
select * from put_together where id < 3 order by id;
select 'select count(*) from wide where ' || string_agg('n <> ' || i, ' and ') || ' or (' || string_agg('n', ' + ') || ') = 800' from generate_series(1, 800) i \gexec
