-- What aggregates over pairs of floats gather, they gather for all of them: squares that overflow are refused, whatever is asked for.
CREATE TABLE pairs (x float8, y float8);
INSERT INTO pairs VALUES (1e200, 1), (2e200, 2), (3e200, 3);
SELECT covar_pop(x, y) FROM pairs;
SELECT covar_pop(y, x) FROM pairs;
SELECT covar_samp(x, y) FROM pairs WHERE y = 1;
SELECT regr_avgx(x, y) FROM pairs;
SELECT regr_avgy(x, y) FROM pairs;
SELECT regr_count(x, y) FROM pairs;
SELECT regr_slope(x, y) FROM pairs;
SELECT regr_sxx(x, y) FROM pairs;
SELECT regr_sxy(x, y) FROM pairs;
SELECT corr(x, y), regr_r2(x, y) FROM pairs WHERE false;
SELECT regr_avgy(x, y) FROM (VALUES (1e308, 1::float8), (1e308, 2)) t (x, y);
SELECT regr_avgy(x, y), covar_pop(x, y) FROM (VALUES ('inf'::float8, 1::float8), (1e308, 2)) t (x, y);
SELECT regr_avgy(x, y), covar_pop(x, y) FROM (VALUES ('nan'::float8, 1::float8), (1e308, 2)) t (x, y);
-- Three columns of one name among the arguments, in a query that is read twice.
CREATE TABLE few (f float8, g int);
INSERT INTO few VALUES (1, 1), (2, 2);
WITH x AS NOT MATERIALIZED (SELECT least(f, f, f) AS l FROM few) SELECT * FROM x a, x b ORDER BY 1, 2;
WITH x AS NOT MATERIALIZED (SELECT greatest(a.f, b.f, c.f, 1, a.g) AS l FROM few a, few b, few c) SELECT count(*), sum(a.l * b.l) FROM x a, x b;
