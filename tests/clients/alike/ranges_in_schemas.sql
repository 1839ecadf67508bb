-- The same in a schema that is not searched, in all kinds of queries, definitions and keys.
create schema s; create type s.fr as range(subtype=float8);
select s.fr(1,2);
select s.fr(1,2) as x, s.fr_multirange(s.fr(1,2));
select fr(1,2);
select nos.fr(1,2);
select s.fr(1,'2','[]'), s.fr('1',2,'x');
select s.fr(1,2,3);
select s.fr(variadic array[1,2]);
prepare p as select s.fr($1, $2); execute p(1,2);
select s.fr(1,2) between s.fr(0,1) and s.fr(3,4), greatest(s.fr(1,2), s.fr(0,3)), s.fr(1,2) in (s.fr(1,2), s.fr(3,4)), s.fr(1,2) = any(array[s.fr(1,2)]);
select coalesce(null, s.fr(1,2)), case when true then s.fr(1,2) end, nullif(s.fr(1,2), s.fr(1,2));
select array_agg(x order by x desc) from unnest(array[s.fr(1,2), s.fr(0,3)]) x;
select s.fr(1,2) union select s.fr(1,2) union select s.fr(1,3) order by 1;
select row_number() over (order by r), r from (values (s.fr(1,2)), (s.fr(0,2))) v(r);
select to_jsonb(s.fr(1,2)), to_json(array[s.fr(1,2)]), format('%s', s.fr(1,2)), s.fr(1,2) || 'x', length(s.fr(1,2)::text);
select count(distinct r) from (values (s.fr(0,2)), (s.fr('-0',2))) v(r);
select lower(r) + 1, pg_typeof(lower(r)) from (values (s.fr(0,2))) v(r);
select range_contains(s.fr(1,2), s.fr(1,2)), range_contains_elem(s.fr(1,2), 1.5::float8), range_overlaps(s.fr(1,2), s.fr(1,2));
select s.fr(1,2)::text::s.fr, s.fr(1,2)::varchar(3), '[1,2)'::varchar::s.fr;
select s.fr_multirange(s.fr(1,2)) + s.fr_multirange(s.fr(3,4)), s.fr_multirange(s.fr(1,2)) * s.fr_multirange(s.fr(0,1.5)), lower(s.fr_multirange(s.fr(1,2))), '{[1,2)}'::s.fr_multirange = s.fr_multirange(s.fr(1,2));
create table g (r s.fr not null default '[1,2)', n int generated always as (case when isempty(r) then 0 else 1 end) stored, check (r <> '[5,6)'), check (not s.fr(7,8) = r));
insert into g default values; insert into g values ('[5,6)'); insert into g values ('[7,8)'); insert into g values ('empty'); table g;
update g set r = r + s.fr(2,3) where not isempty(r) returning r; delete from g where r @> 1.5::float8 returning *;
insert into g values ('[1,3)'), ('[2,5)') ; select * from g where r && '[1,2)'; select r from g order by r desc nulls last limit 1;
alter table g alter r type text; alter table g alter r type s.fr using r::s.fr; 
\d g
create index gi on g using gist (r); create unique index gu on g (r); insert into g values ('[1,3)');
insert into g values ('[1,3)') on conflict (r) do nothing;
create table gh (a s.fr[] , b s.fr_multirange unique); insert into gh values (array[s.fr(1,2),null], '{[1,2),[2,3)}'); insert into gh values ('{}', '{[1,3)}'); table gh;
select a[1], array_length(a,1), b, unnest(b) from gh; select unnest(a) from gh;
copy gh to stdout; copy gh from stdin;
{"[5,6)"}	{[8,9)}
\.
table gh;
create table fk1 (r s.fr primary key); create table fk2 (r s.fr references fk1); insert into fk1 values ('[1,2)'); insert into fk2 values ('[1,2)'); insert into fk2 values ('[1,3)');
with recursive x as (select s.fr(1,2) r union select s.fr(1, upper(r)+1) from x where upper(r) < 5) table x;
alter type s.fr owner to tidewire;
alter type s.fr add value 'x';
alter type s.fr add attribute x int;
create type s.fr2 as (x s.fr); drop type s.fr2;
drop table g, gh, fk2, fk1;
drop schema s;
\set VERBOSITY terse
drop schema s cascade;
-- A multirange's schema is one that its maker may fill.
CREATE ROLE range_maker;
CREATE SCHEMA others_ranges;
SET ROLE range_maker;
CREATE TYPE pg_temp.mine AS RANGE (subtype = int4, multirange_type_name = others_ranges.many);
RESET ROLE;
GRANT CREATE, USAGE ON SCHEMA others_ranges TO range_maker;
SET ROLE range_maker;
CREATE TYPE pg_temp.mine AS RANGE (subtype = int4, multirange_type_name = others_ranges.many);
RESET ROLE;
DROP TYPE pg_temp.mine;
DROP SCHEMA others_ranges;
DROP ROLE range_maker;
-- A schema does not go from under a multirange whose range is elsewhere, but with it.
\set VERBOSITY default
CREATE SCHEMA of_many;
CREATE TYPE apart AS RANGE (subtype = int4, multirange_type_name = of_many.many);
DROP SCHEMA of_many;
DROP TYPE of_many.many;
CREATE TABLE kept_many (a of_many.many);
DROP SCHEMA of_many CASCADE;
SELECT 'apart'::regtype;
DROP TABLE kept_many;
