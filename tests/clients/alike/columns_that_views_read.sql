-- Which views stand on a column: who is to change it asks pg_depend, as do pgAdmin and migrations that make views anew.
CREATE SCHEMA cvr;
SET search_path = cvr;
CREATE TABLE customers (id int PRIMARY KEY, name text, note text, gone text);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int, amount numeric, note text);
CREATE VIEW totals AS SELECT c.name, sum(o.amount) AS note FROM customers c LEFT JOIN orders AS o ON o.customer_id = c.id GROUP BY c.name;
CREATE VIEW counted AS SELECT count(*) FROM orders;
CREATE VIEW everything AS SELECT * FROM customers;
CREATE VIEW partly AS SELECT customers.*, 1 AS one FROM customers, orders WHERE orders.amount > 1;
CREATE VIEW above AS SELECT name FROM everything WHERE id > 3;
CREATE MATERIALIZED VIEW kept AS SELECT id, upper(name) AS gone FROM customers WHERE note IS NOT NULL;
CREATE VIEW "Odd" AS SELECT "Q".amount FROM orders "Q" ORDER BY "Q".id;
CREATE TABLE parted (k int, v text, w int) PARTITION BY RANGE (w, k);
SELECT pg_describe_object(d.classid, d.objid, d.objsubid), d.deptype, pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)
  FROM pg_depend d JOIN pg_class c ON c.oid = d.refobjid AND d.refclassid = 'pg_class'::regclass
  WHERE c.relnamespace = 'cvr'::regnamespace AND d.classid = 'pg_rewrite'::regclass ORDER BY 1, 2, 3;
SELECT DISTINCT v.relname FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid AND d.classid = 'pg_rewrite'::regclass JOIN pg_class v ON v.oid = r.ev_class
  JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid WHERE a.attrelid = 'customers'::regclass AND a.attname = 'name' ORDER BY 1;
SELECT objsubid, deptype, refobjsubid FROM pg_depend WHERE objid = 'parted'::regclass AND refobjid = 'parted'::regclass ORDER BY 1;
ALTER TABLE customers RENAME TO people;
ALTER TABLE orders RENAME amount TO price;
SELECT pg_describe_object(d.classid, d.objid, d.objsubid), pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)
  FROM pg_depend d JOIN pg_class c ON c.oid = d.refobjid AND d.refclassid = 'pg_class'::regclass
  WHERE c.relname IN ('people', 'orders') AND d.classid = 'pg_rewrite'::regclass ORDER BY 1, 2;
