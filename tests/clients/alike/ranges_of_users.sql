-- A range type that a user makes, with its multirange: what it is made of, how it is computed with, kept, listed and dropped.
create type floatrange as range (subtype = float8, subtype_diff = float8mi);
select floatrange(1.5, 2), floatrange(1,2,'[]'), floatrange(null, 2), '[1,2]'::floatrange;
select pg_typeof(floatrange(1,2)), pg_typeof(array[floatrange(1,2)]), pg_typeof(floatmultirange());
select floatmultirange(), floatmultirange(floatrange(1,2)), floatmultirange(floatrange(1,2), floatrange(2,3)), floatmultirange(variadic array[floatrange(1,2), floatrange(5,6)]);
select floatrange(1,2) && floatrange(1.5,3), floatrange(1,2) @> 1.5::float8, 1.5::float8 <@ floatrange(1,2), floatrange(1,2) << '[3,4]', floatrange(1,2) -|- '[2,3]';
select floatrange(1,2) @> 1;
select floatrange(1,2) + '[2,3)', floatrange(1,5) * '[2,3)', floatrange(1,5) - '[3,9)', lower(floatrange(1,5)), upper(floatrange(1,null)), isempty(floatrange(1,1)), lower_inc(floatrange(1,2)), upper_inf(floatrange(1,null));
select floatrange(1,5) = '[1,5)', floatrange(1,5) < '[1,6)', floatrange(0,5) = '[-0,5)', floatrange('nan','nan','[]');
select floatrange(1,2)::floatmultirange, '{[1,2),[3,4)}'::floatmultirange, unnest('{[1,2),[3,4)}'::floatmultirange);
select '{[1,2),[3,4)}'::floatmultirange @> floatrange(1,1.5), range_merge(floatrange(1,2), floatrange(5,6)), range_merge('{[1,2),[3,4)}'::floatmultirange), multirange(floatrange(1,2));
create table ft (id int primary key, r floatrange, m floatmultirange, a floatrange[]);
insert into ft values (1, '[1,2)', '{[1,2)}', array['[1,2)','(,3]']::floatrange[]), (2, '[0.5,9)', '{}', '{}'), (3, 'empty', null, '{"[1,2)"}'), (4, null, null, null);
table ft;
select id from ft order by r;
select r, count(*) from ft group by r order by 1;
select range_agg(r), range_intersect_agg(r) from ft where id < 3;
select distinct r from ft order by r desc;
select a.id, b.id from ft a join ft b on a.r && b.r order by 1,2;
select max(id) from ft where r @> 1.0::float8;
insert into ft values (5, '[3,1]');
insert into ft values (5, 'x');
insert into ft values (5, '[a,b]');
select 'x'::text::floatrange;
create table fu (r floatrange primary key, exclude using gist (r with &&));
insert into fu values ('[1,2)'); insert into fu values ('[1.5,3)'); insert into fu values ('[2,3)');
insert into fu values ('[2,3)');
create index on ft (r);
create index on ft using gist (r);
\d ft
\dT
\dT+ floatrange
\dT+ floatmultirange
create type textrange as range (subtype = text, collation = "C");
select textrange('a','b') @> 'aa', textrange('a', 'b', '[]'), '["a b",c)'::textrange, textrange('a','b') @> 'aa'::text;
create type tr as range (subtype = time, multirange_type_name = many_times);
select many_times(tr('10:00','11:00'), tr('12:00','13:00'));
create type ir as range (subtype = interval);
set intervalstyle = iso_8601; select ir('1 day','2 days'), ir('1 day','2 days')::text, array[ir('1 day','2 days')], array[ir('1 day','2 days')]::text; reset intervalstyle;
select ir('1 day','2 days') = ir('24 hours', '48 hours');
create type bad as range (x = floaty);
create type bad as range (subtype = float8, subtype = float8);
create type bad as range (collation = "C");
create type bad as range (subtype = float8, collation = "C");
create type bad as range (subtype = json);
create type bad as range (subtype = anyelement);
create type bad as range (subtype = float8, subtype_diff = nosuch);
create type bad as range (subtype = float8, canonical = nosuch);
create type bad as range (subtype = float8, subtype_opclass = nosuch);
create type floatrange as range (subtype = float8);
create type floatmultirange as range (subtype = float8);
create type x_range as range (subtype = float8, multirange_type_name = floatrange);
create type comp as (a floatrange, b floatmultirange);
select ('[1,2)','{}')::comp, (('[1,2)','{}')::comp).a;
create domain dr as floatrange check (not isempty(value));
select 'empty'::dr;
create table dt (a dr, c comp);
insert into dt values ('[1,2)', row('[1,2)','{[2,3)}'));
select (c).b, a from dt;
comment on type floatrange is 'floats';
grant usage on type floatrange to public;
drop type floatmultirange;
create view fv as select floatrange(1, id) as r, id::float8 <@ '[1,2)'::floatrange as b from ft;
\d+ fv
drop type tr;
select typname, typtype, typcategory, typlen, typalign, typstorage from pg_type where typname like '%floatr%' or typname like '%floatm%' order by 1;
select rngtypid::regtype, rngsubtype::regtype, rngmultitypid::regtype, opcname, rngsubdiff, rngcanonical, rngcollation from pg_range join pg_opclass o on o.oid = rngsubopc where rngtypid >= 16384 order by 1;
alter type floatrange rename to frange;
alter type floatmultirange rename to fm;
create schema s; alter type frange set schema s;
table ft;
\dT
\d ft
create type er as enum ('b','a','c'); create type err as range (subtype = er);
select err('b','c') @> 'a'::er, err('a','b');
begin; create type zz as enum ('a'); rollback; begin; create type zz as range(subtype = int4); select zz(1,3); select zz(1,2) && '[1,3)'; commit; select zz(1,2), zz(1,3,'[]') @> 3;
-- a label that comes between the two of a range is in it
create table ranged_grades (grades err);
insert into ranged_grades values ('[b,c]'), ('[a,c)');
select grades @> 'a'::er, grades @> 'c'::er from ranged_grades;
alter type er add value 'ab' before 'a';
alter type er add value 'ac' before 'c';
select grades @> 'ab'::er, grades @> 'ac'::er, grades @> 'c'::er from ranged_grades;
drop table ranged_grades;
