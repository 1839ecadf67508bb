-- One group of HAVING alone; numerics that no float holds; columns assigned twice.
create table e (id int); insert into e values (1),(2);
select 1 from e having true; select 1 from e where false having true; select count(*) over () from e having true; select 5 having 1 > 0; select count(*) from e having count(*) > 5; select id from e having true; select 1 from e having false;
select 1e400::float8; select 1e40::float4; select '1e400'::float8; select 1e-400::float8; select 1e308 * 10; select 1e308::float8 * 10; select (10 ^ 308) * 10::float8; select 1e400 + 1.5::float8; select numeric '1e400' = 1::float8; select cast(1e39 as real); select 1e400::numeric::float8; select id * 1e400::float8 from e;
update e set id = 1, id = 2; insert into e (id, id) values (1, 2); update e set (id, id) = (1, 2);
