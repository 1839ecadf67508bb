-- nextval in capitals is nextval, and the default stands on its sequence; beside a conversion that goes without saying an operator keeps its parentheses.
CREATE SEQUENCE numbers;
CREATE TABLE capitals (id integer DEFAULT NEXTVAL('numbers') NOT NULL, other bigint DEFAULT Nextval('numbers'), sum bigint DEFAULT 1 + NEXTVAL('numbers'));
SELECT attname, pg_get_expr(adbin, adrelid) FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum ORDER BY attnum;
SELECT classid::regclass, refclassid::regclass, refobjid::regclass, refobjsubid, deptype, count(*) FROM pg_depend WHERE refobjid = 'numbers'::regclass GROUP BY 1, 2, 3, 4, 5;
INSERT INTO capitals DEFAULT VALUES RETURNING *;
\d capitals
DROP SEQUENCE numbers;
CREATE TABLE converted (
    a integer DEFAULT 1 + 2::bigint,
    b integer DEFAULT 1 + 2,
    c bigint DEFAULT 1 + 2,
    d numeric DEFAULT (1 + 2) * 3,
    e text DEFAULT 'a' || 'b',
    f varchar(3) DEFAULT 'a' || 'b',
    g date DEFAULT now(),
    h date DEFAULT now() + '1 day'::interval,
    i boolean DEFAULT NOT false,
    j boolean DEFAULT (1 = 1 AND 2 = 2),
    k bigint DEFAULT CASE WHEN true THEN 1 ELSE 2 END,
    l real DEFAULT - (3::integer),
    m timestamptz DEFAULT (now() AT TIME ZONE 'utc'),
    n text DEFAULT 1 + 1,
    o numeric(6, 2) DEFAULT 1.0 + 2,
    p numeric DEFAULT 1.0 + 2
);
\d converted
SELECT attname, pg_get_expr(adbin, adrelid), pg_get_expr(adbin, adrelid, true) FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum WHERE adrelid = 'converted'::regclass ORDER BY attnum;
CREATE TABLE computed (a integer, b integer GENERATED ALWAYS AS (a + 2::bigint) STORED, c numeric GENERATED ALWAYS AS (a + 1) STORED, d bigint GENERATED ALWAYS AS (a * 2) STORED, e integer GENERATED ALWAYS AS (a * 3) STORED);
\d computed
