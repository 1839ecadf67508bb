-- NOT before IS [NOT] NULL is of the whole test: a row with some nulls neither is null nor is not null.
create type pr as (x int, y text);
create table c (id int primary key, r pr);
insert into c values (1, '(1,)'), (2, '(,)'), (3, '(1,a)'), (4, null);
select id, not r is not null as a, not r is null as b, not (r is not null) as c, r is not null d, r is null as e from c order by id;
select id, not c is not null as a, not c is null as b, not (c is not null) as c from c order by id;
select not row(1, null) is not null, not row(1, null) is null, not (row(1, null) is not null);
select id from c where not r is not null order by 1;
select id from c where not r is null order by 1;
select not r is not null as a, not r is null as b from c where id = 1;
create view cv as select id, not r is not null as a, not r is null as b, not (id > 1) is not true as i, not id is distinct from 1 as j, not id is not distinct from 1 as k,
  not (id > 1) is unknown l, not (id > 1) is not unknown m, (id > 1) is unknown n, (id > 1) is not unknown o, (id in (1, 2)) is unknown p from c;
\d+ cv
select pg_get_viewdef('cv');
select * from cv order by id;
alter table c add check (not ((id > 9) is true)), add check (not ((id > 0) is not true)), add check (not ((id > 1) is unknown));
create index on c (id) where not (id is null);
\d c
