CREATE SCHEMA shop;
CREATE TYPE shop.mood AS ENUM ('sad', 'ok', 'happy');
CREATE SCHEMA spans;
CREATE TYPE spans.span AS RANGE (subtype = float8, subtype_diff = float8mi);
CREATE DOMAIN spans.about AS spans.span CHECK (NOT isempty(VALUE));
CREATE TABLE spans.sizes (id int PRIMARY KEY, tall spans.about, wide spans.span[] DEFAULT '{}', CHECK (tall <> spans.span(1, 2)));
INSERT INTO spans.sizes VALUES (1, '[0.5,2]', '{"[1,2)",NULL}');
CREATE DOMAIN shop.positive AS int CHECK (VALUE > 0);
CREATE TABLE shop.customers (
    id serial PRIMARY KEY,
    email varchar(80) NOT NULL UNIQUE,
    name text NOT NULL DEFAULT 'nobody',
    balance numeric(12,2) DEFAULT 0.00,
    tags text[] DEFAULT '{}',
    data jsonb,
    created timestamptz NOT NULL DEFAULT now(),
    born date,
    ratio double precision DEFAULT 1.5,
    active boolean DEFAULT true
);
CREATE TABLE shop.orders (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer_id int NOT NULL REFERENCES shop.customers (id) ON DELETE CASCADE,
    placed timestamp DEFAULT CURRENT_TIMESTAMP,
    amount numeric NOT NULL,
    qty smallint DEFAULT 1,
    code char(5),
    note text,
    CONSTRAINT qty_given CHECK (qty IS NOT NULL),
    UNIQUE (customer_id, code)
);
CREATE INDEX orders_placed ON shop.orders (placed DESC, amount);
CREATE INDEX orders_note ON shop.orders (lower(note)) WHERE note IS NOT NULL;
CREATE SEQUENCE shop.counter START 10 INCREMENT 5;
COMMENT ON TABLE shop.orders IS 'All orders';
COMMENT ON COLUMN shop.orders.amount IS 'In euros';
CREATE TABLE shop.compound (x int, y int, z text, PRIMARY KEY (x, y));
CREATE TABLE shop.refs (
    x int, y int,
    FOREIGN KEY (x, y) REFERENCES shop.compound (x, y) ON UPDATE CASCADE ON DELETE SET NULL
);
CREATE ROLE reader;
CREATE ROLE alice LOGIN;
GRANT reader TO alice;
GRANT USAGE ON SCHEMA shop TO reader;
GRANT SELECT ON shop.customers TO reader;
GRANT INSERT, UPDATE ON shop.customers TO alice WITH GRANT OPTION;
INSERT INTO shop.customers (email, name) VALUES ('a@x', 'Ann'), ('b@x', 'Bob');
INSERT INTO shop.orders (customer_id, amount, code) VALUES (1, 150, 'aa'), (2, 5.5, 'bb');
CREATE FUNCTION shop.spent(customer int) RETURNS numeric LANGUAGE sql STABLE SECURITY DEFINER SET search_path = shop, pg_temp SET work_mem = '5MB' AS 'SELECT sum(amount) FROM orders WHERE customer_id = customer';
CREATE FUNCTION shop.most(VARIADIC amounts anyarray) RETURNS anyelement LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT max(a) FROM unnest(amounts) a); END';
CREATE FUNCTION shop.share(part numeric, whole numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT round(part * 100 / whole)';
CREATE OPERATOR shop.%/ (LEFTARG = numeric, RIGHTARG = numeric, FUNCTION = shop.share);
COMMENT ON OPERATOR shop.%/ (numeric, numeric) IS 'how much of the whole';
CREATE VIEW shop.shares AS SELECT id, amount OPERATOR(shop.%/) 200 AS share FROM shop.orders;
CREATE STATISTICS shop.together (dependencies, mcv) ON amount, qty FROM shop.orders;
CREATE TABLE shop.gone (x int, y int);
CREATE RULE remember AS ON DELETE TO shop.compound WHERE old.y > 0 DO ALSO INSERT INTO shop.gone VALUES (old.x, old.y);
CREATE TYPE shop.place AS (id int, street varchar(40), opened date);
CREATE TABLE shop.branches OF shop.place (id WITH OPTIONS PRIMARY KEY, street NOT NULL DEFAULT 'unknown', CHECK (opened > '1900-01-01'));
INSERT INTO shop.branches VALUES (1, DEFAULT, '2020-01-01');
CREATE TABLE shop.kiosks OF shop.place;
CREATE FOREIGN DATA WRAPPER courier OPTIONS ("Two Words" 'it''s', wagon '1=2');
CREATE SERVER depot TYPE 'store' VERSION '2' FOREIGN DATA WRAPPER courier OPTIONS (host 'far');
CREATE USER MAPPING FOR PUBLIC SERVER depot OPTIONS (user 'anybody');
COMMENT ON SERVER depot IS 'where things are kept';
CREATE FOREIGN TABLE shop.kept (id int OPTIONS (col 'no') NOT NULL, what text DEFAULT 'box', CHECK (id > 0)) SERVER depot OPTIONS (path '/x');
CREATE FOREIGN TABLE shop.kept_too (since date) INHERITS (shop.kept) SERVER depot;
COMMENT ON FOREIGN TABLE shop.kept IS 'elsewhere';
CREATE VIEW shop.all_kept AS SELECT id, what FROM shop.kept;
