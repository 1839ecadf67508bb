-- Typed literals of char and bit are as long as they are written; columns and casts of these types have one letter.
select char 'abc', character 'abc', nchar 'abc', national character 'abc', bpchar 'abc';
select bit '101', bit varying '101', bit(2) '101', pg_catalog.bit '101';
select char(2) 'abc', character varying(2) 'abc', varchar 'abc', pg_typeof(char 'abc'), pg_typeof(bit '101');
select cast('abc' as char), cast('101' as bit), 'abc'::char, '101'::bit, 'abc'::character;
create view lal_bv as select bit '101' as b, char 'abc' as c;
select 'a' as char, 1 as bit; select t.bit, t.char from (values (1, 2)) t (bit, "char"); select char $$abc$$, char e'a\tc', bit b'101', bit x'ff';
create table lal_ct (a char default char 'x', b bit default bit '1', c char(5) default char 'abc'); \d lal_ct
insert into lal_ct default values; select * from lal_ct; insert into lal_ct (a) values (char 'xy'); insert into lal_ct (b) values (bit '10'); select * from lal_ct where c = char 'abc'; prepare lal_ctp as select char 'abc', $1::char(2); execute lal_ctp('xyz');
select pg_get_viewdef('lal_bv'::regclass); select national character(2) 'abc', nchar(2) 'abc', bit'101', char'abc' || 'x', length(char 'ab ');
select format_type(1560,-1), format_type(1560,null), format_type(1561,-1), format_type(1561,null), format_type(1560,3), format_type(1042,-1), format_type(atttypid, atttypmod) from pg_attribute where attrelid = 'lal_bv'::regclass;
