-- What COPY's options say of columns and tables, FREEZE, headers that must match: refused before or after the client is told to send.
create table f (a int, b text, c text);
copy f (a, b) from stdin with (format csv, force_not_null (c));
copy f (a, b) from stdin with (format csv, force_not_null (x));
copy f (a, b) from stdin with (format csv, force_null (c));
copy f (a, b) to stdout with (format csv, force_quote (c));
copy (select 1 as one) to stdout with (format csv, force_quote (c));
copy (select 1 as one) to stdout with (format csv, force_quote (one));
copy f to stdout with (format csv, force_quote *);
copy f to stdout (freeze);
copy f from stdin (freeze maybe);
copy f from stdin (freeze);
1	a	b
\.
begin;
truncate f;
copy f from stdin (freeze);
1	a	b
\.
savepoint a;
copy f from stdin (freeze on);
2	a	b
\.
rollback to a;
copy f from stdin (freeze off);
3	a	b
\.
select * from f;
rollback;
begin;
create table g (a int);
savepoint a;
truncate g;
copy g from stdin freeze;
1
\.
release a;
copy g from stdin freeze;
2
\.
commit;
select * from g;
create table p (a int) partition by list (a);
create table p1 partition of p for values in (1);
begin;
truncate p;
copy p from stdin (freeze);
1
\.
rollback;
copy f from stdin (header match);
a	b	\N
\.
copy f from stdin (header match);
a	b	x
\.
copy f from stdin (header match, null 'none');
a	none	c
\.
copy nosuch from stdin;
copy nosuch to stdout;
copy f from stdin where a in (select 1);
copy f from stdin where exists (select 1);
copy f from stdin where a = (select 1);
copy f from stdin where a not in (select 1) and b = 'x';
copy f from stdin where a = any (select 1);
-- What stands in brackets is a query or a write: not all that gives rows.
copy (explain select 1) to stdout;
copy (show timezone) to stdout;
copy ("select" 1) to stdout;
copy () to stdout;
copy (((create table made (a int)))) to stdout;
copy (; select 1) to stdout;
copy (execute something) to stdout;
copy (((values (1)) union (select 2)) order by 1) to stdout;
-- What is no table: the client has been told to send by then.
CREATE VIEW f_seen AS SELECT a, b FROM f;
CREATE MATERIALIZED VIEW f_kept AS SELECT a FROM f;
CREATE SEQUENCE f_numbers;
COPY f_seen FROM STDIN;
1	x
2	y
\.
COPY f_seen (a) FROM STDIN (FORMAT csv);
1
\.
COPY f_kept FROM STDIN;
1
\.
COPY f_numbers FROM STDIN;
1
\.
COPY f_seen (nothing) FROM STDIN;
SELECT 'goes on';
BEGIN;
COPY f_seen FROM STDIN;
1	x
\.
SELECT 1;
ROLLBACK;
