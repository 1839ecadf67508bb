select 'a'::char(3) > 1;
select 'a'::char(3) + 'b'::bpchar;
select - 'a'::char(3);
select foo('a'::char(3));
select abs('a'::bpchar);
select array['a'::char(3)] + 1;
create table t(a char(3), b int[], c char(3)[]);
select a > 1 from t;
select c > 1 from t;
select lower(c) from t;
create index on t((a));
create unique index on t((a));
create index on t(('x'));
create index on t((a), (upper(a)));
\d t
create table p(a int, b int) partition by range(a);
create unique index on p((a));
\d p
