-- What types are read and shown with, called by name.
select int4in('5'), int4in('x');
select int4in('5'), int8in('-7'), textin('abc'), boolin('t'), date_in('2024-02-29'), numeric_in('1.50', 0, -1), numeric_in('1.005', 0, 196614), tsqueryin('a & b'), tsvectorin('b a');
select int4out(5), int8out(7), textout('x y'), boolout(true), date_out('2024-02-29'), numeric_out(1.50), timestamptz_out(null), pg_typeof(int4out(5)), uuid_out('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11');
select tsvectorin(tsvectorout($$'a b' cd\e$$::tsvector)), int4in(int4out(17)) + 1, int4out(5)::text || 'x';
select date_in('2024-02-30');
select x, int4in(textout(x)) from (values ('1'), ('22')) v(x);
select int4in(x) from (values ('1'), ('22')) v(x);
select jsonb_out('{"b":1, "a":[2]}'), jsonb_in('{"b":1,  "a":[2]}'), bit_in('101', 0, 3), bit_in('101', 0, -1), varcharin('abcdef', 0, 7), bpcharin('ab', 0, 9), timestamp_in('2020-01-01', 0, -1), interval_in('1 day', 0, -1);
select point_in('(1,2)'), box_out('(1,2),(3,4)'), inet_in('10.0.0.1/8'), cidr_out('10.0.0.0/8'), macaddr_in('08:00:2b:01:02:03'), oidin('9'), namein('n'), byteain('\x41'), byteaout('\x41');
select textin(null), int4out(null);
select int4in(5);
select inet_out('10.0.0.1'), bpcharout('ab '::char(4)) || '|', charout('c'), cash_out(1.5::money), float8out(0.1), int4in(int4out(x)) from generate_series(1,2) x;
select varcharin('abc', 0, 7), float4in('1.5'), cash_out('2');

-- In arrays as well.
SELECT '{a,b,c}'::cstring[] AS cstring, CAST('{a}' AS CSTRING[]), ARRAY['a', 'b']::cstring[], 'abc'::cstring;
SELECT pg_typeof('{a}'::cstring[]), array_length('{a,b}'::cstring[], 1), ('{a,b}'::cstring[])[2], '{a,b}'::cstring[]::text;
