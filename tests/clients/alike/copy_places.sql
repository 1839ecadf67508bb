-- Where in what is copied a row is that a constraint refuses.
\set SHOW_CONTEXT always
create table cc (id int primary key, v text not null, n int check (n > 0), d varchar(3), unique (v, n));
insert into cc values (100, 'x', 1, 'a');
copy cc from stdin;
1	a	1	x
2	\N	1	x
\.
copy cc from stdin;
1	a	1	x
2	b	1	x
03	c	-1	+
\.
copy cc from stdin;
1	a	1	x
2	b	1	x
1	c	1	x
3	d	1	x
\.
copy cc from stdin;
5	a	1	x
100	b	1	x
\.
copy cc from stdin;
5	a	1	x
6	x	1	x
\.
copy cc from stdin with (format csv, header);
id,v,n,d
1,"a
b",1,x
2,"q, r",-1,x
\.
copy cc from stdin with (format csv);
1,"a
b",1,x
2,,5,x
\.
copy cc from stdin with (format csv, escape '\');
1,"a\"b
c",1,x
2,b,-5,x
\.
copy cc (id, n, v) from stdin with (delimiter '|', header);
id|n|v
7|0|a long text, of which an error shows no more than one hundred bytes: the rest is three dots, and nothing more than that
\.
copy cc from stdin;
1	a	1	long
\.
copy cc from stdin;
1	a
\.
begin;
copy cc from stdin;
1	a	1	x
\.
copy cc from stdin;
2	b	1	x
1	c	1	x
\.
rollback;
select count(*) from cc;
-- A CHECK that asks a function tells of the row as well.
\set SHOW_CONTEXT errors
create function positive(int) returns bool as $$ begin return $1 > 0; end $$ language plpgsql immutable;
create table asked (id int, n int check (positive(n)));
copy asked from stdin;
1	3
2	5
3	-4
4	-4
\.
copy asked from stdin (format csv, header);
id,n
1,3
2,0
\.
copy asked from stdin where id > 1;
1	-1
2	2
\.
table asked;
