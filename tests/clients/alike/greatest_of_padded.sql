-- GREATEST and LEAST of char(n): what is before the padding counts, the first of equals is taken, and keeps its own width.
CREATE TABLE padded (id int PRIMARY KEY, a char(4), b char(6), c char(4));
INSERT INTO padded VALUES (1, 'ab', E'ab\t', 'ab'), (2, E'ab\x01', 'ab', 'ab'), (3, 'ab', 'ab   ', E'ab\x1f'), (4, E'a\n', 'a', 'a '), (5, '', E'\x01', ' '), (6, 'ab', 'ab!', 'ab~'), (7, 'AB','ab','aB'), (8, NULL, 'x', 'y'), (9, E'ab\x02', E'ab\x01', E'ab\x03'), (10, 'ab c', 'ab', E'ab\tc'), (11, 'é', E'é\x01', 'e');
SELECT id, encode(convert_to(greatest(a,b)::text,'UTF8'),'hex') g, encode(convert_to(least(a,b)::text,'UTF8'),'hex') l, encode(convert_to(greatest(a,b,c)::text,'UTF8'),'hex') g3, encode(convert_to(least(c,b,a)::text,'UTF8'),'hex') l3 FROM padded ORDER BY id;
SELECT id, a<b, a=b, a>b, b<c, octet_length(greatest(a,b)), pg_typeof(greatest(a,b)) FROM padded ORDER BY id;
SELECT encode(convert_to(min(a)::text,'UTF8'),'hex'), encode(convert_to(max(a)::text,'UTF8'),'hex'), encode(convert_to(min(b)::text,'UTF8'),'hex'), encode(convert_to(max(b)::text,'UTF8'),'hex') FROM padded;
SELECT id FROM padded ORDER BY a, id;
SELECT id FROM padded ORDER BY b, id;
SELECT id FROM padded ORDER BY greatest(a,b), id;
SELECT id, greatest(a,'ab') = least(c,b), greatest(a,'ab'::text) > b FROM padded ORDER BY id;
SELECT octet_length(greatest(a,b)), octet_length(least(a,b)), octet_length(greatest(b,a)) FROM padded WHERE id = 3;
SELECT octet_length(greatest(a,b)), octet_length(least(a,b)), octet_length(greatest(b,a)), greatest(a,b) FROM padded WHERE id = 1;
SELECT greatest(CASE WHEN random() < 2 THEN a END, b)::text FROM padded WHERE id = 2;
