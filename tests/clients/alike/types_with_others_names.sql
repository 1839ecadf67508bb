-- What other dialects call types is a user's type here
create domain string as text check (value <> 'x'); create type number as enum ('one', 'two'); create domain "double" as int; create domain long as text; create domain blob as int[];
select 'a'::string, 'x'::string; select 'x'::string; select 'two'::number, cast('one' as number), number 'two', 'three'::number;
select '7'::"double", 'abc'::long, '{1,2}'::blob;
create table twon (a string, b number, c number[], d long); insert into twon values ('a', 'one', '{two,one}', 'd'); select a, b, c, d, b::text::number, c::number[], pg_typeof(b) from twon; insert into twon values ('x');
create function twon_f(number) returns long language sql as 'select $1::text::long'; select twon_f('one');
select like '1';
select 1::clob; select cast(1 as varbinary); select 1::serial; select '1'::byte; select cast(1 as "left"); select (1 + 2)::twon_none; select cast((1 + 2) as twon_none.x); select twon_none '1'; select a::twon_none from twon where a = 'a'; select 'a' :: twon_none; select 1::int4::twon_none; select (1::numeric(5, 2))::int8[]::twon_none; select cast(cast(1 as int8) as twon_none); select cast(a::varchar(3) as twon_none) from twon;
set application_name = all; set application_name = user; set application_name = on; set application_name = yes; show application_name; set application_name to 'a', b; reset application_name;
