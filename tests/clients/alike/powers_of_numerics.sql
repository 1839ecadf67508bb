\set VERBOSITY terse
-- exp and power of numerics end where PostgreSQL's do.
SELECT length(exp(5999::numeric)::text), scale(exp(-5999::numeric)), scale(exp(-7000::numeric)), exp(-1e300) = 0;
SELECT exp(6000::numeric);
SELECT exp(1e300);
SELECT 10.5::numeric ^ 2600.5;
SELECT 2.5 ^ 123456.789;
SELECT length((10.5 ^ 2550.5)::text), scale(10.5 ^ -2550.5), scale(10.5 ^ -2650.5), length((10.5 ^ 2700)::text), scale(10.5 ^ -2700);
SELECT 0.000000000000000000001 ^ 123456.789 = 0, scale(0.000000000000000000001 ^ 123456.789), 99999999.99 ^ -0.5, 99999999.99 ^ 0.5, 1.005 ^ 123456.789, 1.005 ^ -123456.789;
SELECT a, b, power(a, b), power(a, -b) FROM (VALUES (2.0, 0.5), (99.99, 1.5), (0.01, 2.5), (1.0000001, 1234567.5), (123456789.123, 0.25), (9999.9999, 0.5), (10000, 1.25), (1e-10, 0.1), (1e20, 0.1), (0.9, 3.3), (1.1, 3.3)) v(a, b);
CREATE TABLE pwr (id int PRIMARY KEY, a numeric, b numeric);
INSERT INTO pwr SELECT g, g / 100.0, (g % 17) / 4.0 FROM generate_series(1, 6000) g;
INSERT INTO pwr VALUES (0, 2.5, 123456.789);
SELECT sum(a ^ b), sum(scale(a ^ b)), sum(scale(a ^ -b)) FROM pwr WHERE id > 0;
SELECT sum(a ^ b) FROM pwr;
SELECT a ^ b FROM pwr WHERE id = 0;
DROP TABLE pwr;
