-- composite values and records, compared with each other
create type pin as (id integer, price numeric);
create type pair as (low pin, high pin);
select row(9,1)::pin < row(10,1)::pin, row(9,1.5)::pin = row(9,1.50)::pin, row(9,null)::pin = row(9,null)::pin, row(9,null)::pin > row(9,1)::pin;
select * from (values (row(10,1)::pin),(row(9,1)::pin),(row(9,null)::pin),(null)) v(x) order by x;
select row(9,1.5)::pin is distinct from row(9,1.50)::pin, row(9,1.5)::pin in (row(9,1.50)::pin), row(9,1.5)::pin = any(array[row(9,1.50)::pin]);
select row(10,1.5) = row(10,1.50)::pin, row(9,1.0) < row(10,1)::pin, row(9,1.0) = null::pin;
select row(10,1) = row(10,1.0)::pin;
create table price (id int, price numeric);
insert into price values (1, 42), (10, 100), (11, 17.99);
select * from price where row(id, price) = row(10, 100)::pin;
select * from price where row(id, price) > row(10, 100)::pin;
select max(row(id, price)::pin) from price;
select row(1,1.1) = any (array[row(7,7.7), row(1,1.1), row(0,0.0)]), row(1,1.2) = any (array[row(7,7.7), row(1,1.1)]);
select row() = row();
create table pairs (p pair);
insert into pairs values (((1,2.5),(3,4.5))), (((1,null),(3,4.5)));
select (p).low.price, (pairs.p).high, (p).low.id + (p).high.id as ids from pairs order by 1;
select (p).low.nosuch from pairs;
create type mood as enum ('sad', 'ok', 'happy');
select a is distinct from b, a is not distinct from b from (values ('sad'::mood, 'ok'::mood), ('ok', 'ok'), (null, 'ok'), (null, null)) v(a, b);

-- Texts among several values of a list are of its composite type; rows are in the order of their bytes, too.
create table twos (q1 int8, q2 int8);
insert into twos values (123, 456), (4567890123456789, 123), (1, 2);
select * from twos p where p in (row(123, 456)::twos, '(4567890123456789,123)');
select * from twos p where p not in (row(123, 456)::twos, '(4567890123456789,123)');
select * from twos p where p = '(4567890123456789,123)';
select (d).ctid from (select twos as d from twos) s;
select (d).q3 from (select twos as d from twos) s;
select row('ABC', 'DEF') ~<=~ row('DEF', 'ABC'), row('ABC', 'DEF') ~>=~ row('DEF', 'ABC'), row('a', 'B') ~<~ row('a', 'b'), row('a', 'B') ~>~ row('a', 'B');
select row('ABC', 'DEF') ~~ row('DEF', 'ABC');
