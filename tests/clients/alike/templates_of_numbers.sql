-- to_char of numbers: every pattern with every kind of number, and the patterns that do not go together.
\pset null '(null)'
create temp table figures (id int, n numeric);
insert into figures values (1, 0), (2, 1), (3, -1), (4, 4.31), (5, -34338492.215397047), (6, 7799461.4119), (7, 0.1), (8, -0.05), (9, 999.995), (10, 'NaN'), (11, 'Infinity'), (12, '-Infinity'), (13, 1e20), (14, 0.000012);
select id, p, '>' || to_char(n, p) || '<' from figures, (values ('9'), ('0'), ('999'), ('99.9'), ('FM99.9'), ('FM999.'), ('FM990.099'), ('FM9999999999999999.999999999999999'), ('9G999G999D99'), ('FM9,999,999.99'), ('0999999999.99'), ('S999.99'), ('FMS999.99'), ('999.99S'), ('MI999999999.99'), ('FMMI999.99'), ('PL999.9'), ('SG99999999.9'), ('999999SG99'), ('99999999.99PR'), ('FM99999999.99PR'), ('L999'), ('999th'), ('999TH'), ('FM99999999thPR'), ('9.99TH'), ('9.999EEEE'), ('99.9EEEE'), ('999V99'), ('FM99V9'), ('RN'), ('FMRN'), ('99 "text" 99 "a\"b" 9'), ('f\"oo999'), ('B999'), (' 9 9 9 . 9 '), ('S 9 9 9 . 9 '), ('FM0000.0000'), ('00009.9'), ('9.9 9 9'), ('""999'), ('foo999')) v(p) where id < 10 or id = 14 or not p ~* 'th|RN' order by id, p;
select id, p, '>' || to_char(n::float8, p) || '<', '>' || to_char(n::float4, p) || '<' from figures, (values ('999.99'), ('FM99999999999999.99'), ('9.999EEEE'), ('MI9999999999.99'), ('MI99.99'), ('S9999999999D99999999')) v(p) where id not in (13) order by id, p;
select id, '>' || to_char(id, p) || '<', '>' || to_char(-id::int8, p) || '<' from generate_series(0, 23) id, (values ('9'), ('99th'), ('S09'), ('FM00.0'), ('99.99'), ('9V9'), ('RN'), ('99PR')) v(p) order by id, p;
select to_char(1, '9.9.9');
select to_char(1, '9EEEE9');
select to_char(1, 'SPL9');
select to_char(1, '9PR9');
select to_char(1, 'FM9EEEE');
select to_char(12345678901::float8, 'FM9999999999D9999900000000000000000');
select to_char('NaN'::numeric, '999th');
select to_char('NaN'::numeric, 'RN');
select to_char('-Infinity'::numeric, 'RN');
select to_char(1e20, 'RN');
-- digits are laid out once for all numbers of a shape
SELECT v, to_char(v, 'FM999,990.00'), to_char(v, '9G999D99S'), to_char(v, 'FM0000.9'), to_char(v, '999.9PR'), to_char(v, '99th'), to_char(v, '9V99')
FROM unnest(ARRAY[0, 0.5, -0.001, 1, -1, 12.3, 98.7, -98.7, 123.45, 999.995, 1234.5, 9876.1, -9999.99, 12345, 99999.999, 1000000, 'NaN', 'Infinity']::numeric[]) v;
SELECT v, to_char(v, 'FM999,990.00'), to_char(v, '9.99EEEE'), to_char(v, '"x"999'), to_char(v, ''), to_char(v, '.') FROM unnest(ARRAY[0, -0.0, 1.5, -12.25, 99.5, 1e9]::float8[]) v;
SELECT to_char(12.5, U&'\E001999.9\E002'), to_char(-12.5, U&'\E001999.9\E002');
-- a float of any size, or none, has signs in the place of its numeral
SELECT v, to_char(v, 'RN'), to_char(v::float4, 'FMRN') FROM unnest(ARRAY[3.5, 'NaN', 'Infinity', '-Infinity', 3e9, -3e9, 0, 3999, 4000]::float8[]) v;
SELECT to_char(1e308::float8, 'RN');
