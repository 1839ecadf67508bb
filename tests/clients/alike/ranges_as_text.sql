-- Ranges, arrays and rows as text go by DateStyle, whoever made the type.
create type mood as enum ('b','a'); create type cc as (a int4range, b timestamptz, c mood);
select array['a'::mood]::text, array['b'::mood]::text || 'x';
set datestyle=german;
select row('[1,2)', '2020-01-01','a')::cc::text, array[row('[1,2)', '2020-01-01','a')::cc]::text, array[row('[1,2)', '2020-01-01','a')::cc];
create type tsr as range(subtype = timestamp);
select tsr('1.2.2020','2.3.2020'), tsr('1.2.2020','2.3.2020')::text, array[tsr('1.2.2020','2.3.2020')]::text, array[tsr('1.2.2020','2.3.2020')], array[tsrange('1.2.2020','2.3.2020')]::text, tsmultirange(tsrange('1.2.2020','2.3.2020'))::text, row(tsr('1.2.2020','2.3.2020'))::text;
select '[1.2.2020,2.3.2020)'::text::tsr;
create table x (r tsr); insert into x values (tsr('1.2.2020','2.3.2020')); table x; copy x to stdout;
