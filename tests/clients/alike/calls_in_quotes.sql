-- In quotes what is grammar is a function's name like any other: its arguments are in the function's order, and others may be called so.
select "position"('abc','b'), pg_catalog.position('abc','b'), "position"('abc'::bytea,'c'::bytea), "position"(b'0110',b'10');
select position('b' in 'abc'), position('abc','b');
select "extract"('month', date '2020-03-04'), pg_catalog.extract('month', timestamp '2020-03-04'), pg_catalog.extract('epoch', interval '1 day');
select "substring"('abcdef', 2, 3), "substring"('abcdef', 2), "overlay"('abcdef','X',2), "trim"('x'), "btrim"(' x ');
select pg_catalog.btrim(' x '), pg_catalog.overlaps(time '1:00', time '2:00', time '1:30', time '3:00'), pg_catalog.timezone('UTC', timestamp '2020-01-01'), "timezone"('UTC', timestamptz '2020-01-01');
select pg_catalog.date_part('year', date '2020-01-01'), "normalize"('x','NFC'), "is_normalized"('x','NFC'), "coalesce"(1,2);
select pg_catalog."substring"('foobar' from 'o(.)b'), pg_catalog.substring('foobar','o(.)b'), pg_catalog.substring('foobar' similar '#"o_b#"%' escape '#');
select pg_catalog.like_escape('a','b'), pg_catalog.similar_to_escape('a%'), pg_catalog.ltrim('xxa','x'), pg_catalog.pg_collation_for('x'), "current_user"();
create function "Coalesce"(int) returns int language sql as 'select $1 + 1'; select "Coalesce"(5), coalesce(5); select "cast"(1); select "Position"('a','b'); select "greatest"(1,2); select "position" /* here */ ('abc','c'), "position" -- here
 ('abc','a'); select "nullif"(1,1);
 create view pv as select "position"('abc','b') as p, pg_catalog."overlay"('abc','x',1) as o; select * from pv; select pg_get_viewdef('pv'); select ('{1,2}'::int[])["position"('abc','a')];
