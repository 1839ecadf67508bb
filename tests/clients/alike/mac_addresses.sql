-- macaddr and macaddr8: every spelling in, one out; compared, grouped, kept under keys, in arrays, bit by bit.
CREATE TABLE macaddr_data (a int, b macaddr);
INSERT INTO macaddr_data VALUES (1, '08:00:2b:01:02:03'),(2, '08-00-2b-01-02-03'),(3, '08002b:010203'),(4, '08002b-010203'),(5, '0800.2b01.0203'),(6, '0800-2b01-0203'),(7, '08002b010203');
INSERT INTO macaddr_data VALUES (8, '0800:2b01:0203');
INSERT INTO macaddr_data VALUES (9, 'not even close');
INSERT INTO macaddr_data VALUES (10, '08:00:2b:01:02:04'),(11, '08:00:2b:01:02:02'),(12, '08:00:2a:01:02:03'),(13, '08:00:2c:01:02:03'),(14, '08:00:2a:01:02:04');
INSERT INTO macaddr_data VALUES (15, '108:00:2a:01:02:04');
select macaddr ' 8:0:2b:1:2:3 ', macaddr '0x8:0:2b:1:2:3', '08002:010203'::macaddr;
SELECT * FROM macaddr_data order by a;
CREATE INDEX macaddr_data_btree ON macaddr_data USING btree (b);
SELECT a, b, trunc(b) FROM macaddr_data ORDER BY 2, 1;
SELECT b <  '08:00:2b:01:02:04' lt, b >  '08:00:2b:01:02:04', b >  '08:00:2b:01:02:03', b::macaddr <= '08:00:2b:01:02:04',b >= '08:00:2b:01:02:04', b =  '08:00:2b:01:02:03', b::macaddr <> '08:00:2b:01:02:04' FROM macaddr_data WHERE a = 1;
SELECT a, ~b, b & '00:00:00:ff:ff:ff', b | '01:02:03:04:05:06', b::macaddr8, b::text FROM macaddr_data order by a;
select b, count(*) from macaddr_data group by b having count(*) > 1 order by b;
select distinct b from macaddr_data where b in ('08:00:2b:01:02:04', '08-00-2a-01-02-04') order by 1;
select a from macaddr_data where b = any('{08:00:2b:01:02:04,08-00-2a-01-02-04}'::macaddr[]) order by a;
select array_agg(b order by a) from macaddr_data where a < 3;
alter table macaddr_data add c macaddr8 default '08:00:2b:01:02:03';
select c, c::macaddr, macaddr8_set7bit(c), ~c, c & '00:00:00:ff:ff:ff', trunc(c), c = b from macaddr_data where a = 1;
select '08:00:2b:01:02:03:04:05'::macaddr8, '08002b0102030405'::macaddr8, '08002b01:02030405'::macaddr8, '0800.2b01.0203.0405 '::macaddr8, '  0800.2b01.0203'::macaddr8;
select '08:00:2b:01:02:03:04:05'::macaddr8::macaddr;
select '08:00-2b:01:02:03:04:05'::macaddr8;
select '123    08:00:2b:01:02:03'::macaddr8;
select '08:00:2b:01:02:03  123'::macaddr8;
select '08:00:2b:01:02:03:04:05:06'::macaddr8;
select pg_typeof(b), pg_typeof(c) from macaddr_data limit 1;
\d macaddr_data
create table mk (m macaddr primary key, v int); insert into mk values ('08-00-2b-01-02-03', 1); insert into mk values ('08:00:2b:01:02:03', 1); select * from mk where m = '08002b:010203'; update mk set v = 2 where m = '08002b010203'; select * from mk;
drop table mk; drop table macaddr_data;
