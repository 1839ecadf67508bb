-- bit in quotes, or with its schema, is of any length; the word of the grammar is bit(1).
create table bd (b1 bit(4) default '1001', b2 bit(4) default B'0101', b3 bit varying(5) default '1001',  b4 bit varying(5) default B'0101', b5 bit default B'1', check (b1 = B'1001'));
select pg_get_expr(adbin, adrelid), pg_get_expr(adbin, adrelid,true) from pg_attrdef where adrelid = 'bd'::regclass order by adnum;
insert into bd default values; table bd;
\d bd
create view bv as select * from bd where b1 <> B'1111'; select pg_get_viewdef('bv');
alter table bd alter b1 set default B'1111'; insert into bd(b3) values ('1'); alter table bd alter b1 set default '1001'; insert into bd(b3) values ('1'); select b1 from bd; 
drop table bd cascade;
select '1001'::"bit", '1001'::bit, '1001'::pg_catalog.bit, cast('1001' as "bit"), '1001'::"bit"[], 'a'::"text", '1'::"int4", '1 day'::"interval";
-- What is laid over bits and bytes may end before it begins, and has its limits.
SELECT overlay(B'10110' PLACING B'0' FROM 2 FOR -1), overlay(B'10110' PLACING B'01' FROM 2 FOR -3), overlay(B'10110' PLACING B'01' FROM 2), overlay(B'10110' PLACING B'' FROM 3);
SELECT overlay('\x5c27'::bytea PLACING '\xff' FROM 2 FOR -3), overlay('abc' PLACING 'x' FROM 2 FOR -3);
SELECT overlay(B'101' PLACING B'1' FROM 1 FOR 2147483647);
SELECT overlay('\x5c27'::bytea PLACING '\xff' FROM 2147483647 FOR 64);
SELECT overlay(B'101' PLACING B'1' FROM 0);
SELECT overlay(b PLACING B'1' FROM f FOR n), f, n FROM (VALUES (B'10110', 2, -1), (B'10110', 4, -9), (B'10110', 9, 1)) v (b, f, n) ORDER BY f;
