-- An oid as an integer has the same bits: beyond 2147483647 it is negative, and the other way round.
select 3000000000::oid::int, (-1)::int::oid, 4294967295::oid::int, 2147483648::oid::int, 2147483647::oid::int;
select (-5)::oid, (-5)::int8::oid, 5000000000::int8::oid;
select (-3)::smallint::oid;
create table oi (id int primary key, a int, o oid); insert into oi values (1, 3000000000::oid, -1);
insert into oi select 2, 3000000001::oid, (-2)::int;
update oi set a = o where id = 1;
update oi set o = a where id = 2;
select * from oi order by id;
select o::int, a::oid from oi where id = 1;
select o::int, a::oid, o::int8 from oi order by id;
prepare p as select $1::oid::int, $2::int::oid; execute p(3000000000, -7);
select oid::int < 0 from pg_class where relname = 'pg_class';
select 3000000000::oid::regclass::int;
select 'pg_class'::regclass::int, 3000000000::regclass::oid::int;
