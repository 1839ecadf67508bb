-- money: columns, keys, arithmetic, casts, sums.
CREATE TABLE prices (m money PRIMARY KEY, d money DEFAULT 9.99, a money[]);
\d prices
INSERT INTO prices VALUES (1234.5), ('$2,000.25'), (-3), ('(0.07)') RETURNING m, d;
INSERT INTO prices VALUES ('$1,234.50');
INSERT INTO prices VALUES (5, NULL, '{1,$2.5,NULL}'), (6::bigint, 7.005, ARRAY[1::money, '2']);
SELECT * FROM prices ORDER BY m;
SELECT * FROM prices WHERE m = '$5';
SELECT * FROM prices WHERE m = 5;
SELECT m FROM prices WHERE m > '$1' AND m < 2000::money ORDER BY m DESC;
SELECT m FROM prices WHERE m BETWEEN '0' AND '1300' ORDER BY 1;
SELECT sum(m), min(m), max(m), count(m), count(DISTINCT m) FROM prices;
SELECT sum(m) FROM prices WHERE false;
SELECT avg(m) FROM prices;
SELECT sum(m) OVER (ORDER BY m) FROM prices ORDER BY m;
SELECT d, count(*) FROM prices GROUP BY d ORDER BY d;
SELECT DISTINCT d FROM prices ORDER BY 1;
UPDATE prices SET m = m + '1', d = d * 2 WHERE m = '$5.00' RETURNING *;
UPDATE prices SET m = m * 1.5 WHERE m = '$6.00' RETURNING m;
DELETE FROM prices WHERE m = '-3' RETURNING m;
SELECT m + m, m - '1', m * 2, 2 * m, m * 1.5::float8, 1.5::float4 * m, m / 2, m / 3, m / 0.3::float8, m / '3'::money, m * 2::smallint, m / 7::bigint FROM prices ORDER BY m;
SELECT '1'::money / 0;
SELECT '1'::money / 0.0::float8;
SELECT '1'::money / '0'::money;
SELECT '-7.55'::money / 2, '0.05'::money * 0.5::float8, '0.15'::money * 0.5::float8;
SELECT '92233720368547758.07'::money + '0.01';
SELECT '-92233720368547758.08'::money - '0.01';
SELECT '92233720368547758.07'::money * 2;
SELECT '92233720368547758.07'::money * 2::float8;
SELECT '1'::money * 'NaN'::float8;
SELECT m * m FROM prices;
SELECT m + 1 FROM prices;
SELECT '1.005'::numeric::money, 1::money, 12345678901::bigint::money, '1.50'::money::numeric, '1.50'::money::numeric(10,1), '2.5'::money::numeric::int;
SELECT 1e20::numeric::money;
SELECT 'NaN'::numeric::money;
SELECT 9223372036854775807::money;
SELECT 'x'::money;
SELECT '1000000000000000000000'::money;
SELECT m::text, m::text || '!', format('%s', m), to_json(m), cash_words(m) FROM prices ORDER BY m;
SELECT cash_words('-1234567.01'), cash_words('0'), cash_words('1'), cash_words('92233720368547758.07'), cash_words('115.20'), cash_words('100.19'), cash_words('40.30');
SELECT greatest('1'::money, '2'), least('1'::money, '2'), nullif('1'::money, '1'), '1'::money IN ('1', '2'), '1'::money IS DISTINCT FROM '2', cashlarger('1', '2'), cash_cmp('1', '2');
SELECT array_agg(m ORDER BY m), a FROM prices GROUP BY a ORDER BY 1;
SELECT ARRAY['1'::money, '2'] = '{1,2}'::money[], ARRAY['1'::money] < '{2}', '2'::money = ANY ('{1,2}');
SELECT cash_send('1.05'), pg_typeof(m * 2), pg_typeof(m / m) FROM prices LIMIT 1;
CREATE INDEX ON prices (d);
CREATE UNIQUE INDEX ON prices (d, m);
CREATE TABLE bills (id int, m money REFERENCES prices, CHECK (m > 0::money));
INSERT INTO bills VALUES (1, '1234.5');
INSERT INTO bills VALUES (1, '77');
INSERT INTO bills VALUES (2, '-0.07');
SELECT * FROM bills JOIN prices USING (m);
INSERT INTO prices VALUES ('1,234.50') ON CONFLICT (m) DO UPDATE SET d = excluded.m + 1 RETURNING *;
COPY prices (m, a) TO STDOUT;
COPY prices (m, a) TO STDOUT CSV;
COPY prices (m, d) FROM STDIN;
$77.70	1
(8)	\N
\.
SELECT m, d FROM prices ORDER BY m;
CREATE VIEW v AS SELECT m * 2 AS twice, m > '5' AS more, m::numeric AS n FROM prices;
\d+ v
SELECT * FROM v ORDER BY 1;
SELECT generate_series(1, 2)::money;
SET lc_monetary = 'C';
SHOW lc_monetary;

-- The least of all has no counterpart.
\set VERBOSITY verbose
SELECT m / n FROM (VALUES ('-92233720368547758.08'::money, -1)) v(m, n);
SELECT m / -1::bigint FROM (VALUES ('-92233720368547758.08'::money)) v(m);
SELECT m / -1::float8 FROM (VALUES ('-92233720368547758.08'::money)) v(m);
