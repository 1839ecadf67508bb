-- Numerics as parameters beside columns of known digits: between two of them, beyond them all, on either side.
CREATE TABLE priced (id int PRIMARY KEY, price numeric(6,2), whole numeric(5), tiny numeric(3,3), free numeric);
INSERT INTO priced SELECT i, (i - 500) / 100.0, i - 500, (i % 2000 - 1000) / 1001.0, (i - 500) / 100.0 FROM generate_series(0, 1000) i;
INSERT INTO priced VALUES (2000, 9999.99, 99999, 0.999, 'NaN'), (2001, -9999.99, -99999, -0.999, '-Infinity'), (2002, NULL, NULL, NULL, NULL);
PREPARE asked(numeric) AS SELECT count(*) FILTER (WHERE price < $1), count(*) FILTER (WHERE price <= $1), count(*) FILTER (WHERE price = $1),
 count(*) FILTER (WHERE price <> $1), count(*) FILTER (WHERE price >= $1), count(*) FILTER (WHERE price > $1), count(*) FILTER (WHERE $1 < price),
 count(*) FILTER (WHERE $1 <= price), count(*) FILTER (WHERE $1 = price), count(*) FILTER (WHERE $1 >= price), count(*) FILTER (WHERE $1 > price) FROM priced;
EXECUTE asked(1.23); EXECUTE asked(1.235); EXECUTE asked(-1.235); EXECUTE asked(-1.230000); EXECUTE asked(0); EXECUTE asked(9999.99); EXECUTE asked(9999.991);
EXECUTE asked(10000); EXECUTE asked(-9999.995); EXECUTE asked(1e30); EXECUTE asked(-1e30); EXECUTE asked('NaN'); EXECUTE asked('Infinity'); EXECUTE asked('-Infinity'); EXECUTE asked(NULL);
PREPARE others(numeric) AS SELECT count(*) FILTER (WHERE whole < $1), count(*) FILTER (WHERE whole = $1), count(*) FILTER (WHERE whole >= $1), count(*) FILTER (WHERE tiny < $1),
 count(*) FILTER (WHERE tiny = $1), count(*) FILTER (WHERE tiny >= $1), count(*) FILTER (WHERE price * 2 > $1), count(*) FILTER (WHERE price + whole <= $1), count(*) FILTER (WHERE free > $1) FROM priced;
EXECUTE others(3); EXECUTE others(3.5); EXECUTE others(-3.5); EXECUTE others(0.001); EXECUTE others(0.0005); EXECUTE others(1); EXECUTE others(99999.5); EXECUTE others('NaN'); EXECUTE others(NULL);
PREPARE rows_of(numeric, numeric) AS SELECT id FROM priced WHERE price BETWEEN $1 AND $2 AND id % 7 < 6 ORDER BY id;
EXECUTE rows_of(1.005, 1.034); EXECUTE rows_of(2, 1); EXECUTE rows_of(9999, 'Infinity'); EXECUTE rows_of(NULL, 1);
PREPARE among(numeric, numeric) AS SELECT count(*) FILTER (WHERE price IN ($1, $2, 3)), count(*) FILTER (WHERE price NOT IN ($1, $2)), count(*) FILTER (WHERE $1 IN (SELECT price FROM priced)),
 count(*) FILTER (WHERE $1 > ALL (SELECT price FROM priced WHERE price < 0)), count(*) FILTER (WHERE price = ANY (ARRAY[$1, $2])), count(*) FILTER (WHERE (price, whole) = ($1, $2)), count(*) FILTER (WHERE (price, whole) < ($1, $2)) FROM priced;
EXECUTE among(1, 1.5); EXECUTE among(1.005, 1); EXECUTE among(0.5, 50); EXECUTE among('NaN', 1); EXECUTE among(NULL, 1);
PREPARE joined(numeric) AS SELECT count(*) FROM priced a JOIN priced b ON a.price = b.price AND a.price > $1 LEFT JOIN priced c ON c.price = $1 WHERE b.whole IS DISTINCT FROM $1;
EXECUTE joined(4.5); EXECUTE joined(4.495); EXECUTE joined(-100);
PREPARE chosen(numeric) AS SELECT CASE WHEN price > $1 THEN 'more' WHEN price = $1 THEN 'same' ELSE 'less' END AS k, count(*), min(price), greatest(min(price), $1) FROM priced GROUP BY 1 ORDER BY 1;
EXECUTE chosen(2.5); EXECUTE chosen(2.505); EXECUTE chosen(NULL);
-- computed with
PREPARE computed(numeric, numeric) AS SELECT sum(price * $1), sum(price + $2), avg(price / $1), max(round(price * $1, 1)), min($2 - price), sum(whole % $2), max(free * $1), count(*) FILTER (WHERE price * $1 > $2), sum(price) * $1 + $2, max($1), pg_typeof(max($1 * $2)) FROM priced WHERE id < 2000;
EXECUTE computed(1.5, 2); EXECUTE computed(1.50, 2.000); EXECUTE computed(-3, 0.125); EXECUTE computed(2, 123456789012345678); EXECUTE computed(1e-9, 3); EXECUTE computed(0, 1); EXECUTE computed('NaN', 1); EXECUTE computed(NULL, 1.1); EXECUTE computed(1.12345678, 7.5); EXECUTE computed(99999999999999.9, 1.1);
PREPARE raised(numeric, int) AS UPDATE priced SET price = price * $1, free = free + $1 WHERE id BETWEEN 10 AND $2 RETURNING id, price, free;
EXECUTE raised(1.1, 14); EXECUTE raised(2, 12); EXECUTE raised(0.333, 12); EXECUTE raised(1e9, 12);
PREPARE kept(numeric) AS SELECT $1, $1 * 2, $1::numeric(10,3), $1::text, coalesce($1, 0.0), id FROM priced WHERE id % 500 = 0 ORDER BY price * $1, id;
EXECUTE kept(1.50); EXECUTE kept(-2); EXECUTE kept(NULL); EXECUTE kept(1.2300);
PREPARE grouped(numeric) AS SELECT round(price / $1) AS g, count(*) FROM priced WHERE id < 1000 GROUP BY 1 HAVING sum(price) > $1 ORDER BY g;
EXECUTE grouped(2.5); EXECUTE grouped(3); EXECUTE grouped(0.75);
PREPARE inserted(numeric) AS INSERT INTO priced SELECT id + 5000, price * $1, whole, tiny, free * $1 FROM priced WHERE id < 3 RETURNING price, free;
EXECUTE inserted(1.005); EXECUTE inserted(2);
CREATE FUNCTION taxed(rate numeric) RETURNS numeric LANGUAGE plpgsql AS $$ DECLARE s numeric; BEGIN SELECT sum(price * rate) INTO s FROM priced WHERE id < 2000; RETURN s; END $$;
SELECT taxed(1.19), taxed(2), taxed(NULL);
CREATE FUNCTION taxed_too(rate numeric) RETURNS numeric LANGUAGE sql AS $$ SELECT sum(price * rate) FROM priced WHERE id < 2000 $$;
SELECT taxed_too(1.19), taxed_too(2);
BEGIN; DECLARE c CURSOR FOR SELECT id, price * 1.5 FROM priced WHERE id < 3 ORDER BY id; FETCH ALL FROM c; COMMIT;
