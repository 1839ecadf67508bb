-- Functions of texts, documents, arrays and moments that were answered otherwise: letters without a capital, accents that
-- stand alone, numbers as written, zones named like abbreviations, what is before a search's start.
select split_part(null, ',', 0), split_part('a', null, 1), split_part('a', '', null), split_part(null, '', 1), split_part('a,b', ',', 2), split_part('a,b', ',', -1);
select upper('straße ẞ ßß'), initcap('straße'), initcap('ßa ﬁn ŉ'), upper(''), upper('ß'), upper(null);
create table words_otherwise (id int primary key, w text);
insert into words_otherwise values (1, 'Größe'), (2, 'e' || chr(769) || 'a'), (3, null), (4, 'ẞ'), (5, 'ﬁn'), (6, '👨‍👩‍👧x'), (7, 'abc');
select id, upper(w), initcap(w), reverse(w), w = reverse(reverse(w)) from words_otherwise order by id;
select upper(w), initcap(w), reverse(w) from words_otherwise where id = 1;
select id from words_otherwise where upper(w) = 'GRÖßE';
create index on words_otherwise (upper(w));
select id from words_otherwise where upper(w) = 'GRÖßE';
select json_strip_nulls('{"x":"2024-01-01","y":1e3,"z":-0.0,"n":null,"l":[1.10,null,12345678901234567890123],"e":"a\u0041\n"}');
select timestamptz '2024-07-01 12:00+00' at time zone 'CET', timestamptz '2024-07-01 12:00+00' at time zone 'EST', timestamptz '2024-07-01 12:00+00' at time zone 'MST', timestamptz '2024-07-01 12:00+00' at time zone 'HST', timestamptz '2024-07-01 12:00+00' at time zone 'MET', timestamptz '2024-07-01 12:00+00' at time zone 'EET', timestamptz '2024-07-01 12:00+00' at time zone 'WET', timestamptz '2024-07-01 12:00+00' at time zone 'cest', timestamptz '2024-07-01 12:00+00' at time zone 'MSK', timestamptz '2024-07-01 12:00+00' at time zone 'UTC', timestamptz '2024-07-01 12:00+00' at time zone 'EST5EDT';
select timestamp '1900-01-01' at time zone 'EST', timestamp '2024-07-01 12:00' at time zone z from (values ('CET'),('EST'),('Z'),('gmt'),('Europe/Berlin')) v(z);
set timezone = 'CET'; select timestamptz '2024-07-01 12:00+00'; reset timezone;
select regexp_replace('a,b,,c', '^.', 'Z', 3, 0), regexp_replace('tab here', '\m\w', 'Z', 3, 1), regexp_replace('abcabc', '(?<=a)b', 'X', 2), regexp_replace('abcabc', 'b', 'X', 3, 0), regexp_replace('abcabc', 'b', 'X', 1, 2), regexp_replace('abc', 'b*', 'X', 1, 0), regexp_replace('abc', 'x*', '-', 2, 0), regexp_replace('ABC', 'b', 'x', 1, 0, 'i'), regexp_replace('abc', 'c', 'x', 9), regexp_replace(E'a\nb', '^b', 'x', 2, 1, 'n');
select '[-1:0][2:3]={{1,2},{3,4}}'::int[] || array[[1,2],[3,4]];
select array[1,2] || '[-1:0][2:3]={{1,2},{3,4}}'::int[];
select array_cat(array[[1,2]], '[5:6]={1,2}'::int[]);
select '[5:6]={1,2}'::int[] || array[3];
select date_part('epoch', '1 year 2 mons 3 days 04:05:06.789'::interval), date_part('epoch', x), extract(epoch from x) from (values (interval '1 year 2 mons 3 days 04:05:06.789')) v(x);
select date_part('second', date '1900-01-01'), date_part('hour', date '2024-01-01'), date_part('epoch', date '2024-01-01'), date_part('year', date 'infinity'), date_part('dow', d), date_part('isoyear', d), date_part('microseconds', d) from (values (date '2024-12-30')) v(d);
select date_part(f, d) from (values ('hour', date '2024-12-30'), ('year', '2024-12-30')) v(f, d);
select date_part('timezone', date '2024-01-01');
select date_trunc('week', interval '36 hours');
select sin('infinity'::float8); select cos('-infinity'::float8); select tan('infinity'::float8); select sin('nan'::float8), cos(0::float8), tan(float8 'nan'); select sin(x) from (values (1::float8), (null), ('nan')) v(x);
