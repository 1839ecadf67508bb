create type mood as enum ('sad','ok');
create table d (id int primary key, name varchar(20) default 'x' not null, price numeric(10,2) default 0 check (price >= 0), qty int check (qty > 0 and qty < 100), created timestamptz default now(), tags text[] default '{}', j jsonb default '{}'::jsonb, m mood default 'ok', f float8 default 1.5, b bool default true, d date default current_date, up text generated always as (upper(name)) stored, big int8 default 10, neg int default -1, ch char(3) default 'a', ts timestamp default '2020-01-01', iv interval default '1 day', u text default 'a' || 'b', n2 numeric default 1.5, ar int[] default array[1,2], ex int default (1+2)*3, unk text default null);
alter table d add constraint c1 check (name in ('a','b','c')), add constraint c2 check (name like 'a%' or name is not null), add constraint c3 check (length(name) > 2), add constraint c4 check (lower(name) = name), add constraint c5 check (qty between 1 and 5), add constraint c6 check (not b), add constraint c7 check (m = 'ok'), add constraint c8 check (case when qty > 1 then true else false end), add constraint c9 check (coalesce(qty, 0) > 1), add constraint c10 check (created > '2020-01-01'), add constraint c11 check (qty in (1,2,3)), add constraint c12 check (name ~ '^a'), add constraint c13 check (price::int > 0), add constraint c14 check (id + qty * 2 > 3), add constraint c15 check (j ? 'a'), add constraint c16 check (extract(year from d) > 2000), add constraint c17 check (name <> ''), add constraint c18 check (b is true), add constraint c19 check (qty = any (array[1,2])), add constraint c20 check (char_length(name) between 1 and 10), add constraint c21 check (name is distinct from 'q'), add constraint c22 check (price > 1.5 and (qty > 1 or qty is null)), add constraint c23 check (-qty < 0), add constraint c24 check (j->>'a' = 'x'), add constraint c25 check (tags[1] = 'a'), add constraint c26 check (num_nonnulls(qty, price) = 1), add constraint c27 check (f > 1 and big < 5), add constraint c28 check (nullif(name,'') is not null), add constraint c29 check (greatest(qty, 1) > 0), add constraint c30 check (name similar to 'a%'), add constraint c31 check (date_trunc('day', created) > now() - interval '1 day');
create index on d (lower(name)) where qty > 5;
create index on d ((id + 1)); 
create index on d ((name || 'x'), id desc nulls last) where b and m = 'ok';
create unique index on d (name) where b;
select attname, pg_get_expr(adbin, adrelid) from pg_attrdef join pg_attribute on attrelid=adrelid and attnum=adnum where adrelid='d'::regclass order by attnum;
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid='d'::regclass order by 1;
select conname, pg_get_constraintdef(oid, true) from pg_constraint where conrelid='d'::regclass order by 1;
select pg_get_indexdef(indexrelid) from pg_index where indrelid='d'::regclass order by 1;
select pg_get_indexdef(indexrelid, 1, true), pg_get_expr(indpred, indrelid), pg_get_expr(indexprs, indrelid) from pg_index where indrelid='d'::regclass order by 1;
select column_name, column_default from information_schema.columns where table_name='d' order by ordinal_position;
select constraint_name, check_clause from information_schema.check_constraints where constraint_name ~ '^c[0-9]' or constraint_name like 'd\_%' order by 1;
create table fk (a int, b int, foreign key (a) references d(id) on delete cascade deferrable initially deferred, unique (a,b) deferrable, check (a > 0) not valid);
alter table fk add foreign key (b) references d(id) match full not valid;
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid='fk'::regclass order by 1;
create view v1 as select * from d;
create view v2 as select d.id, d.name as nm, count(*) as n, sum(price) from d join fk on fk.a = d.id where qty > 1 group by d.id, d.name having count(*) > 1 order by 2 desc limit 5;
\d d
\d fk
