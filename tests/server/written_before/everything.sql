-- One of everything that a data directory keeps: kinds of objects, types of columns, rows that came one by one, in bulk,
-- were changed and deleted. Values are the same whenever it is played.
SET timezone = 'UTC';
CREATE ROLE reader;
CREATE ROLE writer LOGIN;
GRANT reader TO writer;
CREATE SCHEMA shop;
COMMENT ON SCHEMA shop IS 'what is sold';
CREATE EXTENSION citext;
CREATE EXTENSION pg_trgm;
CREATE TYPE shop.state AS ENUM ('open', 'paid');
ALTER TYPE shop.state ADD VALUE 'lost' AFTER 'open';
CREATE TYPE shop.address AS (street text, number int);
CREATE TYPE shop.span AS RANGE (subtype = numeric);
CREATE DOMAIN shop.cents AS bigint CHECK (VALUE >= 0) DEFAULT 0;
CREATE SEQUENCE shop.tickets INCREMENT 5 MINVALUE 10 START 20 CYCLE;

CREATE TABLE shop.customers (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email citext NOT NULL UNIQUE,
    home shop.address,
    tags text[],
    doc jsonb DEFAULT '{}',
    doubled int GENERATED ALWAYS AS (length(email::text) * 2) STORED,
    since date NOT NULL DEFAULT '2020-02-29'
);
COMMENT ON COLUMN shop.customers.home IS 'where letters go';
CREATE INDEX customers_tags ON shop.customers USING gin (tags);
CREATE INDEX customers_doc ON shop.customers USING gin (doc);
CREATE INDEX customers_lower ON shop.customers (lower(email::text)) WHERE id > 1;
CREATE TABLE shop.orders (
    id bigserial PRIMARY KEY,
    customer int REFERENCES shop.customers ON UPDATE CASCADE ON DELETE RESTRICT,
    state shop.state NOT NULL DEFAULT 'open',
    price shop.cents,
    at timestamptz,
    CONSTRAINT paid_is_priced CHECK (state <> 'paid' OR price > 0)
);
CREATE INDEX ON shop.orders (customer, at DESC);
ALTER TABLE shop.orders ADD COLUMN note varchar(20) DEFAULT 'none';
ALTER TABLE shop.orders ADD CONSTRAINT one_a_moment UNIQUE (customer, at) DEFERRABLE INITIALLY DEFERRED;
CREATE TABLE shop.bookings (room int, during tsrange, EXCLUDE USING gist (during WITH &&));

CREATE TABLE every_type (
    k int PRIMARY KEY, a bool, b int2, c int8, d float4, e float8, f numeric, g numeric(12, 3), h char(5), i varchar(9), j name,
    l bytea, m date, n time, o timetz, p timestamp, q timestamptz, r interval, s uuid, t json, u jsonb, v int[], w text[][],
    x shop.state, y shop.address, z shop.span, aa int4range, ab nummultirange, ac oid, ad regclass, ae inet, af bit(4), ag xml,
    ah money, ai tsvector, aj macaddr, ak point, al shop.cents[], am varbit
);
INSERT INTO every_type VALUES
    (1, true, -32768, 9223372036854775807, 1.5, 'NaN', 123456789012345678901234567890.123456789, 123456789.125, 'ab', 'cd', 'ef',
     '\x00ff', '0044-03-15 BC', '23:59:59.999999', '12:00+05:30', 'infinity', '2001-02-03 04:05:06.789', '1 year -2 days 00:00:03.5',
     'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{"b":  1, "a": 2}', '{"b":  1, "a": [2, null]}', '[0:2]={1,NULL,3}', '{{a,"b c"},{"",NULL}}',
     'lost', '("Long Street",7)', '[1.5,2.5)', '[1,10)', '{[1,2),[3.5,)}', 4294967295, 'shop.orders', '10.0.0.1/8', '1010', '<a>b</a>',
     '12.34', 'a fat cat', '08:00:2b:01:02:03', '(1,2)', '{1,2}', '101'),
    (2, false, 32767, -9223372036854775808, '-0', '-Infinity', 'NaN', -0.001, '', '', '', '', '-infinity', '00:00', '24:00:00-12',
     '4713-01-01 BC', '-infinity', '-178000000 years', '00000000-0000-0000-0000-000000000000', 'null', 'null', '{}', '{}',
     'open', '(,)', 'empty', '(,)', '{}', 0, 'pg_class', '::1', '0000', '', '-0.01', '', 'ff:ff:ff:ff:ff:ff', '(-1e10,1e-10)', '{}', '');
INSERT INTO every_type (k) VALUES (3);

INSERT INTO shop.customers (email, home, tags, doc)
SELECT 'Name' || i || '@example.org', ('Street ' || i % 7, i)::shop.address, ARRAY['t' || i % 3, 'u' || i % 5], jsonb_build_object('n', i % 10)
FROM generate_series(1, 200) i;
INSERT INTO shop.orders (customer, state, price, at)
SELECT 1 + i % 200, (ARRAY['open', 'paid', 'lost'])[1 + i % 3]::shop.state, i * 7, '2024-01-01Z'::timestamptz + i * interval '1 hour'
FROM generate_series(1, 6000) i;
UPDATE shop.orders SET note = 'changed', price = price + 1 WHERE id % 17 = 0;
DELETE FROM shop.orders WHERE id % 19 = 0;
UPDATE shop.orders SET state = 'paid' WHERE id = 5;
INSERT INTO shop.bookings VALUES (1, '[2024-01-01,2024-01-02)');
SELECT nextval('shop.tickets'), nextval('shop.tickets');

CREATE TABLE bulk (a int, b text, c float8);
INSERT INTO bulk SELECT i, 'row ' || i % 100, i / 4.0 FROM generate_series(1, 30000) i;
DELETE FROM bulk WHERE a % 10 = 3;
UPDATE bulk SET b = 'new' WHERE a BETWEEN 500 AND 700;
CREATE TABLE emptied (a int);
INSERT INTO emptied SELECT generate_series(1, 5000);
TRUNCATE emptied;
CREATE TABLE gone AS SELECT generate_series(1, 5000) AS a;
DROP TABLE gone;
CREATE UNLOGGED TABLE quick (a int PRIMARY KEY);
INSERT INTO quick VALUES (1);

CREATE TABLE measures (at date NOT NULL, v int, PRIMARY KEY (at, v)) PARTITION BY RANGE (at);
CREATE TABLE measures_2023 PARTITION OF measures FOR VALUES FROM ('2023-01-01') TO ('2024-01-01');
CREATE TABLE measures_later PARTITION OF measures DEFAULT PARTITION BY HASH (v);
CREATE TABLE measures_later_0 PARTITION OF measures_later FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE measures_later_1 PARTITION OF measures_later FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO measures SELECT date '2023-12-01' + i, i FROM generate_series(0, 60) i;
CREATE TABLE parent (a int);
CREATE TABLE child (b int) INHERITS (parent);
INSERT INTO parent VALUES (1);
INSERT INTO child VALUES (2, 3);

CREATE VIEW shop.open_orders AS
    SELECT o.id, c.email, o.price FROM shop.orders o JOIN shop.customers c ON c.id = o.customer WHERE o.state = 'open';
CREATE VIEW shop.cheap AS SELECT * FROM shop.orders WHERE price < 100 WITH CHECK OPTION;
CREATE MATERIALIZED VIEW shop.by_state AS SELECT state, count(*), sum(price::numeric) FROM shop.orders GROUP BY state;
CREATE UNIQUE INDEX ON shop.by_state (state);
CREATE TABLE shop.log (id int GENERATED BY DEFAULT AS IDENTITY, what text);
CREATE FUNCTION shop.twice(n int) RETURNS int LANGUAGE sql IMMUTABLE STRICT AS 'SELECT n * 2';
CREATE FUNCTION shop.logged() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO shop.log (what) VALUES (TG_OP || ' ' || NEW.id);
    RETURN NEW;
END $$;
CREATE TRIGGER logs AFTER INSERT OR UPDATE ON shop.customers FOR EACH ROW EXECUTE FUNCTION shop.logged();
CREATE PROCEDURE shop.clear(INOUT n int) LANGUAGE plpgsql AS $$ BEGIN DELETE FROM shop.log; n := n + 1; END $$;
CREATE AGGREGATE shop.total(int) (sfunc = int4pl, stype = int, initcond = '0');
CREATE OPERATOR shop.<+> (leftarg = int, rightarg = int, function = int4pl);
CREATE RULE kept AS ON DELETE TO shop.log WHERE OLD.id = 1 DO INSTEAD NOTHING;
UPDATE shop.customers SET tags = tags || ARRAY['v'] WHERE id = 3;
ALTER TABLE shop.customers ENABLE ROW LEVEL SECURITY;
CREATE POLICY small ON shop.customers FOR SELECT TO reader USING (id < 10);
CREATE STATISTICS shop.both (dependencies) ON customer, state FROM shop.orders;
CREATE PUBLICATION told FOR TABLE shop.orders;
GRANT USAGE ON SCHEMA shop TO reader;
GRANT SELECT (id, email) ON shop.customers TO reader;
GRANT ALL ON shop.log TO writer WITH GRANT OPTION;
ALTER DEFAULT PRIVILEGES IN SCHEMA shop GRANT SELECT ON TABLES TO reader;
ALTER ROLE writer SET search_path = shop, public;
ALTER DATABASE tidewire SET work_mem = '8MB';
SELECT lo_from_bytea(4711, '\x0102030405');
CREATE DATABASE other;
